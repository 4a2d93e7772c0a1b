/*
 * The order of changes; see order.h.
 *
 * A window of overlapping nodes is tried in every order that their times allow,
 * the likeliest first. Each change is tried on the state before it, and on
 * earlier states that it may have read instead. A gap costs most, a lost update
 * less, a pair that is not in the order of its results least. If a change's
 * result is not known, the state found after the change has to contain the
 * change: its step must lead back from there.
 *
 * Orders worse than the best so far are abandoned. The limit is a number of
 * steps, not a time, so the answer is reproducible.
 */
#include "history/chain/order.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/chain/lines.h"

#include <stdlib.h>

#define WINDOW_MAX 24u /* nodes ordered together */
#define BEFORE_MAX 16u /* of them, nodes in front of the gap */
#define ENDS_MAX   4u  /* candidates for the node after the window */

#define OUTSIDE	 1000000u
#define LOST	 1000u
#define INVERTED 1u

/* STEPS_MAX and BYTES_MAX limit one window, CHAIN_MAX one chain. */
#define STEPS_MAX 2000u
#define BYTES_MAX ((uint64_t)32 << 20)
#define CHAIN_MAX ((uint64_t)256 << 20)

struct text_state {
	bool known;
	bool exists;
	uint64_t hash;
	struct ccfc_slice text;
};

/* A node of the window, with the states that its evidence has. */
struct mover {
	uint32_t node;
	bool has_ev;
	struct ccfc_evidence ev;
	bool shown; /* its result shows the state before: `before` */
	struct text_state before;
	bool whole; /* the state after does not depend on the order: `after` */
	struct text_state after;
	struct ccfc_buf before_text, after_text;
};

/* A placed change, the state it was made from, and the state it led to. */
struct placed {
	uint32_t mover;
	/* number of placed changes before the state it was made from */
	uint32_t base;
	struct text_state state;
	struct ccfc_buf text; /* memory of the state's text, if not borrowed */
};

struct plan {
	uint32_t cost;
	uint32_t mover[WINDOW_MAX];
	uint32_t base[WINDOW_MAX];
};

struct search {
	struct ccfc_replay *r;
	struct ccfc_chain *chain;
	struct ccfc_arena arena;
	uint32_t lo, n; /* nodes [lo, lo + n) */
	struct mover movers[WINDOW_MAX];
	struct mover ends[ENDS_MAX]; /* one of these has to follow */
	uint32_t nends;
	struct text_state start;
	struct ccfc_buf start_text;
	struct placed path[WINDOW_MAX];
	bool used[WINDOW_MAX];
	struct plan best;
	uint32_t steps;
	uint64_t bytes;
};

static struct text_state text_state_of(struct ccfc_slice text)
{
	return (struct text_state){ true, true, ccfc_hash_slice(text), text };
}

static struct text_state absent_state(void)
{
	return (struct text_state){ .known = true };
}

static bool is_empty(const struct text_state *s)
{
	return !s->exists || !s->text.len;
}

static bool is_same_text(const struct text_state *a, const struct text_state *b)
{
	if (is_empty(a) || is_empty(b))
		return is_empty(a) && is_empty(b);
	return a->hash == b->hash;
}

/* --- the nodes --- */

static void read_mover_before(struct mover *m)
{
	struct ccfc_form form;

	if (m->ev.before == CCFC_BEFORE_UNKNOWN)
		return;
	m->shown = true;
	m->before = absent_state();
	if (m->ev.before != CCFC_BEFORE_TEXT)
		return;
	ccfc_form_decode(&m->before_text, &form, m->ev.original);
	m->before = text_state_of(ccfc_buf_view(&m->before_text));
}

static void read_mover_after(struct search *s, struct mover *m)
{
	struct ccfc_form form;

	if (m->ev.gone) {
		m->whole = true;
		m->after = absent_state();
		return;
	}
	if (m->ev.has_after)
		ccfc_form_decode(&m->after_text, &form, m->ev.after);
	else if (!m->shown || ccfc_step_forward(&m->after_text, &m->ev,
						m->before.text) == CCFC_STEP_NO)
		return;
	m->whole = true;
	m->after = text_state_of(ccfc_buf_view(&m->after_text));
	s->bytes += m->after_text.len;
}

