/*
 * session.recover of files that are no longer on disk. Only few files are gone.
 * So a first job finds these by their paths, and only their rows are copied
 * from the index for the second job.
 */
#include "serve/history/recover.h"

#include "base/alloc.h"
#include "index/query/grouping.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* How much of the list of all files is made in a step. */
#define MATCH_ROWS 256
/*
 * SEEN_SESSIONS: sessions whose snapshots are read in a step. SEEN_MAX: files
 * in all that only snapshots name.
 */
#define SEEN_SESSIONS 32u
#define SEEN_MAX      4096u

/* --- files that are gone --- */

struct gone_file {
	uint32_t file, change; /* the last one; ID_NONE: there is none, */
	uint32_t session;      /* and that one's snapshots name the file */
	const char *path;
	bool gone;
};

struct gone {
	struct ccfc_deferred d; /* must be first */
	struct gone_file *files;
	uint32_t n, cap;
	struct ccfc_slice base;
};

static int check_files_on_disk(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct gone *g = (struct gone *)d;

	(void)err;
	for (uint32_t i = 0; i < g->n && !ccfc_job_cancelled(&d->job); i++)
		g->files[i].gone = !ccfc_recover_is_on_disk(g->files[i].path);
	return 0;
}

/* A file that is gone, into the excerpt; its number at home. */
static uint32_t add_gone(struct ccfc_excerpting *e, const struct gone_file *f)
{
	if (f->change == CCFC_ID_NONE) {
		ccfc_excerpt_add_session(e, f->session);
		return ccfc_excerpt_add_path(e, ccfc_slice_str(f->path));
	}
	ccfc_excerpt_add_file(e, f->file);
	ccfc_excerpt_add_changes(e, &f->change, 1);
	return f->file;
}

/* Has another session's snapshot named it already? */
static bool has_key(const struct ccfc_groups *groups, uint32_t key)
{
	for (uint32_t i = groups->n; i-- > 0 && !groups->items[i].nchanges;)
		if (groups->items[i].key == key)
			return true;
	return false;
}

/*
 * Groups the files that are gone, each once, with its last change if there is
 * one.
 */
static struct ccfc_groups group_gone_files(const struct gone *g,
					   struct ccfc_excerpting *e,
					   struct ccfc_arena *arena)
{
	struct ccfc_groups out = { .items = ccfc_arena_alloc(
					   arena,
					   (g->n + 1u) * sizeof(*out.items)) };

	for (uint32_t i = 0; i < g->n; i++) {
		const struct gone_file *f = &g->files[i];
		struct ccfc_group group = { .changes = &f->change };

		if (!f->gone)
			continue;
		group.key = add_gone(e, f);
		group.nchanges = f->change != CCFC_ID_NONE;
		if (group.nchanges || !has_key(&out, group.key))
			out.items[out.n++] = group;
	}
	return out;
}

/* Back on the core: on to the content. */
static int start_recover_job(struct ccfc_deferred *d, struct ccfc_request *rq,
			     struct ccfc_err *err)
{
	struct gone *g = (struct gone *)d;
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;
	struct ccfc_groups files;

	ccfc_excerpt_init(&e, rq->index, CCFC_EXCERPT_CHAINS);
	files = group_gone_files(g, &e, &d->arena);
	job = ccfc_history_job_new(rq, &e, ccfc_recover_answer);
	ccfc_history_job_groups(job, &files, false);
	job->path = ccfc_arena_copy(&job->d.arena, g->base);
	return ccfc_history_job_start(rq, job, err);
}

static void release_gone(struct ccfc_deferred *d)
{
	free(((struct gone *)d)->files);
	free(d);
}

static void release_deleted(struct ccfc_deferred *d)
{
	free(d);
}

/* --- all files that were changed, in slices --- */

struct deleted {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct ccfc_matching matching;
	struct gone *gone; /* the job being prepared */
	int phase;
	uint32_t at;	  /* of `matching` */
	uint32_t session; /* the session whose snapshots were read last */
	uint32_t seen;	  /* files that only snapshots name */
};

static int begin_deleted(struct deleted *w, struct ccfc_err *err)
{
	int r;

	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	r = ccfc_args_filter(&w->filter, &w->rq, err);
	if (!r)
		ccfc_match_begin(&w->matching, w->rq.index, &w->filter,
				 &w->s.memory);
	return r;
}

static struct gone *new_gone(const struct deleted *w)
{
	struct gone *g = ccfc_calloc(1, sizeof(*g));

