/*
 * Changing several files, all or none; see undo.h.
 *
 * The order of the steps makes it safe. Old bytes and the manifest are made
 * durable; then all new contents are written beside their targets, where a full
 * disk or a missing permission shows; then they are renamed into place one
 * after another, made durable, and the manifest is renamed from "begun" to
 * "done". Until that rename everything is rolled back, by one function for
 * failures and kills alike: it checks each file, and restores the old bytes
 * where it finds the new ones.
 */
#include "cli/undo/undo.h"

#include "base/alloc.h"
#include "base/time.h"
#include "cli/frame/cli.h"
#include "cli/system/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- taking back ---- */

/*
 * The name of the temporary file by which `file` is put back. Not the one by
 * which it was changed: that may hold what was exchanged for the new file.
 */
static void back_temp(char temp[CCFC_TEMP_MAX],
		      const struct ccfc_undo_file *file)
{
	snprintf(temp, CCFC_TEMP_MAX, "%.22sb", file->temp);
}

/* Puts the old content of file `i` in the place of what `t` found there. */
static int put_file_back(struct ccfc_target *t, const struct ccfc_undo *u,
			 const struct ccfc_undo_entry *entry, uint32_t i,
			 struct ccfc_err *err)
{
	const struct ccfc_undo_file *file = &entry->manifest.files.items[i];
	struct ccfc_buf old = CCFC_BUF_INIT;
	int r = 0;

	if (*file->was) {
		/* A known name: then a kill leaves nothing unknown. */
		back_temp(t->temp, file);
		r = ccfc_undo_blob(&old, u, entry, i, err);
		if (!r)
			r = ccfc_target_prepare(t, ccfc_buf_view(&old),
						&file->attr, err);
	}
	if (!r)
		r = ccfc_target_commit(t, err);
	ccfc_buf_release(&old);
	return r;
}

/* How a file is found. */
enum found {
	AS_BEFORE, /* it was not reached, or is put back already */
	AS_LEFT,   /* by the entry */
	STRANGE,   /* somebody else's; must not be changed */
	UNREADABLE,
};

static enum found check_target(struct ccfc_target *t,
			       const struct ccfc_undo_file *file,
			       struct ccfc_err *err)
{
	int r = ccfc_target_look(t, err);

	if (r < 0)
		return r == CCFC_EIO ? UNREADABLE : STRANGE;
	/* If its directory is gone, somebody else removed it. */
	if (t->dir < 0 && *file->was)
		return STRANGE;
	if (ccfc_target_is(t, file->was))
		return AS_BEFORE;
	return ccfc_target_is(t, file->now) ? AS_LEFT : STRANGE;
}

/*
 * Removes a temporary file: our new content, or the old file after the
 * exchange. If somebody wrote the file right before the exchange, it is their
 * only copy and stays.
 */
