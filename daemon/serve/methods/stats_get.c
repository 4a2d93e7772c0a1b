/*
 * stats.get: what was done and spent, in all and by day, project, model,
 * tool, file or extension; stats_gather.c gathers it.
 */
#include "serve/methods/stats_gather.h"

#include "base/time.h"

#define TOOLS_SHOWN 20
#define FILES_SHOWN 10

static const char *const names[] = { "day",  "project", "model", "tool",
				     "file", "ext",	NULL };

static void pack_period(struct ccfc_pack *p, const struct ccfc_spent *u)
{
	const struct ccfc_filter *f = &u->filter;

	ccfc_pack_cstr(p, "period");
	ccfc_pack_map(p);
	ccfc_pack_kv_time(p, "from", f->has_from ? f->from : u->first);
	ccfc_pack_kv_time(p, "to", f->has_to ? f->to : u->last);
	ccfc_pack_end(p);
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
	ccfc_pack_cstr(p, "agents");
	ccfc_pack_map(p);
	ccfc_reply_tokens(p, "tokenUsage", &u->agent_tokens);
	ccfc_pack_kv_uint(p, "toolCalls", u->agent_uses);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* Fields that make no sense for this kind of row are left out. */
static void pack_row(struct ccfc_pack *p, int by, const struct ccfc_count *c)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "key", c->name);
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
	if (by <= CCFC_BY_MODEL)
		ccfc_reply_tokens(p, "tokenUsage", &c->tokens);
	ccfc_pack_end(p);
}

static void pack_rows(struct ccfc_request *rq, const struct ccfc_spent *u)
{
	const struct ccfc_counts *t = &u->tables[u->by];
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;

	ccfc_pack_kv_cstr(rq->pack, "by", names[u->by]);
	ccfc_pack_kv_uint(rq->pack, "totalRows", t->n);
	ccfc_pack_cstr(rq->pack, "rows");
	ccfc_pack_array(rq->pack);
	for (; n && i < t->n; i++, n--)
		pack_row(rq->pack, u->by, &t->items[i]);
	ccfc_pack_end(rq->pack);
}

static void pack_tools(struct ccfc_pack *p, const struct ccfc_counts *t)
{
	ccfc_pack_cstr(p, "tools");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < t->n && i < TOOLS_SHOWN; i++) {
		/* The last rows belong to changes whose call was never read. */
		if (!t->items[i].uses)
			break;
		ccfc_counts_pack_tool(p, &t->items[i]);
	}
	ccfc_pack_end(p);
}

static void pack_files_stats_get(struct ccfc_pack *p,
				 const struct ccfc_counts *t)
{
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < t->n && i < FILES_SHOWN; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_str(p, "path", t->items[i].name);
		ccfc_pack_kv_uint(p, "changes", t->items[i].changes);
		ccfc_pack_kv_uint(p, "shellChanges", t->items[i].shell_changes);
		ccfc_pack_kv_uint(p, "sessions", t->items[i].sessions);
		ccfc_reply_lines(p, &t->items[i].lines);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

static void pack_days(struct ccfc_pack *p, const struct ccfc_counts *t)
{
	ccfc_pack_cstr(p, "days");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < t->n; i++) {
		ccfc_pack_map(p);
		ccfc_pack_kv_str(p, "day", t->items[i].name);
		ccfc_pack_kv_uint(p, "changes", t->items[i].changes);
		ccfc_pack_kv_uint(p, "shellChanges", t->items[i].shell_changes);
		ccfc_pack_kv_uint(p, "tokens",
				  ccfc_tokens_sum(&t->items[i].tokens));
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

static int ask_stats_get(struct ccfc_spent *u, struct ccfc_request *rq,
			 struct ccfc_err *err)
{
	int r = ccfc_args_choice(&u->by, rq, CCFC_OPT_BY, rq->opt.by, names,
				 err);

	if (!r)
		r = ccfc_args_filter(&u->filter, rq, err);
	if (!r && (rq->opt.given & CCFC_OPT(SESSION)))
		r = ccfc_query_session(&u->filter.session, rq->index,
				       rq->opt.session, err);
	return r;
}

static int pack(struct ccfc_request *rq, const struct ccfc_spent *u,
		struct ccfc_err *err)
{
	if (!u->total.sessions)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no session was at work there and then");
	if (rq->opt.offset &&
	    ccfc_args_offset(rq, u->tables[u->by].n, "rows", err))
		return CCFC_ENOTFOUND;
	ccfc_pack_map(rq->pack);
	pack_period(rq->pack, u);
	pack_totals(rq->pack, u);
	pack_rows(rq, u);
	pack_tools(rq->pack, &u->tables[CCFC_BY_TOOL]);
	pack_files_stats_get(rq->pack, &u->tables[CCFC_BY_FILE]);
	pack_days(rq->pack, &u->tables[CCFC_BY_DAY]);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}

int ccfc_method_stats_get(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_spent u = { .by = CCFC_BY_DAY };
	int r = ask_stats_get(&u, rq, err);

	if (r)
		return r;
	ccfc_spent_gather(&u, rq->index, rq->arena);
	r = pack(rq, &u, err);
	ccfc_spent_release(&u);
	return r;
}
