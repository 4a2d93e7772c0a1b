/*
 * file.sessions: which sessions changed a file. For a file with few changes
 * this is a lookup. For others it runs in slices (slices.h); with content, on a
 * worker.
 */
#include "serve/methods/file_history.h"
#include "serve/rpc/history_job.h"
#include "serve/rpc/slices.h"

#include "base/alloc.h"
#include "index/query/grouping.h"

#include <stdlib.h>

/* Files with at most so many changes are answered at once. */
#define LOOKUP_CHANGES 512u
/* Limits of one step. */
#define GROUP_ROWS   256
#define PACK_CHANGES 64

struct file_sessions {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	/* Progress: */
	int phase;
	struct ccfc_grouping grouping;
	struct ccfc_file_history history;
};

static void pack_sessions_page(struct ccfc_request *rq, struct ccfc_slice path,
			       const struct ccfc_groups *sessions)
{
	ccfc_file_history_pack(rq, path, sessions, (uint64_t)rq->opt.offset,
			       (uint64_t)rq->opt.limit);
}

static int answer_sessions_with_content(struct ccfc_history_job *job,
					struct ccfc_request *rq,
					struct ccfc_err *err)
{
	(void)err;
	pack_sessions_page(rq, job->path, &job->groups);
	return 0;
}

static int find_requested_file(struct ccfc_filter *filter,
			       struct ccfc_slice *path, uint32_t *file,
			       struct ccfc_request *rq, struct ccfc_err *err)
{
	int r = ccfc_args_filter(filter, rq, err);

	return r ? r : ccfc_args_file(path, file, rq, filter, err);
}

static int begin_sessions(struct file_sessions *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	uint32_t file;
	int r;

	ccfc_sliced_request(rq, &w->pack, &w->s);
	r = find_requested_file(&w->filter, &w->history.path, &file, rq, err);
	if (r)
		return r;
	w->history.groups = &w->grouping.out;
	w->history.offset = (uint64_t)rq->opt.offset;
	w->history.limit = (uint64_t)rq->opt.limit;
	ccfc_group_by_session(&w->grouping, rq->index, file, &w->filter,
			      &w->s.memory);
	return 0;
}

static int step_sessions(struct ccfc_sliced *s, const struct ccfc_index *index,
			 struct ccfc_err *err)
{
	enum { ASK, GROUP, CHECK, PACK };
	struct file_sessions *w = (struct file_sessions *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = begin_sessions(w, err);
		break;
	case GROUP:
		if (ccfc_grouping_some(&w->grouping, GROUP_ROWS))
			return CCFC_DEFERRED;
		break;
	case CHECK:
		r = ccfc_args_offset(&w->rq, w->grouping.out.n, "sessions",
				     err);
		break;
	case PACK:
		if (ccfc_file_history_some(&w->rq, &w->history, PACK_CHANGES))
			return CCFC_DEFERRED;
		return 0;
	}
	w->phase++;
	return r ? r : CCFC_DEFERRED;
}

static void reset_sessions(struct ccfc_sliced *s)
{
	struct file_sessions *w = (struct file_sessions *)s;

	w->phase = 0;
	w->history = (struct ccfc_file_history){ 0 };
}

static void release_sessions(struct ccfc_deferred *d)
{
	free(d);
}

static int start_sessions_slices(struct ccfc_request *rq)
{
	struct file_sessions *w = ccfc_calloc(1, sizeof(*w));

	w->s.step = step_sessions;
	w->s.reset = reset_sessions;
	w->s.goes_on = true;
	w->s.d.release = release_sessions;
	return ccfc_slice_up(rq, &w->s);
}

int ccfc_method_file_sessions(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_slice path = CCFC_SLICE_NONE;
	struct ccfc_groups groups = { 0 };
	struct ccfc_filter filter;
	uint32_t file;
	int r = find_requested_file(&filter, &path, &file, rq, err);

	if (r)
		return r;
	if (!ccfc_history_job_is_needed(rq) &&
	    rq->index->files.items[file].n > LOOKUP_CHANGES)
		return start_sessions_slices(rq);
	ccfc_query_file_sessions(&groups, rq->index, file, &filter, rq->arena);
	r = ccfc_args_offset(rq, groups.n, "sessions", err);
	if (r)
		return r;
	if (!ccfc_history_job_is_needed(rq)) {
		pack_sessions_page(rq, path, &groups);
		return 0;
	}
	job = ccfc_history_job_changes(rq, &groups, true, CCFC_EXCERPT_SOURCES,
				       answer_sessions_with_content);
	job->path = ccfc_arena_copy(&job->d.arena, path);
	return ccfc_history_job_start(rq, job, err);
}