static void drop_temp(struct ccfc_target *t, const char *temp, bool exchanged,
		      const char *sha256)
{
	struct stat st;

	if (t->dir < 0 || fstatat(t->dir, temp, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!exchanged || ccfc_target_temp_is(t, temp, sha256))
		ccfc_target_drop_temp(t, temp);
	else
		ccfc_cli_note("%s: somebody else wrote the file at that "
			      "moment; that content is in %s beside it",
			      t->path, temp);
}

/* Removes the temporary files of the change and of an attempt to undo it. */
static void drop_temps(struct ccfc_target *t, const struct ccfc_undo_file *file,
		       enum found found)
{
	bool both = *file->was && *file->now; /* else there is no exchange */
	char back[CCFC_TEMP_MAX];

	if (found == UNREADABLE)
		return; /* the next time */
	back_temp(back, file);
	drop_temp(t, file->temp, both && found == AS_LEFT, file->was);
	drop_temp(t, back, both && found == AS_BEFORE, file->now);
}

static void roll_back_file(struct ccfc_undo_report *report,
			   const struct ccfc_undo *u,
			   const struct ccfc_undo_entry *entry, uint32_t i,
			   struct ccfc_err *err)
{
	const struct ccfc_undo_file *file = &entry->manifest.files.items[i];
	enum found found = STRANGE;
	struct ccfc_target t;

	if (!ccfc_target_init(&t, file->path, NULL)) {
		found = check_target(&t, file, err);
		drop_temps(&t, file, found);
	}
	if (found == AS_LEFT && !put_file_back(&t, u, entry, i, err))
		report->restored++;
	else if (found == AS_LEFT || found == UNREADABLE)
		report->failed++;
	else if (found == STRANGE)
		report->left++;
	if (ccfc_target_sync(&t, err) < 0)
		report->failed++;
	if (t.name && !*file->was)
		ccfc_target_drop_dirs(&t, file->dirs);
	ccfc_target_release(&t);
}

void ccfc_undo_roll_back(struct ccfc_undo_report *report,
			 const struct ccfc_undo *u,
			 struct ccfc_undo_entry *entry, struct ccfc_err *err)
{
	*report = (struct ccfc_undo_report){ 0 };
	for (uint32_t i = entry->manifest.files.n; i--;)
		roll_back_file(report, u, entry, i, err);
	if (report->failed)
		return; /* again the next time */
	if (report->left)
		ccfc_undo_mark(u, entry, CCFC_UNDO_UNDONE, NULL);
	else
		ccfc_undo_drop(u, entry->id);
}

/* ---- looking at all of them first ---- */

struct job {
	struct ccfc_undo *undo;
	const struct ccfc_file_edits *edits;
	struct ccfc_target *targets; /* as many as edits */
	uint32_t n;		     /* number of initialised targets */
	struct ccfc_undo_entry entry;
};

static int check_links(const struct ccfc_target *t, bool force,
		       struct ccfc_err *err)
{
	if (force || !t->exists || t->links < 2)
		return 0;
	ccfc_err_set(err, CCFC_EDENIED,
		     "%s has %lu names (hard links), and the others would keep "
		     "the present content",
		     t->path, (unsigned long)t->links);
	ccfc_err_hint(err, "--force separates it from its other names");
	return CCFC_EDENIED;
}

/* Two paths may lead to one file, through links between directories. */
static bool same_file(const struct ccfc_target *a, const struct ccfc_target *b)
{
	struct stat x, y;

	if (strcmp(a->name, b->name) != 0)
		return false;
	if (!strcmp(a->path, b->path))
		return true;
	return a->dir >= 0 && b->dir >= 0 && !fstat(a->dir, &x) &&
	       !fstat(b->dir, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int check_twins(const struct job *job, struct ccfc_err *err)
{
	const struct ccfc_target *last = &job->targets[job->n - 1];

	for (uint32_t i = 0; i + 1 < job->n; i++)
		if (same_file(&job->targets[i], last))
			return ccfc_err_set(err, CCFC_EDENIED,
					    "%s and %s are one file",
					    job->targets[i].path, last->path);
	return 0;
}

static int check_expected(const struct ccfc_target *t,
			  const struct ccfc_file_edit *edit,
			  struct ccfc_err *err)
{
	if (ccfc_target_is(t, edit->expect))
		return 0;
	ccfc_err_set(err, CCFC_EDENIED, "%s was changed meanwhile", t->path);
	ccfc_err_hint(err, "nothing was written; try again");
	return CCFC_EDENIED;
}

static void add_to_manifest(struct job *job, const struct ccfc_file_edit *edit,
			    const struct ccfc_target *t)
{
	struct ccfc_undo_file *file =
		ccfc_manifest_add(&job->entry.manifest, edit->path);

	memcpy(file->was, t->sha256, sizeof(file->was));
	memcpy(file->temp, t->temp, sizeof(file->temp));
	file->attr = t->attr;
	file->dirs = t->missing;
	if (edit->exists)
		ccfc_sha256_hex(file->now, edit->content);
}

static int check_targets(struct job *job, struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < job->edits->n && !r; i++) {
		const struct ccfc_file_edit *edit = &job->edits->items[i];
		struct ccfc_target *t = &job->targets[job->n++];

		r = ccfc_target_init(t, edit->path, err);
		if (!r)
			r = ccfc_target_look(t, err);
		if (!r)
			r = check_expected(t, edit, err);
		if (!r)
			r = check_links(t, job->edits->force, err);
		if (!r)
			r = check_twins(job, err);
		if (!r)
			r = ccfc_target_name_temp(t, err);
		if (!r)
			add_to_manifest(job, edit, t);
	}
	return r;
}

/* ---- the entry ---- */

/* After all other entries, even if the clock was set back. */
static void name_entry(struct ccfc_undo_entry *entry, const struct ccfc_undo *u)
{
	int64_t now = ccfc_time_now();
	char t[CCFC_TIME_TEXT_MAX], random[8];

	if (u->entries.n) {
		int64_t last = u->entries.items[u->entries.n - 1].manifest.time;

		now = now > last ? now : last + 1;
	}
	entry->manifest.time = now;
	ccfc_time_format(t, now);
	ccfc_random_hex(random, 4);
	/* 2026-01-31T10:00:00.000Z becomes 20260131-100000-000-9f3a. */
	snprintf(entry->id, sizeof(entry->id),
		 "%.4s%.2s%.2s-%.2s%.2s%.2s-%.3s-%s", t, t + 5, t + 8, t + 11,
		 t + 14, t + 17, t + 20, random);
}

static int area_fail(const struct job *job, struct ccfc_err *err)
{
	int code =
		ccfc_err_io(err, errno, "cannot keep the present content in %s",
			    job->undo->path);

	ccfc_err_hint(err, "nothing was changed");
	return code;
}

static int write_entry(const struct job *job, int dir)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int r = 0;

	for (uint32_t i = 0; i < job->n && !r; i++) {
		const struct ccfc_target *t = &job->targets[i];
		char name[16];

		snprintf(name, sizeof(name), "%u", i);
		if (t->exists)
			r = ccfc_temp_write(dir, name, 0600,
					    ccfc_buf_view(&t->content));
	}
	/* Not after a failure: its errno is reported. */
	if (!r) {
		ccfc_manifest_write(&text, &job->entry.manifest);
		r = ccfc_temp_write(dir, "new", 0600, ccfc_buf_view(&text));
	}
	if (!r)
		r = ccfc_sync_dir(dir);
	ccfc_buf_release(&text);
	return r;
}

/* Blobs, then the manifest under its name: from here on it has begun. */
static int begin_entry(struct job *job, struct ccfc_err *err)
{
	const struct ccfc_undo *u = job->undo;
	int dir = -1, r = -1;

	name_entry(&job->entry, u);
	if (!mkdirat(u->dir, job->entry.id, 0700) && !ccfc_sync_dir(u->dir))
		dir = ccfc_undo_entry_dir(u, job->entry.id);
	if (dir >= 0)
		r = write_entry(job, dir);
	if (!r)
		r = ccfc_temp_place(dir, "new", "begun", CCFC_PLACE_OVER);
	if (!r)
		r = ccfc_sync_dir(dir);
	if (r < 0)
		r = area_fail(job, err);
	if (dir >= 0)
		close(dir);
	if (r < 0)
		ccfc_undo_drop(u, job->entry.id);
	return r;
}

/* ---- doing it ---- */

static int prepare_targets(struct job *job, struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n && !r; i++) {
		const struct ccfc_file_edit *edit = &job->edits->items[i];

		if (edit->exists)
			r = ccfc_target_prepare(&job->targets[i], edit->content,
						edit->attr, err);
	}
	return r;
}

