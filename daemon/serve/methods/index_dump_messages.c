/*
 * index.dump, second part: what was said and spent, one entry for each
 * message of a model, call and look, in one canonical order. See index_dump.c.
 */
#include "serve/methods/index_dump.h"

#include "base/alloc.h"
#include "base/time.h"
#include "index/totals.h"

#include <stdlib.h>

struct fact {
	const char *kind;
	struct ccfc_slice session;
	struct ccfc_slice name; /* model, tool, or path */
	struct ccfc_slice who;	/* model of a call, agent of a look */
	int64_t time;
	struct ccfc_tokens tokens;
	bool agent, error;
};

struct facts {
	const struct ccfc_index *index;
	struct fact *items;
	uint32_t n, cap;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_tokens(const struct ccfc_tokens *a,
			  const struct ccfc_tokens *b)
{
	int r = compare_numbers(a->input, b->input);

	r = r ? r : compare_numbers(a->output, b->output);
	r = r ? r : compare_numbers(a->cache_write, b->cache_write);
	return r ? r : compare_numbers(a->cache_read, b->cache_read);
}

static int by_fact(const void *x, const void *y)
{
	const struct fact *a = x, *b = y;
	int r = ccfc_slice_cmp(a->session, b->session);

	r = r ? r : (a->time > b->time) - (a->time < b->time);
	r = r ? r : ccfc_slice_cmp(a->name, b->name);
	r = r ? r : ccfc_slice_cmp(a->who, b->who);
	r = r ? r : a->agent - b->agent;
	r = r ? r : a->error - b->error;
	return r ? r : compare_tokens(&a->tokens, &b->tokens);
}

static void add_said(void *ctx, const struct ccfc_said *said)
{
	struct facts *f = ctx;
	struct fact fact = {
		.kind = "message",
		.session = ccfc_index_session_id(f->index, said->session),
		.name = ccfc_index_str(f->index, said->model),
		.time = said->time,
		.tokens = said->tokens,
		.agent = said->agent,
	};

	CCFC_VEC_PUSH(*f, fact);
}

static void add_used(void *ctx, const struct ccfc_used *used)
{
	struct facts *f = ctx;
	struct fact fact = {
		.kind = "call",
		.session = ccfc_index_session_id(f->index, used->session),
		.name = ccfc_index_str(f->index, used->tool),
		.who = ccfc_index_str(f->index, used->model),
		.time = used->time,
		.agent = used->agent,
		.error = used->error,
	};

	CCFC_VEC_PUSH(*f, fact);
}

static void add_look(void *ctx, const struct ccfc_look *look)
{
	struct facts *f = ctx;
	struct fact fact = {
		.kind = "look",
		.session = ccfc_index_session_id(f->index, look->session),
		.name = ccfc_index_file_path(f->index, look->file),
		.who = ccfc_index_str(f->index, look->agent),
		.time = look->time,
		.agent = look->agent,
		.error = look->error,
	};

	CCFC_VEC_PUSH(*f, fact);
}

static void dump_tokens(struct ccfc_pack *p, const struct ccfc_tokens *t)
{
	ccfc_pack_kv_uint(p, "input", t->input);
	ccfc_pack_kv_uint(p, "output", t->output);
	ccfc_pack_kv_uint(p, "cacheWrite", t->cache_write);
	ccfc_pack_kv_uint(p, "cacheRead", t->cache_read);
}

static void dump_facts(struct ccfc_pack *p, struct facts *facts)
{
	if (facts->n)
		qsort(facts->items, facts->n, sizeof(*facts->items), by_fact);
	for (uint32_t i = 0; i < facts->n; i++) {
		const struct fact *f = &facts->items[i];

		ccfc_pack_map(p);
		ccfc_pack_kv_cstr(p, "kind", f->kind);
		ccfc_pack_kv_str(p, "sessionId", f->session);
		ccfc_reply_str(p, "name", f->name);
		ccfc_reply_str(p, "of", f->who);
		ccfc_pack_kv_time(p, "time", f->time);
		ccfc_pack_kv_bool(p, "agent", f->agent);
		ccfc_pack_kv_bool(p, "error", f->error);
		dump_tokens(p, &f->tokens);
		ccfc_pack_end(p);
	}
	facts->n = 0;
}

void ccfc_dump_said(struct ccfc_request *rq)
{
	struct facts facts = { .index = rq->index };

	ccfc_tally_said(rq->index, add_said, &facts);
	dump_facts(rq->pack, &facts);
	ccfc_tally_used(rq->index, add_used, &facts);
	dump_facts(rq->pack, &facts);
	ccfc_tally_looks(rq->index, 0, 0, add_look, &facts);
	dump_facts(rq->pack, &facts);
	free(facts.items);
}

static void dump_part(struct ccfc_pack *p, const char *key,
		      const struct ccfc_tally_part *part)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "user", part->user);
	ccfc_pack_kv_uint(p, "assistant", part->assistant);
	ccfc_pack_kv_uint(p, "calls", part->uses);
	ccfc_pack_kv_uint(p, "errors", part->errors);
	dump_tokens(p, &part->tokens);
	ccfc_pack_end(p);
}

void ccfc_dump_tally(struct ccfc_pack *p, const struct ccfc_index *index,
		     uint32_t session, const struct ccfc_tally *t)
{
	struct ccfc_slice title;
	enum ccfc_title from = ccfc_tally_title(&title, index, session);

	ccfc_reply_str(p, "title", title);
	ccfc_pack_kv_cstr(p, "titleFrom", ccfc_title_text(from));
	/* Long after all of it, so that none is active. */
	ccfc_pack_kv_cstr(
		p, "status",
		ccfc_status_text(ccfc_tally_status(index, session, INT64_MAX)));
	ccfc_pack_kv_uint(p, "agents", t->nagents);
	ccfc_pack_kv_uint(p, "filesRead", t->files_read);
	ccfc_pack_kv_uint(p, "filesModified", t->files_modified);
	ccfc_pack_kv_time(p, "lastChange", t->last_change);
	dump_part(p, "own", &t->main);
	dump_part(p, "ofAgents", &t->agents);
}
