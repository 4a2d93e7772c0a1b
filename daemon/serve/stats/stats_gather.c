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

#include "base/path.h"
#include "base/time.h"

#define DAY_MS	86400000
#define HOUR_MS 3600000
#define UNKNOWN "unknown"
/* Key of what has no time. */
#define NO_DAY INT64_MIN

/* What decides the rows of a fact; strings, ids. */
struct fact {
	int64_t time;
	uint32_t session, model, tool, file;
	uint32_t agent;
};

/* --- rows --- */

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* How far local time is ahead of UTC. */
static int64_t offset_at(const struct ccfc_spent *u, int64_t time)
{
	int64_t offset = u->nzone ? u->zone[0].offset : 0;

	for (uint32_t i = 0; i < u->nzone && u->zone[i].from <= time; i++)
		offset = u->zone[i].offset;
	return offset;
}

static int64_t day_of(const struct ccfc_spent *u, int64_t time)
{
	if (time == CCFC_TIME_NONE)
		return NO_DAY;
	return floor_divide(time + offset_at(u, time), DAY_MS);
}

/* Its Monday; day 0 was a Thursday. */
static int64_t week_of(int64_t day)
{
	return day == NO_DAY ? NO_DAY
			     : day - (day + 3 - floor_divide(day + 3, 7) * 7);
}

/* Its first day. */
static int64_t month_of(int64_t day)
{
	char text[CCFC_TIME_TEXT_MAX];

	if (day == NO_DAY)
		return NO_DAY;
	ccfc_time_format(text, day * DAY_MS);
	return day - ((text[8] - '0') * 10 + text[9] - '0') + 1;
}

/* In UTC, but begun with the local hour. */
static int64_t hour_of(const struct ccfc_spent *u, int64_t time)
{
	int64_t offset;

	if (time == CCFC_TIME_NONE)
		return NO_DAY;
	offset = offset_at(u, time);
	return floor_divide(time + offset, HOUR_MS) * HOUR_MS - offset;
}

static uint64_t key_of_stats_gather(struct ccfc_spent *u, int by,
				    const struct fact *f)
{
	const struct ccfc_index *index = u->index;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
		return (uint64_t)day_of(u, f->time);
	case CCFC_BY_WEEK:
		return (uint64_t)week_of(day_of(u, f->time));
	case CCFC_BY_MONTH:
		return (uint64_t)month_of(day_of(u, f->time));
	case CCFC_BY_HOUR:
		return (uint64_t)hour_of(u, f->time);
	case CCFC_BY_SESSION:
		return f->session;
	case CCFC_BY_AGENT:
		return f->agent;
	case CCFC_BY_PROJECT:
		return index->sessions.items[f->session].project;
	case CCFC_BY_MODEL:
		return f->model;
	case CCFC_BY_TOOL:
		return f->tool;
	case CCFC_BY_FILE:
		return f->file;
	case CCFC_BY_EXT:
		return ccfc_strtab_put(&u->exts,
				       ccfc_path_extension(ccfc_index_file_path(
					       index, f->file)));
	case CCFC_BY_COUNT:
		break;
	}
	return 0;
}

/* The row of a fact, which says that its session is there. */
static struct ccfc_count *row_of(struct ccfc_spent *u, int by,
				 const struct fact *f)
{
	struct ccfc_counts *table = &u->tables[by];
	struct ccfc_count *row =
		ccfc_counts_at(table, key_of_stats_gather(u, by, f));

	ccfc_counts_session(table, f->session);
	return row;
}

/* Is it within the period? Then its session counts too. */
static bool take_stats_gather(struct ccfc_spent *u, uint32_t session,
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

static void count_said(struct ccfc_count *c, const struct ccfc_spent *u,
		       const struct ccfc_said *said)
{
	c->messages++;
	ccfc_tokens_add(&c->tokens, &said->tokens);
	if (u->prices)
		c->unpriced +=
			ccfc_prices_add(u->prices, &c->dollars,
					ccfc_index_str(u->index, said->model),
					said->time, &said->tokens);
}

static void on_said(void *ctx, const struct ccfc_said *said)
{
	struct ccfc_spent *u = ctx;
	struct fact f = { .time = said->time,
			  .session = said->session,
			  .agent = said->name,
			  .model = said->model };

	if (!take_stats_gather(u, said->session, said->time))
		return;
	count_said(&u->total, u, said);
	if (said->agent)
		ccfc_tokens_add(&u->agent_tokens, &said->tokens);
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_MODEL; by++)
		if (u->has[by])
			count_said(row_of(u, by, &f), u, said);
}

static void count_used(struct ccfc_count *c, const struct ccfc_used *used)
{
	c->uses++;
	c->errors += used->error;
}

