/*
 * Changes by hooks. A formatter that the client runs after a change does not
 * count as outside: after the result, the client notes that a hook of the call
 * changed the file, and the gap after the change belongs to the hook.
 */
#include "history/chain/chain.h"

#include "transcript/content/hook_note.h"

/* The note must be within so many bytes and lines after the result. */
#define NEAR_BYTES ((size_t)64 << 10)
#define NEAR_LINES 16u

static bool is_hook_note(struct ccfc_history *h, struct ccfc_slice line,
			 struct ccfc_slice id)
{
	char *copy;

	/* Most lines are not notes, and need not be parsed. */
	if (!ccfc_slice_contains(line, CCFC_ATTIC_NOTE))
		return false;
	ccfc_arena_clear(&h->scratch);
	copy = ccfc_arena_alloc(&h->scratch, line.len + CCFC_TAIL_PADDING);
	memcpy(copy, line.ptr, line.len);
	memset(copy + line.len, 0, CCFC_TAIL_PADDING);
	return ccfc_hook_note_is_of(h->env.parser, ccfc_slice(copy, line.len),
				    id);
}

/* The bytes after a line, within the limits; empty: they have no note. */
static struct ccfc_slice read_bytes_after(struct ccfc_history *h,
					  const struct ccfc_place *place)
{
	const struct ccfc_index *index = h->env.index;
	struct ccfc_slice path, bytes;
	uint64_t from = place->offset + place->len, end;
	size_t size = NEAR_BYTES;

	/* The length of another generation is not known here. */
	if (ccfc_index_place_where(index, place) == CCFC_WHERE_GONE ||
	    ccfc_index_place_gen(index, place) != CCFC_ATTIC_LAST)
		return CCFC_SLICE_NONE;
	path = ccfc_index_str(index, index->sources.items[place->source].path);
	end = index->sources.items[place->source].cursor.offset;
	if (end <= from)
		return CCFC_SLICE_NONE;
	if (size > end - from)
		size = (size_t)(end - from);
	if (!ccfc_tail_may_have_note(h->env.tail, path.ptr, from, size) ||
	    ccfc_tail_read_at(h->env.tail, &bytes, path.ptr, from, size, NULL))
		return CCFC_SLICE_NONE;
	return bytes;
}

/* Does the client note that a hook changed the file after node i? */
static bool has_hook_note_after(struct ccfc_chain *chain, uint32_t i)
{
	struct ccfc_history *h = chain->history;
	const struct ccfc_change *change =
		&h->env.index->changes.items[chain->nodes[i].change];
	struct ccfc_slice rest, id = ccfc_index_call_id(change);

	if (!change->result.known)
		return false;
	rest = read_bytes_after(h, &change->result.place);
	for (uint32_t n = 0; rest.len && n <= NEAR_LINES; n++) {
		const char *nl = memchr(rest.ptr, '\n', rest.len);
		size_t len = nl ? (size_t)(nl - rest.ptr) : rest.len;

		if (nl && is_hook_note(h, ccfc_slice(rest.ptr, len), id))
			return true;
		rest = ccfc_slice_from(rest, nl ? len + 1 : len);
	}
	return false;
}

void ccfc_replay_hooks(struct ccfc_chain *chain)
{
	for (uint32_t i = 1; i < chain->n; i++)
		if (chain->nodes[i].gap == CCFC_GAP_OUTSIDE &&
		    has_hook_note_after(chain, i - 1))
			chain->nodes[i].gap = CCFC_GAP_HOOK;
	if (chain->n && chain->last_gap == CCFC_GAP_OUTSIDE &&
	    chain->disk.exists && has_hook_note_after(chain, chain->n - 1))
		chain->last_gap = CCFC_GAP_HOOK;
}
