/*
 * What Claude Code will delete next, and whether all of that is indexed. The
 * index survives its transcripts; texts survive only in the archive.
 */
#include "base/alloc.h"
#include "base/strtab.h"
#include "base/time.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/retention.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"

#include <stdlib.h>

#define DAY_MS	  ((int64_t)86400 * 1000)
#define SOON_DAYS 7
#define KEY	  "retention"

/* The daemon's list of transcripts, by path. */
struct known {
	struct ccfc_strtab paths;
	struct {
		int64_t *items;
		uint32_t n, cap;
	} read; /* bytes read of the transcript with path i */
};

/* The findings for one directory. */
struct due {
	uint32_t all;	 /* its transcripts */
	uint32_t soon;	 /* deleted within SOON_DAYS */
	uint32_t unread; /* of these, not completely indexed */
	const struct ccfc_transcript *first, *first_unread;
};

static void note_known(struct known *k, struct ccfc_slice path,
		       struct ccfc_obj row)
{
	uint32_t id = ccfc_strtab_put(&k->paths, path);

	while (k->read.n <= id)
		CCFC_VEC_PUSH(k->read, 0);
	k->read.items[id] = ccfc_obj_get_int(row, "bytes", 0);
}

static void known_init(struct known *k, const struct ccfc_doctor *d)
{
	struct ccfc_obj rows = { 0 };

	*k = (struct known){ 0 };
	if (d->sources)
		rows = ccfc_obj_get(ccfc_cli_value(d->sources), "sources");
	ccfc_strtab_init(&k->paths);
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);

		note_known(k, ccfc_obj_get_str(row, "path"), row);
	}
	/*
	 * The path of a deleted transcript may be another name of an existing
	 * one.
	 */
	for (uint32_t i = 0; i < ccfc_obj_len(rows); i++) {
		struct ccfc_obj row = ccfc_obj_at(rows, i);
		struct ccfc_obj names = ccfc_obj_get(row, "names");

		for (uint32_t j = 0; j < ccfc_obj_len(names); j++)
			note_known(k, ccfc_obj_str(ccfc_obj_at(names, j)), row);
	}
}

static void known_release(struct known *k)
{
	ccfc_strtab_release(&k->paths);
	free(k->read.items);
}

static bool is_indexed(const struct known *k, const struct ccfc_transcript *t)
{
	uint32_t id = ccfc_strtab_find(&k->paths, ccfc_slice_str(t->path));

	return id != CCFC_ID_NONE &&
	       ccfc_transcript_is_read(t, k->read.items[id]);
}

/* Transcripts are in the order in which they will be deleted. */
static void find_due(struct due *due, const struct ccfc_doctor *d,
		     const struct known *known, uint32_t root, int64_t days)
{
	*due = (struct due){ 0 };
	for (uint32_t i = 0; i < d->transcripts.n; i++) {
		const struct ccfc_transcript *t = &d->transcripts.items[i];

		if (t->root != root)
			continue;
		due->all++;
		if (!due->first)
			due->first = t;
		if (t->mtime + (days - SOON_DAYS) * DAY_MS > d->now)
			continue;
		due->soon++;
		if (is_indexed(known, t))
			continue;
		if (!due->unread++)
			due->first_unread = t;
	}
}

/* ---- the findings ---- */

static void put_period(struct ccfc_buf *out, const char *root,
		       const struct ccfc_retention *r)
{
	ccfc_buf_printf(out, "%s: transcripts are deleted ", root);
	ccfc_render_count(out, r->days, "day");
	ccfc_buf_puts(out, " after they were last written (");
	if (r->is_default)
		ccfc_buf_puts(out, "the default)");
	else
		ccfc_buf_printf(out, "%s)", r->file.ptr);
}

