/*
 * Walks; see walk.h. A change owns the lines that its patch adds; without a
 * patch, those of a diff.
 *
 * A kept walk is valid as long as its nodes are unchanged: an unknown state may
 * become known by a later one.
 */
#include "history/blame/walk.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "history/kept.h"

#include <stdlib.h>

/* Larger texts are walked again each time. */
#define KEPT_MAX ((size_t)16 << 20)
/* Lines of states that return; beyond this, a diff is used. */
#define SAVED_MAX ((size_t)64 << 20)

static uint32_t owner_of_change(uint32_t i)
{
	return i * 2 + 1;
}

static uint32_t owner_of_gap(uint32_t i, bool hidden)
{
	return i * 2 | (hidden ? CCFC_OWNER_HIDDEN : 0);
}

void ccfc_walk_cross(struct ccfc_walk *w, uint32_t i, struct ccfc_buf *text)
{
	bool hidden = w->hidden || (!w->started && i);

	w->leapt |= hidden && w->carry.lines.n;
	ccfc_line_owners_diff(&w->carry, text, owner_of_gap(i, hidden),
			      w->space);
	w->started = true;
	w->hidden = false;
}

/* --- states that come back --- */

static size_t carry_bytes(const struct ccfc_line_owners *carry)
{
	return carry->text.cap + ((size_t)carry->lines.cap + carry->spare.cap) *
					 sizeof(*carry->lines.items);
}

