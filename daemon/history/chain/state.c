/* States on the sides of changes; see state.h. */
#include "history/chain/state.h"

#include "base/hash.h"

#define OPEN_ORDER "the order of changes made at the same time is not recorded"

/* Changes on either side that are checked for overlap. */
#define NEAR 8u

/* Searches U+FFFD. memmem is slow for so few bytes. */
static bool has_replacement_character(struct ccfc_slice text)
{
	const char *at = text.ptr, *end = ccfc_slice_end(text);

	while (at < end && (at = memchr(at, 0xef, (size_t)(end - at)))) {
		if (end - at >= 3 && !memcmp(at, "\xef\xbf\xbd", 3))
			return true;
		at++;
	}
	return false;
}

static void note_text_facts(struct ccfc_side_state *s, struct ccfc_slice text)
{
	s->hash = ccfc_hash_slice(text);
	s->empty = !text.len;
	s->has_lines = text.len && memchr(text.ptr, '\n', text.len);
	s->has_mark = ccfc_slice_starts(text, "\xef\xbb\xbf");
	s->has_bad = has_replacement_character(text);
}

void ccfc_state_set(struct ccfc_side_state *s, enum ccfc_how how,
		    enum ccfc_origin origin, struct ccfc_slice text)
{
	*s = (struct ccfc_side_state){ .how = how,
				       .origin = origin,
				       .fidelity = CCFC_FIDELITY_EXACT,
				       .exists = true,
				       .why = "" };
	note_text_facts(s, text);
}

void ccfc_state_set_seen(struct ccfc_side_state *s,
			 const struct ccfc_form *form)
{
	s->seen = true;
	s->has_bad = false;
	s->form = *form;
	s->has_form = s->form_proven = true;
}

void ccfc_state_set_absent(struct ccfc_side_state *s, enum ccfc_how how,
			   enum ccfc_origin origin)
{
	ccfc_state_set(s, how, origin, CCFC_SLICE_NONE);
	s->exists = false;
}

void ccfc_state_set_unknown(struct ccfc_side_state *s, bool has_patch,
			    const char *why)
{
	*s = (struct ccfc_side_state){ .exists = true, .why = why };
	s->fidelity = has_patch ? CCFC_FIDELITY_PARTIAL : CCFC_FIDELITY_UNKNOWN;
}

void ccfc_state_weaken(struct ccfc_side_state *s, const char *why, bool pending)
{
	s->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
	s->pending = pending;
	s->why = why;
}

bool ccfc_state_same(const struct ccfc_side_state *a,
		     const struct ccfc_side_state *b)
{
	return a->exists == b->exists && (!a->exists || a->hash == b->hash);
}

static void make_exact(struct ccfc_side_state *s)
{
	s->pending = s->guessed = false;
	s->fidelity = CCFC_FIDELITY_EXACT;
	s->why = "";
}

/* Does its evidence have the state before or the state after? */
static bool has_certain_side(const struct ccfc_node *node)
{
	return node->shown || node->whole ||
	       node->before.how == CCFC_HOW_EVIDENCE;
}

/*
 * May a change before node i have come after one of the nodes from i to `end`?
 * Then only the result of all of them is certain, not the states in between.
 */
static bool is_order_open(const struct ccfc_chain *chain, uint32_t i,
			  uint32_t end)
{
	uint32_t lo = i > NEAR ? i - NEAR : 0;
	uint32_t hi = end - i > NEAR ? i + NEAR : end;

	for (uint32_t k = i; k-- > lo;) {
		if (has_certain_side(&chain->nodes[k]))
			continue;
		for (uint32_t j = i; j < hi; j++)
			if (!has_certain_side(&chain->nodes[j]) &&
			    ccfc_nodes_overlap(chain, k, j))
				return true;
	}
	return false;
}

static void confirm_side(struct ccfc_side_state *s, bool open)
{
	if (open)
		ccfc_state_weaken(s, OPEN_ORDER, false);
	else
		make_exact(s);
}

void ccfc_state_confirm(struct ccfc_chain *chain, uint32_t i)
{
	uint32_t end = i;
	bool open = false;

	while (i-- > 0) {
		struct ccfc_node *node = &chain->nodes[i];

		if (node->after.pending)
			confirm_side(&node->after, open);
		/* A whole write says nothing about the state before. */
		if (!node->before.pending || node->whole || node->lossy)
			return;
		open = is_order_open(chain, i, end);
		confirm_side(&node->before, open);
		if (node->before.how == CCFC_HOW_BASE)
			i = end = node->base + 1;
		else if (node->before.how != CCFC_HOW_SAME)
			return;
	}
}
