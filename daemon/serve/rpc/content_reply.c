/* Parts of the replies about history; see content_reply.h. */
#include "serve/rpc/content_reply.h"

#include "base/path.h"
#include "base/sha256.h"

void ccfc_states_want_whole(struct ccfc_request *rq)
{
	if (!(rq->opt.given & CCFC_OPT(MAX_CONTENT)))
		rq->opt.max_content = CCFC_MAX_CONTENT_MAX;
}

bool ccfc_states_charge(struct ccfc_request *rq, size_t bytes)
{
	rq->reading_left -= bytes < rq->reading_left ? bytes : rq->reading_left;
	return rq->reading_left != 0;
}

static int fail_no_changes(const struct ccfc_history_job *job,
			   struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: no change took effect",
			    (int)job->path.len, job->path.ptr);
}

int ccfc_states_open(struct ccfc_chain **out, struct ccfc_request *rq,
		     const struct ccfc_history_job *job, struct ccfc_err *err)
{
	*out = ccfc_chain_open(rq->history, job->file);
	return *out ? 0 : fail_no_changes(job, err);
}

int ccfc_states_open_seen(struct ccfc_chain **out, struct ccfc_request *rq,
			  const struct ccfc_history_job *job,
			  struct ccfc_err *err)
{
	*out = ccfc_chain_open_seen(rq->history, job->file);
	return *out ? 0 : fail_no_changes(job, err);
}

