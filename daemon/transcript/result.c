/*
 * The results of a user record: what its tool_result blocks say about their
 * calls, and what toolUseResult adds. toolUseResult belongs to the record, not
 * to a block, so it counts only if the record has one block. If the record has
 * no block, toolUseResult is a result of its own; transcripts written by hand
 * or converted have such records.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "transcript/edit_texts.h"
#include "transcript/json/unescape.h"
#include "transcript/result_verdict.h"

#define INTERRUPTED "[Request interrupted by user for tool use]"

/*
 * The raw text of a block's content: the string, or the first text in the
 * array.
 */
static struct ccfc_slice content_text(struct ccfc_parser *parser, uint32_t tok)
{
	struct ccfc_json *json = &parser->json;
	uint32_t f[CCFC_BLOCK_COUNT];
	uint32_t item = 0;

	if (ccfc_json_is_array(json, tok))
		item = ccfc_json_child(json, tok);
	for (; item; item = ccfc_json_next(json, item)) {
		ccfc_json_fields(json, item, &parser->block_keys, f);
		if (ccfc_json_is_string(json, f[CCFC_BLOCK_TEXT]))
			return ccfc_json_string(json, f[CCFC_BLOCK_TEXT]);
	}
	return ccfc_json_string(json, tok);
}

static enum ccfc_state state_of_content(struct ccfc_parser *parser,
					struct ccfc_slice raw)
{
	size_t max = CCFC_VERDICT_BYTES;

	if (ccfc_slice_ends(raw, "\\n" INTERRUPTED))
		return CCFC_STATE_INTERRUPTED;
	if (raw.len > max)
		raw.len = max;
	return ccfc_verdict(ccfc_unescape(&parser->arena, raw, NULL));
}

bool ccfc_result_created(struct ccfc_parser *parser, const uint32_t *block)
{
	return !ccfc_json_is_true(&parser->json, block[CCFC_BLOCK_IS_ERROR]) &&
	       ccfc_slice_starts(
		       content_text(parser, block[CCFC_BLOCK_CONTENT]),
		       "File created successfully");
}

static void read_block(struct ccfc_parser *parser, const uint32_t *block)
{
	struct ccfc_result result = {
		.id = ccfc_parser_name(parser, block[CCFC_BLOCK_CALL_ID],
				       CCFC_ID_MAX),
		.state = CCFC_STATE_APPLIED,
		.op = CCFC_OP_MODIFIED,
		.added = CCFC_LINES_UNKNOWN,
		.removed = CCFC_LINES_UNKNOWN,
	};

	if (ccfc_json_is_true(&parser->json, block[CCFC_BLOCK_IS_ERROR]))
		result.state = state_of_content(
			parser,
			content_text(parser, block[CCFC_BLOCK_CONTENT]));
	else if (ccfc_result_created(parser, block))
		result.op = CCFC_OP_CREATED;
	CCFC_VEC_PUSH(parser->results, result);
}

/* toolUseResult as a string: a failure, about which it may say more. */
static void join_string(struct ccfc_parser *parser, struct ccfc_result *result,
			struct ccfc_slice raw)
{
	bool error = ccfc_slice_starts(raw, "Error") ||
		     ccfc_slice_starts(raw, "User rejected") ||
		     ccfc_slice_starts(raw, "InputValidationError");

	if (result->state == CCFC_STATE_FAILED ||
	    (result->state == CCFC_STATE_APPLIED && error))
		result->state = state_of_content(parser, raw);
}

/* A command that was stopped may have had any effect until then. */
static void join_shell(struct ccfc_parser *parser, struct ccfc_result *result,
		       const struct ccfc_detail *detail)
{
	if (detail->interrupted) {
		result->run |= CCFC_RUN_INTERRUPTED;
		if (result->state == CCFC_STATE_APPLIED)
			result->state = CCFC_STATE_INTERRUPTED;
	}
	if (detail->background)
		result->run |= CCFC_RUN_BACKGROUND;
	if (detail->run_diff)
		ccfc_run_diff_read(parser, result, detail->run_diff);
}

/* Equal texts are spelled alike, because clients escape alike. */
static uint64_t hash_text(const struct ccfc_json *json, uint32_t tok)
{
	struct ccfc_slice raw = ccfc_json_string(json, tok);

	return raw.len ? ccfc_hash_slice(raw) : 0;
}

