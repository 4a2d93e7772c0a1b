/*
 * Gathering what was done and spent; see stats_gather.h. Each message of the
 * model, each call and each applied change is counted once, with the session
 * that owns it, in the row of every table that is wanted; so the rows of a
 * table add up to the totals. What has no day, model or tool has a row of its
 * own.
 *
 * A session counts in a period when it has any of these in it, or began or
 * ended in it.
 */
#include "serve/methods/stats_gather.h"

#include "base/path.h"
#include "base/time.h"

#include <stdlib.h>

#define DAY_MS	86400000
#define UNKNOWN "unknown"
/* Key of what has no time. */
#define NO_DAY INT64_MIN

/* What decides the rows of a fact; strings, ids. */
struct fact {
	int64_t time;
	uint32_t session, model, tool, file;
};

struct gather {
	struct ccfc_spent *u;
	const struct ccfc_index *index;
	struct ccfc_arena *arena;
	bool *wanted;		 /* by session */
	bool *busy;		 /* by session: it counts */
	struct ccfc_strtab exts; /* keys of CCFC_BY_EXT */
	bool has[CCFC_BY_COUNT]; /* tables */
};

/* --- rows --- */

static int64_t day_of(int64_t time)
{
	if (time == CCFC_TIME_NONE)
		return NO_DAY;
	return time / DAY_MS - (time % DAY_MS < 0);
}

static uint64_t key_of_stats_gather(struct gather *g, int by,
				    const struct fact *f)
{
	const struct ccfc_index *index = g->index;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
		return (uint64_t)day_of(f->time);
	case CCFC_BY_PROJECT:
		return index->sessions.items[f->session].project;
	case CCFC_BY_MODEL:
		return f->model;
	case CCFC_BY_TOOL:
		return f->tool;
	case CCFC_BY_FILE:
		return f->file;
	case CCFC_BY_EXT:
		return ccfc_strtab_put(&g->exts,
				       ccfc_path_extension(ccfc_index_file_path(
					       index, f->file)));
	case CCFC_BY_COUNT:
		break;
	}
	return 0;
}

/* The row of a fact, which says that its session is there. */
static struct ccfc_count *row_of(struct gather *g, int by, const struct fact *f)
{
	struct ccfc_counts *table = &g->u->tables[by];
	struct ccfc_count *row =
		ccfc_counts_at(table, key_of_stats_gather(g, by, f));

	ccfc_counts_session(table, f->session);
	return row;
}

/* Is it within the period? Then its session counts too. */
static bool take_stats_gather(struct gather *g, uint32_t session, int64_t time)
{
	struct ccfc_spent *u = g->u;

	if (!g->wanted[session] || !ccfc_filter_accepts_time(&u->filter, time))
		return false;
	g->busy[session] = true;
	if (time == CCFC_TIME_NONE)
		return true;
	if (u->first == CCFC_TIME_NONE || time < u->first)
		u->first = time;
	if (time > u->last)
		u->last = time;
	return true;
}

/* --- facts --- */

static void count_said(struct ccfc_count *c, const struct ccfc_said *said)
{
	c->messages++;
	ccfc_tokens_add(&c->tokens, &said->tokens);
}

static void on_said(void *ctx, const struct ccfc_said *said)
{
	struct gather *g = ctx;
	struct fact f = { .time = said->time,
			  .session = said->session,
			  .model = said->model };

	if (!take_stats_gather(g, said->session, said->time))
		return;
	count_said(&g->u->total, said);
	if (said->agent)
		ccfc_tokens_add(&g->u->agent_tokens, &said->tokens);
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_MODEL; by++)
		if (g->has[by])
			count_said(row_of(g, by, &f), said);
}

static void count_used(struct ccfc_count *c, const struct ccfc_used *used)
{
	c->uses++;
	c->errors += used->error;
}

static void on_used(void *ctx, const struct ccfc_used *used)
{
	struct gather *g = ctx;
	struct fact f = { .time = used->time,
			  .session = used->session,
			  .model = used->model,
			  .tool = used->tool };

	if (!take_stats_gather(g, used->session, used->time))
		return;
	count_used(&g->u->total, used);
	g->u->agent_uses += used->agent;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (g->has[by])
			count_used(row_of(g, by, &f), used);
}

static void count_change(struct ccfc_count *c, const struct ccfc_index *index,
			 uint32_t change)
{
	const struct ccfc_group one = { .changes = &change, .nchanges = 1 };

	c->changes++;
	c->shell_changes += index->changes.items[change].shell != 0;
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
	};
}

/* A command that may have changed files: nobody knows which. */
static void on_unknown(struct gather *g, const struct ccfc_change *command)
{
	struct fact f = fact_of(g->index, command);

	if (!take_stats_gather(g, f.session, f.time))
		return;
	g->u->total.unknown_commands++;
	for (int by = CCFC_BY_DAY; by <= CCFC_BY_TOOL; by++)
		if (g->has[by])
			row_of(g, by, &f)->unknown_commands++;
}

static void on_change(struct gather *g, uint32_t id)
{
	const struct ccfc_change *c = &g->index->changes.items[id];
	struct fact f = fact_of(g->index, c);

	if (!take_stats_gather(g, f.session, f.time))
		return;
	count_change(&g->u->total, g->index, id);
	for (int by = 0; by < CCFC_BY_COUNT; by++) {
		if (!g->has[by])
			continue;
		count_change(row_of(g, by, &f), g->index, id);
		ccfc_counts_file(&g->u->tables[by], c->file);
	}
}

