/*
 * Spans of running totals; see paid_spans.h. Records with the same start of
 * counting are one counter, whatever their session. In a counter each session
 * has a chain of totals. A total counts only if it exceeds the greatest one
 * before, for each model, so that two clients of one session, which count
 * separately, are never counted twice. What such totals leave out shows in the
 * tokens: if the messages of a model have more tokens than the client counted,
 * some of them are not paid for.
 */
#include "serve/stats/paid_spans.h"

#include "base/time.h"
#include "serve/methods/session_summary.h"

#include <stdlib.h>

/* Rows of other sessions searched for the start of a fork. */
#define OTHERS_MAX 256u

/* Spans that a message may be in: the number of simultaneous clients. */
#define CLIENTS_MAX 64u

/* A total: the rows of one record. */
struct total {
	int64_t time;
	uint64_t cost;
	uint32_t rows, nrows;
	bool unsure;
};

static const struct ccfc_running_cost *
cost_row_at(const struct ccfc_paid_spans *s, uint32_t at)
{
	return &s->index->running_costs.items[s->order[at]];
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

static void begin_sort(struct ccfc_paid_spans *s, struct ccfc_arena *arena)
{
	size_t size = s->norder * sizeof(struct key);
	struct key *keys = ccfc_arena_alloc(arena, size);

	for (uint32_t i = 0; i < s->norder; i++) {
		const struct ccfc_running_cost *c =
			&s->index->running_costs.items[i];

		keys[i] = (struct key){ c->since, c->time, c->session, i };
	}
	ccfc_sorting_init(&s->sorting, keys, ccfc_arena_alloc(arena, size),
			  s->norder, sizeof(*keys), compare_keys);
}

static uint32_t *no_ids(struct ccfc_arena *arena, uint32_t n)
{
	uint32_t *ids = ccfc_arena_alloc(arena, (n + (size_t)1) * sizeof(*ids));

	for (uint32_t i = 0; i < n; i++)
		ids[i] = CCFC_ID_NONE;
	return ids;
}

void ccfc_paid_spans_begin(struct ccfc_paid_spans *s,
			   const struct ccfc_index *index,
			   struct ccfc_arena *arena)
{
	uint32_t n = index->running_costs.n;

	*s = (struct ccfc_paid_spans){ .index = index, .norder = n };
	if (!n)
		return;
	s->nsessions = index->sessions.n;
	s->nmessages = index->messages.n;
	s->order = ccfc_arena_alloc(arena, n * sizeof(*s->order));
	s->said = ccfc_arena_alloc(arena, n * sizeof(*s->said));
	memset(s->said, 0, n * sizeof(*s->said));
	s->heads = no_ids(arena, s->nsessions);
	s->payer = no_ids(arena, s->nmessages);
	s->items = ccfc_arena_alloc(arena, n * sizeof(*s->items));
	begin_sort(s, arena);
}

bool ccfc_paid_spans_sort(struct ccfc_paid_spans *s, size_t rows)
{
	return s->norder && ccfc_sorting_some(&s->sorting, rows);
}

/* --- making --- */

/* Reads the record at *at, a place in the order; moves *at behind it. */
static struct total read_total(const struct ccfc_paid_spans *s, uint32_t *at,
			       uint32_t end)
{
	const struct ccfc_running_cost *first = cost_row_at(s, *at);
	struct total t = { .time = first->time, .rows = *at };

	while (*at < end && cost_row_at(s, *at)->time == t.time &&
	       cost_row_at(s, *at)->session == first->session) {
		const struct ccfc_running_cost *c = cost_row_at(s, (*at)++);

		t.cost += c->cost;
		t.unsure |= c->unsure;
		t.nrows++;
	}
	return t;
}

/* The place of a model's row among some; ID_NONE: there is none. */
static uint32_t find_row_of_model(const struct ccfc_paid_spans *s,
				  uint32_t rows, uint32_t nrows, uint32_t model)
{
	for (uint32_t i = rows; i < rows + nrows; i++)
		if (cost_row_at(s, i)->model == model)
			return i;
	return CCFC_ID_NONE;
}

/* Does a total include the other total, for each model? */
static bool total_includes(const struct ccfc_paid_spans *s,
			   const struct total *t, const struct total *base)
{
	for (uint32_t i = 0; i < base->nrows; i++) {
		const struct ccfc_running_cost *b =
			cost_row_at(s, base->rows + i);
		uint32_t at = find_row_of_model(s, t->rows, t->nrows, b->model);

		if (at == CCFC_ID_NONE || cost_row_at(s, at)->cost < b->cost ||
		    cost_row_at(s, at)->tokens < b->tokens)
			return false;
	}
	return true;
}

/*
 * May `first`, a session's first total, continue total `t` of another session?
 * Of two equal totals only one continues the other.
 */
static bool is_before(const struct ccfc_paid_spans *s, const struct total *t,
		      const struct total *first)
{
	if (t->time != first->time)
		return t->time < first->time;
	if (t->cost != first->cost)
		return t->cost < first->cost;
	return cost_row_at(s, t->rows)->session <
	       cost_row_at(s, first->rows)->session;
}

/* The counter's value (from..end) when a session continued another one. */
static struct total find_base(const struct ccfc_paid_spans *s, uint32_t from,
			      uint32_t end, uint32_t session,
			      const struct total *first)
{
	struct total best = { .time = CCFC_TIME_NONE };
	uint32_t other = session;
	int64_t own = INT64_MAX;

	if (!cost_row_at(s, from)->since)
		return best;
	for (uint32_t at = from; at < end && at - from < OTHERS_MAX;) {
		uint32_t whose = cost_row_at(s, at)->session;
		struct total t = read_total(s, &at, end);

		if (whose == session)
			continue;
		if (whose != other)
			own = ccfc_index_own_since(s->index, session, whose);
		other = whose;
		if (t.time <= own && is_before(s, &t, first) &&
		    t.cost > best.cost && total_includes(s, first, &t))
			best = t;
	}
	return best;
}

static uint64_t excess_of(uint64_t a, uint64_t b)
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
		.unsure = t->unsure,
		.rows = t->rows,
		.nrows = t->nrows,
		.base = base->rows,
		.nbase = base->nrows,
		.first = CCFC_TIME_NONE,
		.last = CCFC_TIME_NONE,
	};
}

