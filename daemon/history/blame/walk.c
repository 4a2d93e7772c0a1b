/*
 * Walks; see walk.h. A change's own lines are those that its patch adds, as
 * the client showed them; where there is no patch, those of a diff.
 *
 * A kept walk is good as long as the nodes that it has passed are what they
 * were: a state that was not known may become known by a later one.
 */
#include "history/blame/walk.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

#define WALKS                                                                  \
	(sizeof(((struct ccfc_walks *)NULL)->items) / sizeof(struct ccfc_walk))
/* Larger texts are walked anew each time. */
#define KEPT_MAX ((size_t)16 << 20)

static uint32_t of_change(uint32_t i)
{
	return i * 2 + 1;
}

static uint32_t of_gap(uint32_t i, bool hidden)
{
	return i * 2 | (hidden ? CCFC_OWNER_HIDDEN : 0);
}

void ccfc_walk_cross(struct ccfc_walk *w, uint32_t i, struct ccfc_buf *text)
{
	bool hidden = w->hidden || (!w->started && i);

	w->leapt |= hidden && w->carry.lines.n;
	ccfc_line_owners_diff(&w->carry, text, of_gap(i, hidden), w->space);
	w->started = true;
	w->hidden = false;
}

/* --- one node --- */

struct step {
	struct ccfc_walk *walk;
	struct ccfc_chain *chain;
	const struct ccfc_node *node;
	uint32_t i;
	struct ccfc_evidence ev;
	bool has_ev; /* `ev` is that of the node */
	struct ccfc_buf text;
};

static void load_walk(struct step *s)
{
	s->has_ev = ccfc_chain_evidence(&s->ev, s->chain, s->i);
}

/* One side's text, from the evidence at hand if that has it. */
static bool read_side(struct step *s, bool after)
{
	const struct ccfc_side_state *side =
		after ? &s->node->after : &s->node->before;
	struct ccfc_form form;
	bool got;

	if (side->how == CCFC_HOW_EVIDENCE && s->has_ev) {
		ccfc_form_decode(&s->text, &form,
				 after ? s->ev.after : s->ev.original);
		return true;
	}
	/* This reads other evidence into the same memory. */
	got = ccfc_chain_text(&s->text, s->chain, s->i, after);
	if (s->has_ev)
		load_walk(s);
	return got;
}

static bool enter(struct step *s)
{
	struct ccfc_walk *w = s->walk;
	bool got = true;

	if (s->node->before.how == CCFC_HOW_NOT)
		return false;
	if (w->started && !w->hidden && s->node->gap == CCFC_GAP_NONE && s->i)
		return true;
	ccfc_buf_clear(&s->text);
	if (s->node->before.exists)
		got = read_side(s, false);
	if (got)
		ccfc_walk_cross(w, s->i, &s->text);
	w->broken |= !got;
	return got;
}

static bool is_after(const struct step *s)
{
	return ccfc_hash_slice(ccfc_buf_view(&s->text)) == s->node->after.hash;
}

/* As replay found it: what it gives has only to be the same. */
static bool step_forward(struct step *s)
{
	return ccfc_step_repeat(&s->text, s->node->way, &s->ev,
				ccfc_buf_view(&s->walk->carry.text)) &&
	       is_after(s);
}

static bool read_after(struct step *s, bool entered)
{
	if (!s->node->after.exists) {
		ccfc_buf_clear(&s->text);
		return true;
	}
	if (entered && s->has_ev && s->node->after.how == CCFC_HOW_STEP &&
	    step_forward(s))
		return true;
	return read_side(s, true);
}

static void walk_node(struct step *s)
{
	struct ccfc_walk *w = s->walk;
	uint32_t owner = of_change(s->i);
	bool entered;

	load_walk(s);
	entered = enter(s);
	if (s->node->after.how == CCFC_HOW_NOT || !read_after(s, entered)) {
		w->broken |= s->node->after.how != CCFC_HOW_NOT;
		w->hidden = true;
	} else if (!entered) {
		/* Its own lines cannot be told from those it found. */
		w->hidden = true;
		ccfc_walk_cross(w, s->i, &s->text);
	} else if (s->has_ev && s->ev.has_patch) {
		ccfc_line_owners_patch(&w->carry, &s->text, &s->ev, owner,
				       w->space);
	} else {
		ccfc_line_owners_change(&w->carry, &s->text, owner, w->space);
	}
}

