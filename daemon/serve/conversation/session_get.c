/*
 * session.get: the worker packs tasks, first messages and line counts. Then the
 * core packs the summary and the tools of the session from the index; since it
 * goes over all calls and messages for that, it does so in slices (slices.h).
 */
#include "serve/conversation/session_messages.h"

#include "base/alloc.h"
#include "base/time.h"
#include "serve/methods/session_summary.h"
#include "serve/rpc/slices.h"
#include "serve/stats/stats_rows.h"

#include <stdlib.h>

/* --- on the worker --- */

static void pack_types(struct ccfc_conversation_job *job)
{
	const struct ccfc_conversation *conv = job->conv;
	struct ccfc_pack *p = ccfc_conversation_key(job, "types");

	ccfc_pack_map(p);
	for (uint32_t i = 0; i < conv->types.n; i++) {
		ccfc_pack_str(p, ccfc_strtab_get(&conv->names,
						 conv->types.items[i].name));
		ccfc_pack_uint(p, conv->types.items[i].n);
	}
	ccfc_pack_end(p);
}

int ccfc_conversation_answer_get(struct ccfc_conversation_job *job,
				 struct ccfc_err *err)
{
	struct ccfc_conversation_tasks tasks;
	int r = ccfc_conversation_pack_messages(job, CCFC_CONVERSATION_NONE,
						CCFC_CONVERSATION_NONE, err);

	if (r)
		return r;
	ccfc_conversation_tasks(&tasks, &job->reader, job->conv,
				(size_t)job->d.opt.max_content, &job->d.arena);
	job->truncated |= tasks.truncated;
	ccfc_conversation_pack_tasks(job, &tasks);
	pack_types(job);
	ccfc_pack_uint(ccfc_conversation_key(job, "compactions"),
		       job->conv->compactions);
	return 0;
}

/* --- what the index knows, on the core --- */

/* How many rows of the index are summed up in a step. */
#define SUM_ROWS 256u

struct session_sums {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	uint32_t session;
	struct ccfc_buf page; /* keys and values that the worker packed */
	uint32_t nkeys;	      /* … values */
	/* How far it is: */
	bool begun;
	struct ccfc_tallying tallying;
	struct ccfc_tally tally;
	uint32_t calls; /* next rows of these tables: */
	struct ccfc_counts own, agents;
};

static void count_call(struct session_sums *w, uint32_t call)
{
	struct ccfc_call_fact used;
	struct ccfc_count *row;

	if (!ccfc_tally_call_at(&used, w->rq.index, call) ||
	    used.session != w->session)
		return;
	row = ccfc_counts_at(used.agent ? &w->agents : &w->own, used.tool);
	row->uses++;
	row->errors += used.error;
}

/* False when all are counted. */
static bool count_some_calls(struct session_sums *w)
{
	for (uint32_t n = 0; n < SUM_ROWS; n++) {
		if (w->calls >= w->rq.index->calls.n)
			return false;
		count_call(w, w->calls++);
	}
	return true;
}

static int by_count(const void *a, const void *b)
{
	const struct ccfc_count *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return ccfc_slice_cmp(x->name, y->name);
}

static void pack_uses(struct ccfc_request *rq, const char *key,
		      struct ccfc_counts *uses)
{
	struct ccfc_pack *p = rq->pack;

	for (uint32_t i = 0; i < uses->n; i++)
		uses->items[i].name =
			ccfc_index_str(rq->index, (uint32_t)uses->items[i].key);
	if (uses->n)
		qsort(uses->items, uses->n, sizeof(*uses->items), by_count);
	ccfc_pack_cstr(p, key);
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < uses->n; i++)
		ccfc_counts_pack_tool(p, &uses->items[i]);
	ccfc_pack_end(p);
}

static void begin_sums(struct session_sums *w)
{
	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	ccfc_tally_begin_session(&w->tallying, &w->tally, w->rq.index,
				 w->session, &w->s.memory);
	ccfc_counts_init(&w->own);
	ccfc_counts_init(&w->agents);
	w->calls = 0;
	w->begun = true;
}

static void pack_sums(struct session_sums *w)
{
	struct ccfc_request *rq = &w->rq;

	ccfc_pack_map(rq->pack);
	ccfc_reply_session(rq->pack, rq->index, w->session, &w->tally,
			   ccfc_time_now());
	ccfc_reply_commands(rq->pack, rq->index, w->session);
	pack_uses(rq, "tools", &w->own);
	pack_uses(rq, "agentTools", &w->agents);
	ccfc_pack_raws(rq->pack, ccfc_buf_view(&w->page), w->nkeys);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
}

static int step_sums(struct ccfc_sliced *s, const struct ccfc_index *index,
		     struct ccfc_err *err)
{
	struct session_sums *w = (struct session_sums *)s;

	(void)index;
	(void)err;
	if (!w->begun)
		begin_sums(w);
	else if (!ccfc_tally_some(&w->tallying, SUM_ROWS) &&
		 !count_some_calls(w)) {
		pack_sums(w);
		return 0;
	}
	return CCFC_DEFERRED;
}

static void reset_sums(struct ccfc_sliced *s)
{
	struct session_sums *w = (struct session_sums *)s;

	if (!w->begun)
		return;
	ccfc_counts_release(&w->own);
	ccfc_counts_release(&w->agents);
	w->begun = false;
}

static void release_sums(struct ccfc_deferred *d)
{
	struct session_sums *w = (struct session_sums *)d;

	ccfc_buf_release(&w->page);
	free(w);
}

int ccfc_conversation_sum_up(struct ccfc_conversation_job *job,
			     struct ccfc_request *rq)
{
	struct session_sums *w = ccfc_calloc(1, sizeof(*w));

	w->s.step = step_sums;
	w->s.reset = reset_sums;
	w->s.goes_on = true;
	w->s.d.release = release_sums;
	w->session = job->session;
	w->page = job->d.result;
	w->nkeys = job->nkeys;
	job->d.result = (struct ccfc_buf)CCFC_BUF_INIT;
	return ccfc_slice_up(rq, &w->s);
}
