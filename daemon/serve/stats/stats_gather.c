/*
 * Gathers messages, changes, calls and tokens; see stats_gather.h. Each message
 * of the model, each call and each applied change is counted once, for the
 * session that owns it, in one row of every wanted table; so the rows of a
 * table add up to the totals. What has no day, model or tool has a row of its
 * own.
 *
 * A session counts in a period when it has any of these in it, or began or
 * ended in it.
 */
#include "serve/stats/stats_gather.h"

#include "base/time.h"

/* --- rows --- */

/* The row of a fact; counts the session of the fact in it. */
static struct ccfc_count *row_of_fact(struct ccfc_spent *u, int by,
				      const struct ccfc_fact *f)
{
	struct ccfc_counts *table = &u->tables[by];
	struct ccfc_count *row =
		ccfc_counts_at(table, ccfc_spent_key(u, by, f));

	ccfc_counts_session(table, f->session);
	return row;
}

/* Is it within the period? Then its session counts too. */
static bool note_session_at(struct ccfc_spent *u, uint32_t session,
			    int64_t time)
{
	if (session >= u->nsessions || !u->wanted[session] ||
	    !ccfc_filter_accepts_time(&u->filter, time))
		return false;
	u->busy[session] = true;
	if (time == CCFC_TIME_NONE)
		return true;
	if (u->first == CCFC_TIME_NONE || time < u->first)
		u->first = time;
	if (time > u->last)
		u->last = time;
	return true;
}

/* --- facts --- */

/* The cost: as recorded, else by the prices, else unknown. */
static void count_price(struct ccfc_count *c, const struct ccfc_spent *u,
			const struct ccfc_message_fact *said)
{
	if (said->cost)
		c->recorded += (double)said->cost / CCFC_COST_DOLLAR;
	else
		c->unpriced +=
			ccfc_prices_add(u->prices, &c->dollars,
					ccfc_index_str(u->index, said->model),
					said->time, &said->tokens);
}

static void count_said(struct ccfc_count *c, const struct ccfc_spent *u,
		       const struct ccfc_message_fact *said, bool paid)
{
	c->messages++;
	ccfc_tokens_add(&c->tokens, &said->tokens);
	if (!paid && u->prices)
		count_price(c, u, said);
}

/* Does the request cover the span's session and its whole time? */
static bool span_counts(const struct ccfc_spent *u,
			const struct ccfc_paid_span *span)
{
	bool empty = span->first == CCFC_TIME_NONE;

	return u->prices && u->wanted[span->session] && !span->cut &&
	       ccfc_filter_accepts_time(&u->filter,
					empty ? span->until : span->first) &&
	       ccfc_filter_accepts_time(&u->filter,
					empty ? span->until : span->last);
}

/* Does all of it belong to one row? By model it is recorded (pays_row). */
static bool has_one_row(struct ccfc_spent *u, int by,
			const struct ccfc_paid_span *span)
{
	struct ccfc_fact first = { .time = span->first,
				   .session = span->session };
	struct ccfc_fact last = { .time = span->last,
				  .session = span->session };

	if (by == CCFC_BY_AGENT)
		return !span->agents;
	if (by == CCFC_BY_SESSION || by == CCFC_BY_PROJECT)
		return !span->shared;
	return by == CCFC_BY_MODEL || span->first == CCFC_TIME_NONE ||
	       ccfc_spent_key(u, by, &first) == ccfc_spent_key(u, by, &last);
}

/* Does a row of the message have all that the span cost? */
static bool pays_row(struct ccfc_spent *u, int by,
		     const struct ccfc_paid_span *span,
		     const struct ccfc_message_fact *said)
{
	if (by == CCFC_BY_MODEL)
		return ccfc_paid_spans_names(&u->spans, span, said->model);
	return has_one_row(u, by, span);
}

static void on_said(struct ccfc_spent *u, uint32_t message,
		    const struct ccfc_message_fact *said)
{
	const struct ccfc_paid_span *span;
	struct ccfc_fact f = { .time = said->time,
			       .session = said->session,
			       .agent = said->name,
			       .model = said->model };

	if (!note_session_at(u, said->session, said->time))
		return;
	span = ccfc_paid_spans_of(&u->spans, message);
	if (span && !span_counts(u, span))
		span = NULL;
	count_said(&u->total, u, said, span);
	if (said->agent)
		ccfc_tokens_add(&u->agent_tokens, &said->tokens);
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_MODEL; by++)
		if (u->has[by])
			count_said(row_of_fact(u, by, &f), u, said,
				   span && pays_row(u, by, span, said));
}