	g->d.work = check_files_on_disk;
	g->d.finish = start_recover_job;
	g->d.release = release_gone;
	g->base = ccfc_arena_copy(&g->d.arena, w->filter.project);
	return g;
}

static void put_gone_file(struct deleted *w, struct gone_file file,
			  struct ccfc_slice path)
{
	struct gone *g = w->gone;

	file.path = ccfc_arena_copy(&g->d.arena, path).ptr;
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : MATCH_ROWS;
		g->files = ccfc_realloc(g->files, g->cap * sizeof(*g->files));
	}
	g->files[g->n++] = file;
}

/* Copies some files for the worker; true: there are more. */
static bool copy_some_files(struct deleted *w)
{
	const struct ccfc_matching *m = &w->matching;

	if (!w->gone)
		w->gone = new_gone(w);
	for (uint32_t left = MATCH_ROWS; w->at < m->n; w->at++) {
		const struct ccfc_matched *file = &m->items[w->at];

		if (!left--)
			return true;
		if (!ccfc_recover_was_deleted(w->rq.index, file->change))
			put_gone_file(
				w,
				(struct gone_file){ .file = file->file,
						    .change = file->change },
				file->path);
	}
	return false;
}

/* --- files that only snapshots name --- */

static void add_files_of_snapshots(struct deleted *w, uint32_t session)
{
	const struct ccfc_filter applied = { .states = CCFC_STATES_APPLIED };
	const struct ccfc_index *index = w->rq.index;
	struct ccfc_backup_paths paths = { 0 };
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	ccfc_query_backup_paths(&paths, index, session, &arena);
	for (uint32_t i = 0; i < paths.n && w->seen < SEEN_MAX; i++) {
		uint32_t file = ccfc_query_file(index, paths.items[i]);

		if ((file && ccfc_query_has(index, file, &applied)) ||
		    !ccfc_filter_accepts_path(&w->filter, paths.items[i]))
			continue;
		put_gone_file(w,
			      (struct gone_file){ .change = CCFC_ID_NONE,
						  .session = session },
			      paths.items[i]);
		w->seen++;
	}
	free(paths.items);
	ccfc_arena_release(&arena);
}

/*
 * Adds the files in the snapshots of some sessions; true: there are more. Tools
 * and dates do not filter them: these files have no changes.
 */
static bool copy_some_snapshot_files(struct deleted *w)
{
	const struct ccfc_filter *f = &w->filter;

	if (f->ntools || f->proofs || f->has_from || f->has_to)
		return false;
	for (uint32_t left = SEEN_SESSIONS;
	     w->session + 1 < w->rq.index->sessions.n; left--) {
		if (!left)
			return true;
		w->session++;
		if (ccfc_filter_accepts_session(w->rq.index, f, w->session))
			add_files_of_snapshots(w, w->session);
	}
	return false;
}

static int step_deleted(struct ccfc_sliced *s, const struct ccfc_index *index,
			struct ccfc_err *err)
{
	enum { ASK, MATCH, COPY, SEEN };
	struct deleted *w = (struct deleted *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = begin_deleted(w, err);
		break;
	case MATCH:
		if (ccfc_match_some(&w->matching, MATCH_ROWS))
			return CCFC_DEFERRED;
		break;
	case COPY:
		if (copy_some_files(w))
			return CCFC_DEFERRED;
		break;
	case SEEN:
		return copy_some_snapshot_files(w) ? CCFC_DEFERRED : 0;
	}
	w->phase++;
	return r ? r : CCFC_DEFERRED;
}

static void reset_deleted(struct ccfc_sliced *s)
{
	struct deleted *w = (struct deleted *)s;

	if (w->gone)
		ccfc_deferred_release(&w->gone->d);
	w->gone = NULL;
	w->phase = 0;
	w->at = w->session = w->seen = 0;
}

/* Starts the job that checks the disk. */
static int start_disk_job(struct ccfc_deferred *d, struct ccfc_request *rq,
			  struct ccfc_err *err)
{
	struct deleted *w = (struct deleted *)d;
	struct gone *g = w->gone;

	w->gone = NULL;
	return ccfc_defer(rq, &g->d, err);
}

int ccfc_recover_deleted(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct deleted *w = ccfc_calloc(1, sizeof(*w));

	(void)err;
	w->s.step = step_deleted;
	w->s.reset = reset_deleted;
	w->s.goes_on = true;
	w->s.d.finish = start_disk_job;
	w->s.d.release = release_deleted;
	return ccfc_slice_up(rq, &w->s);
}