static void put_next(struct ccfc_buf *out, const struct ccfc_doctor *d,
		     const struct due *due, int64_t days)
{
	char text[CCFC_TIME_TEXT_MAX];
	int64_t when = due->first->mtime + days * DAY_MS;

	if (when <= d->now)
		ccfc_buf_puts(out, "when Claude Code starts next");
	else
		ccfc_buf_printf(
			out, "on %s",
			ccfc_time_format_local(text, when, "%Y-%m-%d %H:%M"));
	ccfc_buf_printf(out, " %s", due->first->path);
}

static void put_unread(struct ccfc_doctor *d, struct ccfc_finding *f,
		       const struct due *due)
{
	f->level = CCFC_LEVEL_WARN;
	if (!d->info) {
		ccfc_buf_puts(&f->why, "whether they are indexed is not known "
				       "without a daemon");
		ccfc_doctor_start(d, &f->fix);
		return;
	}
	if (!d->sources) {
		ccfc_buf_puts(&f->why, "this daemon does not say whether they "
				       "are indexed");
		ccfc_doctor_stop(d, &f->fix);
		ccfc_buf_puts(&f->fix, " && ");
		ccfc_doctor_start(d, &f->fix);
		return;
	}
	ccfc_buf_printf(&f->why, "%u of them %s not indexed, %s first",
			due->unread, due->unread == 1 ? "is" : "are",
			due->first_unread->path);
	ccfc_buf_puts(&f->fix, "ccfc index --build");
}

static void add_retention_finding(struct ccfc_doctor *d, const char *root,
				  const struct ccfc_retention *r,
				  const struct due *due)
{
	struct ccfc_finding *f = ccfc_doctor_add(d, CCFC_LEVEL_OK, KEY);

	put_period(&f->what, root, r);
	if (!due->first)
		return;
	ccfc_buf_puts(&f->what, "; next, ");
	put_next(&f->what, d, due, r->days);
	if (!due->soon)
		return;
	ccfc_buf_printf(&f->what, "; %u of %u within %d days", due->soon,
			due->all, SOON_DAYS);
	if (due->unread) {
		put_unread(d, f, due);
		return;
	}
	f->level = CCFC_LEVEL_NOTE;
	ccfc_buf_puts(&f->why, "all of them are indexed; the texts of their "
			       "changes will be lost");
	ccfc_retention_fix(&f->fix, r, CCFC_RETENTION_LONG);
}

static void nothing_is_kept(struct ccfc_doctor *d, const char *root,
			    const struct ccfc_retention *r)
{
	struct ccfc_finding *f = ccfc_doctor_say(
		d, CCFC_LEVEL_FAIL, KEY, "%s: no transcripts are kept (%s)",
		root, r->file.ptr);

	ccfc_buf_puts(&f->why, CCFC_RETENTION_KEY
		      " is 0, and there is nothing to index");
	ccfc_retention_fix(&f->fix, r, CCFC_RETENTION_LONG);
}

static void check_root(struct ccfc_doctor *d, const struct known *known,
		       uint32_t root)
{
	const char *path = d->roots.items[root];
	struct ccfc_retention r;
	struct due due;

	ccfc_retention_init(&r, path, CCFC_RETENTION_MANAGED);
	if (r.trouble.len) {
		struct ccfc_finding *f = ccfc_doctor_say(
			d, CCFC_LEVEL_NOTE, KEY, "%s", r.trouble.ptr);

		ccfc_buf_puts(&f->why, "how Claude Code treats this value is "
				       "not known");
		ccfc_buf_puts(&f->fix, "\"${EDITOR:-vi}\" ");
		ccfc_doctor_quote(&f->fix, r.trouble_file.ptr);
	}
	find_due(&due, d, known, root, r.days);
	if (r.days)
		add_retention_finding(d, path, &r, &due);
	else
		nothing_is_kept(d, path, &r);
	ccfc_retention_release(&r);
}

void ccfc_doctor_retention(struct ccfc_doctor *d)
{
	struct known known;

	known_init(&known, d);
	for (uint32_t i = 0; i < d->roots.n; i++)
		check_root(d, &known, i);
	known_release(&known);
}
