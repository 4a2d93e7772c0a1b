/*
 * Lost updates that no result shows: for a large file only patches are
 * recorded, and a patch made from an older state may fit the newer state as
 * well. See order.h.
 */
#include "history/chain/order.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

/* Nodes that one walk goes back. */
#define WALK_MAX 4096u

struct walk_back {
	struct ccfc_chain *chain;
	struct ccfc_buf text;  /* before node `next` */
	struct ccfc_buf spare; /* receives the text one step further back */
	uint32_t next;
	struct {
		struct made_from {
			uint32_t node, base;
		} * items;
		uint32_t n, cap;
	} found;
	struct ccfc_ids swaps; /* nodes that were swapped with the next one */
};

/* Notes that node `next` was made from the state after node m. */
static void note_base(struct walk_back *w, uint32_t m)
{
	struct made_from made = { w->next, m };

	if (w->next != m + 1 && w->next < w->chain->n)
		CCFC_VEC_PUSH(w->found, made);
}

static bool equals_text_after(const struct walk_back *w, uint32_t m)
{
	const struct ccfc_side_state *s = &w->chain->nodes[m].after;

	return ccfc_state_is_known(s) && s->exists &&
	       s->hash == ccfc_hash_slice(ccfc_buf_view(&w->text));
}

/* Undoes change m in the text; false if the text does not have it. */
static bool undo_change(struct walk_back *w, uint32_t m)
{
	const struct ccfc_side_state *after = &w->chain->nodes[m].after;
	struct ccfc_buf swap;
	struct ccfc_evidence ev;

	/* Its result is known, and differs from the text. */
	if (after->fidelity == CCFC_FIDELITY_EXACT ||
	    w->chain->nodes[m].shown || w->chain->nodes[m].whole)
		return false;
	if (!ccfc_chain_evidence(&ev, w->chain, m) ||
	    ccfc_step_back(&w->spare, &ev, ccfc_buf_view(&w->text)) ==
		    CCFC_STEP_NO)
		return false;
	swap = w->text;
	w->text = w->spare;
	w->spare = swap;
	note_base(w, m);
	w->next = m;
	return true;
}

static bool may_be_lost(const struct walk_back *w, uint32_t m)
{
	return w->next < w->chain->n &&
	       ccfc_nodes_overlap(w->chain, m, w->next);
}

static void swap_nodes(struct ccfc_chain *chain, uint32_t i)
{
	struct ccfc_node first = chain->nodes[i];

	chain->nodes[i] = chain->nodes[i + 1];
	chain->nodes[i + 1] = first;
}

/*
 * Swaps change m with the overlapping change in front of it and undoes that
 * one; false if the text does not have that one either.
 */
static bool undo_swapped_change(struct walk_back *w, uint32_t m)
{
	if (!m || !ccfc_nodes_overlap(w->chain, m - 1, m))
		return false;
	swap_nodes(w->chain, m - 1);
	if (!undo_change(w, m)) {
		swap_nodes(w->chain, m - 1);
		return false;
	}
	CCFC_VEC_PUSH(w->swaps, m - 1);
	return true;
}

/* Walks back from node i. True when the text equals a known state. */
static bool walk_back_to_known(struct walk_back *w, uint32_t i)
{
	uint32_t left = WALK_MAX;

	for (uint32_t m = i; m-- > 0 && left--;) {
		const struct ccfc_node *node = &w->chain->nodes[m];

		if (equals_text_after(w, m)) {
			note_base(w, m);
			return true;
		}
		if (!undo_change(w, m) && !may_be_lost(w, m) &&
		    !undo_swapped_change(w, m))
			return false;
		/* An older gap is not repaired here. */
		if (w->next == m && m && node->gap != CCFC_GAP_NONE &&
		    !equals_text_after(w, m - 1))
			return false;
	}
	return false;
}

/* Stores what was found in the nodes; false if they had it already. */
static bool store_found(uint32_t *from, struct walk_back *w)
{
	struct ccfc_node *nodes = w->chain->nodes;

	*from = CCFC_ID_NONE;
	for (uint32_t k = 0; k < w->swaps.n; k++) {
		uint32_t i = w->swaps.items[k];

		if (nodes[i].time > nodes[i + 1].late)
			nodes[i].time = nodes[i + 1].late;
		nodes[i + 1].time = nodes[i + 1].late;
		*from = i < *from ? i : *from;
	}
	for (uint32_t k = 0; k < w->found.n; k++) {
		struct made_from made = w->found.items[k];

		if (nodes[made.node].shown ||
		    nodes[made.node].base == made.base)
			continue;
		nodes[made.node].base = made.base;
		*from = made.node < *from ? made.node : *from;
	}
	return *from != CCFC_ID_NONE;
}

bool ccfc_lost_search(uint32_t *from, struct ccfc_replay *r, uint32_t i,
		      struct ccfc_slice text)
{
	struct walk_back w = { .chain = r->chain, .next = i };
	bool mended = false;

	ccfc_buf_slice(&w.text, text);
	if (walk_back_to_known(&w, i))
		mended = store_found(from, &w);
	else
		while (w.swaps.n)
			swap_nodes(r->chain, w.swaps.items[--w.swaps.n]);
	free(w.found.items);
	free(w.swaps.items);
	ccfc_buf_release(&w.text);
	ccfc_buf_release(&w.spare);
	return mended;
}
