/*
 * The order of changes; see order.h. A window of overlapping nodes is tried in
 * every order that their times allow, the likeliest first; each change is tried
 * on the state before it, and on earlier states that it may have read instead.
 * A gap costs most, a lost update less, a pair in another order than its
 * results least. What a change left that is not known has to fit what is found
 * behind it, by its step back. Orders worse than the best so far are abandoned,
 * and the number of steps is limited: by count, not by time, so that the answer
 * is reproducible.
 */
#include "history/chain/order.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "history/chain/lines.h"

#include <stdlib.h>

#define WINDOW_MAX 24u /* nodes that are put in order together */
#define BEFORE_MAX 16u /* of them, in front of the gap */
#define ENDS_MAX   4u  /* nodes that may be the next one behind them */

#define OUTSIDE	 1000000u
#define LOST	 1000u
#define INVERTED 1u

/* For one window; and bytes for one chain. */
#define STEPS_MAX 2000u
#define BYTES_MAX ((uint64_t)32 << 20)
#define CHAIN_MAX ((uint64_t)256 << 20)

struct text_state {
	bool known;
	bool exists;
	uint64_t hash;
	struct ccfc_slice text;
};

/* A node of the window, and what its evidence says by itself. */
struct mover {
	uint32_t node;
	bool has_ev;
	struct ccfc_evidence ev;
	bool shown; /* what it found stands in its result: */
	struct text_state before;
	bool whole; /* what it left is known whatever it found: */
	struct text_state after;
	struct ccfc_buf before_text, after_text;
};

/* One placed change: which, made from which state, leading to which. */
struct placed {
	uint32_t mover;
	uint32_t base; /* number of placed ones in front of that state */
	struct text_state state;
	struct ccfc_buf text; /* of the state, if it is nobody else's */
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
	struct mover ends[ENDS_MAX]; /* one of which has to follow */
	uint32_t nends;
	struct text_state start;
	struct ccfc_buf start_text;
	struct placed path[WINDOW_MAX];
	bool used[WINDOW_MAX];
	struct plan best;
	uint32_t steps;
	uint64_t bytes;
};

static struct text_state state_of(struct ccfc_slice text)
{
	return (struct text_state){ true, true, ccfc_hash_slice(text), text };
}

static struct text_state no_file(void)
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

static void read_before(struct mover *m)
{
	struct ccfc_form form;

	if (m->ev.before == CCFC_BEFORE_UNKNOWN)
		return;
	m->shown = true;
	m->before = no_file();
	if (m->ev.before != CCFC_BEFORE_TEXT)
		return;
	ccfc_form_decode(&m->before_text, &form, m->ev.original);
	m->before = state_of(ccfc_buf_view(&m->before_text));
}

static void read_after(struct search *s, struct mover *m)
{
	struct ccfc_form form;

	if (m->ev.gone) {
		m->whole = true;
		m->after = no_file();
		return;
	}
	if (m->ev.has_after)
		ccfc_form_decode(&m->after_text, &form, m->ev.after);
	else if (!m->shown || ccfc_step_forward(&m->after_text, &m->ev,
						m->before.text) == CCFC_STEP_NO)
		return;
	m->whole = true;
	m->after = state_of(ccfc_buf_view(&m->after_text));
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
	read_before(m);
	read_after(s, m);
}

static void release_mover(struct mover *m)
{
	ccfc_buf_release(&m->before_text);
	ccfc_buf_release(&m->after_text);
}

/* Was the first one's effect there before the second one was asked for? */
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

static bool is_next(const struct search *s, uint32_t v)
{
	for (uint32_t u = 0; u < s->n; u++)
		if (!s->used[u] && u != v &&
		    has_to_precede(s->chain, s->movers[u].node,
				   s->movers[v].node))
			return false;
	return !s->used[v];
}

/* --- the states on the way --- */

/* After so many placed ones. */
static const struct text_state *state_at(const struct search *s, uint32_t depth)
{
	return depth ? &s->path[depth - 1].state : &s->start;
}

/* May v have been made from the state after the first k of `depth`? */
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