/* The totals of one session (at..end) in a counter, which begins there. */
static void make_chain(struct ccfc_paid_spans *s, uint32_t at, uint32_t end,
		       uint32_t counter, uint32_t counter_end)
{
	uint32_t session = cost_row_at(s, at)->session, next = at;
	int64_t from = cost_row_at(s, at)->since;
	struct total first = read_total(s, &next, end);
	struct total base = find_base(s, counter, counter_end, session, &first);

	/* A total that continues another session's covers only what follows. */
	if (base.time != CCFC_TIME_NONE && base.time >= from)
		from = base.time + 1;
	while (at < end) {
		struct total t = read_total(s, &at, end);

		if (t.cost > base.cost && total_includes(s, &t, &base)) {
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
		make_chain(s, at, next, counter, end);
		at = next;
	}
	if (s->n)
		qsort(s->items, s->n, sizeof(*s->items), compare_spans);
	for (uint32_t i = s->n; i-- > 0;)
		s->heads[s->items[i].session] = i;
}

/* --- which span pays --- */

/* The tokens that the client counted for one model in the span. */
static uint64_t span_tokens(const struct ccfc_paid_spans *s,
			    const struct ccfc_paid_span *span, uint32_t i)
{
	const struct ccfc_running_cost *c = cost_row_at(s, span->rows + i);
	uint32_t base = find_row_of_model(s, span->base, span->nbase, c->model);

	return excess_of(c->tokens, base == CCFC_ID_NONE
					    ? 0
					    : cost_row_at(s, base)->tokens);
}

/* The first span of a session that ends at that time or later. */
static uint32_t first_span(const struct ccfc_paid_spans *s, uint32_t session,
			   int64_t time)
{
	uint32_t low = s->heads[session], high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ccfc_paid_span *span = &s->items[middle];

		if (span->session == session && span->until < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Has the client counted enough tokens for this message too? */
static bool has_room(const struct ccfc_paid_spans *s,
		     const struct ccfc_paid_span *span,
		     const struct ccfc_message_fact *said)
{
	uint32_t at =
		find_row_of_model(s, span->rows, span->nrows, said->model);

	return at != CCFC_ID_NONE &&
	       s->said[at] + ccfc_tokens_sum(&said->tokens) <=
		       span_tokens(s, span, at - span->rows);
}

/*
 * The span of a session that has the message: of several clients at a time one
 * with room, and a client that began later may have ended before. *other is the
 * first one without room.
 */
static uint32_t find_payer(const struct ccfc_paid_spans *s, uint32_t session,
			   const struct ccfc_message_fact *said,
			   uint32_t *other)
{
	uint32_t first;

	if (session >= s->nsessions || s->heads[session] == CCFC_ID_NONE)
		return CCFC_ID_NONE;
	first = first_span(s, session, said->time);
	for (uint32_t i = first; i < s->n && i - first < CLIENTS_MAX &&
				 s->items[i].session == session;
	     i++) {
		if (s->items[i].from > said->time)
			continue;
		if (has_room(s, &s->items[i], said))
			return i;
		if (*other == CCFC_ID_NONE)
			*other = i;
	}
	return CCFC_ID_NONE;
}

/*
 * The message in the session that it counts for, else in the sessions of its
 * copies.
 */
static uint32_t find_paying_message(const struct ccfc_paid_spans *s,
				    uint32_t message,
				    const struct ccfc_message_fact *said)
{
	const struct ccfc_index *index = s->index;
	uint32_t other = CCFC_ID_NONE;
	uint32_t span = find_payer(s, said->session, said, &other);

	for (uint32_t id = index->messages.items[message].next;
	     span == CCFC_ID_NONE && id != CCFC_ID_NONE;
	     id = index->messages.items[id].next) {
		uint32_t part = index->messages.items[id].session_source;

		if (part != CCFC_ID_NONE)
			span = find_payer(
				s, index->session_sources.items[part].session,
				said, &other);
	}
	return span == CCFC_ID_NONE ? other : span;
}

void ccfc_paid_spans_add(struct ccfc_paid_spans *s, uint32_t message,
			 const struct ccfc_message_fact *said, bool wanted)
{
	struct ccfc_paid_span *span;
	uint32_t place;

	if (message >= s->nmessages || !s->n)
		return;
	s->payer[message] = find_paying_message(s, message, said);
	if (s->payer[message] == CCFC_ID_NONE)
		return;
	span = &s->items[s->payer[message]];
	if (span->first == CCFC_TIME_NONE || said->time < span->first)
		span->first = said->time;
	if (said->time > span->last)
		span->last = said->time;
	span->agents |= said->agent;
	span->shared |= said->session != span->session;
	span->cut |= !wanted;
	place = find_row_of_model(s, span->rows, span->nrows, said->model);
	*(place == CCFC_ID_NONE ? &span->unnamed : &s->said[place]) +=
		ccfc_tokens_sum(&said->tokens);
}

/* --- asking --- */

const struct ccfc_paid_span *ccfc_paid_spans_of(const struct ccfc_paid_spans *s,
						uint32_t message)
{
	if (message >= s->nmessages || s->payer[message] == CCFC_ID_NONE)
		return NULL;
	return &s->items[s->payer[message]];
}

bool ccfc_paid_spans_names(const struct ccfc_paid_spans *s,
			   const struct ccfc_paid_span *span, uint32_t model)
{
	return find_row_of_model(s, span->rows, span->nrows, model) !=
	       CCFC_ID_NONE;
}

struct ccfc_paid_part ccfc_paid_spans_part(const struct ccfc_paid_spans *s,
					   const struct ccfc_paid_span *span,
					   uint32_t i)
{
	const struct ccfc_running_cost *c = cost_row_at(s, span->rows + i);
	uint32_t base = find_row_of_model(s, span->base, span->nbase, c->model);

	return (struct ccfc_paid_part){
		.model = c->model,
		.cost = excess_of(
			c->cost,
			base == CCFC_ID_NONE ? 0 : cost_row_at(s, base)->cost),
		.missing = excess_of(s->said[span->rows + i],
				     span_tokens(s, span, i)),
	};
}

uint64_t ccfc_paid_spans_missing(const struct ccfc_paid_spans *s,
				 const struct ccfc_paid_span *span)
{
	uint64_t missing = 0, spare = 0;

	for (uint32_t i = 0; i < span->nrows; i++) {
		missing += ccfc_paid_spans_part(s, span, i).missing;
		/* A total may have another name for a model than messages. */
		if (!s->said[span->rows + i])
			spare += span_tokens(s, span, i);
	}
	return missing + excess_of(span->unnamed, spare);
}