static const struct ccfc_walk_saved *find_saved(const struct ccfc_walk *w,
						uint64_t place)
{
	uint32_t lo = 0, hi;

	if (w->lender)
		w = w->lender;
	hi = w->saved.n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (w->saved.items[mid].place < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->saved.n && w->saved.items[lo].place == place
		       ? &w->saved.items[lo]
		       : NULL;
}

/* Saves the current lines and owners as those of `place`. */
static void save_lines(struct ccfc_walk *w, uint64_t place)
{
	struct ccfc_walk_saved saved = { .place = place };

	if (!w->started || w->hidden || w->saved_bytes > SAVED_MAX)
		return;
	ccfc_line_owners_copy(&saved.carry, &w->carry);
	w->saved_bytes += carry_bytes(&saved.carry);
	CCFC_VEC_PUSH(w->saved, saved);
}

bool ccfc_walk_return(struct ccfc_walk *w, uint64_t place)
{
	const struct ccfc_walk_saved *saved = find_saved(w, place);

	if (!saved)
		return false;
	ccfc_line_owners_release(&w->carry);
	w->carry = (struct ccfc_line_owners){ 0 };
	ccfc_line_owners_copy(&w->carry, &saved->carry);
	w->started = true;
	w->hidden = false;
	return true;
}

static int compare_places(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The places whose states return later, in order; the caller frees the list. */
static uint64_t *list_returning_places(uint32_t *n,
				       const struct ccfc_chain *chain)
{
	uint64_t *list = ccfc_calloc(2 * (chain->n + 1u), sizeof(*list));
	uint32_t all = 0;

	for (uint32_t i = 0; i <= chain->n; i++) {
		struct ccfc_return back;

		if (ccfc_chain_return(&back, chain, i))
			list[all++] = ccfc_place_of(back.i, !back.before);
		if (i < chain->n && chain->nodes[i].came_back)
			list[all++] = chain->nodes[i].brought;
	}
	qsort(list, all, sizeof(*list), compare_places);
	*n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (!i || list[i] != list[i - 1])
			list[(*n)++] = list[i];
	return list;
}

/* Has the walk saved all returning states that it passed? */
static bool has_saved_returns(const struct ccfc_walk *w,
			      const struct ccfc_chain *chain)
{
	uint32_t n;
	uint64_t *list = list_returning_places(&n, chain);
	bool all = true;

	for (uint32_t i = 0; i < n && list[i] < 2 * (uint64_t)w->at; i++)
		all = all && find_saved(w, list[i]);
	free(list);
	return all;
}

/* --- one node --- */

struct step {
	struct ccfc_walk *walk;
	struct ccfc_chain *chain;
	const struct ccfc_node *node;
	uint32_t i;
	const uint64_t *wanted; /* places to save, and how many there are */
	uint32_t nwanted;
	struct ccfc_evidence ev;
	bool has_ev; /* `ev` is the evidence of node i */
	struct ccfc_buf text;
};

static void read_node_evidence(struct step *s)
{
	s->has_ev = ccfc_chain_evidence(&s->ev, s->chain, s->i);
}

/* The text of one side, taken from the current evidence if that has it. */
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
	/* ccfc_chain_text has overwritten the evidence in history->scratch. */
	got = ccfc_chain_text(&s->text, s->chain, s->i, after);
	if (s->has_ev)
		read_node_evidence(s);
	return got;
}

static bool enter_node(struct step *s)
{
	struct ccfc_walk *w = s->walk;
	struct ccfc_return back;
	bool got = true;

	if (s->node->before.how == CCFC_HOW_NOT)
		return false;
	if (w->started && !w->hidden && s->node->gap == CCFC_GAP_NONE && s->i)
		return true;
	if (ccfc_chain_return(&back, s->chain, s->i) &&
	    ccfc_walk_return(w, ccfc_place_of(back.i, !back.before)))
		return true;
	ccfc_buf_clear(&s->text);
	if (s->node->before.exists)
		got = read_side(s, false);
	if (got)
		ccfc_walk_cross(w, s->i, &s->text);
	w->broken |= !got;
	return got;
}

static bool is_text_after(const struct step *s)
{
	return ccfc_hash_slice(ccfc_buf_view(&s->text)) == s->node->after.hash;
}

/* Repeats the step by the rule of replay; false if the result differs. */
static bool repeat_step(struct step *s)
{
	return ccfc_step_repeat(&s->text, s->node->rule, &s->ev,
				ccfc_buf_view(&s->walk->carry.text)) &&
	       is_text_after(s);
}

static bool read_after(struct step *s, bool entered)
{
	if (!s->node->after.exists) {
		ccfc_buf_clear(&s->text);
		return true;
	}
	if (entered && s->has_ev && s->node->after.how == CCFC_HOW_STEP &&
	    repeat_step(s))
		return true;
	return read_side(s, true);
}

static void save_wanted_lines(struct step *s, uint64_t place)
{
	while (s->nwanted && s->wanted[0] < place) {
		s->wanted++;
		s->nwanted--;
	}
	if (s->nwanted && s->wanted[0] == place)
		save_lines(s->walk, place);
}

static void walk_over_node(struct step *s)
{
	struct ccfc_walk *w = s->walk;
	uint32_t owner = owner_of_change(s->i);
	bool entered;

	read_node_evidence(s);
	entered = enter_node(s);
	if (entered)
		save_wanted_lines(s, ccfc_place_of(s->i, false));
	if (s->node->after.how == CCFC_HOW_NOT || !read_after(s, entered)) {
		w->broken |= s->node->after.how != CCFC_HOW_NOT;
		w->hidden = true;
	} else if (s->node->came_back &&
		   ccfc_walk_return(w, s->node->brought)) {
		/* The lines keep their earlier owners. */
	} else if (!entered || (s->has_ev && s->ev.moved)) {
		/*
		 * The change's own lines are not distinguishable from the lines
		 * before it. Lines of a file that was moved here are others'.
		 */
		w->hidden = true;
		ccfc_walk_cross(w, s->i, &s->text);
	} else if (s->has_ev && s->ev.has_patch &&
		   s->node->rule != CCFC_RULE_SAME) {
		ccfc_line_owners_patch(&w->carry, &s->text, &s->ev, owner,
				       w->space);
	} else {
		ccfc_line_owners_change(&w->carry, &s->text, owner, w->space);
	}
	save_wanted_lines(s, ccfc_place_of(s->i, true));
}

bool ccfc_walk_enter(struct ccfc_walk *w, struct ccfc_chain *chain)
{
	struct step s = { .walk = w,
			  .chain = chain,
			  .node = &chain->nodes[w->at],
			  .i = w->at };
	bool entered = enter_node(&s);

	ccfc_buf_release(&s.text);
	return entered;
}

/* --- keeping --- */

void ccfc_walk_release(struct ccfc_walk *walk)
{
	for (uint32_t i = 0; i < walk->saved.n; i++)
		ccfc_line_owners_release(&walk->saved.items[i].carry);
	free(walk->saved.items);
	ccfc_line_owners_release(&walk->carry);
	*walk = (struct ccfc_walk){ 0 };
}

void ccfc_walk_copy(struct ccfc_walk *out, const struct ccfc_walk *from)
{
	*out = (struct ccfc_walk){ .home = from->home,
				   .space = from->space,
				   .at = from->at,
				   .started = from->started,
				   .hidden = from->hidden,
				   .leapt = from->leapt,
				   .broken = from->broken,
				   .stamp = from->stamp,
				   .lender = from };
	ccfc_line_owners_copy(&out->carry, &from->carry);
}

size_t ccfc_walk_bytes(const struct ccfc_walk *walk)
{
	return sizeof(*walk) + carry_bytes(&walk->carry) + walk->saved_bytes;
}

static uint64_t stamp_of_side(const struct ccfc_side_state *side)
{
	return side->how == CCFC_HOW_NOT ? 1
	       : !side->exists		 ? 2
					 : side->hash | 4;
}

/* Mixes all properties of the nodes [from, to) that a walk depends on. */
static uint64_t stamp_nodes(uint64_t stamp, const struct ccfc_chain *chain,
			    uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct ccfc_node *node = &chain->nodes[i];
		uint64_t all[] = { stamp,
				   node->home,
				   stamp_of_side(&node->before),
				   stamp_of_side(&node->after),
				   node->gap,
				   node->back,
				   node->came_back ? node->brought
						   : CCFC_PLACE_NONE };

		stamp = ccfc_hash(all, sizeof(all));
	}
	return stamp;
}

