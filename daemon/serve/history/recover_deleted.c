/*
 * session.recover of files that are not on disk any more.
 *
 * Few of all files are gone. So a first job finds those by their paths, and
 * only their rows are copied out of the index for the second job.
 */
#include "serve/history/recover.h"

#include "base/alloc.h"
#include "index/query/grouping.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* How much of the list of all files is made in a step. */
#define MATCH_ROWS 256

/* --- files that are gone --- */

struct gone_file {
	uint32_t file, change; /* the last one */
	const char *path;
	bool gone;
};

struct gone {
	struct ccfc_deferred d; /* has to be the first */
	struct gone_file *files;
	uint32_t n;
	struct ccfc_slice base;
};

static int look_at_disk(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct gone *g = (struct gone *)d;

	(void)err;
	for (uint32_t i = 0; i < g->n && !ccfc_job_cancelled(&d->job); i++)
		g->files[i].gone = !ccfc_recover_is_on_disk(g->files[i].path);
	return 0;
}

/* Those that are gone, each with its last change. */
static struct ccfc_groups gone_ones(const struct gone *g,
				    struct ccfc_arena *arena)
{
	struct ccfc_groups out = { .items = ccfc_arena_alloc(
					   arena,
					   (g->n + 1u) * sizeof(*out.items)) };

	for (uint32_t i = 0; i < g->n; i++)
		if (g->files[i].gone)
			out.items[out.n++] = (struct ccfc_group){
				.key = g->files[i].file,
				.changes = &g->files[i].change,
				.nchanges = 1
			};
	return out;
}

/* Back on the core: on to the content. */
static int look_back(struct ccfc_deferred *d, struct ccfc_request *rq,
		     struct ccfc_err *err)
{
	struct gone *g = (struct gone *)d;
	struct ccfc_groups files = gone_ones(g, &d->arena);
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;

	ccfc_excerpt_init(&e, rq->index, CCFC_EXCERPT_CHAINS);
	for (uint32_t i = 0; i < files.n; i++) {
		ccfc_excerpt_add_file(&e, files.items[i].key);
		ccfc_excerpt_add_changes(&e, files.items[i].changes, 1);
	}
	job = ccfc_history_job_new(rq, &e, ccfc_recover_answer);
	ccfc_history_job_groups(job, &files, false);
	job->path = ccfc_arena_copy(&job->d.arena, g->base);
	return ccfc_history_job_start(rq, job, err);
}

static void release_deleted(struct ccfc_deferred *d)
{
	free(d);
}

/* --- all files that were changed, in slices --- */

struct deleted {
	struct ccfc_sliced s; /* has to be the first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct ccfc_matching matching;
	struct gone *gone; /* the job to come */
	int phase;
	uint32_t at;
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

	g->d.work = look_at_disk;
	g->d.finish = look_back;
	g->d.release = release_deleted;
	g->base = ccfc_arena_copy(&g->d.arena, w->filter.project);
	g->files = ccfc_arena_alloc(&g->d.arena, (w->matching.n + (size_t)1) *
							 sizeof(*g->files));
	return g;
}

/* Copies some files for the worker; true: there are more. */
static bool copy_some(struct deleted *w)
{
	const struct ccfc_matching *m = &w->matching;
	struct gone *g = w->gone ? w->gone : new_gone(w);

	w->gone = g;
	for (uint32_t left = MATCH_ROWS; w->at < m->n; w->at++) {
		const struct ccfc_matched *file = &m->items[w->at];

		if (!left--)
			return true;
		if (!ccfc_recover_was_deleted(w->rq.index, file->change))
			g->files[g->n++] = (struct gone_file){
				.file = file->file,
				.change = file->change,
				.path = ccfc_arena_copy(&g->d.arena, file->path)
						.ptr
			};
	}
	return false;
}

static int step_deleted(struct ccfc_sliced *s, const struct ccfc_index *index,
			struct ccfc_err *err)
{
	enum { ASK, MATCH, COPY };
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
		return copy_some(w) ? CCFC_DEFERRED : 0;
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
	w->at = 0;
}

/* On to a worker, which looks at the disk. */
static int look_for_files(struct ccfc_deferred *d, struct ccfc_request *rq,
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
	w->s.d.finish = look_for_files;
	w->s.d.release = release_deleted;
	return ccfc_slice_up(rq, &w->s);
}
