/* The table of write tools: patterns, whose row wins, users' rows. */
#include "transcript/tools.h"
#include "transcript/word_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_patterns(void **state)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool match;
	} rows[] = {
		{ "Edit", "Edit", true },
		{ "Edit", "Edits", false },
		{ "Edit", "Edi", false },
		{ "", "", true },
		{ "", "x", false },
		{ "*", "", true },
		{ "*", "anything", true },
		{ "?", "", false },
		{ "E?it", "Exit", true },
		{ "mcp__*__write_file", "mcp__fs__write_file", true },
		{ "mcp__*__write_file", "mcp__a__b__write_file", true },
		{ "mcp__*__write_file", "mcp__write_file", false },
		{ "*a*b", "xaxbxb", true },
		{ "*a*b", "xaxbxbx", false },
		{ "a**b", "ab", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(
			ccfc_pattern_match(rows[i].pattern,
					   ccfc_slice_str(rows[i].text)),
			rows[i].match);
}

static void test_lists(void **state)
{
	static const struct {
		const char *list;
		const char *word;
		bool there;
	} rows[] = {
		{ "path", "path", true },	 { "path|file", "file", true },
		{ "path|file", "path", true },	 { "path|file", "pat", false },
		{ "path|file", "fi", false },	 { "path|file", "", false },
		{ "path|file", "path|", false }, { NULL, "x", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(
			ccfc_pattern_lists(rows[i].list,
					   ccfc_slice_str(rows[i].word)),
			rows[i].there);
}

static void test_built_in(void **state)
{
	static const struct {
		const char *name;
		int shape; /* -1: not in the table */
	} rows[] = {
		{ "Edit", CCFC_TOOL_EDIT },
		{ "Write", CCFC_TOOL_WRITE },
		{ "MultiEdit", CCFC_TOOL_MULTI },
		{ "NotebookEdit", CCFC_TOOL_NOTEBOOK },
		{ "mcp__filesystem__edit_file", CCFC_TOOL_MULTI },
		{ "mcp__x__create_file", CCFC_TOOL_WRITE },
		{ "str_replace_editor", CCFC_TOOL_COMMAND },
		{ "mcp__serena__replace_regex", CCFC_TOOL_OPAQUE },
		{ "Read", -1 },
		{ "NotebookRead", -1 },
		{ "TodoWrite", -1 },
		{ "Bash", CCFC_TOOL_SHELL },
		{ "mcp__desktop__start_process", CCFC_TOOL_SHELL },
		{ "PowerShell", CCFC_TOOL_SHELL_OTHER },
		{ "BashOutput", -1 },
		{ "", -1 },
	};
	struct ccfc_tools tools;

	(void)state;
	ccfc_tools_init(&tools);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct ccfc_tool *tool =
			ccfc_tools_find(&tools, ccfc_slice_str(rows[i].name));

		assert_int_equal(tool ? (int)tool->shape : -1, rows[i].shape);
	}
	ccfc_tools_release(&tools);
}

static void test_users_rows(void **state)
{
	struct ccfc_tools tools;
	const struct ccfc_tool *tool;

	(void)state;
	ccfc_tools_init(&tools);
	ccfc_tools_add(&tools, "mcp__my__*", "where", NULL, NULL);
	ccfc_tools_add(&tools, "mcp__my__put", "p", "new", NULL);
	ccfc_tools_add(&tools, "Edit", "p", "new", "old");
	tool = ccfc_tools_find(&tools, CCFC_SLICE_LIT("mcp__my__do"));
	assert_int_equal(tool->shape, CCFC_TOOL_OPAQUE);
	assert_string_equal(tool->path_key, "where");
	assert_null(tool->new_key);
	tool = ccfc_tools_find(&tools, CCFC_SLICE_LIT("mcp__my__put"));
	assert_int_equal(tool->shape, CCFC_TOOL_WRITE);
	tool = ccfc_tools_find(&tools, CCFC_SLICE_LIT("Edit"));
	assert_int_equal(tool->shape, CCFC_TOOL_EDIT);
	assert_string_equal(tool->old_key, "old");
	ccfc_tools_release(&tools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_users_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