static bool is_walk_valid(const struct ccfc_walk *w,
			  const struct ccfc_chain *chain, uint32_t n)
{
	return w->at <= n && w->stamp == stamp_nodes(0, chain, 0, w->at) &&
	       has_saved_returns(w, chain);
}

static void extend_walk(struct ccfc_walk *w, struct ccfc_chain *chain,
			uint32_t n)
{
	struct step s = { .walk = w, .chain = chain };
	uint64_t *wanted = list_returning_places(&s.nwanted, chain);

	s.wanted = wanted;
	w->stamp = stamp_nodes(w->stamp, chain, w->at, n);
	for (; w->at < n; w->at++) {
		s.i = w->at;
		s.node = &chain->nodes[s.i];
		walk_over_node(&s);
	}
	free(wanted);
	ccfc_buf_release(&s.text);
}

void ccfc_walk_done(struct ccfc_walk *w, struct ccfc_chain *chain)
{
	const struct ccfc_history_env *env = &chain->history->env;

	if (!w->broken && w->carry.text.len <= KEPT_MAX &&
	    !ccfc_tail_is_over(env->tail)) {
		ccfc_kept_put_walk(env->kept, w);
		return;
	}
	ccfc_walk_release(w);
	free(w);
}

struct ccfc_walk *ccfc_walk_to(struct ccfc_chain *chain, uint32_t n, bool space)
{
	struct ccfc_kept *kept = chain->history->env.kept;
	struct ccfc_walk *w = ccfc_kept_take_walk(kept, chain->home, space);

	if (!w)
		w = ccfc_calloc(1, sizeof(*w));
	else if (!is_walk_valid(w, chain, n))
		ccfc_walk_release(w);
	w->home = chain->home;
	w->space = space;
	extend_walk(w, chain, n);
	return w;
}
