/*
 * A tool_use block as calls: one call, or one for each file of a MultiEdit
 * whose edits name their files.
 */
#include "base/alloc.h"
#include "transcript/edit_texts.h"

static void read_single_file_call(struct ccfc_parser *parser,
				  struct ccfc_call *call,
				  const struct ccfc_edit_texts *texts)
{
	call->path = ccfc_parser_name(parser, texts->path, CCFC_PATH_MAX);
	ccfc_edit_texts_count(parser, texts, &call->added, &call->removed);
	CCFC_VEC_PUSH(parser->calls, *call);
}

/* Appends one call for each file; false if no edit names one. */
static bool read_parts(struct ccfc_parser *parser, struct ccfc_call *call,
		       uint32_t edits)
{
	const struct ccfc_json *json = &parser->json;
	struct ccfc_parts parts = { NULL, 0 };
	uint32_t first = parser->calls.n;
	uint32_t edit = ccfc_json_child(json, edits);

	for (; edit; edit = ccfc_json_next(json, edit)) {
		struct ccfc_edit_texts texts =
			ccfc_edit_texts_edit(parser, edit);
		uint32_t before = parts.n;
		uint32_t part = ccfc_parts_put(&parts, parser, &texts);
		struct ccfc_call *at;
		int32_t added;
		int32_t removed;

		if (part == CCFC_PARTS_MAX)
			continue;
		if (parts.n > before) {
			call->path = parts.paths[part];
			call->part = part;
			call->added = call->removed = 0;
			CCFC_VEC_PUSH(parser->calls, *call);
		}
		ccfc_edit_texts_count(parser, &texts, &added, &removed);
		at = &parser->calls.items[first + part];
		ccfc_edit_texts_add(&at->added, added);
		ccfc_edit_texts_add(&at->removed, removed);
	}
	for (uint32_t i = first; i < parser->calls.n; i++)
		parser->calls.items[i].nparts = parts.n;
	return parts.n > 0;
}

void ccfc_call_read(struct ccfc_parser *parser, const uint32_t *block)
{
	struct ccfc_call call = {
		.id = ccfc_parser_name(parser, block[CCFC_BLOCK_ID],
				       CCFC_ID_MAX),
		.tool = ccfc_parser_name(parser, block[CCFC_BLOCK_NAME],
					 CCFC_NAME_MAX),
		.nparts = 1,
		.added = CCFC_LINES_UNKNOWN,
		.removed = CCFC_LINES_UNKNOWN,
	};
	const struct ccfc_tool *tool =
		ccfc_tools_find(parser->tools, call.tool);
	struct ccfc_edit_texts texts;

	/* A call without an id cannot be joined with a result. */
	if (!call.id.len)
		return;
	if (!tool) {
		if (!ccfc_read_tool_call(parser, &call,
					 block[CCFC_BLOCK_INPUT]))
			CCFC_VEC_PUSH(parser->calls, call);
		return;
	}
	if (tool->shape == CCFC_TOOL_SHELL ||
	    tool->shape == CCFC_TOOL_SHELL_OTHER) {
		ccfc_command_read(parser, &call, tool, block[CCFC_BLOCK_INPUT]);
		return;
	}
	if (!ccfc_edit_texts_input(&texts, parser, tool,
				   block[CCFC_BLOCK_INPUT])) {
		if (!ccfc_look_view(parser, &call, &texts))
			CCFC_VEC_PUSH(parser->calls, call);
		return;
	}
	call.writes = true;
	if (texts.path || !texts.edits ||
	    !read_parts(parser, &call, texts.edits))
		read_single_file_call(parser, &call, &texts);
}
