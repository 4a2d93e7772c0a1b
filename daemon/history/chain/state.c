/* Sides of changes; see state.h. */
#include "history/chain/state.h"

#include "base/hash.h"

/* U+FFFD. Not by memmem, which is slow for so few bytes. */
static bool has_bad(struct ccfc_slice text)
{
	const char *at = text.ptr, *end = text.ptr + text.len;

	while (at < end && (at = memchr(at, 0xef, (size_t)(end - at)))) {
		if (end - at >= 3 && !memcmp(at, "\xef\xbf\xbd", 3))
			return true;
		at++;
	}
	return false;
}

static void look_at(struct ccfc_side_state *s, struct ccfc_slice text)
{
	s->hash = ccfc_hash_slice(text);
	s->has_lines = text.len && memchr(text.ptr, '\n', text.len);
	s->has_mark = ccfc_slice_starts(text, "\xef\xbb\xbf");
	s->has_bad = has_bad(text);
}

void ccfc_state_set(struct ccfc_side_state *s, enum ccfc_how how,
		    enum ccfc_origin origin, struct ccfc_slice text)
{
	*s = (struct ccfc_side_state){ .how = how,
				       .origin = origin,
				       .fidelity = CCFC_FIDELITY_EXACT,
				       .exists = true,
				       .why = "" };
	look_at(s, text);
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

void ccfc_state_confirm(struct ccfc_chain *chain, uint32_t i)
{
	while (i-- > 0) {
		struct ccfc_node *node = &chain->nodes[i];

		if (node->after.pending)
			make_exact(&node->after);
		/* What is written whole says nothing of what was there. */
		if (!node->before.pending || node->whole || node->lossy)
			return;
		make_exact(&node->before);
		if (node->before.how != CCFC_HOW_SAME)
			return;
	}
}