static void on_used(void *ctx, const struct ccfc_used *used)
{
	struct ccfc_spent *u = ctx;
	struct fact f = { .time = used->time,
			  .session = used->session,
			  .model = used->model,
			  .agent = used->name,
			  .tool = used->tool };

	if (!take_stats_gather(u, used->session, used->time))
		return;
	count_used(&u->total, used);
	u->agent_uses += used->agent;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (u->has[by])
			count_used(row_of(u, by, &f), used);
}

static void count_change(struct ccfc_count *c, const struct ccfc_index *index,
			 uint32_t change)
{
	const struct ccfc_group one = { .changes = &change, .nchanges = 1 };

	c->changes++;
	c->shell_changes += ccfc_index_is_shells(&index->changes.items[change]);
	ccfc_lines_add(&c->lines, index, &one);
}

static struct fact fact_of(const struct ccfc_index *index,
			   const struct ccfc_change *c)
{
	return (struct fact){
		.time = ccfc_index_time(c),
		.session = c->session,
		.model = c->call.model,
		.tool = ccfc_strtab_find(&index->strings,
					 ccfc_index_tool(index, c)),
		.file = c->file,
		.agent = ccfc_index_agent(c),
	};
}

/* A command that may have changed files: nobody knows which. */
static void on_unknown(struct ccfc_spent *u, const struct ccfc_change *command)
{
	struct fact f = fact_of(u->index, command);

	if (!take_stats_gather(u, f.session, f.time))
		return;
	u->total.unknown_commands++;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (u->has[by])
			row_of(u, by, &f)->unknown_commands++;
}

static void on_change(struct ccfc_spent *u, uint32_t id)
{
	const struct ccfc_change *c = &u->index->changes.items[id];
	struct fact f = fact_of(u->index, c);

	if (!take_stats_gather(u, f.session, f.time))
		return;
	count_change(&u->total, u->index, id);
	for (int by = 0; by < CCFC_BY_COUNT; by++) {
		if (!u->has[by])
			continue;
		count_change(row_of(u, by, &f), u->index, id);
		ccfc_counts_file(&u->tables[by], c->file);
	}
}

/* Counts the session if this time is within the period. */
static void gather_moment(struct ccfc_spent *u, uint32_t session, int64_t time)
{
	struct fact f = { .time = time, .session = session };

	if (take_stats_gather(u, session, time) && time != CCFC_TIME_NONE)
		row_of(u, CCFC_BY_DAY, &f);
}

/* --- tables of the index, row by row --- */

static void add_said(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_said said;

	if (ccfc_tally_said_at(&said, u->index, row))
		on_said(u, &said);
}

static void add_used(struct ccfc_spent *u, uint32_t row)
{
	struct ccfc_used used;

	if (ccfc_tally_used_at(&used, u->index, row))
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
	struct fact f = { .session = row };

	if (!row || row >= u->nsessions)
		return;
	gather_moment(u, row, s->start);
	gather_moment(u, row, s->end);
	u->total.sessions += u->busy[row];
	if (u->busy[row] && u->has[CCFC_BY_PROJECT])
		row_of(u, CCFC_BY_PROJECT, &f);
}

/* --- names and order --- */

static struct ccfc_slice name_of(struct ccfc_spent *u, int by, uint64_t key)
{
	char text[CCFC_TIME_TEXT_MAX] = "";
	struct ccfc_slice name;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
	case CCFC_BY_WEEK:
	case CCFC_BY_MONTH:
		if ((int64_t)key != NO_DAY)
			ccfc_time_format(text, (int64_t)key * DAY_MS);
		name = ccfc_slice_cut(ccfc_slice_str(text),
				      by == CCFC_BY_MONTH ? 7 : 10);
		name = ccfc_arena_copy(u->arena, name);
		break;
	case CCFC_BY_HOUR:
		if ((int64_t)key != NO_DAY) {
			ccfc_time_format(text,
					 (int64_t)key +
						 offset_at(u, (int64_t)key));
			text[10] = ' ';
		}
		name = ccfc_slice_cut(ccfc_slice_str(text), 16);
		name = ccfc_arena_copy(u->arena, name);
		break;
	case CCFC_BY_SESSION:
		return ccfc_index_session_id(u->index, (uint32_t)key);
	case CCFC_BY_AGENT:
		if (!key)
			return CCFC_SLICE_LIT("main");
		name = ccfc_index_str(u->index, (uint32_t)key);
		break;
	case CCFC_BY_FILE:
		name = ccfc_index_file_path(u->index, (uint32_t)key);
		break;
	case CCFC_BY_EXT:
		/* No extension is a name of its own, as in byExtension. */
		return ccfc_strtab_get(&u->exts, (uint32_t)key);
	default:
		name = ccfc_index_str(u->index, (uint32_t)key);
	}
	return name.len ? name : CCFC_SLICE_LIT(UNKNOWN);
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* What the comparisons below are given: two places in `sorted`. */
static const struct ccfc_count *row_at(const void *place)
{
	return *(const struct ccfc_count *const *)place;
}

