/* file.at: a file as it was at some point. */
#include "history/plan/point.h"
#include "serve/history/transcript_origin.h"
#include "serve/rpc/content_reply.h"

/* The change that the point is of; ID_NONE of a file without changes. */
static uint32_t change_at_point(const struct ccfc_chain *chain,
				const struct ccfc_point *point)
{
	if (!ccfc_chain_len(chain))
		return CCFC_ID_NONE;
	return point->made == CCFC_ID_NONE ? ccfc_chain_change(chain, point->i)
					   : point->made;
}

/* Packs the change of the point, or the backup if there is no change. */
static void pack_ref(struct ccfc_request *rq, const struct ccfc_chain *chain,
		     const struct ccfc_point *point)
{
	uint32_t change = change_at_point(chain, point);

	if (change != CCFC_ID_NONE)
		ccfc_reply_change_ref(rq, change);
	else
		ccfc_reply_seen_ref(rq,
				    ccfc_chain_seen_session(chain, point->seen),
				    ccfc_chain_seen_time(chain, point->seen));
}

/* Packs the last known state, which the disk should have. */
static void pack_latest(struct ccfc_request *rq, struct ccfc_chain *chain)
{
	struct ccfc_point point = ccfc_point_end(chain);
	struct ccfc_content_state state;

	ccfc_at_state(&state, chain, &point, rq->arena);
	ccfc_pack_cstr(rq->pack, "latest");
	ccfc_pack_map(rq->pack);
	ccfc_reply_state_fields(rq, &state, false);
	pack_ref(rq, chain, &point);
	ccfc_pack_end(rq->pack);
}

/* Packs the origin of the sessions behind the state. */
static void pack_origin(struct ccfc_request *rq, const struct ccfc_chain *chain,
			const struct ccfc_point *point)
{
	uint32_t change = change_at_point(chain, point);
	struct ccfc_origins origins;

	ccfc_origins_init(&origins, rq);
	ccfc_reply_origin(&origins,
			  change == CCFC_ID_NONE
				  ? ccfc_chain_seen_session(chain, point->seen)
				  : rq->index->changes.items[change].session);
	ccfc_reply_foreign(&origins, chain);
}

/* The backup that shows it, if it is not the change's own state. */
static void pack_seen(struct ccfc_request *rq, const struct ccfc_chain *chain,
		      uint32_t seen)
{
	uint32_t session;

	if (seen == CCFC_ID_NONE)
		return;
	session = ccfc_chain_seen_session(chain, seen);
	ccfc_pack_kv_time(rq->pack, "seenAt",
			  ccfc_chain_seen_time(chain, seen));
	if (session != CCFC_ID_NONE)
		ccfc_pack_kv_str(rq->pack, "seenBySession",
				 ccfc_index_session_id(rq->index, session));
}

static void pack_side(struct ccfc_pack *p, const struct ccfc_chain *chain,
		      const struct ccfc_point *point)
{
	const char *side = point->before ? "before" : "after";

	ccfc_reply_str(p, "side",
		       ccfc_slice_str(ccfc_chain_len(chain) ? side : ""));
}

static int answer_file_state(struct ccfc_history_job *job,
			     struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_content_state state;
	struct ccfc_pack *p = rq->pack;
	struct ccfc_chain *chain;
	struct ccfc_point point;
	int r = ccfc_states_open_seen(&chain, rq, job, err);

	if (!r)
		r = ccfc_at_find(&point, &job->at, chain, rq->index, err);
	if (r)
		return r;
	ccfc_states_want_whole(rq);
	ccfc_at_state(&state, chain, &point, rq->arena);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", job->path);
	ccfc_reply_str(p, "at", rq->opt.at);
	if (ccfc_reply_state(rq, "state", &state, rq->opt.content))
		ccfc_pack_kv_bool(p, "truncated", true);
	pack_ref(rq, chain, &point);
	pack_side(p, chain, &point);
	pack_seen(rq, chain, point.seen);
	pack_latest(rq, chain);
	pack_origin(rq, chain, &point);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
	return 0;
}

int ccfc_method_file_at(struct ccfc_request *rq, struct ccfc_err *err)
{
	return ccfc_history_job_seen_file(
		rq, CCFC_EXCERPT_CHAINS | CCFC_EXCERPT_SOURCES,
		answer_file_state, err);
}