static uint32_t inversions(const struct search *s, uint32_t v)
{
	uint32_t n = 0;

	for (uint32_t u = 0; u < v; u++)
		n += !s->used[u];
	return n * INVERTED;
}

/*
 * What the last placed one left is not known. What it costs that this is found
 * next: nothing where its step leads back from there. Of strings alone that is
 * not always to be seen.
 */
static uint32_t cost_of_unknown(struct search *s,
				const struct text_state *found, uint32_t depth)
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

/* What it costs that this is found behind the placed ones. */
static uint32_t cost_of_shown(uint32_t *base, struct search *s,
			      const struct text_state *found, uint32_t v,
			      uint32_t depth)
{
	const struct text_state *now = state_at(s, depth);

	*base = depth;
	if (!now->known)
		return cost_of_unknown(s, found, depth);
	/* Of the disk it is known whether an empty file was there. */
	if (is_same_text(now, found))
		return v == s->n && now->exists != found->exists ? LOST : 0;
	for (uint32_t k = depth; k-- > 0;) {
		if (v < s->n && !may_have_read(s, v, k, depth))
			break;
		if (v < s->n && state_at(s, k)->known && !is_empty(found) &&
		    is_same_text(state_at(s, k), found)) {
			*base = k;
			return LOST;
		}
	}
	return OUTSIDE;
}

/* Makes the state that the node leaves if it was made from that one. */
static bool try_step(struct search *s, struct ccfc_buf *out,
		     const struct mover *m, const struct text_state *from)
{
	if (!from->known || !from->exists)
		return false;
	s->steps++;
	s->bytes += from->text.len;
	if (ccfc_step_forward(out, &m->ev, from->text) != CCFC_STEP_NO)
		return true;
	/* A change that another session's client has noted, too. */
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

/* Does it write the whole file, and show nothing of what it found? */
static bool says_nothing(const struct mover *m)
{
	return m->whole && !m->ev.has_patch;
}

/* All ways to place v next, into `ways`; how many there are. */
static uint32_t ways_of(struct way *ways, struct search *s, uint32_t v,
			uint32_t depth)
{
	const struct mover *m = &s->movers[v];
	uint32_t more = inversions(s, v), n = 0;
	struct ccfc_buf sink = CCFC_BUF_INIT;

	ways[0] = (struct way){ v, depth, more };
	if (!m->has_ev)
		return 1;
	if (m->shown) {
		ways[0].cost +=
			cost_of_shown(&ways[0].base, s, &m->before, v, depth);
		return 1;
	}
	if (says_nothing(m) || !state_at(s, depth)->known)
		return 1;
	for (uint32_t k = depth + 1; k-- > 0 && !is_search_over(s);) {
		if (k < depth && !may_have_read(s, v, k, depth))
			break;
		if (try_step(s, &sink, m, state_at(s, k)))
			ways[n++] =
				(struct way){ v, k,
					      more + (k < depth ? LOST : 0) };
	}
	ccfc_buf_release(&sink);
	if (!n)
		ways[n++].cost += OUTSIDE;
	return n;
}

/* The state after that placement goes into the path. */
static void place_next(struct search *s, const struct way *way, uint32_t depth)
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
		 try_step(s, &p->text, m, state_at(s, way->base)))
		p->state = state_of(ccfc_buf_view(&p->text));
}

static uint32_t cost_of_next(struct search *s, const struct mover *end)
{
	struct ccfc_buf sink = CCFC_BUF_INIT;
	const struct text_state *now = state_at(s, s->n);
	uint32_t base;
	bool fits;

	if (end->shown)
		return cost_of_shown(&base, s, &end->before, s->n, s->n);
	if (!end->has_ev || says_nothing(end))
		return 0;
	/* Nothing can be said for it; one that is shown may do better. */
	if (!now->known)
		return LOST;
	fits = now->exists && ccfc_step_forward(&sink, &end->ev, now->text);
	ccfc_buf_release(&sink);
	return fits ? 0 : OUTSIDE;
}

