/*
 * Launches of agents; see agent_launch.h.
 *
 * A toolUseResult belongs to the record: with several results in one record, it
 * is unknown which of them it describes. Results of other tools name agents
 * too, for example one that was sent a message. They do no harm here: their
 * calls are not launches, so nothing is joined with them.
 */
#include "transcript/content/agent_launch.h"

#include "base/hash.h"
#include "transcript/content/blocks.h"
#include "transcript/json/unescape.h"

#define TYPE_MAX 200u

/* 0 if there is no id. */
static uint64_t hash_id(struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_slice id = ccfc_parser_name(parser, tok, CCFC_ID_MAX);

	return id.len ? ccfc_hash_slice(id) : 0;
}

static uint64_t hash_text(struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_string(&parser->json, tok);
	bool bad = false;

	raw = ccfc_unescape(&parser->arena, raw, &bad);
	return raw.len && !bad ? ccfc_hash_slice(raw) : 0;
}

static struct ccfc_slice copy_type(struct ccfc_parser *parser, uint32_t tok,
				   struct ccfc_arena *arena)
{
	struct ccfc_slice type = ccfc_parser_name(parser, tok, TYPE_MAX);

	return type.len ? ccfc_arena_copy(arena, type) : CCFC_SLICE_NONE;
}

/* --- calls --- */

static bool is_launch(const struct ccfc_parser *parser, const uint32_t *block)
{
	struct ccfc_slice name =
		ccfc_json_string(&parser->json, block[CCFC_BLOCK_NAME]);

	return (ccfc_slice_is(name, "Task") || ccfc_slice_is(name, "Agent")) &&
	       ccfc_json_is_object(&parser->json, block[CCFC_BLOCK_INPUT]);
}

static uint32_t read_calls(struct ccfc_blocks *b, struct ccfc_launch *out,
			   uint32_t max, struct ccfc_arena *arena)
{
	struct ccfc_parser *parser = b->parser;
	uint32_t f[CCFC_LAUNCH_COUNT], n = 0;

	while (n < max && ccfc_blocks_next(b)) {
		uint64_t id = hash_id(parser, b->block[CCFC_BLOCK_ID]);

		if (!id || !is_launch(parser, b->block))
			continue;
		ccfc_json_fields(&parser->json, b->block[CCFC_BLOCK_INPUT],
				 &parser->launch_keys, f);
		out[n++] = (struct ccfc_launch){
			.call = id,
			.prompt = hash_text(parser, f[CCFC_LAUNCH_PROMPT]),
			.name = hash_id(parser, f[CCFC_LAUNCH_NAME]),
			.type = copy_type(parser, f[CCFC_LAUNCH_WANTED], arena),
		};
	}
	return n;
}

/* --- results --- */

/* The call of the record's only result; 0: there is none, or several. */
static uint64_t only_result(struct ccfc_blocks *b)
{
	uint64_t id = 0;
	bool any = false;

	b->type = "tool_result";
	while (ccfc_blocks_next(b)) {
		if (any)
			return 0;
		any = true;
		id = hash_id(b->parser, b->block[CCFC_BLOCK_CALL_ID]);
	}
	return id;
}

static bool read_launch_result(struct ccfc_blocks *b, struct ccfc_launch *out,
			       struct ccfc_arena *arena)
{
	struct ccfc_parser *parser = b->parser;
	uint32_t result = b->fields[CCFC_FIELD_RESULT];
	uint32_t f[CCFC_LAUNCH_COUNT];

	if (!ccfc_json_is_object(&parser->json, result))
		return false;
	ccfc_json_fields(&parser->json, result, &parser->launch_keys, f);
	*out = (struct ccfc_launch){
		.call = only_result(b),
		.agent = hash_id(parser, f[CCFC_LAUNCH_AGENT]),
	};
	if (!out->call || !out->agent)
		return false;
	out->type = copy_type(parser, f[CCFC_LAUNCH_TYPE], arena);
	return true;
}

/* --- progress --- */

static bool read_progress(struct ccfc_parser *parser, struct ccfc_launch *out)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t top[CCFC_LAUNCH_COUNT], f[CCFC_LAUNCH_COUNT];

	ccfc_json_root_fields(json, &parser->launch_keys, top);
	if (!ccfc_slice_is(ccfc_json_string(json, top[CCFC_LAUNCH_DATA_TYPE]),
			   "progress") ||
	    !ccfc_json_is_object(json, top[CCFC_LAUNCH_DATA]))
		return false;
	ccfc_json_fields(json, top[CCFC_LAUNCH_DATA], &parser->launch_keys, f);
	*out = (struct ccfc_launch){
		.call = hash_id(parser, top[CCFC_LAUNCH_CALL]),
		.agent = hash_id(parser, f[CCFC_LAUNCH_AGENT]),
	};
	return out->call && out->agent &&
	       ccfc_slice_is(ccfc_json_string(json, f[CCFC_LAUNCH_DATA_TYPE]),
			     "agent_progress");
}

/* --- lines --- */

uint32_t ccfc_launch_read(struct ccfc_parser *parser, struct ccfc_launch *out,
			  uint32_t max, struct ccfc_slice line,
			  struct ccfc_arena *arena)
{
	struct ccfc_blocks b;
	uint32_t n = 0;

	if (ccfc_blocks_open(&b, parser, line, CCFC_RECORD_KINDS, "tool_use")) {
		enum ccfc_record_kind kind =
			parser->relayed ? CCFC_RECORD_OTHER : b.kind;

		if (kind == CCFC_RECORD_ASSISTANT)
			n = read_calls(&b, out, max, arena);
		else if (kind == CCFC_RECORD_USER)
			n = max && read_launch_result(&b, out, arena);
		else
			n = max && read_progress(parser, out);
	}
	ccfc_parser_done(parser, line);
	return n;
}

/* The text of the record's only text block; 0: there is none, or several. */
static uint64_t only_text(struct ccfc_blocks *b)
{
	uint64_t text = 0;
	uint32_t n = 0;

	b->type = "text";
	for (; ccfc_blocks_next(b); n++)
		text = hash_text(b->parser, b->block[CCFC_BLOCK_TEXT]);
	return n == 1 ? text : 0;
}

bool ccfc_launch_prompt(struct ccfc_parser *parser, uint64_t *prompt,
			struct ccfc_slice line)
{
	struct ccfc_blocks b;
	bool user =
		ccfc_blocks_open(&b, parser, line, CCFC_RECORD_USER, "text");

	*prompt = 0;
	if (user && b.at)
		*prompt = only_text(&b);
	else if (user)
		*prompt = hash_text(parser,
				    ccfc_parser_content(parser, b.fields));
	ccfc_parser_done(parser, line);
	return user;
}
