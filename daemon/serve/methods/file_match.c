/*
 * file.match: the files whose paths match a pattern, and the sessions that
 * changed them. Each request checks all files, so it runs in slices (slices.h),
 * into a spool; with content, it continues on a worker.
 */
#include "serve/methods/file_history.h"
#include "serve/rpc/history_job.h"
#include "serve/rpc/slices.h"

#include "base/alloc.h"
#include "index/query/glob.h"
#include "index/query/grouping.h"

#include <stdlib.h>

/* Limits of one step. */
#define MATCH_ROWS   256
#define PACK_CHANGES 64

struct file_match {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct ccfc_glob *glob; /* the filter's pattern; owned */
	/* Progress: */
	int phase;
	uint32_t at, end; /* the page: numbers of matching files */
	struct ccfc_matching matching;
	struct ccfc_grouping grouping;
	struct ccfc_arena scratch; /* for one file */
	struct ccfc_file_history history;
	struct ccfc_spool spool;
	uint32_t packed; /* files in the spool */
};

static int answer_match_with_content(struct ccfc_history_job *job,
				     struct ccfc_request *rq,
				     struct ccfc_err *err)
{
	(void)err;
	job->filter.tools = rq->opt.tools.items;
	job->filter.extensions = rq->opt.extensions.items;
	ccfc_pack_array(rq->pack);
	for (uint32_t i = 0; i < job->groups.n; i++) {
		uint32_t file = job->groups.items[i].key;
		struct ccfc_groups groups;

		ccfc_query_file_sessions(&groups, rq->index, file, &job->filter,
					 rq->arena);
		ccfc_file_history_pack(rq,
				       ccfc_index_file_path(rq->index, file),
				       &groups, 0, UINT64_MAX);
	}
	ccfc_pack_end(rq->pack);
	return 0;
}

/* Passes the files of the page to a worker that reads their content. */
static int start_match_job(struct file_match *w, struct ccfc_request *rq,
			   struct ccfc_err *err)
{
	struct ccfc_groups page = { .n = w->end - w->at };
	struct ccfc_history_job *job;

	page.items = ccfc_arena_alloc(rq->arena, page.n * sizeof(*page.items));
	for (uint32_t i = 0; i < page.n; i++) {
		uint32_t file = w->matching.items[w->at + i].file;

		page.items[i] = (struct ccfc_group){
			.key = file,
			.changes = rq->index->files.items[file].items,
			.nchanges = rq->index->files.items[file].n,
		};
	}
	job = ccfc_history_job_changes(rq, &page, false, CCFC_EXCERPT_SOURCES,
				       answer_match_with_content);
	job->filter = w->filter;
	job->filter.project = ccfc_arena_copy(&job->d.arena, w->filter.project);
	return ccfc_history_job_start(rq, job, err);
}

static int finish_match(struct ccfc_deferred *d, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct file_match *w = (struct file_match *)d;

	if (ccfc_history_job_is_needed(rq))
		return start_match_job(w, rq, err);
	ccfc_methods_body(rq, &w->spool, w->packed);
	return 0;
}

static int begin_match(struct file_match *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	int r;

	ccfc_sliced_request(rq, &w->pack, &w->s);
	ccfc_spool_init(&w->spool, rq->service->state_dir);
	ccfc_pack_init(&w->pack, &w->spool.mem);
	r = ccfc_args_filter(&w->filter, rq, err);
	if (!r)
		r = ccfc_args_glob(&w->glob, rq, CCFC_OPT_PATTERN,
				   rq->opt.pattern, err);
	if (r)
		return r;
	ccfc_args_grant(w->glob, rq);
	w->filter.glob = w->glob;
	ccfc_match_begin(&w->matching, rq->index, &w->filter, &w->s.memory);
	return 0;
}

/* Chooses the page when all matching files are known. */
static int choose_page(struct file_match *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	uint64_t n = w->matching.n;

	if (ccfc_glob_is_spent(w->glob))
		return ccfc_args_too_costly(rq, err);
	if (!n)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "%.*s: no session changed a matching file",
				    (int)rq->opt.pattern.len,
				    rq->opt.pattern.ptr);
	if (ccfc_args_offset(rq, (uint32_t)n, "files", err))
		return CCFC_ENOTFOUND;
	w->at = (uint32_t)rq->opt.offset;
	if (n - w->at > (uint64_t)rq->opt.limit)
		n = w->at + (uint64_t)rq->opt.limit;
	w->end = (uint32_t)n;
	w->filter.glob = NULL; /* all files of the page match */
	return 0;
}

static void begin_file(struct file_match *w)
{
	const struct ccfc_matched *file = &w->matching.items[w->at];

	w->history = (struct ccfc_file_history){ .path = file->path,
						 .groups = &w->grouping.out,
						 .limit = UINT64_MAX };
	ccfc_arena_clear(&w->scratch);
	ccfc_group_by_session(&w->grouping, w->rq.index, file->file, &w->filter,
			      &w->scratch);
}

/* Packs a part of one file; true: there is more. */
static bool pack_some_of_file(struct file_match *w)
{
	if (!w->history.groups)
		begin_file(w);
	if (!w->history.is_open) {
		if (ccfc_grouping_some(&w->grouping, MATCH_ROWS))
			return true;
		if (!w->grouping.out.n)
			/* the file has changed since it was matched */
			return false;
		w->packed++;
	}
	return ccfc_file_history_some(&w->rq, &w->history, PACK_CHANGES);
}

/* Packs a part of the page; true: there is more. */
static bool pack_some_of_page(struct file_match *w)
{
	if (w->at == w->end || ccfc_history_job_is_needed(&w->rq))
		return false;
	if (!pack_some_of_file(w)) {
		w->at++;
		w->history.groups = NULL;
	}
	return true;
}

static int step_match(struct ccfc_sliced *s, const struct ccfc_index *index,
		      struct ccfc_err *err)
{
	enum { ASK, MATCH, CHOOSE, PACK };
	struct file_match *w = (struct file_match *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = begin_match(w, err);
		break;
	case MATCH:
		if (ccfc_match_some(&w->matching, MATCH_ROWS))
			return CCFC_DEFERRED;
		break;
	case CHOOSE:
		r = choose_page(w, err);
		break;
	case PACK:
		/*
		 * Not while a file is being packed: its head is completed at
		 * its end.
		 */
		if (!w->history.groups && ccfc_spool_is_full(&w->spool))
			ccfc_spool_settle_some(&w->spool);
		else if (!pack_some_of_page(w))
			return 0;
		return r ? r : CCFC_DEFERRED;
	}
	w->phase++;
	return r ? r : CCFC_DEFERRED;
}

static void reset_match(struct ccfc_sliced *s)
{
	struct file_match *w = (struct file_match *)s;

	w->phase = 0;
	w->history = (struct ccfc_file_history){ 0 };
	ccfc_glob_free(w->glob);
	w->glob = NULL;
	ccfc_arena_release(&w->scratch);
	ccfc_spool_release(&w->spool);
	w->packed = 0;
}

static void release_match(struct ccfc_deferred *d)
{
	free(d);
}

int ccfc_method_file_match(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct file_match *w = ccfc_calloc(1, sizeof(*w));

	(void)err;
	w->s.step = step_match;
	w->s.reset = reset_match;
	w->s.goes_on = true;
	w->s.d.finish = finish_match;
	w->s.d.release = release_match;
	/* The first start may still be to come. */
	ccfc_spool_init(&w->spool, NULL);
	return ccfc_slice_up(rq, &w->s);
}