static void read_mover(struct search *s, struct mover *m, uint32_t node)
{
	const struct ccfc_history_env *env = &s->chain->history->env;
	const struct ccfc_change *change =
		&env->index->changes.items[s->chain->nodes[node].change];

	m->node = node;
	m->has_ev = ccfc_history_evidence(&m->ev, env, change, &s->arena) &&
		    !ccfc_step_is_hidden(&m->ev);
	if (!m->has_ev)
		return;
	read_mover_before(m);
	read_mover_after(s, m);
}

static void release_mover(struct mover *m)
{
	ccfc_buf_release(&m->before_text);
	ccfc_buf_release(&m->after_text);
}

/* Was the effect of `a` there before `b` was called? */
static bool has_to_precede(const struct ccfc_chain *chain, uint32_t a,
			   uint32_t b)
{
	const struct ccfc_change *all =
		chain->history->env.index->changes.items;
	const struct ccfc_node *x = &chain->nodes[a], *y = &chain->nodes[b];
	const struct ccfc_observation *p = &all[x->change].call;
	const struct ccfc_observation *q = &all[y->change].call;

	if (!p->known || !q->known || x->start == CCFC_TIME_NONE ||
	    y->start == CCFC_TIME_NONE || p->place.source == q->place.source)
		return a < b;
	return x->late < y->start;
}

static bool may_be_next(const struct search *s, uint32_t v)
{
	for (uint32_t u = 0; u < s->n; u++)
		if (!s->used[u] && u != v &&
		    has_to_precede(s->chain, s->movers[u].node,
				   s->movers[v].node))
			return false;
	return !s->used[v];
}

/* --- the states on the way --- */

/* The state after the first `depth` placed changes. */
static const struct text_state *state_after_placed(const struct search *s,
						   uint32_t depth)
{
	return depth ? &s->path[depth - 1].state : &s->start;
}

/* May v have been made from the state after the first k of `depth` changes? */
static bool may_have_read(const struct search *s, uint32_t v, uint32_t k,
			  uint32_t depth)
{
	for (; k < depth; k++)
		if (!ccfc_nodes_overlap(s->chain,
					s->movers[s->path[k].mover].node,
					s->movers[v].node))
			return false;
	return true;
}

/* One way to place a node. */
struct way {
	uint32_t mover, base, cost;
};

static uint32_t cost_of_inversions(const struct search *s, uint32_t v)
{
	uint32_t n = 0;

	for (uint32_t u = 0; u < v; u++)
		n += !s->used[u];
	return n * INVERTED;
}

/*
 * The cost of the state `found` after a placed change whose result is not
 * known: nothing if the change's step leads back from there. A change made of
 * strings only may be there although its step does not lead back.
 */
static uint32_t cost_after_unknown(struct search *s,
				   const struct text_state *found,
				   uint32_t depth)
{
	const struct mover *last =
		depth ? &s->movers[s->path[depth - 1].mover] : NULL;
	struct ccfc_buf sink = CCFC_BUF_INIT;
	enum ccfc_step step;

	if (!last || !last->has_ev || last->ev.has_cell)
		return 0;
	if (!found->exists)
		return OUTSIDE;
	s->steps++;
	s->bytes += found->text.len;
	step = ccfc_step_back(&sink, &last->ev, found->text);
	ccfc_buf_release(&sink);
	if (step != CCFC_STEP_NO)
		return 0;
	return last->ev.has_patch ? OUTSIDE : LOST;
}

/* The cost of the state `found` after the first `depth` placed changes. */
static uint32_t cost_of_state(uint32_t *base, struct search *s,
			      const struct text_state *found, uint32_t v,
			      uint32_t depth)
{
	const struct text_state *now = state_after_placed(s, depth);

	*base = depth;
	if (!now->known)
		return cost_after_unknown(s, found, depth);
	/* For the disk it is known whether there is no file or an empty one. */
	if (is_same_text(now, found))
		return v == s->n && now->exists != found->exists ? LOST : 0;
	for (uint32_t k = depth; k-- > 0;) {
		if (v < s->n && !may_have_read(s, v, k, depth))
			break;
		if (v < s->n && state_after_placed(s, k)->known &&
		    !is_empty(found) &&
		    is_same_text(state_after_placed(s, k), found)) {
			*base = k;
			return LOST;
		}
	}
	return OUTSIDE;
}