/* Returns whether it has the shape of a write. */
static bool join_object(struct ccfc_parser *parser, struct ccfc_result *result,
			uint32_t tok)
{
	struct ccfc_detail detail;

	ccfc_detail_read(&detail, parser, tok);
	if (result->state == CCFC_STATE_APPLIED && detail.staged)
		result->state = CCFC_STATE_STAGED;
	if (!detail.tool) {
		join_shell(parser, result, &detail);
		return false;
	}
	if (result->state == CCFC_STATE_APPLIED && detail.error)
		result->state = CCFC_STATE_FAILED;
	result->detail = true;
	result->tool = ccfc_slice_str(detail.tool);
	result->path =
		ccfc_parser_name(parser, detail.texts.path, CCFC_PATH_MAX);
	result->op = detail.created ? CCFC_OP_CREATED : CCFC_OP_MODIFIED;
	ccfc_detail_count(parser, &detail, &result->added, &result->removed);
	result->original = hash_text(&parser->json, detail.original);
	return true;
}

/* Reads a write that only toolUseResult describes. */
static void read_alone(struct ccfc_parser *parser, uint32_t tok,
		       struct ccfc_slice uuid)
{
	struct ccfc_result result = { .id = uuid, .state = CCFC_STATE_APPLIED };

	if (uuid.len && join_object(parser, &result, tok))
		CCFC_VEC_PUSH(parser->results, result);
}

static void join_tool_use_result(struct ccfc_parser *parser, uint32_t tok,
				 struct ccfc_slice uuid)
{
	struct ccfc_result *result = &parser->results.items[0];

	if (ccfc_json_is_string(&parser->json, tok))
		join_string(parser, result,
			    ccfc_json_string(&parser->json, tok));
	else if (join_object(parser, result, tok) && !result->id.len)
		result->id = uuid;
}

/* Applies toolDenialKind; drops results that no call can be joined with. */
static void finish_results(struct ccfc_parser *parser, bool denied)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < parser->results.n; i++) {
		struct ccfc_result *result = &parser->results.items[i];

		if (denied && result->state != CCFC_STATE_INTERRUPTED)
			result->state = CCFC_STATE_DENIED;
		result->error = result->state != CCFC_STATE_APPLIED &&
				result->state != CCFC_STATE_STAGED;
		if (result->id.len)
			parser->results.items[kept++] = *result;
	}
	parser->results.n = kept;
}

static void read_result_block(struct ccfc_parser *parser, uint32_t at,
			      uint32_t number, const uint32_t *block)
{
	read_block(parser, block);
	ccfc_message_text_result(
		parser, at, number,
		content_text(parser, block[CCFC_BLOCK_CONTENT]));
}

static bool is_text(struct ccfc_slice type)
{
	return ccfc_slice_is(type, "text") || ccfc_slice_is(type, "image") ||
	       ccfc_slice_is(type, "document");
}

uint32_t ccfc_result_read(struct ccfc_parser *parser, const uint32_t *fields,
			  struct ccfc_slice uuid, bool *text)
{
	struct ccfc_json *json = &parser->json;
	uint32_t content = ccfc_parser_content(parser, fields);
	uint32_t at = ccfc_parser_first_block(parser, fields, content);
	uint32_t block[CCFC_BLOCK_COUNT];
	uint32_t number = 0;
	uint32_t n;

	if (!at)
		ccfc_message_text_string(parser, content);
	*text = !at && ccfc_json_string(json, content).len > 0;
	for (; at; at = ccfc_parser_next_block(parser, at), number++) {
		struct ccfc_slice type;

		ccfc_parser_block(parser, at, block);
		type = ccfc_json_string(json, block[CCFC_BLOCK_TYPE]);
		if (ccfc_slice_is(type, "tool_result"))
			read_result_block(parser, at, number, block);
		else if (is_text(type))
			*text = true;
		ccfc_message_text_block(parser, at, number, block);
	}
	n = parser->results.n;
	if (!n)
		read_alone(parser, fields[CCFC_FIELD_RESULT], uuid);
	else if (n == 1)
		join_tool_use_result(parser, fields[CCFC_FIELD_RESULT], uuid);
	finish_results(parser,
		       ccfc_json_string(json, fields[CCFC_FIELD_DENIAL]).len);
	return n;
}