bool ccfc_walk_enter(struct ccfc_walk *w, struct ccfc_chain *chain)
{
	struct step s = { .walk = w,
			  .chain = chain,
			  .node = &chain->nodes[w->at],
			  .i = w->at };
	bool entered = enter(&s);

	ccfc_buf_release(&s.text);
	return entered;
}

/* --- keeping --- */

void ccfc_walk_release(struct ccfc_walk *walk)
{
	ccfc_line_owners_release(&walk->carry);
	*walk = (struct ccfc_walk){ 0 };
}

void ccfc_walk_copy(struct ccfc_walk *out, const struct ccfc_walk *from)
{
	*out = *from;
	out->carry = (struct ccfc_line_owners){ 0 };
	ccfc_line_owners_copy(&out->carry, &from->carry);
}

void ccfc_walks_free(struct ccfc_walks *walks)
{
	if (!walks)
		return;
	for (size_t i = 0; i < WALKS; i++)
		ccfc_walk_release(&walks->items[i]);
	free(walks);
}

static uint64_t side_stamp(const struct ccfc_side_state *side)
{
	return side->how == CCFC_HOW_NOT ? 1
	       : !side->exists		 ? 2
					 : side->hash | 4;
}

/* All that a walk goes by, of nodes [from, to). */
static uint64_t stamp_on(uint64_t stamp, const struct ccfc_chain *chain,
			 uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct ccfc_node *node = &chain->nodes[i];
		uint64_t all[] = { stamp, node->change,
				   side_stamp(&node->before),
				   side_stamp(&node->after), node->gap };

		stamp = ccfc_hash(all, sizeof(all));
	}
	return stamp;
}

static bool is_good(const struct ccfc_walk *w, const struct ccfc_chain *chain,
		    uint32_t n, bool space)
{
	return w->used && w->file == chain->file && w->space == space &&
	       w->at <= n && w->stamp == stamp_on(0, chain, 0, w->at);
}

/* The file's own, else the one used longest ago. */
static struct ccfc_walk *choose(struct ccfc_walks *walks,
				const struct ccfc_chain *chain, bool space)
{
	struct ccfc_walk *best = &walks->items[0];

	for (size_t i = 0; i < WALKS; i++) {
		struct ccfc_walk *w = &walks->items[i];

		if (w->used && w->file == chain->file && w->space == space)
			return w;
		if (w->used < best->used)
			best = w;
	}
	return best;
}

static void walk_on(struct ccfc_walk *w, struct ccfc_chain *chain, uint32_t n)
{
	struct step s = { .walk = w, .chain = chain };

	w->stamp = stamp_on(w->stamp, chain, w->at, n);
	for (; w->at < n; w->at++) {
		s.i = w->at;
		s.node = &chain->nodes[s.i];
		walk_node(&s);
	}
	ccfc_buf_release(&s.text);
}

void ccfc_walk_done(struct ccfc_walk *w)
{
	if (w->broken || w->carry.text.len > KEPT_MAX)
		ccfc_walk_release(w);
}

struct ccfc_walk *ccfc_walk_to(struct ccfc_chain *chain, uint32_t n, bool space)
{
	struct ccfc_walks **walks = &chain->history->walks;
	struct ccfc_walk *w;

	if (!*walks)
		*walks = ccfc_calloc(1, sizeof(**walks));
	w = choose(*walks, chain, space);
	if (!is_good(w, chain, n, space))
		ccfc_walk_release(w);
	w->file = chain->file;
	w->space = space;
	w->used = ++(*walks)->tick;
	walk_on(w, chain, n);
	return w;
}