/* Of those that may follow, the one that fits best does. */
static uint32_t cost_of_end(struct search *s)
{
	uint32_t best = s->nends ? UINT32_MAX : 0;

	for (uint32_t i = 0; i < s->nends; i++) {
		uint32_t cost = cost_of_next(s, &s->ends[i]);

		best = cost < best ? cost : best;
	}
	return best;
}

static void take_plan(struct search *s, uint32_t cost)
{
	s->best.cost = cost;
	for (uint32_t d = 0; d < s->n; d++) {
		s->best.mover[d] = s->path[d].mover;
		s->best.base[d] = s->path[d].base;
	}
}

static int by_cost(const void *x, const void *y)
{
	const struct way *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->mover != b->mover)
		return a->mover < b->mover ? -1 : 1;
	return (b->base > a->base) - (b->base < a->base);
}

/* Depth first, the cheapest first: the first end is what a greedy one finds. */
static void try_orders(struct search *s, uint32_t depth, uint32_t cost)
{
	struct way *ways;
	uint32_t n = 0;

	if (depth == s->n) {
		cost += cost_of_end(s);
		if (cost < s->best.cost)
			take_plan(s, cost);
		return;
	}
	ways = ccfc_calloc((size_t)s->n * (depth + 1), sizeof(*ways));
	for (uint32_t v = 0; v < s->n; v++)
		if (is_next(s, v))
			n += ways_of(ways + n, s, v, depth);
	qsort(ways, n, sizeof(*ways), by_cost);
	for (uint32_t k = 0; k < n; k++) {
		if (cost + ways[k].cost >= s->best.cost ||
		    (is_search_over(s) && s->best.cost != UINT32_MAX))
			break;
		s->used[ways[k].mover] = true;
		place_next(s, &ways[k], depth);
		try_orders(s, depth + 1, cost + ways[k].cost);
		s->used[ways[k].mover] = false;
	}
	free(ways);
}

/* --- the window --- */

/* Takes in all that was under way with one of them. */
static void widen(uint32_t *lo, uint32_t *hi, const struct ccfc_chain *chain,
		  uint32_t floor, uint32_t gap)
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
	widen(&lo, &hi, chain, floor, i);
	/* Alone in front of it: then those that came together with it. */
	if (lo == hi && i < chain->n) {
		lo = hi = i;
		widen(&lo, &hi, chain, i, i);
	}
	s->lo = lo;
	s->n = hi - lo + 1;
	/* What comes behind the last node is looked at in the end. */
	if (s->n > 1 && hi + 1 == chain->n && !s->r->at_end) {
		s->r->open_gap = i;
		return false;
	}
	return s->n > 1;
}

/* The state in front of the window. */
static void read_start(struct search *s)
{
	const struct ccfc_side_state *side;

	if (!s->lo)
		return;
	side = &s->chain->nodes[s->lo - 1].after;
	if (!ccfc_state_is_known(side))
		return;
	if (!side->exists)
		s->start = no_file();
	else if (ccfc_chain_text(&s->start_text, s->chain, s->lo - 1, true))
		s->start = state_of(ccfc_buf_view(&s->start_text));
}

/* What follows: the next node, or one under way with it; or the disk. */
static void read_end(struct search *s)
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
	s->ends[0].before =
		disk->exists ? state_of(ccfc_buf_view(&s->r->copy)) : no_file();
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

static bool is_as_before(const struct search *s)
{
	for (uint32_t d = 0; d < s->n; d++)
		if (s->best.mover[d] != d ||
		    (s->best.base[d] != d && !s->movers[d].shown))
			return false;
	return true;
}

/* Puts the window's nodes in that order; times may not fall along a chain. */
static void put_order(struct search *s)
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

bool ccfc_order_mend(uint32_t *from, struct ccfc_replay *r, uint32_t i)
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
		read_start(s);
		read_end(s);
		try_orders(s, 0, 0);
		mended = s->best.cost != UINT32_MAX && !is_as_before(s);
		if (mended)
			put_order(s);
		*from = s->lo;
		r->mended = s->lo + s->n;
	}
	r->ordered += s->bytes;
	release_search(s);
	free(s);
	return mended;
}