/* Computes the state after m if m was made from `from`. */
static bool try_mover_step(struct search *s, struct ccfc_buf *out,
			   const struct mover *m, const struct text_state *from)
{
	if (!from->known || !from->exists)
		return false;
	s->steps++;
	s->bytes += from->text.len;
	if (ccfc_step_forward(out, &m->ev, from->text) != CCFC_STEP_NO)
		return true;
	/* Another session's client has recorded the same change. */
	if (!ccfc_step_is_done(&m->ev, from->text))
		return false;
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, from->text);
	return true;
}

static bool is_search_over(const struct search *s)
{
	return s->steps > STEPS_MAX || s->bytes > BYTES_MAX ||
	       s->r->ordered + s->bytes > CHAIN_MAX;
}

/* Does it write the whole file without showing the earlier content? */
static bool shows_no_earlier_text(const struct mover *m)
{
	return m->whole && !m->ev.has_patch;
}

/* Fills `ways` with all ways to place v next; returns their number. */
static uint32_t list_ways(struct way *ways, struct search *s, uint32_t v,
			  uint32_t depth)
{
	const struct mover *m = &s->movers[v];
	uint32_t more = cost_of_inversions(s, v), n = 0;
	struct ccfc_buf sink = CCFC_BUF_INIT;

	ways[0] = (struct way){ v, depth, more };
	if (!m->has_ev)
		return 1;
	if (m->shown) {
		ways[0].cost +=
			cost_of_state(&ways[0].base, s, &m->before, v, depth);
		return 1;
	}
	if (shows_no_earlier_text(m) || !state_after_placed(s, depth)->known)
		return 1;
	for (uint32_t k = depth + 1; k-- > 0 && !is_search_over(s);) {
		if (k < depth && !may_have_read(s, v, k, depth))
			break;
		if (try_mover_step(s, &sink, m, state_after_placed(s, k)))
			ways[n++] =
				(struct way){ v, k,
					      more + (k < depth ? LOST : 0) };
	}
	ccfc_buf_release(&sink);
	if (!n)
		ways[n++].cost += OUTSIDE;
	return n;
}

/* Appends the placement and its state to the path. */
static void place_mover(struct search *s, const struct way *way, uint32_t depth)
{
	const struct mover *m = &s->movers[way->mover];
	struct placed *p = &s->path[depth];

	s->steps++;
	p->mover = way->mover;
	p->base = way->base;
	p->state = (struct text_state){ 0 };
	if (m->whole)
		p->state = m->after;
	else if (m->has_ev && !m->shown &&
		 try_mover_step(s, &p->text, m,
				state_after_placed(s, way->base)))
		p->state = text_state_of(ccfc_buf_view(&p->text));
}

static uint32_t cost_of_next(struct search *s, const struct mover *end)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	const struct text_state *now = state_after_placed(s, s->n);
	uint32_t base;
	bool fits;

	if (end->shown)
		return cost_of_state(&base, s, &end->before, s->n, s->n);
	if (!end->has_ev || shows_no_earlier_text(end))
		return 0;
	/*
	 * No state speaks for this end; an end with a shown state costs less.
	 */
	if (!now->known)
		return LOST;
	fits = now->exists && ccfc_step_forward(&sink, &end->ev, now->text);
	ccfc_buf_release(&sink);
	return fits ? 0 : OUTSIDE;
}

/* The cost of the candidate for the next node that fits best. */
static uint32_t cost_of_end(struct search *s)
{
	uint32_t best = s->nends ? UINT32_MAX : 0;

	for (uint32_t i = 0; i < s->nends; i++) {
		uint32_t cost = cost_of_next(s, &s->ends[i]);

		best = cost < best ? cost : best;
	}
	return best;
}

