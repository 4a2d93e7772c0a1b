/*
 * Ingest and the archive: archiving lines, the facts about archived copies, and
 * reading from the archive.
 */
#include "ingest/ingest_impl.h"

#include "base/alloc.h"
#include "os/log.h"

#include <stdlib.h>

/* --- what is kept --- */

void ccfc_ingest_note_kept(struct ccfc_ingest *in, uint32_t source,
			   const struct ccfc_archive_kept *kept)
{
	struct ccfc_source *s = ccfc_ingest_at(in, source);

	s->kept_first = kept->first;
	s->kept_since = kept->since;
	s->kept_end = kept->end;
	s->kept_owner = kept->owner;
}

static void read_kept_facts(struct ccfc_ingest *in, uint32_t source)
{
	struct ccfc_archive_kept kept = { 0 };

	(void)ccfc_archive_look(in->archive, ccfc_ingest_path(in, source),
				&kept, NULL);
	ccfc_ingest_note_kept(in, source, &kept);
}

/*
 * If the archive has more of a deleted transcript than was read, the rest is
 * read: it was imported, or the daemon ended before it was read.
 */
static void read_on_kept(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_source *s = ccfc_ingest_at(in, source);

	if (!s->gone)
		return;
	read_kept_facts(in, source);
	if (ccfc_ingest_lost(in, source) || s->kept_end <= s->cursor.offset ||
	    (s->kept_since != s->texts_gen && !ccfc_source_is_unread(s)))
		return;
	*ccfc_ingest_mark(in, source) |= CCFC_MARK_KEPT;
	ccfc_ingest_push(in, source, 0, s->kept_end - s->cursor.offset, false);
}

void ccfc_ingest_archive(struct ccfc_ingest *in, struct ccfc_archive *archive,
			 enum ccfc_archive_mode mode)
{
	in->archive = archive;
	in->keep = mode;
	for (uint32_t i = 0; i < in->index->sources.n; i++)
		read_on_kept(in, i);
}

static void on_kept(void *ctx, const struct ccfc_archive_kept *kept)
{
	struct ccfc_ingest *in = ctx;

	if (kept->source < in->index->sources.n) {
		ccfc_ingest_note_kept(in, kept->source, kept);
		return;
	}
	if (kept->source == CCFC_ARCHIVE_MORE) {
		ccfc_ingest_adopt(in);
		return;
	}
	/* Some copies were removed for space; all facts are read again. */
	for (uint32_t i = 0; i < in->index->sources.n; i++)
		if (ccfc_ingest_at(in, i)->kept_end)
			read_kept_facts(in, i);
}

void ccfc_ingest_archived(struct ccfc_ingest *in)
{
	ccfc_archive_news(in->archive, on_kept, in);
}

/* --- what is passed on --- */

static bool wants_archived(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_index *index = in->index;
	const struct ccfc_source *s = ccfc_ingest_at(in, source);
	uint32_t session = s->session ? s->session : s->last_session;

	if (!in->archive || in->keep == CCFC_ARCHIVE_OFF || s->gone)
		return false;
	return in->keep == CCFC_ARCHIVE_ALL ||
	       (session && index->sessions.items[session].changes.n);
}

/* Does the archive have all bytes up to `end`? */
static bool is_archived(const struct ccfc_source *s, uint64_t end)
{
	return s->kept_end >= end && s->kept_since == s->texts_gen;
}

void ccfc_ingest_stage(struct ccfc_ingest *in, uint32_t source,
		       const struct ccfc_line *line, bool newline)
{
	const struct ccfc_source *s = ccfc_ingest_at(in, source);

	/*
	 * A line that was only found, not written just now, is archived from
	 * the file.
	 */
	if (in->slicing || in->old_version || line->too_long ||
	    !wants_archived(in, source) ||
	    is_archived(s, line->offset + line->len + newline))
		return;
	ccfc_archive_stage(in->archive, source, s->texts_gen, line->offset,
			   ccfc_slice(line->ptr, line->len + newline));
}

void ccfc_ingest_keep(struct ccfc_ingest *in, uint32_t source)
{
	const struct ccfc_source *s = ccfc_ingest_at(in, source);
	struct ccfc_archive_note note = {
		.source = source,
		.path = ccfc_ingest_path(in, source),
		.name = ccfc_ingest_name(in, source),
		.since = s->texts_gen,
		.cursor = s->cursor,
		.now = in->slicing,
	};

	if (!wants_archived(in, source) || !s->cursor.offset ||
	    is_archived(s, s->cursor.offset))
		return;
	ccfc_archive_note(in->archive, &note);
}

void ccfc_ingest_keep_anew(struct ccfc_ingest *in)
{
	for (uint32_t i = 0; i < in->index->sources.n; i++) {
		read_kept_facts(in, i);
		ccfc_ingest_keep(in, i);
	}
}

void ccfc_ingest_vanished(struct ccfc_ingest *in, uint32_t source)
{
	if (!in->archive)
		return;
	ccfc_archive_hurry(in->archive);
	read_kept_facts(in, source);
}

void ccfc_ingest_moved(struct ccfc_ingest *in, uint32_t source,
		       const char *from)
{
	const char *to = ccfc_ingest_path(in, source);

	if (in->archive && strcmp(from, to) != 0)
		ccfc_archive_moved(in->archive, source, from, to);
}

/* --- reading again --- */

bool ccfc_ingest_read_kept(struct ccfc_ingest *in, uint32_t source)
{
	if (!in->archive || ccfc_ingest_lost(in, source) ||
	    ccfc_source_where(ccfc_ingest_at(in, source)) !=
		    CCFC_WHERE_ARCHIVED)
		return false;
	*ccfc_ingest_mark(in, source) |= CCFC_MARK_KEPT | CCFC_MARK_OVER;
	ccfc_ingest_push(in, source, 0, ccfc_ingest_at(in, source)->kept_end,
			 false);
	return true;
}

static void add_archived_source(void *ctx, const char *path,
				const struct ccfc_name *name)
{
	struct ccfc_ingest *in = ctx;
	struct ccfc_slice s = ccfc_slice_str(path);
	uint32_t id;

	if (ccfc_forgotten_session(in->forgotten, name->session) ||
	    ccfc_forgotten_source(in->forgotten, s))
		return;
	id = ccfc_index_source_named(in->index, s);
	if (id != CCFC_ID_NONE) {
		read_on_kept(in, id);
		return;
	}
	/* Only its lines show whether it is excluded. */
	ccfc_log(CCFC_LOG_DEBUG, "%s: is known from the archive", path);
	id = ccfc_index_source(in->index, s, name);
	ccfc_index_source_gone(in->index, id, true);
	read_kept_facts(in, id);
	*ccfc_ingest_mark(in, id) |= CCFC_MARK_KEPT;
	ccfc_ingest_push(in, id, 0, ccfc_ingest_at(in, id)->kept_end, false);
}

void ccfc_ingest_adopt(struct ccfc_ingest *in)
{
	if (in->archive)
		ccfc_archive_each(in->archive, add_archived_source, in);
}
