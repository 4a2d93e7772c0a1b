/*
 * A call of a shell: its command, as text. Finding the changed files is not
 * done here.
 */
#include "base/alloc.h"
#include "transcript/json/unescape.h"
#include "transcript/record_internal.h"
#include "transcript/word_pattern.h"

static void read_command_text(struct ccfc_parser *parser,
			      struct ccfc_call *call, struct ccfc_slice raw)
{
	call->cut = raw.len > CCFC_COMMAND_MAX;
	call->command = ccfc_unescape(
		&parser->arena, ccfc_slice_cut(raw, CCFC_COMMAND_MAX), NULL);
}

void ccfc_command_fill(struct ccfc_parser *parser, struct ccfc_call *call,
		       const struct ccfc_tool *tool, uint32_t input)
{
	const struct ccfc_json *json = &parser->json;
	uint32_t key = 0;

	call->shell = true;
	call->foreign = tool->shape == CCFC_TOOL_SHELL_OTHER;
	if (ccfc_json_is_object(json, input))
		key = ccfc_json_child(json, input);
	for (; key; key = ccfc_json_next(json, key + 2)) {
		struct ccfc_slice name = ccfc_json_key(json, key);

		if (ccfc_pattern_lists(tool->path_key, name))
			read_command_text(parser, call,
					  ccfc_json_string(json, key + 2));
		else if (ccfc_slice_is(name, "run_in_background"))
			call->background = ccfc_json_is_true(json, key + 2);
	}
}

void ccfc_command_read(struct ccfc_parser *parser, struct ccfc_call *call,
		       const struct ccfc_tool *tool, uint32_t input)
{
	ccfc_command_fill(parser, call, tool, input);
	CCFC_VEC_PUSH(parser->calls, *call);
}
