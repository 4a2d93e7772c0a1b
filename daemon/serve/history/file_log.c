/*
 * file.log: what happened to a file, newest first. Between two changes, and
 * between the last one and now, somebody else may have changed it: that is a
 * step of its own, and so is a span that nothing is known of.
 */
#include "history/chain/read_file.h"
#include "serve/rpc/content_reply.h"

/* Change i, or what lies in front of it. */
struct step {
	uint32_t i;
	enum { CHANGE, OUTSIDE, UNKNOWN } kind;
};

struct log {
	struct ccfc_request *rq;
	struct ccfc_chain *chain;
	struct step *steps; /* oldest first */
	uint32_t n, len;    /* steps, changes */
};

static void find_steps(struct log *log)
{
	log->steps = ccfc_arena_alloc(
		log->rq->arena, (2u * log->len + 1u) * sizeof(*log->steps));
	for (uint32_t i = 0; i <= log->len; i++) {
		enum ccfc_gap gap =
			i ? ccfc_chain_gap(log->chain, i) : CCFC_GAP_NONE;

		if (gap != CCFC_GAP_NONE)
			log->steps[log->n++] = (struct step){
				i, gap == CCFC_GAP_OUTSIDE ? OUTSIDE : UNKNOWN
			};
		if (i < log->len)
			log->steps[log->n++] = (struct step){ i, CHANGE };
	}
}

/* The file as it is now, as a state. */
static void read_disk(struct ccfc_content_state *out, struct log *log,
		      struct ccfc_arena *arena)
{
	uint32_t change = ccfc_chain_change(log->chain, 0);
	uint32_t file = log->rq->index->changes.items[change].file;
	struct ccfc_file_info info = { 0 };
	struct ccfc_buf buf = CCFC_BUF_INIT;
	int r = ccfc_file_read(&buf, &info,
			       ccfc_index_file_path(log->rq->index, file).ptr,
			       CCFC_MAX_CONTENT_MAX, NULL);

	*out = (struct ccfc_content_state){ .why = "" };
	if (r || (info.exists && !info.regular)) {
		out->why = r ? "it cannot be read" : "it is no regular file";
	} else {
		out->fidelity = CCFC_FIDELITY_EXACT;
		out->origin = CCFC_ORIGIN_DISK;
		out->exists = info.exists;
		out->bytes = ccfc_arena_copy(arena, ccfc_buf_view(&buf));
	}
	ccfc_buf_release(&buf);
}

static void pack_lines(struct ccfc_request *rq,
		       const struct ccfc_content_state *before,
		       const struct ccfc_content_state *after,
		       const struct ccfc_change *change)
{
	const struct ccfc_delta_form form = { .name = CCFC_SLICE_LIT("x") };
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_delta delta;

	ccfc_states_charge(rq, before->bytes.len + after->bytes.len);
	ccfc_delta_states(&delta, &buf, &form, before, after);
	if (change && !delta.known)
		ccfc_reply_line_counts(rq->pack, change);
	else
		ccfc_reply_delta_lines(rq->pack, &delta);
	ccfc_buf_release(&buf);
}

static void pack_change(struct log *log, uint32_t i, struct ccfc_arena *arena)
{
	struct ccfc_request *rq = log->rq;
	uint32_t id = ccfc_chain_change(log->chain, i);
	const struct ccfc_change *c = &rq->index->changes.items[id];
	struct ccfc_content_state before, after;
	struct ccfc_pack *p = rq->pack;

	ccfc_chain_before(&before, log->chain, i, arena);
	ccfc_chain_after(&after, log->chain, i, arena);
	ccfc_pack_kv_cstr(p, "kind", "change");
	ccfc_reply_change_ref(rq, id);
	ccfc_reply_id(p, "agentId", rq->index, ccfc_index_agent(c));
	ccfc_reply_id(p, "model", rq->index, c->call.model);
	ccfc_reply_str(p, "tool", ccfc_index_tool(rq->index, c));
	ccfc_pack_kv_cstr(p, "operation", ccfc_op_text(c->result.op));
	ccfc_reply_prompt(rq, c);
	pack_lines(rq, &before, &after, c);
	ccfc_reply_state(rq, "after", &after, false);
}

/* Between change i - 1 and change i, or now. */
static void pack_gap(struct log *log, const struct step *step,
		     struct ccfc_arena *arena)
{
	struct ccfc_content_state before, after;
	struct ccfc_pack *p = log->rq->pack;
	bool last = step->i == log->len;

	ccfc_chain_after(&before, log->chain, step->i - 1, arena);
	if (last)
		read_disk(&after, log, arena);
	else
		ccfc_chain_before(&after, log->chain, step->i, arena);
	ccfc_pack_kv_cstr(p, "kind",
			  step->kind == OUTSIDE ? "outside" : "unknown");
	ccfc_pack_kv_time(p, "from", ccfc_chain_time(log->chain, step->i - 1));
	ccfc_pack_cstr(p, "to");
	if (last)
		ccfc_pack_nil(p);
	else
		ccfc_pack_time(p, ccfc_chain_time(log->chain, step->i));
	pack_lines(log->rq, &before, &after, NULL);
	ccfc_reply_state(log->rq, "after", &after, false);
}

/* True when there are more. */
static bool pack_steps(struct log *log)
{
	struct ccfc_arena *arena = &log->rq->methods->texts;
	struct ccfc_pack *p = log->rq->pack;
	uint64_t i = (uint64_t)log->rq->opt.offset;
	uint64_t n = (uint64_t)log->rq->opt.limit;

	ccfc_pack_cstr(p, "steps");
	ccfc_pack_array(p);
	for (; n && i < log->n && log->rq->reading_left; i++, n--) {
		const struct step *step = &log->steps[log->n - 1 - i];

		ccfc_pack_map(p);
		if (step->kind == CHANGE)
			pack_change(log, step->i, arena);
		else
			pack_gap(log, step, arena);
		ccfc_pack_end(p);
		ccfc_arena_clear(arena);
	}
	ccfc_pack_end(p);
	return i < log->n;
}

int ccfc_method_file_log(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct log log = { .rq = rq };
	struct ccfc_slice path;
	bool more;
	int r = ccfc_states_open(&log.chain, &path, rq, err);

	if (r)
		return r;
	log.len = ccfc_chain_len(log.chain);
	find_steps(&log);
	r = ccfc_args_offset(rq, log.n, "steps", err);
	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_str(rq->pack, "path", path);
	ccfc_pack_kv_uint(rq->pack, "totalSteps", log.n);
	more = pack_steps(&log);
	ccfc_pack_kv_bool(rq->pack, "truncated", more);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}