static void count_span(struct ccfc_count *c, const struct ccfc_paid_span *span,
		       uint64_t cost)
{
	c->recorded += (double)cost / CCFC_COST_DOLLAR;
	c->unsure |= span->unsure;
}

static void count_models(struct ccfc_spent *u,
			 const struct ccfc_paid_span *span)
{
	struct ccfc_fact f = { .time = span->until, .session = span->session };

	for (uint32_t i = 0; i < span->nrows; i++) {
		struct ccfc_paid_part part =
			ccfc_paid_spans_part(&u->spans, span, i);
		struct ccfc_count *row;

		f.model = part.model;
		if (!part.cost && !part.missing)
			continue;
		row = row_of_fact(u, CCFC_BY_MODEL, &f);
		count_span(row, span, part.cost);
		row->unpriced += part.missing;
	}
}

/* Adds the cost of a running total, and the tokens that it lacks. */
static void add_span(struct ccfc_spent *u, uint32_t at)
{
	const struct ccfc_paid_span *span = &u->spans.items[at];
	uint64_t missing = ccfc_paid_spans_missing(&u->spans, span);
	struct ccfc_fact f = { .time = span->first == CCFC_TIME_NONE
					       ? span->until
					       : span->last,
			       .session = span->session };

	if (!span_counts(u, span) || !note_session_at(u, f.session, f.time))
		return;
	count_span(&u->total, span, span->cost);
	u->total.unpriced += missing;
	for (int by = CCFC_BY_DAY; by < CCFC_BY_MODEL; by++) {
		struct ccfc_count *row;

		if (!u->has[by] || !has_one_row(u, by, span))
			continue;
		row = row_of_fact(u, by, &f);
		count_span(row, span, span->cost);
		row->unpriced += missing;
	}
	if (u->has[CCFC_BY_MODEL])
		count_models(u, span);
}

static void count_used(struct ccfc_count *c, const struct ccfc_call_fact *used)
{
	c->uses++;
	c->errors += used->error;
}

static void on_used(void *ctx, const struct ccfc_call_fact *used)
{
	struct ccfc_spent *u = ctx;
	struct ccfc_fact f = { .time = used->time,
			       .session = used->session,
			       .model = used->model,
			       .agent = used->name,
			       .tool = used->tool };

	if (!note_session_at(u, used->session, used->time))
		return;
	count_used(&u->total, used);
	u->agent_uses += used->agent;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (u->has[by])
			count_used(row_of_fact(u, by, &f), used);
}

static void count_change(struct ccfc_count *c, const struct ccfc_index *index,
			 uint32_t change)
{
	const struct ccfc_group one = { .changes = &change, .nchanges = 1 };

	c->changes++;
	c->shell_changes += ccfc_index_is_shells(&index->changes.items[change]);
	ccfc_lines_add(&c->lines, index, &one);
}

static struct ccfc_fact fact_of_change(const struct ccfc_index *index,
				       const struct ccfc_change *c)
{
	return (struct ccfc_fact){
		.time = ccfc_index_time(c),
		.session = c->session,
		.model = c->call.model,
		.tool = ccfc_strtab_find(&index->strings,
					 ccfc_index_tool(index, c)),
		.file = c->file,
		.agent = ccfc_index_agent(c),
	};
}

/* A command that may have changed unknown files. */
static void on_unknown(struct ccfc_spent *u, const struct ccfc_change *command)
{
	struct ccfc_fact f = fact_of_change(u->index, command);

	if (!note_session_at(u, f.session, f.time))
		return;
	u->total.unknown_commands++;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (u->has[by])
			row_of_fact(u, by, &f)->unknown_commands++;
}

static void on_change(struct ccfc_spent *u, uint32_t id)
{
	const struct ccfc_change *c = &u->index->changes.items[id];
	struct ccfc_fact f = fact_of_change(u->index, c);

	if (!note_session_at(u, f.session, f.time))
		return;
	count_change(&u->total, u->index, id);
	for (int by = 0; by < CCFC_BY_COUNT; by++) {
		if (!u->has[by])
			continue;
		count_change(row_of_fact(u, by, &f), u->index, id);
		ccfc_counts_file(&u->tables[by], c->file);
	}
}

