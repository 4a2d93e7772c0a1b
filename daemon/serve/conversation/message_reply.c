/*
 * A line of a transcript as a Message, and tasks; packed on a worker. An
 * unreadable line still has an entry, so that pages do not shift.
 */
#include "serve/conversation/session_messages.h"

#include "base/hash.h"
#include "base/time.h"
#include "serve/methods/session_summary.h"
#include "serve/rpc/json_pack.h"

#include <stdlib.h>

const char *ccfc_conversation_role_name(enum ccfc_conversation_kind kind)
{
	return kind == CCFC_CONVERSATION_USER	     ? "user"
	       : kind == CCFC_CONVERSATION_ASSISTANT ? "assistant"
						     : "system";
}

/* --- calls --- */

static int by_call(const void *a, const void *b)
{
	uint64_t x = ((const struct ccfc_conversation_state *)a)->call;
	uint64_t y = ((const struct ccfc_conversation_state *)b)->call;

	return (x > y) - (x < y);
}

void ccfc_conversation_sort_states(struct ccfc_conversation_job *job)
{
	if (job->nstates)
		qsort(job->states, job->nstates, sizeof(*job->states), by_call);
}

static void pack_state(struct ccfc_conversation_job *job, uint64_t call)
{
	struct ccfc_conversation_state key = { .call = call };
	const struct ccfc_conversation_state *s = NULL;

	if (job->nstates)
		s = bsearch(&key, job->states, job->nstates, sizeof(key),
			    by_call);
	if (s)
		ccfc_pack_kv_cstr(&job->pack, "state",
				  ccfc_state_text(s->state));
}

/* Of the call's input. */
static struct ccfc_slice description_of_input(struct ccfc_conversation_job *job,
					      uint32_t input)
{
	static const char *const names[] = { "description" };
	struct ccfc_json_keys keys;
	uint32_t tok;

	ccfc_json_keys_init(&keys, names, 1);
	ccfc_json_fields(&job->reader.parser->json, input, &keys, &tok);
	return ccfc_conversation_name(&job->reader, tok);
}

static void pack_started(struct ccfc_conversation_job *job, uint64_t call,
			 uint32_t input)
{
	uint32_t no = ccfc_conversation_started(job->conv, call);
	const struct ccfc_conversation_agent *a;

	if (no == CCFC_CONVERSATION_NONE)
		return;
	a = &job->conv->agents.items[no];
	ccfc_pack_cstr(&job->pack, "agent");
	ccfc_pack_map(&job->pack);
	ccfc_pack_kv_str(&job->pack, "agentId", a->id);
	ccfc_conversation_put_name(job, "agentType", a->type);
	ccfc_conversation_put_name(job, "description",
				   a->description.len
					   ? a->description
					   : description_of_input(job, input));
	/*
	 * All inline sidechains count as one agent: their lines do not have the
	 * agent.
	 */
	if (no != job->conv->sidechain)
		ccfc_pack_kv_uint(&job->pack, "messageCount", a->messages);
	ccfc_pack_end(&job->pack);
}

static bool pack_call(struct ccfc_conversation_job *job, const uint32_t *block)
{
	struct ccfc_json_pack j = { .pack = &job->pack,
				    .json = &job->reader.parser->json,
				    .arena = &job->scratch,
				    .max = (size_t)job->d.opt.max_content,
				    .left = job->left };
	struct ccfc_slice id =
		ccfc_conversation_name(&job->reader, block[CCFC_BLOCK_ID]);
	struct ccfc_slice name =
		ccfc_conversation_name(&job->reader, block[CCFC_BLOCK_NAME]);
	uint64_t call = id.len ? ccfc_hash_slice(id) : 0;

	ccfc_pack_map(&job->pack);
	ccfc_conversation_put_name(job, "id", id);
	ccfc_conversation_put_name(job, "name", name);
	if (job->d.opt.content) {
		ccfc_pack_cstr(&job->pack, "input");
		if (block[CCFC_BLOCK_INPUT]) {
			ccfc_json_pack(&j, block[CCFC_BLOCK_INPUT]);
		} else {
			ccfc_pack_map(&job->pack);
			ccfc_pack_end(&job->pack);
		}
		job->left = j.left;
	}
	pack_state(job, call);
	if (ccfc_slice_is(name, "Task") || ccfc_slice_is(name, "Agent"))
		pack_started(job, call, block[CCFC_BLOCK_INPUT]);
	ccfc_pack_end(&job->pack);
	return j.cut;
}

