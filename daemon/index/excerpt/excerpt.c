/*
 * Excerpts; see excerpt.h. Two passes over the changes that are wanted: one
 * marks their sessions and transcripts, which are then numbered in the order
 * that they have at home; the other copies the changes with these numbers.
 *
 * All of it in phases, each of which goes on where it stopped: an excerpt may
 * have a hundred thousand rows, and the core thread has other things to do.
 */
#include "index/excerpt/excerpt_impl.h"

#include "base/alloc.h"
#include "index/index_internal.h"

#include <stdlib.h>

/* The cost of copying a row; selecting or marking one costs 1. */
#define COPY_COST 8u

/* --- numbers --- */

static bool is_in_order(const struct ccfc_ids *ids)
{
	for (uint32_t i = 1; i < ids->n; i++)
		if (ids->items[i - 1] > ids->items[i])
			return false;
	return true;
}

static void drop_repeated_ids(struct ccfc_ids *ids)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ids->n; i++)
		if (!n || ids->items[i] != ids->items[n - 1])
			ids->items[n++] = ids->items[i];
	ids->n = n;
}

/* Notes each number in a bit, and reads the bits in their order. */
static void sort_numbers(struct ccfc_ids *ids, uint32_t below)
{
	uint32_t words = below / 64u + 1u, n = 0;
	uint64_t *bits = ccfc_calloc(words, sizeof(*bits));

	for (uint32_t i = 0; i < ids->n; i++)
		bits[ids->items[i] / 64u] |= UINT64_C(1) << ids->items[i] % 64u;
	for (uint32_t w = 0; w < words; w++)
		for (; bits[w]; bits[w] &= bits[w] - 1)
			ids->items[n++] =
				w * 64u + (uint32_t)__builtin_ctzll(bits[w]);
	ids->n = n;
	free(bits);
}

/* In order, each once. All are below `below`. */
static void order_ids(struct ccfc_ids *ids, uint32_t below)
{
	if (is_in_order(ids))
		drop_repeated_ids(ids);
	else
		sort_numbers(ids, below);
}

static struct ccfc_homes copy_ids(const struct ccfc_ids *ids,
				  struct ccfc_arena *arena)
{
	uint32_t *items =
		ccfc_arena_alloc(arena, (ids->n + 1u) * sizeof(*items));

	if (ids->n)
		memcpy(items, ids->items, ids->n * sizeof(*items));
	return (struct ccfc_homes){ items, ids->n };
}

/* The position of a number if all gaps were equal. */
static uint32_t guess_position(const struct ccfc_homes *homes, uint32_t home)
{
	uint32_t first, last;

	if (!homes->n)
		return 0;
	first = homes->items[0];
	last = homes->items[homes->n - 1];
	if (home <= first || home >= last)
		return home <= first ? 0 : homes->n - 1;
	return (uint32_t)((uint64_t)(home - first) * (homes->n - 1) /
			  (last - first));
}

uint32_t ccfc_homes_find(const struct ccfc_homes *homes, uint32_t home)
{
	uint32_t lo = 0, hi = homes->n, mid;

	/* Rows that belong together often follow one another at home. */
	for (mid = guess_position(homes, home); lo < hi;
	     mid = lo + (hi - lo) / 2) {
		if (homes->items[mid] == home)
			return mid;
		if (homes->items[mid] < home)
			lo = mid + 1;
		else
			hi = mid;
	}
	return CCFC_ID_NONE;
}

static void mark_row(struct ccfc_excerpt_marks *m, uint32_t home)
{
	if (home < m->n)
		m->own[home] = 1;
}

/* Numbers the marked rows; returns their numbers in the whole index. */
static struct ccfc_homes number_marked(struct ccfc_excerpt_marks *m,
				       struct ccfc_arena *arena)
{
	struct ccfc_ids ids = { 0 };
	struct ccfc_homes homes;

	for (uint32_t i = 0; i < m->n; i++) {
		if (!m->own[i])
			continue;
		ccfc_ids_push(&ids, i);
		m->own[i] = ids.n;
	}
	homes = copy_ids(&ids, arena);
	free(ids.items);
	return homes;
}

/* --- what is wanted --- */

static void mark_change(struct ccfc_excerpt_copying *c,
			const struct ccfc_change *change)
{
	const struct ccfc_observation *obs = &change->call;

	mark_row(&c->sessions, change->session);
	if (change->result.known) {
		mark_row(&c->sessions, change->result.session);
		mark_row(&c->sources, change->result.place.source);
	}
	if (!obs->known)
		return;
	mark_row(&c->sessions, obs->session);
	mark_row(&c->sources, obs->place.source);
	for (; obs->next != CCFC_ID_NONE;) {
		obs = &c->from->obs.items[obs->next];
		mark_row(&c->sources, obs->place.source);
	}
}

