/*
 * Finding the call or the result of a change again; see find_call.h.
 * toolUseResult belongs to the record: with several result blocks it is
 * ignored, and only the block's own text is read.
 */
#include "transcript/content/find_call.h"

/*
 * The block of `type` whose `id_field` is the id; sets the number of such
 * blocks.
 */
static bool find_block(struct ccfc_parser *parser, const uint32_t *fields,
		       const char *type, enum ccfc_block_field id_field,
		       struct ccfc_slice id, uint32_t *found, uint32_t *n)
{
	uint32_t content = ccfc_parser_content(parser, fields);
	uint32_t at = ccfc_parser_first_block(parser, fields, content);
	uint32_t block[CCFC_BLOCK_COUNT];
	bool any = false;

	for (*n = 0; at; at = ccfc_parser_next_block(parser, at)) {
		ccfc_parser_block(parser, at, block);
		if (!ccfc_slice_is(ccfc_json_string(&parser->json,
						    block[CCFC_BLOCK_TYPE]),
				   type))
			continue;
		(*n)++;
		if (any ||
		    !ccfc_slice_eq(ccfc_parser_name(parser, block[id_field],
						    CCFC_ID_MAX),
				   id))
			continue;
		memcpy(found, block, sizeof(block));
		any = true;
	}
	return any;
}

const struct ccfc_tool *ccfc_find_tool(struct ccfc_parser *parser,
				       struct ccfc_found_call *out,
				       struct ccfc_slice line,
				       struct ccfc_slice id)
{
	uint32_t fields[CCFC_FIELD_COUNT];
	uint32_t block[CCFC_BLOCK_COUNT];
	uint32_t n;

	if (!ccfc_parser_open(parser, line, fields) ||
	    ccfc_parser_kind(parser, fields) != CCFC_RECORD_ASSISTANT ||
	    !find_block(parser, fields, "tool_use", CCFC_BLOCK_ID, id, block,
			&n))
		return NULL;
	out->input = block[CCFC_BLOCK_INPUT];
	out->version = fields[CCFC_FIELD_VERSION];
	out->cwd = fields[CCFC_FIELD_CWD];
	return ccfc_tools_find(parser->tools,
			       ccfc_parser_name(parser, block[CCFC_BLOCK_NAME],
						CCFC_NAME_MAX));
}

bool ccfc_find_call(struct ccfc_parser *parser, struct ccfc_found_call *out,
		    struct ccfc_slice line, struct ccfc_slice id)
{
	const struct ccfc_tool *tool = ccfc_find_tool(parser, out, line, id);

	return tool &&
	       ccfc_edit_texts_input(&out->texts, parser, tool, out->input);
}

const struct ccfc_tool *ccfc_find_command(struct ccfc_parser *parser,
					  struct ccfc_found_call *out,
					  struct ccfc_slice line,
					  struct ccfc_slice id)
{
	const struct ccfc_tool *tool = ccfc_find_tool(parser, out, line, id);

	return tool && (tool->shape == CCFC_TOOL_SHELL ||
			tool->shape == CCFC_TOOL_SHELL_OTHER)
		       ? tool
		       : NULL;
}

bool ccfc_find_result(struct ccfc_parser *parser, struct ccfc_found_result *out,
		      struct ccfc_slice line, struct ccfc_slice id)
{
	uint32_t fields[CCFC_FIELD_COUNT];
	uint32_t block[CCFC_BLOCK_COUNT];
	struct ccfc_slice uuid;
	bool found;
	uint32_t n;

	memset(out, 0, sizeof(*out));
	if (!ccfc_parser_open(parser, line, fields) ||
	    ccfc_parser_kind(parser, fields) != CCFC_RECORD_USER)
		return false;
	uuid = ccfc_parser_name(parser, fields[CCFC_FIELD_UUID], CCFC_NAME_MAX);
	found = find_block(parser, fields, "tool_result", CCFC_BLOCK_CALL_ID,
			   id, block, &n);
	if (found)
		out->created = ccfc_result_created(parser, block);
	else if (n > 1 || !ccfc_slice_eq(uuid, id))
		return false;
	out->version = fields[CCFC_FIELD_VERSION];
	out->cwd = fields[CCFC_FIELD_CWD];
	out->alone = n <= 1;
	if (out->alone)
		ccfc_detail_read(&out->detail, parser,
				 fields[CCFC_FIELD_RESULT]);
	if (out->detail.tool)
		out->result = fields[CCFC_FIELD_RESULT];
	return true;
}
