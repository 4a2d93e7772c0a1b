/* file.at: a file as it was at some point. */
#include "history/plan/point.h"
#include "serve/rpc/content_reply.h"

/* The state after the last change: what the disk should be. */
static void pack_latest(struct ccfc_request *rq, struct ccfc_chain *chain)
{
	uint32_t last = ccfc_chain_len(chain) - 1;
	struct ccfc_content_state state;

	ccfc_chain_after(&state, chain, last, rq->arena);
	ccfc_pack_cstr(rq->pack, "latest");
	ccfc_pack_map(rq->pack);
	ccfc_reply_state_fields(rq, &state, false);
	ccfc_reply_change_ref(rq, ccfc_chain_change(chain, last));
	ccfc_pack_end(rq->pack);
}

int ccfc_method_file_at(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_content_state state;
	struct ccfc_pack *p = rq->pack;
	struct ccfc_chain *chain;
	struct ccfc_point point;
	struct ccfc_slice path;
	struct ccfc_at at;
	int r = ccfc_at_read(&at, rq->index, rq->opt.at, err);

	if (!r)
		r = ccfc_states_open(&chain, &path, rq, err);
	if (!r)
		r = ccfc_at_find(&point, &at, chain, rq->index, err);
	if (r)
		return r;
	ccfc_states_want_whole(rq);
	ccfc_at_state(&state, chain, &point, rq->arena);
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", path);
	ccfc_reply_str(p, "at", rq->opt.at);
	if (ccfc_reply_state(rq, "state", &state, rq->opt.include_content))
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_reply_change_ref(rq, ccfc_chain_change(chain, point.i));
	ccfc_pack_kv_cstr(p, "side", point.before ? "before" : "after");
	pack_latest(rq, chain);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
	return 0;
}
