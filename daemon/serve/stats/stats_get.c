/*
 * stats.get: what was done and spent, in all and by day, project, model,
 * tool, file or extension; stats_gather.c gathers it. That goes over the whole
 * index, so it is done in slices (slices.h).
 */
#include "serve/rpc/slices.h"
#include "serve/stats/stats_gather.h"

#include "base/alloc.h"
#include "base/time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* How much is done in a step. */
#define GATHER_ROWS 256
#define PACK_ROWS   64

#define SECONDS_MAX 100000000000ll
#define DAY_SECONDS 86400ll

#define TOOLS_SHOWN 20
#define FILES_SHOWN 10

static const char *const names[] = { "day",   "week",	 "month", "hour",
				     "block", "session", "agent", "project",
				     "model", "tool",	 "file",  "ext",
				     NULL };

static void pack_period(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	const struct ccfc_filter *f = &u->filter;

	ccfc_pack_cstr(p, "period");
	ccfc_pack_map(p);
	ccfc_pack_kv_time(p, "from", f->has_from ? f->from : u->first);
	ccfc_pack_kv_time(p, "to", f->has_to ? f->to : u->last);
	ccfc_pack_end(p);
}

/* Packs the cost, if it is known. */
static void pack_cost(struct ccfc_pack *p, const struct ccfc_spent *u,
		      const struct ccfc_count *c)
{
	bool prices = u->prices->all.n;

	if (!prices && u->total.recorded <= 0)
		return;
	if (prices || c->recorded > 0 || !c->unpriced) {
		ccfc_pack_cstr(p, "costUSD");
		ccfc_pack_double(p, c->dollars + c->recorded);
	}
	if (c->recorded > 0) {
		ccfc_pack_cstr(p, "recordedCostUSD");
		ccfc_pack_double(p, c->recorded);
	}
	ccfc_pack_kv_uint(p, "unpricedTokens", c->unpriced);
	if (c->unsure)
		ccfc_pack_kv_bool(p, "costUnsure", true);
}

static void pack_totals(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	const struct ccfc_count *t = &u->total;

	ccfc_pack_cstr(p, "totals");
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "sessions", t->sessions);
	ccfc_pack_kv_uint(p, "messages", t->messages);
	ccfc_pack_kv_uint(p, "changes", t->changes);
	ccfc_pack_kv_uint(p, "shellChanges", t->shell_changes);
	ccfc_pack_kv_uint(p, "unknownCommands", t->unknown_commands);
	ccfc_pack_kv_uint(p, "filesChanged", t->files);
	ccfc_reply_lines(p, &t->lines);
	ccfc_pack_kv_uint(p, "toolCalls", t->uses);
	ccfc_pack_kv_uint(p, "errors", t->errors);
	ccfc_reply_tokens(p, "tokenUsage", &t->tokens);
	pack_cost(p, u, t);
	ccfc_pack_cstr(p, "agents");
	ccfc_pack_map(p);
	ccfc_reply_tokens(p, "tokenUsage", &u->agent_tokens);
	ccfc_pack_kv_uint(p, "toolCalls", u->agent_uses);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void pack_end(struct ccfc_pack *p, int64_t start)
{
	ccfc_pack_kv_time(p, "end",
			  start == CCFC_TIME_NONE ? start
						  : start + CCFC_WINDOW_MS);
}