static int commit_targets(struct job *job, struct ccfc_err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < job->n && !r; i++)
		r = ccfc_target_commit(&job->targets[i], err);
	for (uint32_t i = 0; i < job->n && !r; i++)
		r = ccfc_target_sync(&job->targets[i], err);
	return r;
}

/* After a failure: `err` goes on saying what that was. */
static void roll_back_job(struct job *job, struct ccfc_err *err)
{
	struct ccfc_undo_report report;
	struct ccfc_err why = { 0 };

	ccfc_undo_roll_back(&report, job->undo, &job->entry, &why);
	if (report.failed)
		ccfc_err_hint(err,
			      "%u files could not be put back (%.120s); the "
			      "next ccfc restore tries again",
			      report.failed, why.what);
	else if (report.left)
		ccfc_err_hint(err,
			      "%u files were changed meanwhile and left; what "
			      "they were is in %.160s/%s",
			      report.left, job->undo->path, job->entry.id);
}

static int write_all_or_nothing(struct job *job, struct ccfc_err *err)
{
	int r = begin_entry(job, err);

	if (r < 0)
		return r;
	r = prepare_targets(job, err);
	if (!r)
		r = commit_targets(job, err);
	if (!r)
		r = ccfc_undo_mark(job->undo, &job->entry, CCFC_UNDO_DONE, err);
	if (r < 0)
		roll_back_job(job, err);
	return r;
}

/* Each target has a directory open. */
static void allow_files(uint32_t n)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	    limit.rlim_cur > (rlim_t)n + 64)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_BLOCK, &set, old);
	/* A limit on the size of files is seen as an error of write(). */
	signal(SIGXFSZ, SIG_IGN);
}

int ccfc_undo_apply(char id[CCFC_UNDO_ID_MAX], struct ccfc_undo *u,
		    const struct ccfc_file_edits *edits, struct ccfc_err *err)
{
	struct job job = { .undo = u, .edits = edits };
	sigset_t old;
	int r;

	allow_files(edits->n);
	job.targets = ccfc_calloc(edits->n, sizeof(*job.targets));
	ccfc_manifest_init(&job.entry.manifest, edits->command);
	job.entry.manifest.kind = edits->kind;
	if (edits->undoes)
		snprintf(job.entry.manifest.undoes,
			 sizeof(job.entry.manifest.undoes), "%s",
			 edits->undoes);
	r = check_targets(&job, err);
	if (!r) {
		block_signals(&old);
		r = write_all_or_nothing(&job, err);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	memcpy(id, job.entry.id, CCFC_UNDO_ID_MAX);
	for (uint32_t i = 0; i < job.n; i++)
		ccfc_target_release(&job.targets[i]);
	free(job.targets);
	ccfc_manifest_release(&job.entry.manifest);
	return r;
}
