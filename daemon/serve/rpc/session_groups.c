/*
 * The files of a session, for methods that pass them to a worker. For a session
 * with many changes they are grouped in slices. Then the method is called
 * again, and the request has the files.
 */
#include "base/alloc.h"
#include "index/query/grouping.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Sessions with at most so many changes are grouped at once. */
#define AT_ONCE 2048u
/* Changes grouped in a step. */
#define GROUP_ROWS 256

struct session_groups {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct ccfc_grouping grouping;
	bool begun;
};

static int begin_session_groups(struct session_groups *w, struct ccfc_err *err)
{
	uint32_t session;
	int r;

	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	r = ccfc_args_session(&session, &w->filter, &w->rq, err);
	if (r)
		return r;
	ccfc_group_by_file(&w->grouping, w->rq.index, session, &w->filter,
			   &w->s.memory);
	w->begun = true;
	return CCFC_DEFERRED;
}

static int step_session_groups(struct ccfc_sliced *s,
			       const struct ccfc_index *index,
			       struct ccfc_err *err)
{
	struct session_groups *w = (struct session_groups *)s;

	(void)index;
	if (!w->begun)
		return begin_session_groups(w, err);
	return ccfc_grouping_some(&w->grouping, GROUP_ROWS) ? CCFC_DEFERRED : 0;
}

static void reset_session_groups(struct ccfc_sliced *s)
{
	((struct session_groups *)s)->begun = false;
}

static int finish_session_groups(struct ccfc_deferred *d,
				 struct ccfc_request *rq, struct ccfc_err *err)
{
	struct session_groups *w = (struct session_groups *)d;

	rq->files = &w->grouping.out;
	return rq->answered_by(rq, err);
}

static void release_session_groups(struct ccfc_deferred *d)
{
	free(d);
}

int ccfc_args_group_files(struct ccfc_groups *files, struct ccfc_request *rq,
			  uint32_t session, const struct ccfc_filter *filter)
{
	struct session_groups *w;

	if (rq->files) {
		*files = *rq->files;
		return 0;
	}
	if (rq->index->sessions.items[session].changes.n <= AT_ONCE) {
		ccfc_query_session_files(files, rq->index, session, filter,
					 rq->arena);
		return 0;
	}
	w = ccfc_calloc(1, sizeof(*w));
	w->s.step = step_session_groups;
	w->s.reset = reset_session_groups;
	w->s.d.finish = finish_session_groups;
	w->s.d.release = release_session_groups;
	return ccfc_slice_up(rq, &w->s);
}
