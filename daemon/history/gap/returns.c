/*
 * States that return. If a gap leads to an earlier text of the file, byte for
 * byte, it was not written again: a person rewound the session or checked the
 * file out, or a change was made from an older read (a lost update). The gap
 * records this, and the state.
 */
#include "history/chain/state.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"

#include <stdlib.h>

/* A text of the file, and its last occurrence. */
struct seen_text {
	uint64_t hash;
	uint64_t place;
};

struct seen {
	struct seen_text *items;
	uint32_t n, cap;
	struct ccfc_map map;
};

static bool has_text_hash(const void *ctx, uint32_t id, const void *key)
{
	const struct seen *seen = ctx;

	return seen->items[id].hash == *(const uint64_t *)key;
}

static struct seen_text *find_seen_text(const struct seen *seen, uint64_t hash)
{
	uint32_t id =
		ccfc_map_get(&seen->map, hash, has_text_hash, seen, &hash);

	return id == CCFC_ID_NONE ? NULL : &seen->items[id];
}

/* A missing or empty file has no lines that could return. */
static bool has_text(const struct ccfc_side_state *side)
{
	return ccfc_state_is_known(side) && side->exists && !side->empty;
}

static void note_text(struct seen *seen, const struct ccfc_side_state *side,
		      uint64_t place)
{
	struct seen_text *known;

	if (!has_text(side))
		return;
	known = find_seen_text(seen, side->hash);
	if (known) {
		known->place = place;
		return;
	}
	ccfc_map_put(&seen->map, side->hash, seen->n);
	CCFC_VEC_PUSH(*seen, ((struct seen_text){ side->hash, place }));
}

/*
 * Did every change between that state and node i run at the same time as node
 * i?
 */
static bool overlaps_all_since(const struct ccfc_chain *chain, uint64_t place,
			       uint32_t i)
{
	uint32_t k = (uint32_t)(place / 2 + place % 2);

	for (; k < i; k++)
		if (!ccfc_nodes_overlap(chain, k, i))
			return false;
	return true;
}

bool ccfc_nodes_overlap(const struct ccfc_chain *chain, uint32_t k, uint32_t i)
{
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;
	const struct ccfc_node *a = &chain->nodes[k], *b = &chain->nodes[i];
	const struct ccfc_change *x = &all[a->change], *y = &all[b->change];

	return x->call.known && y->call.known &&
	       x->call.place.source != y->call.place.source &&
	       a->start != CCFC_TIME_NONE && b->start != CCFC_TIME_NONE &&
	       a->start <= b->late && b->start <= a->late;
}

/* The returned state is known twice, so what led there was right. */
static void confirm_returned_state(struct ccfc_chain *chain,
				   const struct ccfc_side_state *now,
				   uint64_t place)
{
	if (place % 2 && now->fidelity == CCFC_FIDELITY_EXACT)
		ccfc_state_confirm(chain, (uint32_t)(place / 2) + 1);
}

/* If the last state is not known, perhaps nobody changed anything. */
static bool may_gap_be_return(enum ccfc_gap gap)
{
	return gap == CCFC_GAP_OUTSIDE || gap == CCFC_GAP_UNKNOWN;
}

static void mark_returned_gap(struct ccfc_chain *chain, const struct seen *seen,
			      uint32_t i)
{
	struct ccfc_node *node = &chain->nodes[i];
	const struct seen_text *text;

	node->back = CCFC_PLACE_NONE;
	if (!may_gap_be_return(node->gap) || !has_text(&node->before))
		return;
	text = find_seen_text(seen, node->before.hash);
	if (!text)
		return;
	node->back = text->place;
	if (node->gap == CCFC_GAP_OUTSIDE)
		node->gap = overlaps_all_since(chain, text->place, i)
				    ? CCFC_GAP_OVERWRITTEN
				    : CCFC_GAP_RETURNED;
	confirm_returned_state(chain, &node->before, text->place);
}

/*
 * Did a command write the returned state itself? "sed" that changes a file to
 * an earlier state has written it; "git checkout" has not.
 */
static void mark_restored_by_command(struct ccfc_node *node,
				     const struct seen *seen)
{
	const struct seen_text *text;

	node->came_back = false;
	if (!node->brings || node->rule == CCFC_RULE_SAME ||
	    !has_text(&node->after) ||
	    (ccfc_state_is_known(&node->before) &&
	     ccfc_state_same(&node->before, &node->after)))
		return;
	text = find_seen_text(seen, node->after.hash);
	node->came_back = text;
	if (text)
		node->brought = text->place;
}

static void mark_returned_last_gap(struct ccfc_chain *chain,
				   const struct seen *seen)
{
	const struct seen_text *text;

	chain->last_back = CCFC_PLACE_NONE;
	if (!may_gap_be_return(chain->last_gap) ||
	    !has_text(&chain->disk_state))
		return;
	text = find_seen_text(seen, chain->disk_state.hash);
	if (!text)
		return;
	chain->last_back = text->place;
	if (chain->last_gap == CCFC_GAP_OUTSIDE)
		chain->last_gap = CCFC_GAP_RETURNED;
	confirm_returned_state(chain, &chain->disk_state, text->place);
}

void ccfc_replay_returns(struct ccfc_chain *chain)
{
	struct seen seen = { 0 };

	ccfc_map_init(&seen.map);
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct ccfc_node *node = &chain->nodes[i];

		mark_returned_gap(chain, &seen, i);
		/* The effect of the change before has its name already. */
		if (!i || node->gap != CCFC_GAP_NONE)
			note_text(&seen, &node->before,
				  ccfc_place_of(i, false));
		mark_restored_by_command(&chain->nodes[i], &seen);
		note_text(&seen, &node->after, ccfc_place_of(i, true));
	}
	mark_returned_last_gap(chain, &seen);
	ccfc_map_release(&seen.map);
	free(seen.items);
}
