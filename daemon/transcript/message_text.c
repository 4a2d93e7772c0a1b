/*
 * Message texts: the place of each text in its line. Nothing is copied or
 * unescaped here, because every line is read here and most texts are never
 * shown.
 *
 * Task lists are kept as the blocks that made them. A TodoWrite has the whole
 * list. A TaskCreate gets its task's number in its result, so the result is
 * kept too; later calls use that number.
 */
#include "base/alloc.h"
#include "transcript/record_internal.h"
#include "transcript/word_pattern.h"

#define PLANNING "TodoWrite|TaskCreate|TaskUpdate|TaskDelete"
#define CREATED	 "Task #" /* "Task #1 created successfully: …" */

static void add_text(struct ccfc_parser *parser,
		     enum ccfc_message_text_kind kind, uint32_t n,
		     struct ccfc_slice raw)
{
	struct ccfc_message_text spoken = { .kind = kind,
					    .block = n,
					    .raw = raw };

	if (raw.len)
		CCFC_VEC_PUSH(parser->spoken, spoken);
}

void ccfc_message_text_string(struct ccfc_parser *parser, uint32_t content)
{
	add_text(parser, CCFC_MESSAGE_TEXT_TEXT, 0,
		 ccfc_json_string(&parser->json, content));
}

static struct ccfc_slice whole_block(struct ccfc_parser *parser, uint32_t at)
{
	return ccfc_json_raw(&parser->json, at == CCFC_BLOCK_ROOT ? 0 : at);
}

void ccfc_message_text_block(struct ccfc_parser *parser, uint32_t at,
			     uint32_t n, const uint32_t *block)
{
	struct ccfc_json *json = &parser->json;
	struct ccfc_slice type = ccfc_json_string(json, block[CCFC_BLOCK_TYPE]);

	if (ccfc_slice_is(type, "text"))
		add_text(parser, CCFC_MESSAGE_TEXT_TEXT, n,
			 ccfc_json_string(json, block[CCFC_BLOCK_TEXT]));
	else if (ccfc_slice_is(type, "thinking"))
		add_text(parser, CCFC_MESSAGE_TEXT_THINKING, n,
			 ccfc_json_string(json, block[CCFC_BLOCK_THINKING]));
	else if (ccfc_slice_is(type, "tool_use") &&
		 ccfc_pattern_lists(
			 PLANNING,
			 ccfc_json_string(json, block[CCFC_BLOCK_NAME])))
		add_text(parser, CCFC_MESSAGE_TEXT_TASKS, n,
			 whole_block(parser, at));
}

void ccfc_message_text_result(struct ccfc_parser *parser, uint32_t at,
			      uint32_t n, struct ccfc_slice text)
{
	if (!ccfc_slice_starts(text, CREATED))
		return;
	add_text(parser, CCFC_MESSAGE_TEXT_TASKS, n, whole_block(parser, at));
	parser->spoken.items[parser->spoken.n - 1].result = true;
}