static void gather_changes(struct gather *g)
{
	for (uint32_t i = 0; i < g->index->changes.n; i++) {
		const struct ccfc_change *c = &g->index->changes.items[i];

		if (!c->settled)
			continue;
		if (ccfc_index_is_command(c) && ccfc_index_is_unknown(c))
			on_unknown(g, c);
		else if (c->state == CCFC_STATE_APPLIED && c->file)
			on_change(g, i);
	}
}

/* Counts the session if this time is within the period. */
static void gather_moment(struct gather *g, uint32_t session, int64_t time)
{
	struct fact f = { .time = time, .session = session };

	if (take_stats_gather(g, session, time) && time != CCFC_TIME_NONE)
		row_of(g, CCFC_BY_DAY, &f);
}

static void gather_sessions(struct gather *g)
{
	for (uint32_t i = 1; i < g->index->sessions.n; i++) {
		const struct ccfc_session *s = &g->index->sessions.items[i];
		struct fact f = { .session = i };

		gather_moment(g, i, s->start);
		gather_moment(g, i, s->end);
		g->u->total.sessions += g->busy[i];
		if (g->busy[i] && g->has[CCFC_BY_PROJECT])
			row_of(g, CCFC_BY_PROJECT, &f);
	}
}

/* --- names and order --- */

static struct ccfc_slice name_of(struct gather *g, int by, uint64_t key)
{
	char text[CCFC_TIME_TEXT_MAX] = "";
	struct ccfc_slice name;

	switch ((enum ccfc_by)by) {
	case CCFC_BY_DAY:
		if ((int64_t)key != NO_DAY)
			ccfc_time_format(text, (int64_t)key * DAY_MS);
		name = ccfc_slice_cut(ccfc_slice_str(text), 10);
		break;
	case CCFC_BY_FILE:
		name = ccfc_index_file_path(g->index, (uint32_t)key);
		break;
	case CCFC_BY_EXT:
		/* No extension is a name of its own, as in byExtension. */
		return ccfc_arena_copy(
			g->arena, ccfc_strtab_get(&g->exts, (uint32_t)key));
	default:
		name = ccfc_index_str(g->index, (uint32_t)key);
	}
	return ccfc_arena_copy(g->arena,
			       name.len ? name : CCFC_SLICE_LIT(UNKNOWN));
}

static int more_first(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_day(const void *x, const void *y)
{
	int64_t a = (int64_t)((const struct ccfc_count *)x)->key;
	int64_t b = (int64_t)((const struct ccfc_count *)y)->key;

	return (a > b) - (a < b);
}

static int by_tokens(const void *x, const void *y)
{
	const struct ccfc_count *a = x, *b = y;
	int r = more_first(ccfc_tokens_sum(&a->tokens),
			   ccfc_tokens_sum(&b->tokens));

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_uses(const void *x, const void *y)
{
	const struct ccfc_count *a = x, *b = y;
	int r = more_first(a->uses, b->uses);

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_changes(const void *x, const void *y)
{
	const struct ccfc_count *a = x, *b = y;
	int r = more_first(a->changes, b->changes);

	return r ? r : by_tokens(x, y);
}

static int (*const orders[CCFC_BY_COUNT])(const void *, const void *) = {
	[CCFC_BY_DAY] = by_day,	     [CCFC_BY_PROJECT] = by_changes,
	[CCFC_BY_MODEL] = by_tokens, [CCFC_BY_TOOL] = by_uses,
	[CCFC_BY_FILE] = by_changes, [CCFC_BY_EXT] = by_changes,
};

static void close_table(struct gather *g, int by)
{
	struct ccfc_counts *t = &g->u->tables[by];

	ccfc_counts_close(t);
	for (uint32_t i = 0; i < t->n; i++)
		t->items[i].name = name_of(g, by, t->items[i].key);
	if (t->n)
		qsort(t->items, t->n, sizeof(*t->items), orders[by]);
}

/* --- all of it --- */

static bool *flags(struct gather *g)
{
	size_t n = g->index->sessions.n + (size_t)1;
	bool *list = ccfc_arena_alloc(g->arena, n);

	memset(list, 0, n);
	return list;
}

static void begin_stats_gather(struct gather *g)
{
	struct ccfc_spent *u = g->u;

	u->first = u->last = CCFC_TIME_NONE;
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		ccfc_counts_init(&u->tables[by]);
	g->has[CCFC_BY_DAY] = g->has[CCFC_BY_TOOL] = true;
	g->has[CCFC_BY_FILE] = g->has[u->by] = true;
	g->wanted = flags(g);
	g->busy = flags(g);
	for (uint32_t i = 1; i < g->index->sessions.n; i++)
		g->wanted[i] =
			g->index->sessions.items[i].seen &&
			ccfc_filter_accepts_session(g->index, &u->filter, i);
}

void ccfc_spent_gather(struct ccfc_spent *u, const struct ccfc_index *index,
		       struct ccfc_arena *arena)
{
	struct gather g = { .u = u, .index = index, .arena = arena };

	begin_stats_gather(&g);
	ccfc_strtab_init(&g.exts);
	ccfc_tally_said(index, on_said, &g);
	ccfc_tally_used(index, on_used, &g);
	gather_changes(&g);
	gather_sessions(&g);
	u->total.files = u->tables[CCFC_BY_FILE].n;
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		close_table(&g, by);
	ccfc_strtab_release(&g.exts);
}

void ccfc_spent_release(struct ccfc_spent *u)
{
	for (int by = 0; by < CCFC_BY_COUNT; by++)
		ccfc_counts_release(&u->tables[by]);
}