static bool pack_result(struct ccfc_conversation_job *job,
			const uint32_t *block)
{
	const struct ccfc_json *json = &job->reader.parser->json;
	bool cut = false;

	ccfc_pack_map(&job->pack);
	ccfc_conversation_put_name(
		job, "id",
		ccfc_conversation_name(&job->reader,
				       block[CCFC_BLOCK_CALL_ID]));
	if (job->d.opt.content)
		ccfc_conversation_put(
			job, "output",
			ccfc_conversation_value(json, block[CCFC_BLOCK_CONTENT],
						ccfc_conversation_room(job),
						&cut, &job->scratch));
	ccfc_pack_kv_bool(
		&job->pack, "isError",
		block[CCFC_BLOCK_IS_ERROR] &&
			ccfc_json_is_true(json, block[CCFC_BLOCK_IS_ERROR]));
	ccfc_pack_end(&job->pack);
	return cut;
}

/* The blocks of one type under `key`, if there are any. True: one was cut. */
static bool pack_blocks(struct ccfc_conversation_job *job,
			const struct ccfc_conversation_record *r,
			const char *key, const char *type,
			bool (*pack)(struct ccfc_conversation_job *,
				     const uint32_t *))
{
	struct ccfc_parser *parser = job->reader.parser;
	uint32_t block[CCFC_BLOCK_COUNT], at = r->first;
	bool any = false, cut = false;

	for (; at; at = ccfc_parser_next_block(parser, at)) {
		ccfc_parser_block(parser, at, block);
		if (!ccfc_slice_is(ccfc_json_string(&parser->json,
						    block[CCFC_BLOCK_TYPE]),
				   type))
			continue;
		if (!any) {
			ccfc_pack_cstr(&job->pack, key);
			ccfc_pack_array(&job->pack);
		}
		any = true;
		cut |= pack(job, block);
	}
	if (any)
		ccfc_pack_end(&job->pack);
	return cut;
}

/* --- the rest of a message --- */

static void pack_flag(struct ccfc_conversation_job *job, const char *key,
		      uint32_t tok)
{
	if (tok && ccfc_json_is_true(&job->reader.parser->json, tok))
		ccfc_pack_kv_bool(&job->pack, key, true);
}

void ccfc_conversation_put_agent(struct ccfc_conversation_job *job,
				 uint32_t line)
{
	uint32_t agent = ccfc_conversation_agent_of(job->conv, line);

	if (agent != CCFC_CONVERSATION_NONE)
		ccfc_pack_kv_str(&job->pack, "agentId",
				 job->conv->agents.items[agent].id);
}

static void pack_model(struct ccfc_conversation_job *job,
		       const struct ccfc_conversation_record *r)
{
	struct ccfc_slice model, id;
	struct ccfc_record said;

	if (r->kind != CCFC_CONVERSATION_ASSISTANT)
		return;
	ccfc_conversation_model(&job->reader, r, &model, &id);
	ccfc_conversation_put_name(job, "model", model);
	ccfc_conversation_put_name(job, "messageId", id);
	if (ccfc_conversation_usage(&job->reader, r, &said)) {
		struct ccfc_tokens t = { .input = said.usage.input,
					 .output = said.usage.output,
					 .cache_write = said.usage.cache_write,
					 .cache_read = said.usage.cache_read };

		ccfc_reply_tokens(&job->pack, "tokenUsage", &t);
	}
}