/* The sessions that an agent's transcript names: who started it. */
static void mark_starters(struct ccfc_excerpt_copying *c)
{
	for (uint32_t i = 0; i < c->sources.n; i++) {
		const struct ccfc_source *s = &c->from->sources.items[i];

		if (!c->sources.own[i] || !s->is_agent)
			continue;
		mark_row(&c->sessions, s->session);
		mark_row(&c->sessions, s->last_session);
	}
}

static void mark_session(struct ccfc_excerpt_copying *c,
			 const struct ccfc_session *s)
{
	uint32_t id = s->prompts;

	if (c->wanted.more & CCFC_EXCERPT_SOURCES)
		for (uint32_t i = 0; i < s->sources.n; i++)
			mark_row(&c->sources, s->sources.items[i]);
	if (!(c->wanted.more & CCFC_EXCERPT_PROMPTS))
		return;
	for (; id != CCFC_ID_NONE; id = c->from->prompts.items[id].next)
		mark_row(&c->sources, c->from->prompts.items[id].place.source);
}

/* --- phases --- */

/* Does a part of a phase, at a cost of at most *left; true: there is more. */
typedef bool (*phase_fn)(struct ccfc_excerpt_copying *c, uint32_t *left);

static void charge_cost(uint32_t *left, uint32_t cost)
{
	*left -= cost < *left ? cost : *left;
}

static bool select_files(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	for (; c->at < c->wanted.whole.n && *left; c->at++)
		charge_cost(left, ccfc_excerpt_put_file(&c->wanted, c->at));
	return c->at < c->wanted.whole.n;
}

static bool select_single(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	for (; c->at < c->wanted.single.n && *left; c->at++)
		charge_cost(left, ccfc_excerpt_put_single(&c->wanted, c->at));
	return c->at < c->wanted.single.n;
}

static bool order_selected(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	(void)left;
	order_ids(&c->wanted.files, c->from->files.n + c->wanted.paths.n);
	order_ids(&c->wanted.changes, c->from->changes.n);
	return false;
}

static bool mark_changes(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	const struct ccfc_ids *ids = &c->wanted.changes;

	for (; c->at < ids->n && *left; c->at++, --*left)
		mark_change(c, &c->from->changes.items[ids->items[c->at]]);
	return c->at < ids->n;
}

static bool mark_sessions(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	const struct ccfc_excerpting *e = &c->wanted;

	(void)left;
	for (uint32_t i = 0; i < e->sessions.n; i++)
		mark_row(&c->sessions, e->sessions.items[i]);
	c->sessions.own[0] = 1;
	if (e->more & CCFC_EXCERPT_SOURCES)
		mark_starters(c);
	for (uint32_t i = 1; i < c->sessions.n; i++)
		if (c->sessions.own[i])
			mark_session(c, &c->from->sessions.items[i]);
	return false;
}

static bool number_rows(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	(void)left;
	c->ex->files = copy_ids(&c->wanted.files, &c->ex->arena);
	c->ex->changes = copy_ids(&c->wanted.changes, &c->ex->arena);
	c->ex->sources = number_marked(&c->sources, &c->ex->arena);
	c->ex->sessions = number_marked(&c->sessions, &c->ex->arena);
	/* All at once: there may be many. */
	c->to->changes.cap = c->ex->changes.n + 1;
	if (c->wanted.has_commands)
		c->to->changes.cap += CCFC_EXCERPT_INFERRED_MAX;
	c->to->changes.items =
		ccfc_calloc(c->to->changes.cap, sizeof(*c->to->changes.items));
	return false;
}

/*
 * Calls `copy` for each row except the first `first`, with which an index
 * begins.
 */
static bool copy_each(struct ccfc_excerpt_copying *c, uint32_t *left,
		      const struct ccfc_homes *homes, uint32_t first,
		      void (*copy)(struct ccfc_excerpt_copying *c,
				   uint32_t home))
{
	for (; first + c->at < homes->n && *left; c->at++) {
		copy(c, homes->items[first + c->at]);
		charge_cost(left, COPY_COST);
	}
	return first + c->at < homes->n;
}

static bool copy_files(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_each(c, left, &c->ex->files, 1, ccfc_excerpt_copy_file);
}

/* Sources name sessions and sessions sources: numbers are known. */
static bool copy_sessions(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_each(c, left, &c->ex->sessions, 1,
			 ccfc_excerpt_copy_session);
}

static bool copy_sources(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_each(c, left, &c->ex->sources, 0, ccfc_excerpt_copy_source);
}

static bool copy_changes(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_each(c, left, &c->ex->changes, 0, ccfc_excerpt_copy_change);
}

