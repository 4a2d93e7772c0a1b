/*
 * The tools that read files, and the keys of their paths. This table only
 * matters for listings, so it is short and fixed, unlike the table of write
 * tools.
 */
#include "base/alloc.h"
#include "transcript/edit_texts.h"
#include "transcript/word_pattern.h"

#define PATHS "file_path|path|relative_path"

static const struct {
	const char *pattern;
	const char *path_key; /* of a string or an array of strings */
} lookers[] = {
	{ "Read", "file_path" },
	{ "NotebookRead", "notebook_path" },
	{ "View", "file_path" },
	{ "read_file", PATHS },
	{ "mcp__*__read_file", PATHS },
	{ "mcp__*__read_text_file", PATHS },
	{ "mcp__*__read_media_file", PATHS },
	{ "mcp__*__read_multiple_files", "paths" },
	{ "mcp__*__get_file_text_by_path", "pathInProject" },
	{ "mcp__acp__Read", PATHS },
	{ "mcp__acp__read", PATHS },
};

static const char *path_key_of(struct ccfc_slice tool)
{
	for (size_t i = 0; i < sizeof(lookers) / sizeof(*lookers); i++)
		if (tool.len && *tool.ptr == *lookers[i].pattern &&
		    ccfc_pattern_match(lookers[i].pattern, tool))
			return lookers[i].path_key;
	return NULL;
}

static void add_read(struct ccfc_parser *parser, struct ccfc_call *call,
		     uint32_t tok)
{
	call->reads = true;
	call->path = ccfc_parser_name(parser, tok, CCFC_PATH_MAX);
	CCFC_VEC_PUSH(parser->calls, *call);
}

/* Adds one call for each file; false if there is none. */
static bool add_looks(struct ccfc_parser *parser, struct ccfc_call *call,
		      uint32_t list)
{
	uint32_t first = parser->calls.n;
	uint32_t at = ccfc_json_child(&parser->json, list);

	for (; at && call->part < CCFC_PARTS_MAX; call->part++) {
		add_read(parser, call, at);
		at = ccfc_json_next(&parser->json, at);
	}
	for (uint32_t i = first; i < parser->calls.n; i++)
		parser->calls.items[i].nparts = call->part;
	return call->part > 0;
}

bool ccfc_read_tool_call(struct ccfc_parser *parser, struct ccfc_call *call,
			 uint32_t input)
{
	const struct ccfc_json *json = &parser->json;
	const char *path_key = path_key_of(call->tool);
	uint32_t key;

	if (!path_key || !ccfc_json_is_object(json, input))
		return false;
	for (key = ccfc_json_child(json, input); key;
	     key = ccfc_json_next(json, key + 2)) {
		if (!ccfc_pattern_lists(path_key, ccfc_json_key(json, key)))
			continue;
		if (ccfc_json_is_array(json, key + 2))
			return add_looks(parser, call, key + 2);
		add_read(parser, call, key + 2);
		return true;
	}
	return false;
}

bool ccfc_look_view(struct ccfc_parser *parser, struct ccfc_call *call,
		    const struct ccfc_edit_texts *texts)
{
	if (texts->shape != CCFC_TOOL_COMMAND ||
	    !ccfc_slice_is(ccfc_json_string(&parser->json, texts->mode),
			   "view"))
		return false;
	add_read(parser, call, texts->path);
	return true;
}
