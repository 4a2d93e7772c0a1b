/*
 * index.dump, second part: messages of models, tool calls and reads, one entry
 * each, in one canonical order. See index_dump.c.
 */
#include "serve/methods/index_dump.h"

#include "base/time.h"
#include "index/query/totals.h"
#include "serve/methods/session_summary.h"

struct fact {
	const char *kind;
	struct ccfc_slice session;
	struct ccfc_slice name; /* model, tool, or path */
	struct ccfc_slice who;	/* a call's model, a read's agent */
	int64_t time;
	struct ccfc_tokens tokens;
	bool agent, error;
};

/* --- the fact in one row; false: there is none --- */

typedef bool (*fact_fn)(struct fact *out, const struct ccfc_index *index,
			uint32_t id);

static bool message_fact(struct fact *out, const struct ccfc_index *index,
			 uint32_t id)
{
	struct ccfc_message_fact said;

	if (!ccfc_tally_message_at(&said, index, id))
		return false;
	*out = (struct fact){
		.kind = "message",
		.session = ccfc_index_session_id(index, said.session),
		.name = ccfc_index_str(index, said.model),
		.time = said.time,
		.tokens = said.tokens,
		.agent = said.agent,
	};
	return true;
}

static bool call_fact(struct fact *out, const struct ccfc_index *index,
		      uint32_t id)
{
	struct ccfc_call_fact used;

	if (!ccfc_tally_call_at(&used, index, id))
		return false;
	*out = (struct fact){
		.kind = "call",
		.session = ccfc_index_session_id(index, used.session),
		.name = ccfc_index_str(index, used.tool),
		.who = ccfc_index_str(index, used.model),
		.time = used.time,
		.agent = used.agent,
		.error = used.error,
	};
	return true;
}

static bool read_fact(struct fact *out, const struct ccfc_index *index,
		      uint32_t id)
{
	struct ccfc_read_fact look;

	if (!ccfc_tally_read_at(&look, index, id))
		return false;
	*out = (struct fact){
		.kind = "look",
		.session = ccfc_index_session_id(index, look.session),
		.name = ccfc_index_file_path(index, look.file),
		.who = ccfc_index_str(index, look.agent),
		.time = look.time,
		.agent = look.agent,
		.error = look.error,
	};
	return true;
}

/* --- their order: by session, time, then the other fields --- */

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

static int compare_rest(const struct fact *a, const struct fact *b)
{
	int r = ccfc_slice_cmp(a->name, b->name);

	r = r ? r : ccfc_slice_cmp(a->who, b->who);
	r = r ? r : a->agent - b->agent;
	r = r ? r : a->error - b->error;
	return r ? r : compare_tokens(&a->tokens, &b->tokens);
}

static int compare_facts(const void *x, const void *y, fact_fn fact_of)
{
	const struct ccfc_dump_row *a = x, *b = y;
	int r = ccfc_dump_compare(a, b);
	struct fact one = { 0 }, other = { 0 };

	if (r)
		return r;
	fact_of(&one, a->index, a->id);
	fact_of(&other, b->index, b->id);
	return compare_rest(&one, &other);
}

static bool fact_row(struct ccfc_dump_row *out, const struct ccfc_index *index,
		     uint32_t id, fact_fn fact_of)
{
	struct fact fact;

	if (!fact_of(&fact, index, id))
		return false;
	out->name = fact.session;
	out->order = fact.time;
	return true;
}

static bool pack_fact(struct ccfc_pack *p, const struct ccfc_index *index,
		      uint32_t id, fact_fn fact_of)
{
	struct fact f;

	if (!fact_of(&f, index, id))
		return false;
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", f.kind);
	ccfc_pack_kv_str(p, "sessionId", f.session);
	ccfc_reply_str(p, "name", f.name);
	ccfc_reply_str(p, "of", f.who);
	ccfc_pack_kv_time(p, "time", f.time);
	ccfc_pack_kv_bool(p, "agent", f.agent);
	ccfc_pack_kv_bool(p, "error", f.error);
	ccfc_reply_token_counts(p, &f.tokens);
	ccfc_pack_end(p);
	return true;
}

/* --- the three kinds --- */

#define FACTS(what, table)                                                     \
	static uint32_t what##_rows(const struct ccfc_index *index)            \
	{                                                                      \
		return index->table.n;                                         \
	}                                                                      \
	static bool what##_row(struct ccfc_dump_row *out,                      \
			       const struct ccfc_index *index, uint32_t id)    \
	{                                                                      \
		return fact_row(out, index, id, what##_fact);                  \
	}                                                                      \
	static int compare_##what(const void *x, const void *y)                \
	{                                                                      \
		return compare_facts(x, y, what##_fact);                       \
	}                                                                      \
	static bool pack_##what(struct ccfc_dump_out *out,                     \
				const struct ccfc_index *index, uint32_t id)   \
	{                                                                      \
		return pack_fact(&out->pack, index, id, what##_fact);          \
	}

FACTS(message, messages)
FACTS(call, calls)
FACTS(read, reads)

const struct ccfc_dump_kind ccfc_dump_facts[CCFC_DUMP_FACTS] = {
	{ message_rows, message_row, compare_message, pack_message },
	{ call_rows, call_row, compare_call, pack_call },
	{ read_rows, read_row, compare_read, pack_read },
};

/* --- tallies of sessions --- */

static void pack_tally_part(struct ccfc_pack *p, const char *key,
			    const struct ccfc_tally_part *part)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "user", part->user);
	ccfc_pack_kv_uint(p, "assistant", part->assistant);
	ccfc_pack_kv_uint(p, "calls", part->uses);
	ccfc_pack_kv_uint(p, "errors", part->errors);
	ccfc_reply_token_counts(p, &part->tokens);
	ccfc_pack_end(p);
}

void ccfc_dump_tally(struct ccfc_pack *p, const struct ccfc_index *index,
		     uint32_t session, const struct ccfc_tally *t)
{
	struct ccfc_slice title;
	enum ccfc_title from = ccfc_tally_title(&title, index, session);

	ccfc_reply_str(p, "title", title);
	ccfc_pack_kv_cstr(p, "titleFrom", ccfc_title_text(from));
	/* So long after the last record no session is active. */
	ccfc_pack_kv_cstr(
		p, "status",
		ccfc_status_text(ccfc_tally_status(index, session, INT64_MAX)));
	ccfc_pack_kv_uint(p, "agents", t->nagents);
	ccfc_pack_kv_uint(p, "filesRead", t->files_read);
	ccfc_pack_kv_uint(p, "filesModified", t->files_modified);
	ccfc_pack_kv_time(p, "lastChange", t->last_change);
	pack_tally_part(p, "own", &t->main);
	pack_tally_part(p, "ofAgents", &t->agents);
}