/* Counts the session if this time is within the period. */
static void gather_moment(struct ccfc_spent *u, uint32_t session, int64_t time)
{
	struct ccfc_fact f = { .time = time, .session = session };

	if (note_session_at(u, session, time) && time != CCFC_TIME_NONE)
		row_of_fact(u, CCFC_BY_DAY, &f);
}

/* --- tables of the index, row by row --- */

static void add_said(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_message_fact said;

	if (ccfc_tally_message_at(&said, u->index, row))
		on_said(u, row, &said);
}

static void add_used(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_call_fact used;

	if (ccfc_tally_call_at(&used, u->index, row))
		on_used(u, &used);
}

static void add_change(struct ccfc_spent *u, uint32_t row)
{
	const struct ccfc_change *c = &u->index->changes.items[row];

	if (!c->settled)
		return;
	if (ccfc_index_is_command(c) && ccfc_index_is_unknown(c))
		on_unknown(u, c);
	else if (c->state == CCFC_STATE_APPLIED && c->file)
		on_change(u, row);
}

static void add_session(struct ccfc_spent *u, uint32_t row)
{
	const struct ccfc_session *s = &u->index->sessions.items[row];
	struct ccfc_fact f = { .session = row };

	if (!row || row >= u->nsessions)
		return;
	gather_moment(u, row, s->start);
	gather_moment(u, row, s->end);
	u->total.sessions += u->busy[row];
	if (u->busy[row] && u->has[CCFC_BY_PROJECT])
		row_of_fact(u, CCFC_BY_PROJECT, &f);
}

/* --- order --- */

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The row for an argument of the comparisons below: a place in `sorted`. */
static const struct ccfc_count *row_in_order(const void *place)
{
	return *(const struct ccfc_count *const *)place;
}

static int by_day(const void *x, const void *y)
{
	int64_t a = (int64_t)row_in_order(x)->key,
		b = (int64_t)row_in_order(y)->key;

	return (a > b) - (a < b);
}