static int by_day(const void *x, const void *y)
{
	int64_t a = (int64_t)row_at(x)->key, b = (int64_t)row_at(y)->key;

	return (a > b) - (a < b);
}

static int by_tokens(const void *x, const void *y)
{
	const struct ccfc_count *a = row_at(x), *b = row_at(y);
	int r = more_first(ccfc_tokens_sum(&a->tokens),
			   ccfc_tokens_sum(&b->tokens));

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_uses(const void *x, const void *y)
{
	const struct ccfc_count *a = row_at(x), *b = row_at(y);
	int r = more_first(a->uses, b->uses);

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_changes(const void *x, const void *y)
{
	int r = more_first(row_at(x)->changes, row_at(y)->changes);

	return r ? r : by_tokens(x, y);
}

static int (*const orders[CCFC_BY_COUNT])(const void *, const void *) = {
	[CCFC_BY_DAY] = by_day,		[CCFC_BY_WEEK] = by_day,
	[CCFC_BY_MONTH] = by_day,	[CCFC_BY_HOUR] = by_day,
	[CCFC_BY_SESSION] = by_tokens,	[CCFC_BY_AGENT] = by_tokens,
	[CCFC_BY_PROJECT] = by_changes, [CCFC_BY_MODEL] = by_tokens,
	[CCFC_BY_TOOL] = by_uses,	[CCFC_BY_FILE] = by_changes,
	[CCFC_BY_EXT] = by_changes,
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
static bool order_some(struct ccfc_spent *u, int by, uint32_t rows)
{
	struct ccfc_counts *t = &u->tables[by];

	if (!u->sorted[by])
		begin_order(u, by);
	for (; u->row < t->n; u->row++) {
		struct ccfc_count *row = &t->items[u->row];

		if (!rows--)
			return true;
		row->name = name_of(u, by, row->key);
		u->sorted[by][u->row] = row;
	}
	if (ccfc_sorting_some(&u->sorting, rows))
		return true;
	u->sorted[by] = (struct ccfc_count **)(void *)u->sorting.items;
	return false;
}

/* --- all of it --- */

static bool *flags(const struct ccfc_spent *u)
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
	u->has[CCFC_BY_DAY] = u->has[CCFC_BY_TOOL] = true;
	u->has[CCFC_BY_FILE] = u->has[u->by] = true;
	u->wanted = flags(u);
	u->busy = flags(u);
	for (uint32_t i = 1; i < u->nsessions; i++)
		u->wanted[i] =
			index->sessions.items[i].seen &&
			ccfc_filter_accepts_session(index, &u->filter, i);
}

#define TABLES 4

/* Some rows of one of the index's tables; false: that was the last one. */
static bool add_some(struct ccfc_spent *u, uint32_t rows)
{
	static void (*const adds[TABLES])(struct ccfc_spent *, uint32_t) = {
		add_said, add_used, add_change, add_session
	};
	const struct ccfc_index *index = u->index;
	const uint32_t ends[TABLES] = { index->messages.n, index->calls.n,
					index->changes.n, index->sessions.n };

	for (; u->row < ends[u->part]; u->row++) {
		if (!rows--)
			return true;
		adds[u->part](u, u->row);
	}
	return false;
}

bool ccfc_spent_some(struct ccfc_spent *u, uint32_t rows)
{
	bool more = u->part < TABLES
			    ? add_some(u, rows)
			    : order_some(u, (int)u->part - TABLES, rows);

	if (more)
		return true;
	u->row = 0;
	u->total.files = u->tables[CCFC_BY_FILE].n;
	return ++u->part < TABLES + CCFC_BY_COUNT;
}

/* A day begins where the zone says so; there the offset may change. */
int64_t ccfc_spent_start(const struct ccfc_spent *u, int by,
			 const struct ccfc_count *row)
{
	int64_t key = (int64_t)row->key, local;

	if (by > CCFC_BY_HOUR || key == NO_DAY)
		return CCFC_TIME_NONE;
	if (by == CCFC_BY_HOUR)
		return key;
	local = key * DAY_MS;
	return local - offset_at(u, local - offset_at(u, local));
}

void ccfc_spent_release(struct ccfc_spent *u)
{
	if (!u->index)
		return;
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		ccfc_counts_release(&u->tables[by]);
	ccfc_strtab_release(&u->exts);
}
