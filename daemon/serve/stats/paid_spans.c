/*
 * Spans of running totals; see paid_spans.h. Records with the same beginning of
 * counting are one counter, whatever their session. Of a counter each session
 * has a chain of totals; only what is more than the greatest before counts, so
 * that two clients of one session, which each count for themselves, never
 * count twice. What such totals leave out shows in the tokens: messages that
 * have more tokens than the client counted are not all paid for.
 */
#include "serve/stats/paid_spans.h"

#include "base/time.h"
#include "serve/methods/session_summary.h"

#include <stdlib.h>

/* Records of other sessions that are looked at for where a fork began. */
#define OTHERS_MAX 4096u

/* A total: the rows of one record. */
struct total {
	int64_t time;
	uint64_t cost, tokens;
	uint32_t rows, nrows;
	bool unsure;
};

static const struct ccfc_running_cost *row_at(const struct ccfc_paid_spans *s,
					      uint32_t at)
{
	return &s->index->running_costs.items[s->order[at]];
}

void ccfc_paid_spans_begin(struct ccfc_paid_spans *s,
			   const struct ccfc_index *index,
			   struct ccfc_arena *arena)
{
	uint32_t n = index->running_costs.n;
	size_t sessions = index->sessions.n + (size_t)1;

	*s = (struct ccfc_paid_spans){ .index = index, .norder = n };
	if (!n)
		return;
	s->nsessions = index->sessions.n;
	s->order = ccfc_arena_alloc(arena, n * sizeof(*s->order));
	s->heads = ccfc_arena_alloc(arena, sessions * sizeof(*s->heads));
	s->begun = ccfc_arena_alloc(arena, sessions * sizeof(*s->begun));
	for (uint32_t i = 0; i < s->nsessions; i++) {
		s->heads[i] = CCFC_ID_NONE;
		s->begun[i] = INT64_MAX;
	}
	s->items = ccfc_arena_alloc(arena, n * sizeof(*s->items));
}

void ccfc_paid_spans_note(struct ccfc_paid_spans *s,
			  const struct ccfc_said *said)
{
	if (said->session < s->nsessions && said->time != CCFC_TIME_NONE &&
	    said->time < s->begun[said->session])
		s->begun[said->session] = said->time;
}

/* --- order --- */

/* Sorted are copies of the rows' keys, each with its row. */
struct key {
	int64_t since, time;
	uint32_t session, row;
};