static int by_tokens(const void *x, const void *y)
{
	const struct ccfc_count *a = row_in_order(x), *b = row_in_order(y);
	int r = more_first(ccfc_tokens_sum(&a->tokens),
			   ccfc_tokens_sum(&b->tokens));

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_uses(const void *x, const void *y)
{
	const struct ccfc_count *a = row_in_order(x), *b = row_in_order(y);
	int r = more_first(a->uses, b->uses);

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_changes(const void *x, const void *y)
{
	int r = more_first(row_in_order(x)->changes, row_in_order(y)->changes);

	return r ? r : by_tokens(x, y);
}

static int (*const orders[CCFC_BY_COUNT])(const void *, const void *) = {
	[CCFC_BY_DAY] = by_day,	     [CCFC_BY_WEEK] = by_day,
	[CCFC_BY_MONTH] = by_day,    [CCFC_BY_HOUR] = by_day,
	[CCFC_BY_BLOCK] = by_day,    [CCFC_BY_SESSION] = by_tokens,
	[CCFC_BY_AGENT] = by_tokens, [CCFC_BY_PROJECT] = by_changes,
	[CCFC_BY_MODEL] = by_tokens, [CCFC_BY_TOOL] = by_uses,
	[CCFC_BY_FILE] = by_changes, [CCFC_BY_EXT] = by_changes,
};

static void begin_order(struct ccfc_spent *u, int by)
{
	size_t size = (u->tables[by].n + (size_t)1) * sizeof(void *);

	u->sorted[by] = ccfc_arena_alloc(u->arena, size);
	ccfc_sorting_init(&u->sorting, u->sorted[by],
			  ccfc_arena_alloc(u->arena, size), u->tables[by].n,
			  sizeof(void *), orders[by]);
}

/* Names some rows of a table, then puts them in order; false: done. */
static bool order_some_rows(struct ccfc_spent *u, int by, uint32_t rows)
{
	struct ccfc_counts *t = &u->tables[by];

	if (!u->sorted[by])
		begin_order(u, by);
	for (; u->row < t->n; u->row++) {
		struct ccfc_count *row = &t->items[u->row];

		if (!rows--)
			return true;
		row->name = ccfc_spent_name(u, by, row->key);
		u->sorted[by][u->row] = row;
	}
	if (ccfc_sorting_some(&u->sorting, rows))
		return true;
	u->sorted[by] = (struct ccfc_count **)(void *)u->sorting.items;
	return false;
}

/* --- all of it --- */

static bool *new_session_flags(const struct ccfc_spent *u)
{
	size_t n = u->nsessions + (size_t)1;
	bool *list = ccfc_arena_alloc(u->arena, n);

	memset(list, 0, n);
	return list;
}

void ccfc_spent_begin(struct ccfc_spent *u, const struct ccfc_index *index,
		      struct ccfc_arena *arena)
{
	u->index = index;
	u->arena = arena;
	u->nsessions = index->sessions.n;
	u->first = u->last = CCFC_TIME_NONE;
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		ccfc_counts_init(&u->tables[by]);
	ccfc_strtab_init(&u->exts);
	ccfc_counts_init(&u->hours);
	ccfc_paid_spans_begin(&u->spans, index, arena);
	u->has[CCFC_BY_DAY] = u->has[CCFC_BY_TOOL] = true;
	u->has[CCFC_BY_FILE] = u->has[u->by] = true;
	u->wanted = new_session_flags(u);
	u->busy = new_session_flags(u);
	for (uint32_t i = 1; i < u->nsessions; i++)
		u->wanted[i] =
			index->sessions.items[i].seen &&
			ccfc_filter_accepts_session(index, &u->filter, i);
}

/* First it is found out which windows there are, */
static void note_said(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_message_fact said;

	if (ccfc_tally_message_at(&said, u->index, row) &&
	    said.session < u->nsessions && u->wanted[said.session] &&
	    ccfc_filter_accepts_time(&u->filter, said.time))
		ccfc_spent_note_hour(u, said.time);
}

/* and which messages the running totals are of. */
static void pay_said(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_message_fact said;

	if (ccfc_tally_message_at(&said, u->index, row))
		ccfc_paid_spans_add(&u->spans, row, &said,
				    said.session < u->nsessions &&
					    u->wanted[said.session]);
}

enum part { NOTE, SORT, PAY, SAID, USED, CHANGED, SESSIONS, SPANS, PARTS };

/* The number of rows of a part; 0 if the request does not need the part. */
static uint32_t rows_of_part(const struct ccfc_spent *u)
{
	const struct ccfc_index *index = u->index;

	switch ((enum part)u->part) {
	case NOTE:
		return u->by == CCFC_BY_BLOCK ? index->messages.n : 0;
	case PAY:
		return u->spans.norder ? index->messages.n : 0;
	case SAID:
		return index->messages.n;
	case USED:
		return index->calls.n;
	case CHANGED:
		return index->changes.n;
	case SESSIONS:
		return index->sessions.n;
	case SPANS:
		return u->spans.n;
	default:
		return 0;
	}
}

/* Some rows of one part; false: that was the last one. */
static bool add_some_rows(struct ccfc_spent *u, uint32_t rows)
{
	static void (*const adds[PARTS])(struct ccfc_spent *, uint32_t) = {
		[NOTE] = note_said,	[PAY] = pay_said,
		[SAID] = add_said,	[USED] = add_used,
		[CHANGED] = add_change, [SESSIONS] = add_session,
		[SPANS] = add_span,
	};

	if (u->part == SORT)
		return ccfc_paid_spans_sort(&u->spans, rows);
	for (; u->row < rows_of_part(u); u->row++) {
		if (!rows--)
			return true;
		adds[u->part](u, u->row);
	}
	return false;
}

static void end_part(struct ccfc_spent *u)
{
	u->row = 0;
	u->total.files = u->tables[CCFC_BY_FILE].n;
	if (u->part == NOTE)
		ccfc_spent_windows(u);
	else if (u->part == SORT && u->spans.norder)
		ccfc_paid_spans_make(&u->spans);
	u->part++;
}

bool ccfc_spent_some(struct ccfc_spent *u, uint32_t rows)
{
	bool more = u->part < PARTS
			    ? add_some_rows(u, rows)
			    : order_some_rows(u, (int)u->part - PARTS, rows);

	if (more)
		return true;
	end_part(u);
	return u->part < PARTS + CCFC_BY_COUNT;
}

void ccfc_spent_release(struct ccfc_spent *u)
{
	if (!u->index)
		return;
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		ccfc_counts_release(&u->tables[by]);
	ccfc_strtab_release(&u->exts);
	ccfc_counts_release(&u->hours);
}