static void keep_best_plan(struct search *s, uint32_t cost)
{
	s->best.cost = cost;
	for (uint32_t d = 0; d < s->n; d++) {
		s->best.mover[d] = s->path[d].mover;
		s->best.base[d] = s->path[d].base;
	}
}

static int compare_way_costs(const void *x, const void *y)
{
	const struct way *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->mover != b->mover)
		return a->mover < b->mover ? -1 : 1;
	return (b->base > a->base) - (b->base < a->base);
}

/*
 * Depth first, the cheapest way first: the first complete order is the greedy
 * one.
 */
static void try_orders(struct search *s, uint32_t depth, uint32_t cost)
{
	struct way *ways;
	uint32_t n = 0;

	if (depth == s->n) {
		cost += cost_of_end(s);
		if (cost < s->best.cost)
			keep_best_plan(s, cost);
		return;
	}
	ways = ccfc_calloc((size_t)s->n * (depth + 1), sizeof(*ways));
	for (uint32_t v = 0; v < s->n; v++)
		if (may_be_next(s, v))
			n += list_ways(ways + n, s, v, depth);
	qsort(ways, n, sizeof(*ways), compare_way_costs);
	for (uint32_t k = 0; k < n; k++) {
		if (cost + ways[k].cost >= s->best.cost ||
		    (is_search_over(s) && s->best.cost != UINT32_MAX))
			break;
		s->used[ways[k].mover] = true;
		place_mover(s, &ways[k], depth);
		try_orders(s, depth + 1, cost + ways[k].cost);
		s->used[ways[k].mover] = false;
	}
	free(ways);
}

/* --- the window --- */

/* Extends the window by all nodes that overlap with one of its nodes. */
static void widen_window(uint32_t *lo, uint32_t *hi,
			 const struct ccfc_chain *chain, uint32_t floor,
			 uint32_t gap)
{
	const struct ccfc_node *nodes = chain->nodes;
	int64_t start = nodes[*lo].start, late = nodes[*lo].late;

	for (uint32_t i = *lo + 1; i <= *hi; i++) {
		start = nodes[i].start < start ? nodes[i].start : start;
		late = nodes[i].late > late ? nodes[i].late : late;
	}
	for (bool more = true; more && *hi - *lo + 1 < WINDOW_MAX;) {
		more = false;
		if (*hi + 1 < chain->n && nodes[*hi + 1].start <= late) {
			more = true;
			++*hi;
			late = nodes[*hi].late > late ? nodes[*hi].late : late;
			start = nodes[*hi].start < start ? nodes[*hi].start
							 : start;
		} else if (*lo > floor && gap - *lo < BEFORE_MAX &&
			   nodes[*lo - 1].late >= start) {
			more = true;
			--*lo;
			start = nodes[*lo].start < start ? nodes[*lo].start
							 : start;
			late = nodes[*lo].late > late ? nodes[*lo].late : late;
		}
	}
}

static bool find_window(struct search *s, uint32_t i)
{
	const struct ccfc_chain *chain = s->chain;
	uint32_t floor = s->r->mended, lo, hi;

	if (i <= floor)
		return false;
	lo = hi = i - 1;
	if (i < chain->n && chain->nodes[i].start <= chain->nodes[i - 1].late)
		hi = i;
	widen_window(&lo, &hi, chain, floor, i);
	/*
	 * No node overlaps with the one before the gap: takes those that
	 * overlap with the node after the gap.
	 */
	if (lo == hi && i < chain->n) {
		lo = hi = i;
		widen_window(&lo, &hi, chain, i, i);
	}
	s->lo = lo;
	s->n = hi - lo + 1;
	/*
	 * The node after the last one is the disk, which is compared at the
	 * end.
	 */
	if (s->n > 1 && hi + 1 == chain->n && !s->r->at_end) {
		s->r->open_gap = i;
		return false;
	}
	return s->n > 1;
}

/* Reads the state before the window. */
static void read_window_start(struct search *s)
{
	const struct ccfc_side_state *side;

	if (!s->lo)
		return;
	side = &s->chain->nodes[s->lo - 1].after;
	if (!ccfc_state_is_known(side))
		return;
	if (!side->exists)
		s->start = absent_state();
	else if (ccfc_chain_text(&s->start_text, s->chain, s->lo - 1, true))
		s->start = text_state_of(ccfc_buf_view(&s->start_text));
}

