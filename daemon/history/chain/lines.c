/*
 * The transcript lines of a change, read again at the places that the index
 * has. If the owner's line is gone, other transcripts with a copy of the call
 * are tried. transcript/content/evidence.h accepts only lines of that call.
 */
#include "history/chain/lines.h"
#include "history/chain/chain.h"
#include "history/chain/seen_evidence.h"
#include "history/chain/shell_evidence.h"

struct ccfc_slice ccfc_history_line(const struct ccfc_history_env *env,
				    const struct ccfc_place *place,
				    struct ccfc_arena *arena)
{
	const struct ccfc_index *index = env->index;
	struct ccfc_slice path, line;
	char *copy;

	if (ccfc_index_place_where(index, place) == CCFC_WHERE_GONE)
		return CCFC_SLICE_NONE;
	path = ccfc_index_str(index, index->sources.items[place->source].path);
	if (ccfc_tail_read_gen(env->tail, &line, path.ptr,
			       ccfc_index_place_gen(index, place),
			       place->offset, place->len, NULL) < 0)
		return CCFC_SLICE_NONE;
	copy = ccfc_arena_alloc(arena, line.len + CCFC_TAIL_PADDING);
	memcpy(copy, line.ptr, line.len);
	memset(copy + line.len, 0, CCFC_TAIL_PADDING);
	return ccfc_slice(copy, line.len);
}

struct ccfc_slice ccfc_history_call_line(const struct ccfc_history_env *env,
					 const struct ccfc_change *change,
					 struct ccfc_arena *arena)
{
	const struct ccfc_observation *obs = &change->call;

	if (!obs->known)
		return CCFC_SLICE_NONE;
	for (;;) {
		struct ccfc_slice line =
			ccfc_history_line(env, &obs->place, arena);

		if (line.len || obs->next == CCFC_ID_NONE)
			return line;
		obs = &env->index->obs.items[obs->next];
	}
}

static struct ccfc_slice read_result(const struct ccfc_history_env *env,
				     const struct ccfc_change *change,
				     struct ccfc_arena *arena)
{
	if (!change->result.known)
		return CCFC_SLICE_NONE;
	return ccfc_history_line(env, &change->result.place, arena);
}

bool ccfc_history_lines(struct ccfc_slice *call, struct ccfc_slice *result,
			const struct ccfc_history_env *env,
			const struct ccfc_change *change,
			struct ccfc_arena *arena)
{
	*call = ccfc_history_call_line(env, change, arena);
	*result = read_result(env, change, arena);
	return call->len || result->len;
}

/* A result that names no lines of the file is not read: it may be long. */
static bool shell_evidence(struct ccfc_evidence *out,
			   const struct ccfc_history_env *env,
			   const struct ccfc_change *change,
			   struct ccfc_arena *arena)
{
	struct ccfc_shell_lines lines = { .call = ccfc_history_call_line(
						  env, change, arena) };

	if (change->shell & CCFC_SHELL_RECORDED)
		lines.result = read_result(env, change, arena);
	return (lines.call.len || lines.result.len) &&
	       ccfc_shell_evidence(out, env, change, &lines, arena);
}

bool ccfc_history_evidence(struct ccfc_evidence *out,
			   const struct ccfc_history_env *env,
			   const struct ccfc_change *change,
			   struct ccfc_arena *arena)
{
	struct ccfc_slice call, result;

	if (ccfc_index_is_shells(change))
		return shell_evidence(out, env, change, arena);
	if (!ccfc_history_lines(&call, &result, env, change, arena))
		return false;
	return ccfc_evidence_read(env->parser, out, ccfc_index_call_id(change),
				  change->part, call, result, arena);
}

/*
 * Adds the bytes of the file that the command moved or copied there, if the
 * evidence has no content.
 */
static void add_moved_bytes(struct ccfc_evidence *out,
			    const struct ccfc_chain *chain, uint32_t i)
{
	const struct ccfc_rename_text *moved = chain->moved.items;

	if (!out->taken || out->has_after || out->has_patch || out->gone)
		return;
	for (uint32_t k = 0; k < chain->moved.n; k++) {
		if (moved[k].home != chain->nodes[i].home)
			continue;
		out->has_after = out->from_text = out->moved = true;
		out->after = moved[k].bytes;
	}
}

bool ccfc_chain_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			 uint32_t i)
{
	struct ccfc_history *h = chain->history;

	ccfc_arena_clear(&h->scratch);
	if (!ccfc_history_evidence(
		    out, &h->env,
		    &h->env.index->changes.items[chain->nodes[i].change],
		    &h->scratch))
		return ccfc_seen_evidence(out, chain, i, false);
	add_moved_bytes(out, chain, i);
	ccfc_seen_evidence(out, chain, i, true);
	return true;
}