/* Fields that make no sense for this kind of row are left out. */
static void pack_row(struct ccfc_pack *p, const struct ccfc_spent *u,
		     const struct ccfc_count *c)
{
	int by = u->by;

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "key", c->name);
	if (by <= CCFC_BY_BLOCK)
		ccfc_pack_kv_time(p, "start", ccfc_spent_start(u, by, c));
	if (by == CCFC_BY_BLOCK)
		pack_end(p, ccfc_spent_start(u, by, c));
	if (by == CCFC_BY_SESSION)
		ccfc_reply_title(p, u->index, (uint32_t)c->key);
	ccfc_pack_kv_uint(p, "sessions", c->sessions);
	if (by <= CCFC_BY_MODEL)
		ccfc_pack_kv_uint(p, "messages", c->messages);
	ccfc_pack_kv_uint(p, "changes", c->changes);
	ccfc_pack_kv_uint(p, "shellChanges", c->shell_changes);
	if (by <= CCFC_BY_TOOL)
		ccfc_pack_kv_uint(p, "unknownCommands", c->unknown_commands);
	if (by != CCFC_BY_FILE)
		ccfc_pack_kv_uint(p, "filesChanged", c->files);
	ccfc_reply_lines(p, &c->lines);
	if (by <= CCFC_BY_TOOL) {
		ccfc_pack_kv_uint(p, "toolCalls", c->uses);
		ccfc_pack_kv_uint(p, "errors", c->errors);
	}
	if (by <= CCFC_BY_MODEL) {
		ccfc_reply_tokens(p, "tokenUsage", &c->tokens);
		pack_cost(p, u, c);
	}
	ccfc_pack_end(p);
}

static void pack_tools(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	struct ccfc_count **rows = u->sorted[CCFC_BY_TOOL];
	uint32_t n = u->tables[CCFC_BY_TOOL].n;

	ccfc_pack_cstr(p, "tools");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < n && i < TOOLS_SHOWN; i++) {
		/* The last rows belong to changes whose call was never read. */
		if (!rows[i]->uses)
			break;
		ccfc_counts_pack_tool(p, rows[i]);
	}
	ccfc_pack_end(p);
}