/*
 * Reads what follows the window: the next node, or one that overlaps with it,
 * or the disk.
 */
static void read_window_ends(struct search *s)
{
	struct ccfc_chain *chain = s->chain;
	const struct ccfc_node *nodes = chain->nodes;
	uint32_t next = s->lo + s->n;
	const struct ccfc_side_state *disk = &chain->disk_state;

	for (uint32_t i = next; i < chain->n && s->nends < ENDS_MAX &&
				nodes[i].start <= nodes[next].late;
	     i++)
		read_mover(s, &s->ends[s->nends++], i);
	if (next < chain->n || !ccfc_state_is_known(disk))
		return;
	s->nends = 1;
	s->ends[0].shown = true;
	s->ends[0].before = disk->exists
				    ? text_state_of(ccfc_buf_view(&s->r->copy))
				    : absent_state();
}

/* --- the outcome --- */

struct ccfc_node ccfc_node_fresh(const struct ccfc_node *node)
{
	return (struct ccfc_node){ .change = node->change,
				   .home = node->home,
				   .start = node->start,
				   .late = node->late,
				   .time = node->late,
				   .stamp = node->stamp,
				   .base = CCFC_ID_NONE };
}

void ccfc_nodes_swap(struct ccfc_chain *chain, uint32_t i)
{
	struct ccfc_node *a = &chain->nodes[i], *b = a + 1;
	struct ccfc_node first = ccfc_node_fresh(b);

	*b = ccfc_node_fresh(a);
	*a = first;
	if (a->time > b->time)
		a->time = b->time;
	chain->has_last = false;
}

static bool is_order_unchanged(const struct search *s)
{
	for (uint32_t d = 0; d < s->n; d++)
		if (s->best.mover[d] != d ||
		    (s->best.base[d] != d && !s->movers[d].shown))
			return false;
	return true;
}

/*
 * Puts the window's nodes into the best order. Times may not fall along a
 * chain.
 */
static void apply_best_order(struct search *s)
{
	struct ccfc_node *nodes = s->chain->nodes + s->lo;
	struct ccfc_node fresh[WINDOW_MAX];
	int64_t time = INT64_MAX;

	for (uint32_t d = 0; d < s->n; d++) {
		const struct mover *m = &s->movers[s->best.mover[d]];

		fresh[d] = ccfc_node_fresh(&s->chain->nodes[m->node]);
		if (s->best.base[d] != d && !m->shown &&
		    s->lo + s->best.base[d])
			fresh[d].base = s->lo + s->best.base[d] - 1;
	}
	for (uint32_t d = s->n; d-- > 0;) {
		if (fresh[d].time > time)
			fresh[d].time = time;
		time = fresh[d].time;
	}
	memcpy(nodes, fresh, s->n * sizeof(*nodes));
}

static void release_search(struct search *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		release_mover(&s->movers[i]);
		ccfc_buf_release(&s->path[i].text);
	}
	for (uint32_t i = 0; i < s->nends; i++)
		release_mover(&s->ends[i]);
	ccfc_buf_release(&s->start_text);
	ccfc_arena_release(&s->arena);
}

bool ccfc_order_search(uint32_t *from, struct ccfc_replay *r, uint32_t i)
{
	struct search *s = ccfc_calloc(1, sizeof(*s));
	bool mended = false;

	s->r = r;
	s->chain = r->chain;
	s->best.cost = UINT32_MAX;
	ccfc_arena_init(&s->arena);
	if (r->ordered <= CHAIN_MAX && find_window(s, i)) {
		for (uint32_t k = 0; k < s->n; k++)
			read_mover(s, &s->movers[k], s->lo + k);
		read_window_start(s);
		read_window_ends(s);
		try_orders(s, 0, 0);
		mended = s->best.cost != UINT32_MAX && !is_order_unchanged(s);
		if (mended)
			apply_best_order(s);
		*from = s->lo;
		r->mended = s->lo + s->n;
	}
	r->ordered += s->bytes;
	release_search(s);
	free(s);
	return mended;
}
