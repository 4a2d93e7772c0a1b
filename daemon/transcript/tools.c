/*
 * The table of write tools. The client's own tools come first, then tools of
 * MCP servers and of other hosts of the client. Rows are searched from the last
 * one, so a user's row wins over a built-in row.
 */
#include "transcript/tools.h"

#include "base/alloc.h"
#include "transcript/word_pattern.h"

#include <stdlib.h>

#define PATHS	 "path|file_path|filePath|target_filepath|target_file|abs_path"
#define OLDS	 "old_string|old_str|old_text|oldText"
#define NEWS	 "new_string|new_str|new_text|newText"
#define TEXTS	 "content|contents|file_text|text"
#define COMMANDS "command|cmd"

static const struct {
	const char *pattern;
	const char *path_key;
	const char *new_key;
	const char *old_key;
	enum ccfc_tool_shape shape;
} built_in[] = {
	{ "create_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "write_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "write_to_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "edit_file", PATHS, NEWS, OLDS, CCFC_TOOL_MULTI },
	{ "Create", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "EditFile", PATHS, NEWS, OLDS, CCFC_TOOL_EDIT },
	{ "str_replace_editor", "path", NEWS "|file_text|insert_text", OLDS,
	  CCFC_TOOL_COMMAND },
	{ "str_replace_based_edit_tool", "path", NEWS "|file_text|insert_text",
	  OLDS, CCFC_TOOL_COMMAND },
	{ "mcp__*__write_to_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "mcp__*__write_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "mcp__*__create_file", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "mcp__*__edit_file", PATHS, NEWS, OLDS, CCFC_TOOL_MULTI },
	{ "mcp__acp__Write", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "mcp__acp__write", PATHS, TEXTS, NULL, CCFC_TOOL_WRITE },
	{ "mcp__acp__Edit", PATHS, NEWS, OLDS, CCFC_TOOL_EDIT },
	{ "mcp__acp__edit", PATHS, NEWS, OLDS, CCFC_TOOL_EDIT },
	{ "mcp__acp__MultiEdit", PATHS, NEWS, OLDS, CCFC_TOOL_MULTI },
	{ "mcp__*__create_new_file", "pathInProject", TEXTS, NULL,
	  CCFC_TOOL_WRITE },
	{ "mcp__*__replace_text_in_file", "pathInProject", NEWS, OLDS,
	  CCFC_TOOL_EDIT },
	{ "mcp__*__create_text_file", "relative_path", TEXTS, NULL,
	  CCFC_TOOL_WRITE },
	{ "mcp__*__replace_regex", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__replace_content", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__replace_lines", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__delete_lines", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__replace_symbol_body", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__insert_at_line", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__insert_*_symbol", "relative_path", NULL, NULL,
	  CCFC_TOOL_OPAQUE },
	{ "mcp__*__execute_command", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "mcp__*__execute_shell_command", COMMANDS, NULL, NULL,
	  CCFC_TOOL_SHELL },
	{ "mcp__*__run_command", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "mcp__*__start_process", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "mcp__acp__Bash", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "mcp__acp__bash", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "PowerShell", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL_OTHER },
	{ "Bash", COMMANDS, NULL, NULL, CCFC_TOOL_SHELL },
	{ "NotebookEdit", "notebook_path", "new_source", "old_source",
	  CCFC_TOOL_NOTEBOOK },
	{ "MultiEdit", "file_path", NEWS, OLDS, CCFC_TOOL_MULTI },
	{ "Write", "file_path", "content", NULL, CCFC_TOOL_WRITE },
	{ "Edit", "file_path", "new_string", "old_string", CCFC_TOOL_EDIT },
};

static char *copy_string(const char *s)
{
	return s ? ccfc_strdup(s) : NULL;
}

static void add_tool(struct ccfc_tools *tools, const char *pattern,
		     const char *path_key, const char *new_key,
		     const char *old_key, enum ccfc_tool_shape shape)
{
	struct ccfc_tool tool = {
		.pattern = copy_string(pattern),
		.path_key = copy_string(path_key),
		.new_key = copy_string(new_key),
		.old_key = copy_string(old_key),
		.shape = shape,
	};

	CCFC_VEC_PUSH(*tools, tool);
}

void ccfc_tools_init(struct ccfc_tools *tools)
{
	memset(tools, 0, sizeof(*tools));
	for (size_t i = 0; i < sizeof(built_in) / sizeof(*built_in); i++)
		add_tool(tools, built_in[i].pattern, built_in[i].path_key,
			 built_in[i].new_key, built_in[i].old_key,
			 built_in[i].shape);
}

void ccfc_tools_release(struct ccfc_tools *tools)
{
	for (uint32_t i = 0; i < tools->n; i++) {
		free(tools->items[i].pattern);
		free(tools->items[i].path_key);
		free(tools->items[i].new_key);
		free(tools->items[i].old_key);
	}
	free(tools->items);
	memset(tools, 0, sizeof(*tools));
}

void ccfc_tools_add(struct ccfc_tools *tools, const char *pattern,
		    const char *path_key, const char *new_key,
		    const char *old_key)
{
	enum ccfc_tool_shape shape = CCFC_TOOL_OPAQUE;

	if (new_key)
		shape = old_key ? CCFC_TOOL_EDIT : CCFC_TOOL_WRITE;
	add_tool(tools, pattern, path_key, new_key, old_key, shape);
}

/* Most rows differ in the first byte, so the matcher is not called. */
static bool may_match(const char *pattern, struct ccfc_slice name)
{
	return *pattern == '*' || *pattern == '?' || *pattern == *name.ptr;
}

const struct ccfc_tool *ccfc_tools_find(const struct ccfc_tools *tools,
					struct ccfc_slice name)
{
	for (uint32_t i = tools->n; name.len && i-- > 0;)
		if (may_match(tools->items[i].pattern, name) &&
		    ccfc_pattern_match(tools->items[i].pattern, name))
			return &tools->items[i];
	return NULL;
}