static bool contains_id(const uint32_t *ids, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

struct ccfc_states_changes ccfc_states_changes(const struct ccfc_request *rq,
					       const struct ccfc_chain *chain,
					       uint32_t session,
					       const uint32_t *changes,
					       uint32_t n,
					       struct ccfc_arena *arena)
{
	const struct ccfc_filter filter = { .session = session,
					    .proofs = rq->opt.evidence,
					    .tools = rq->opt.tools.items,
					    .ntools = rq->opt.tools.n };
	uint32_t len = ccfc_chain_len(chain);
	struct ccfc_states_changes out = { .n = n };

	out.items = ccfc_arena_alloc(arena, ((size_t)n + len + 1u) *
						    sizeof(*out.items));
	if (n)
		memcpy(out.items, changes, n * sizeof(*out.items));
	for (uint32_t i = 1; i <= len; i++) {
		uint32_t id = ccfc_chain_inferred(chain, i);

		if (id != CCFC_ID_NONE && !contains_id(changes, n, id) &&
		    ccfc_filter_accepts(rq->index, &filter,
					&rq->index->changes.items[id]))
			out.items[out.n++] = id;
	}
	return out;
}

static void pack_text_or_nil(struct ccfc_pack *p, const char *key,
			     const char *s)
{
	ccfc_reply_str(p, key, ccfc_slice_str(s));
}

static bool state_has_bytes(const struct ccfc_content_state *state)
{
	return state->fidelity >= CCFC_FIDELITY_RECONSTRUCTED && state->exists;
}

/* --- states --- */

void ccfc_reply_state_facts(struct ccfc_pack *p,
			    const struct ccfc_content_state *state)
{
	char sum[CCFC_SHA256_HEX + 1] = "";

	ccfc_pack_kv_cstr(p, "fidelity", ccfc_fidelity_text(state->fidelity));
	pack_text_or_nil(p, "knownBy", ccfc_origin_text(state->origin));
	/*
	 * "source" is the old name of "knownBy"; in other replies it means a
	 * transcript.
	 */
	pack_text_or_nil(p, "source", ccfc_origin_text(state->origin));
	pack_text_or_nil(p, "why", state->why);
	if (state->fidelity == CCFC_FIDELITY_RECONSTRUCTED)
		ccfc_pack_kv_cstr(p, "assumed",
				  ccfc_assumed_text(state->assumed));
	ccfc_pack_cstr(p, "size");
	if (state_has_bytes(state)) {
		ccfc_pack_uint(p, state->bytes.len);
		ccfc_sha256_hex(sum, state->bytes);
	} else {
		ccfc_pack_nil(p);
	}
	pack_text_or_nil(p, "sha256", sum);
}

static bool is_continuation_byte(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The part of `bytes` that the reply may still have; counts it. */
static struct ccfc_slice take_sendable_bytes(struct ccfc_request *rq,
					     struct ccfc_slice bytes, bool *cut)
{
	size_t max = (size_t)rq->opt.max_content;

	if (max > rq->content_left)
		max = rq->content_left;
	if (bytes.len > max) {
		/* Does not cut inside a UTF-8 character. */
		for (int i = 0;
		     i < 3 && max && is_continuation_byte(bytes.ptr[max]); i++)
			max--;
		bytes.len = max;
		*cut = true;
	}
	rq->content_left -= bytes.len;
	return bytes;
}

/* A run of lines is packed whole or not at all. */
static void pack_known(struct ccfc_request *rq,
		       const struct ccfc_content_state *state, bool *cut)
{
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_cstr(p, "known");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < state->nknown; i++) {
		const struct ccfc_known *k = &state->known[i];

		if (k->text.len > rq->content_left ||
		    k->text.len > (size_t)rq->opt.max_content) {
			*cut = true;
			continue;
		}
		rq->content_left -= k->text.len;
		ccfc_pack_map(p);
		ccfc_pack_kv_uint(p, "line", k->line);
		ccfc_pack_kv_uint(p, "lines", k->nlines);
		ccfc_pack_kv_bin(p, "text", k->text);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

bool ccfc_reply_state_fields(struct ccfc_request *rq,
			     const struct ccfc_content_state *state,
			     bool content)
{
	struct ccfc_pack *p = rq->pack;
	bool cut = false;

	ccfc_pack_cstr(p, "exists");
	if (state->fidelity == CCFC_FIDELITY_UNKNOWN)
		ccfc_pack_nil(p);
	else
		ccfc_pack_bool(p, state->exists);
	ccfc_reply_state_facts(p, state);
	if (content && state_has_bytes(state))
		ccfc_pack_kv_bin(p, "content",
				 take_sendable_bytes(rq, state->bytes, &cut));
	if (content && state->fidelity == CCFC_FIDELITY_PARTIAL)
		pack_known(rq, state, &cut);
	if (cut)
		ccfc_pack_kv_bool(p, "truncated", true);
	return cut;
}

bool ccfc_reply_state(struct ccfc_request *rq, const char *key,
		      const struct ccfc_content_state *state, bool content)
{
	bool cut;

	ccfc_pack_cstr(rq->pack, key);
	ccfc_pack_map(rq->pack);
	cut = ccfc_reply_state_fields(rq, state, content);
	ccfc_pack_end(rq->pack);
	return cut;
}

void ccfc_reply_change_ref(struct ccfc_request *rq, uint32_t change)
{
	const struct ccfc_change *c = &rq->index->changes.items[change];

	ccfc_pack_kv_str(rq->pack, "changeId", ccfc_slice(c->id, c->id_len));
	ccfc_pack_kv_str(rq->pack, "sessionId",
			 ccfc_index_session_id(rq->index, c->session));
	ccfc_pack_kv_time(rq->pack, "timestamp", ccfc_index_time(c));
}

void ccfc_reply_seen_ref(struct ccfc_request *rq, uint32_t session,
			 int64_t time)
{
	ccfc_pack_cstr(rq->pack, "changeId");
	ccfc_pack_nil(rq->pack);
	ccfc_pack_kv_str(rq->pack, "sessionId",
			 ccfc_index_session_id(rq->index, session));
	ccfc_pack_kv_time(rq->pack, "timestamp", time);
}

/* --- diffs --- */

void ccfc_reply_delta_lines(struct ccfc_pack *p, const struct ccfc_delta *delta)
{
	bool counts = delta->known && !delta->binary;
	const struct ccfc_lines lines = {
		.added = (int64_t)delta->added,
		.removed = (int64_t)delta->removed,
		.any_added = counts,
		.any_removed = counts,
	};

	ccfc_reply_lines(p, &lines);
}

bool ccfc_reply_delta(struct ccfc_request *rq, const struct ccfc_delta *delta,
		      struct ccfc_slice diff)
{
	bool fits = diff.len <= rq->content_left;
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_kv_bool(p, "binary", delta->binary);
	ccfc_pack_kv_cstr(p, "fidelity", ccfc_fidelity_text(delta->fidelity));
	pack_text_or_nil(p, "why", fits ? delta->why : CCFC_REPLY_FULL);
	ccfc_pack_cstr(p, "diff");
	if (delta->known && fits) {
		rq->content_left -= diff.len;
		ccfc_pack_bin(p, diff);
	} else {
		ccfc_pack_nil(p);
	}
	return fits;
}

struct ccfc_slice ccfc_states_name(const struct ccfc_request *rq, uint32_t file,
				   struct ccfc_slice base)
{
	struct ccfc_slice path = ccfc_index_file_path(rq->index, file);

	if (base.len)
		path = ccfc_path_relative(path, base);
	if (ccfc_slice_starts(path, "/"))
		path = ccfc_slice(path.ptr + 1, path.len - 1);
	return path;
}
