/*
 * session.get: the core packs the summary and the tools of a session from the
 * index; the worker packs tasks, first messages and line counts.
 */
#include "serve/conversation/session_messages.h"

#include "base/time.h"
#include "serve/methods/session_summary.h"
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

struct tools {
	uint32_t session;
	struct ccfc_counts own, agents;
};

static void add_use(void *ctx, const struct ccfc_used *used)
{
	struct tools *t = ctx;
	struct ccfc_count *row;

	if (used->session != t->session)
		return;
	row = ccfc_counts_at(used->agent ? &t->agents : &t->own, used->tool);
	row->uses++;
	row->errors += used->error;
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
	ccfc_counts_release(uses);
}

void ccfc_conversation_pack_summary(struct ccfc_request *rq, uint32_t session)
{
	struct tools tools = { .session = session };
	struct ccfc_tally tally;

	ccfc_counts_init(&tools.own);
	ccfc_counts_init(&tools.agents);
	ccfc_tally_session(&tally, rq->index, session);
	ccfc_reply_session(rq->pack, rq->index, session, &tally,
			   ccfc_time_now());
	ccfc_reply_commands(rq->pack, rq->index, session);
	ccfc_tally_used(rq->index, add_use, &tools);
	pack_uses(rq, "tools", &tools.own);
	pack_uses(rq, "agentTools", &tools.agents);
}