static void pack_facts(struct ccfc_conversation_job *job,
		       const struct ccfc_conversation_record *r)
{
	struct ccfc_conversation_reader *reader = &job->reader;
	const uint32_t *f = r->fields;

	ccfc_conversation_put_name(
		job, "type",
		ccfc_conversation_name(reader, f[CCFC_FIELD_TYPE]));
	ccfc_conversation_put_name(
		job, "subtype",
		ccfc_conversation_name(reader,
				       r->more[CCFC_CONVERSATION_SUBTYPE]));
	ccfc_conversation_put_name(
		job, "parentUuid",
		ccfc_conversation_name(reader,
				       r->more[CCFC_CONVERSATION_PARENT]));
	pack_model(job, r);
	pack_flag(job, "isMeta", f[CCFC_FIELD_META]);
	pack_flag(job, "isSidechain", f[CCFC_FIELD_SIDECHAIN]);
	pack_flag(job, "isCompactSummary", f[CCFC_FIELD_SUMMARY]);
}

static bool pack_body(struct ccfc_conversation_job *job,
		      const struct ccfc_conversation_record *r)
{
	bool cut = false;

	ccfc_conversation_put(
		job, "content",
		ccfc_conversation_text(&job->reader, r,
				       ccfc_conversation_room(job), &cut,
				       &job->scratch));
	if (job->d.opt.thinking && r->kind == CCFC_CONVERSATION_ASSISTANT) {
		struct ccfc_slice s = ccfc_conversation_thinking(
			&job->reader, r, ccfc_conversation_room(job), &cut,
			&job->scratch);

		if (s.len)
			ccfc_conversation_put(job, "thinking", s);
	}
	cut |= pack_blocks(job, r, "toolCalls", "tool_use", pack_call);
	cut |= pack_blocks(job, r, "toolResults", "tool_result", pack_result);
	return cut;
}

void ccfc_conversation_message(struct ccfc_conversation_job *job, uint32_t line)
{
	const struct ccfc_conversation_line *l = &job->conv->lines.items[line];
	struct ccfc_pack *p = &job->pack;
	struct ccfc_conversation_record r;
	bool cut = true;

	ccfc_arena_clear(&job->scratch);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "role", ccfc_conversation_role_name(l->kind));
	if (ccfc_conversation_open(&job->reader, &r, job->conv, line)) {
		ccfc_conversation_put_name(
			job, "id",
			ccfc_conversation_name(&job->reader,
					       r.fields[CCFC_FIELD_UUID]));
		ccfc_conversation_put_time(
			job, ccfc_parser_time(job->reader.parser,
					      r.fields[CCFC_FIELD_TIME]));
		pack_facts(job, &r);
		cut = pack_body(job, &r);
		ccfc_parser_done(job->reader.parser, r.line);
	} else {
		ccfc_pack_kv_cstr(p, "content", "");
		ccfc_conversation_put_time(job, l->time);
		job->truncated = true;
	}
	ccfc_conversation_put_agent(job, line);
	if (cut)
		ccfc_pack_kv_bool(p, "truncated", true);
	ccfc_pack_end(p);
}

/* --- tasks --- */

static void pack_blocked(struct ccfc_pack *p,
			 const struct ccfc_conversation_task *t)
{
	if (!t->nblocked)
		return;
	ccfc_pack_cstr(p, "blockedBy");
	ccfc_pack_array(p);
	for (uint32_t i = 0; i < t->nblocked; i++)
		ccfc_pack_str(p, t->blocked_by[i]);
	ccfc_pack_end(p);
}

void ccfc_conversation_pack_tasks(struct ccfc_conversation_job *job,
				  const struct ccfc_conversation_tasks *tasks)
{
	struct ccfc_pack *p = ccfc_conversation_key(job, "tasks");

	ccfc_pack_array(p);
	for (uint32_t i = 0; i < tasks->n; i++) {
		const struct ccfc_conversation_task *t = &tasks->items[i];

		ccfc_pack_map(p);
		ccfc_conversation_put_name(job, "id", t->id);
		ccfc_pack_kv_str(p, "content", t->content);
		ccfc_pack_kv_str(p, "status", t->status);
		ccfc_conversation_put_name(job, "activeForm", t->active);
		ccfc_conversation_put_name(job, "description", t->description);
		ccfc_conversation_put_name(job, "owner", t->owner);
		pack_blocked(p, t);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}