static void pack_file_rows(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	struct ccfc_count **rows = u->sorted[CCFC_BY_FILE];
	uint32_t n = u->tables[CCFC_BY_FILE].n;

	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < n && i < FILES_SHOWN; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_str(p, "path", rows[i]->name);
		ccfc_pack_kv_uint(p, "changes", rows[i]->changes);
		ccfc_pack_kv_uint(p, "shellChanges", rows[i]->shell_changes);
		ccfc_pack_kv_uint(p, "sessions", rows[i]->sessions);
		ccfc_reply_lines(p, &rows[i]->lines);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

static void pack_days(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	struct ccfc_count **rows = u->sorted[CCFC_BY_DAY];

	ccfc_pack_cstr(p, "days");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < u->tables[CCFC_BY_DAY].n; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_str(p, "day", rows[i]->name);
		ccfc_pack_kv_uint(p, "changes", rows[i]->changes);
		ccfc_pack_kv_uint(p, "shellChanges", rows[i]->shell_changes);
		ccfc_pack_kv_uint(p, "tokens",
				  ccfc_tokens_sum(&rows[i]->tokens));
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

/* --- in slices --- */

enum phase { ASK, GATHER, HEAD, ROWS };

struct stats {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_spent spent;
	struct ccfc_prices prices;
	enum phase phase;
	uint32_t at; /* the next row to pack */
};

/* "SECONDS:OFFSET", both whole numbers. */
static bool read_zone_part(int64_t *from, int64_t *offset, const char *text)
{
	char *end;

	errno = 0;
	*from = strtoll(text, &end, 10);
	if (end == text || *end != ':')
		return false;
	text = end + 1;
	*offset = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

/* The parts, in order. */
static int ask_zone(struct ccfc_spent *u, struct ccfc_request *rq,
		    struct ccfc_arena *arena, struct ccfc_err *err)
{
	const struct ccfc_slices *list = &rq->opt.zone;
	struct ccfc_zone_part *parts =
		ccfc_arena_alloc(arena, (list->n + 1u) * sizeof(*parts));

	for (uint32_t i = 0; i < list->n; i++) {
		struct ccfc_slice text = ccfc_arena_copy(arena, list->items[i]);
		int64_t from, offset;

		if (!read_zone_part(&from, &offset, text.ptr) ||
		    from < -SECONDS_MAX || from > SECONDS_MAX ||
		    offset < -DAY_SECONDS || offset > DAY_SECONDS ||
		    (i && from * 1000 <= parts[i - 1].from))
			return ccfc_err_set(err, CCFC_EINVAL,
					    "%s: option 'zone' has seconds and "
					    "an offset in order: \"0:3600\"",
					    rq->method);
		parts[i] =
			(struct ccfc_zone_part){ from * 1000, offset * 1000 };
	}
	u->zone = parts;
	u->nzone = list->n;
	return 0;
}

static int read_stats_options(struct stats *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	struct ccfc_spent *u = &w->spent;
	int r;

	ccfc_sliced_request(rq, &w->pack, &w->s);
	u->by = CCFC_BY_DAY;
	r = ccfc_args_choice(&u->by, rq, CCFC_OPT_BY, rq->opt.by, names, err);
	if (!r)
		r = ccfc_args_filter(&u->filter, rq, err);
	if (!r && (rq->opt.given & CCFC_OPT(SESSION)))
		r = ccfc_query_session(&u->filter.session, rq->index,
				       rq->opt.session, err);
	if (!r)
		r = ask_zone(u, rq, &w->s.memory, err);
	if (!r)
		r = ccfc_prices_read(&w->prices, err);
	u->prices = &w->prices;
	if (!r)
		ccfc_spent_begin(u, rq->index, &w->s.memory);
	return r;
}

/* Packs everything before the rows. */
static int pack_head(struct stats *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	const struct ccfc_spent *u = &w->spent;

	if (!u->total.sessions)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no session was active in that period");
	if (rq->opt.offset &&
	    ccfc_args_offset(rq, u->tables[u->by].n, "rows", err))
		return CCFC_ENOTFOUND;
	ccfc_pack_map(rq->pack);
	pack_period(rq->pack, u);
	pack_totals(rq->pack, u);
	ccfc_pack_kv_cstr(rq->pack, "by", names[u->by]);
	ccfc_pack_kv_uint(rq->pack, "totalRows", u->tables[u->by].n);
	ccfc_pack_cstr(rq->pack, "rows");
	ccfc_pack_array(rq->pack);
	w->at = (uint32_t)rq->opt.offset;
	return 0;
}

/* Some rows of the page; true: there are more. */
static bool pack_rows(struct stats *w)
{
	const struct ccfc_spent *u = &w->spent;
	uint64_t end = (uint64_t)w->rq.opt.offset + (uint64_t)w->rq.opt.limit;

	if (end > u->tables[u->by].n)
		end = u->tables[u->by].n;
	for (uint32_t left = PACK_ROWS; w->at < end; w->at++) {
		if (!left--)
			return true;
		pack_row(w->rq.pack, u, u->sorted[u->by][w->at]);
	}
	return false;
}

static void pack_after_rows(struct stats *w)
{
	struct ccfc_pack *p = w->rq.pack;

	ccfc_pack_end(p);
	pack_tools(p, &w->spent);
	pack_file_rows(p, &w->spent);
	pack_days(p, &w->spent);
	ccfc_reply_asked(&w->rq);
	ccfc_pack_end(p);
}

static int step_stats(struct ccfc_sliced *s, const struct ccfc_index *index,
		      struct ccfc_err *err)
{
	struct stats *w = (struct stats *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = read_stats_options(w, err);
		break;
	case GATHER:
		if (ccfc_spent_some(&w->spent, GATHER_ROWS))
			return CCFC_DEFERRED;
		break;
	case HEAD:
		r = pack_head(w, err);
		break;
	case ROWS:
		if (pack_rows(w))
			return CCFC_DEFERRED;
		pack_after_rows(w);
		return 0;
	}
	w->phase++;
	return r ? r : CCFC_DEFERRED;
}

static void reset_stats(struct ccfc_sliced *s)
{
	struct stats *w = (struct stats *)s;

	ccfc_spent_release(&w->spent);
	ccfc_prices_release(&w->prices);
	w->spent = (struct ccfc_spent){ 0 };
	w->phase = ASK;
}

static void release_stats(struct ccfc_deferred *d)
{
	free(d);
}

int ccfc_method_stats_get(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct stats *w = ccfc_calloc(1, sizeof(*w));

	(void)err;
	w->s.step = step_stats;
	w->s.reset = reset_stats;
	w->s.goes_on = true;
	w->s.d.release = release_stats;
	return ccfc_slice_up(rq, &w->s);
}