/* Calls `copy` for each of the excerpt's own numbers from `first` on. */
static bool copy_own(struct ccfc_excerpt_copying *c, uint32_t *left,
		     uint32_t first, uint32_t n,
		     void (*copy)(struct ccfc_excerpt_copying *c, uint32_t own))
{
	for (; first + c->at < n && *left; c->at++) {
		copy(c, first + c->at);
		charge_cost(left, COPY_COST);
	}
	return first + c->at < n;
}

static bool copy_prompts(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_own(c, left, 1, c->ex->sessions.n,
			ccfc_excerpt_copy_prompts);
}

static bool copy_backup_rows(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_own(c, left, 1, c->ex->files.n, ccfc_excerpt_know_backups);
}

static bool copy_backups(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_own(c, left, 1, c->ex->sessions.n,
			ccfc_excerpt_copy_backups);
}

static bool copy_seen(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_own(c, left, 1, c->ex->files.n, ccfc_excerpt_copy_seen);
}

static bool copy_effects(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return c->from->disk_events.n && copy_own(c, left, 0, c->ex->changes.n,
						  ccfc_excerpt_copy_effects);
}

static bool copy_looks(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	return copy_own(c, left, 1, c->ex->files.n, ccfc_excerpt_copy_looks);
}

static bool copy_remaining_rows(struct ccfc_excerpt_copying *c, uint32_t *left)
{
	(void)left;
	ccfc_excerpt_keep_looks(c);
	ccfc_excerpt_keep_commands(c);
	return false;
}

/* --- all of it --- */

struct ccfc_excerpt_copying *ccfc_excerpt_begin(struct ccfc_excerpting *e)
{
	const struct ccfc_index *from = e->from;
	struct ccfc_excerpt_copying *c = ccfc_calloc(1, sizeof(*c));

	c->wanted = *e;
	*e = (struct ccfc_excerpting){ 0 };
	c->from = from;
	c->ex = ccfc_calloc(1, sizeof(*c->ex));
	c->ex->index = c->to = ccfc_index_new(from->home);
	c->to->epoch = from->epoch;
	c->to->seq = from->seq;
	c->sources.n = from->sources.n;
	c->sources.own = ccfc_calloc(c->sources.n + 1u, sizeof(uint32_t));
	c->sessions.n = from->sessions.n;
	c->sessions.own = ccfc_calloc(c->sessions.n + 1u, sizeof(uint32_t));
	ccfc_strtab_init(&c->backup_ends);
	ccfc_strtab_init(&c->backup_starts);
	ccfc_ids_push(&c->wanted.files, 0);
	return c;
}

bool ccfc_excerpt_some(struct ccfc_excerpt_copying *c, uint32_t most)
{
	static const struct {
		phase_fn some;
		uint32_t more; /* only if that is wanted; 0: always */
	} phases[] = {
		{ select_files, 0 },
		{ select_single, 0 },
		{ order_selected, 0 },
		{ mark_changes, 0 },
		{ mark_sessions, 0 },
		{ number_rows, 0 },
		{ copy_files, 0 },
		{ copy_sessions, 0 },
		{ copy_sources, 0 },
		{ copy_changes, 0 },
		{ copy_prompts, CCFC_EXCERPT_PROMPTS },
		{ copy_backup_rows, CCFC_EXCERPT_BACKUPS },
		{ copy_backups, CCFC_EXCERPT_BACKUPS },
		{ copy_seen, CCFC_EXCERPT_BACKUPS },
		{ copy_effects, CCFC_EXCERPT_BACKUPS },
		{ copy_looks, CCFC_EXCERPT_LOOKS },
		{ copy_remaining_rows, 0 },
	};
	uint32_t left =
		most < UINT32_MAX / COPY_COST ? most * COPY_COST : UINT32_MAX;

	for (; c->phase < sizeof(phases) / sizeof(*phases);
	     c->phase++, c->at = 0) {
		uint32_t more = phases[c->phase].more;

		if ((!more || c->wanted.more & more) &&
		    phases[c->phase].some(c, &left))
			return true;
	}
	return false;
}

struct ccfc_excerpt *ccfc_excerpt_end(struct ccfc_excerpt_copying *c)
{
	struct ccfc_excerpt *ex = c->ex;

	free(c->sources.own);
	free(c->sessions.own);
	free(c->looked.items);
	ccfc_strtab_release(&c->backup_ends);
	ccfc_strtab_release(&c->backup_starts);
	ccfc_excerpt_forget(&c->wanted);
	free(c);
	return ex;
}

struct ccfc_excerpt *ccfc_excerpt_finish(struct ccfc_excerpting *e)
{
	struct ccfc_excerpt_copying *c = ccfc_excerpt_begin(e);

	while (ccfc_excerpt_some(c, UINT32_MAX))
		;
	return ccfc_excerpt_end(c);
}

void ccfc_excerpt_free(struct ccfc_excerpt *ex)
{
	if (!ex)
		return;
	ccfc_index_free(ex->index);
	ccfc_arena_release(&ex->arena);
	free(ex);
}