static int compare_keys(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static void begin_sort(struct ccfc_paid_spans *s, struct key *keys)
{
	for (uint32_t i = 0; i < s->norder; i++) {
		const struct ccfc_running_cost *c =
			&s->index->running_costs.items[i];

		keys[i] = (struct key){ c->since, c->time, c->session, i };
	}
}

void ccfc_paid_spans_prepare(struct ccfc_paid_spans *s,
			     struct ccfc_arena *arena)
{
	size_t size = s->norder * sizeof(struct key);
	struct key *keys;

	if (!s->norder)
		return;
	keys = ccfc_arena_alloc(arena, size);
	begin_sort(s, keys);
	ccfc_sorting_init(&s->sorting, keys, ccfc_arena_alloc(arena, size),
			  s->norder, sizeof(*keys), compare_keys);
}

bool ccfc_paid_spans_sort(struct ccfc_paid_spans *s, size_t rows)
{
	return s->norder && ccfc_sorting_some(&s->sorting, rows);
}

/* --- making --- */

/* The record at a place of the order; *at goes behind it. */
static struct total read_total(const struct ccfc_paid_spans *s, uint32_t *at,
			       uint32_t end)
{
	const struct ccfc_running_cost *first = row_at(s, *at);
	struct total t = { .time = first->time, .rows = *at };

	while (*at < end && row_at(s, *at)->time == t.time &&
	       row_at(s, *at)->session == first->session) {
		const struct ccfc_running_cost *c = row_at(s, (*at)++);

		t.cost += c->cost;
		t.tokens += c->tokens;
		t.unsure |= c->unsure;
		t.nrows++;
	}
	return t;
}

/* What the counter had in other sessions when this one began. */
static struct total find_base(const struct ccfc_paid_spans *s, uint32_t from,
			      uint32_t end, uint32_t session)
{
	struct total best = { .time = CCFC_TIME_NONE };

	if (!row_at(s, from)->since)
		return best;
	for (uint32_t at = from; at < end && at - from < OTHERS_MAX;) {
		uint32_t whose = row_at(s, at)->session;
		struct total t = read_total(s, &at, end);

		if (whose != session && t.time < s->begun[session] &&
		    t.cost > best.cost)
			best = t;
	}
	return best;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void add_span(struct ccfc_paid_spans *s, uint32_t session, int64_t from,
		     const struct total *t, const struct total *base)
{
	s->items[s->n++] = (struct ccfc_paid_span){
		.session = session,
		.from = from,
		.until = t->time,
		.cost = t->cost - base->cost,
		.tokens = more(t->tokens, base->tokens),
		.unsure = t->unsure,
		.rows = t->rows,
		.nrows = t->nrows,
		.base = base->rows,
		.nbase = base->nrows,
		.first = CCFC_TIME_NONE,
		.last = CCFC_TIME_NONE,
	};
}

/* The totals of one session in a counter, whose rows are from..end. */
static void make_chain(struct ccfc_paid_spans *s, uint32_t at, uint32_t end,
		       struct total base)
{
	uint32_t session = row_at(s, at)->session;
	int64_t from = row_at(s, at)->since;

	/* A total that goes on from another session's is of what follows. */
	if (base.time != CCFC_TIME_NONE && base.time >= from)
		from = base.time + 1;
	while (at < end) {
		struct total t = read_total(s, &at, end);

		if (t.cost > base.cost) {
			add_span(s, session, from, &t, &base);
			base = t;
		}
		from = t.time + 1;
	}
}

static int compare_spans(const void *x, const void *y)
{
	const struct ccfc_paid_span *a = x, *b = y;

	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	if (a->until != b->until)
		return a->until < b->until ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

void ccfc_paid_spans_make(struct ccfc_paid_spans *s)
{
	const struct key *keys = (const void *)s->sorting.items;
	uint32_t counter = 0, end = 0;

	for (uint32_t i = 0; i < s->norder; i++)
		s->order[i] = keys[i].row;
	for (uint32_t at = 0; at < s->norder;) {
		uint32_t next = at;

		if (at == end) {
			counter = at;
			while (end < s->norder &&
			       keys[end].since == keys[at].since)
				end++;
		}
		while (next < end && keys[next].session == keys[at].session)
			next++;
		make_chain(s, at, next,
			   find_base(s, counter, end, keys[at].session));
		at = next;
	}
	if (s->n)
		qsort(s->items, s->n, sizeof(*s->items), compare_spans);
	for (uint32_t i = s->n; i-- > 0;)
		s->heads[s->items[i].session] = i;
}

/* --- asking --- */

struct ccfc_paid_span *ccfc_paid_spans_of(const struct ccfc_paid_spans *s,
					  const struct ccfc_said *said)
{
	uint32_t low, high;

	if (said->session >= s->nsessions || !s->n ||
	    s->heads[said->session] == CCFC_ID_NONE)
		return NULL;
	low = s->heads[said->session];
	high = s->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ccfc_paid_span *span = &s->items[middle];

		if (span->session == said->session && span->until < said->time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->n || s->items[low].session != said->session ||
	    s->items[low].from > said->time)
		return NULL;
	return &s->items[low];
}

void ccfc_paid_spans_add(struct ccfc_paid_spans *s,
			 const struct ccfc_said *said)
{
	struct ccfc_paid_span *span = ccfc_paid_spans_of(s, said);

	if (!span)
		return;
	if (span->first == CCFC_TIME_NONE || said->time < span->first)
		span->first = said->time;
	if (said->time > span->last)
		span->last = said->time;
	span->said += ccfc_tokens_sum(&said->tokens);
	span->agents |= said->agent;
}

uint64_t ccfc_paid_spans_model(const struct ccfc_paid_spans *s,
			       const struct ccfc_paid_span *span, uint32_t i,
			       uint32_t *model)
{
	const struct ccfc_running_cost *c = row_at(s, span->rows + i);
	uint64_t before = 0;

	*model = c->model;
	for (uint32_t k = 0; k < span->nbase; k++)
		if (row_at(s, span->base + k)->model == c->model)
			before = row_at(s, span->base + k)->cost;
	return more(c->cost, before);
}
