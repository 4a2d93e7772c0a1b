/*
 * Results: how a tool_result block and toolUseResult together tell the state
 * of a call, and which shapes of toolUseResult are writes.
 */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What a user record with one tool_result block for "t" says of it. */
static void check_result(struct ccfc_parser *parser, const char *block,
			 const char *record_fields, const char *facts)
{
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_record record;
	char *copy;

	ccfc_buf_printf(&line,
			"{%s`uuid`:`u`,`message`:{`content`:[{%s"
			"`type`:`tool_result`,`tool_use_id`:`t`}]},"
			"`type`:`user`}",
			record_fields, block);
	copy = quoted(line.ptr);
	ccfc_record_parse(parser, &record, ccfc_slice(copy, line.len));
	put_facts(&buf, &record);
	assert_memory_equal(buf.ptr, "user uuid=u; result t ", 22);
	if (strcmp(buf.ptr + 22, facts))
		print_error("%s %s\n", block, record_fields);
	assert_string_equal(buf.ptr + 22, facts);
	free(copy);
	ccfc_buf_release(&buf);
	ccfc_buf_release(&line);
}

static void test_error_texts(void **state)
{
	static const struct {
		const char *text;
		const char *state;
	} rows[] = {
		{ "String to replace not found in file.\\nString: x",
		  "failed" },
		{ "<tool_use_error>File has not been read "
		  "yet.</tool_use_error>",
		  "failed" },
		{ "InputValidationError: Write failed", "failed" },
		{ "<tool_use_error>Sibling tool call errored</tool_use_error>",
		  "failed" },
		{ "no, says the host", "failed" },
		{ "", "failed" },
		{ "The user doesn't want to proceed with this tool use. The "
		  "tool use was rejected (eg. if it was a file edit, …)",
		  "denied" },
		{ "User rejected tool use", "denied" },
		{ "Claude requested permissions to write to /a/b.c, but you "
		  "haven't granted it yet.",
		  "denied" },
		{ "Claude requested permissions to use Edit, but you haven't "
		  "granted it yet.",
		  "denied" },
		{ "Permission to use Write has been denied.", "denied" },
		{ "Permission to use Edit has been auto-denied (prompts "
		  "unavailable).",
		  "denied" },
		{ "<tool_use_error>File is in a directory that is denied by "
		  "your permission settings.</tool_use_error>",
		  "denied" },
		{ "PreToolUse:Write hook error: [/h.sh]: no\\n", "denied" },
		{ "Write operation blocked by hook:\\n- [/h.sh]: no",
		  "denied" },
		{ "Cannot write to /p/app.py while in plan mode.", "denied" },
		{ "[Request interrupted by user for tool use]", "interrupted" },
		{ "Exit code 137\\n[Request interrupted by user for tool use]",
		  "interrupted" },
		{ "The user doesn't want to take this action right now. STOP",
		  "interrupted" },
		{ "Streaming fallback triggered", "interrupted" },
		{ "Error: The session ended before this tool finished",
		  "interrupted" },
		/* What a file says is no verdict. */
		{ "String to replace not found in file.\\nString: "
		  "[Request interrupted by user]",
		  "failed" },
		{ "String to replace not found in file.\\nString: the session "
		  "ended before",
		  "failed" },
		{ "String to replace not found in file.\\nString: \\nUser "
		  "rejected tool use",
		  "failed" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf block = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ccfc_buf_clear(&block);
		ccfc_buf_printf(&block, "`content`:`%s`,`is_error`:true,",
				rows[i].text);
		check_result(parser, block.ptr, "", rows[i].state);
		/* The same as a list of texts, and wrapped as an error. */
		ccfc_buf_clear(&block);
		ccfc_buf_printf(&block,
				"`is_error`:true,`content`:[{`type`:`text`,"
				"`text`:`Error: %s`}],",
				rows[i].text);
		check_result(parser, block.ptr, "", rows[i].state);
	}
	ccfc_buf_release(&block);
	ccfc_parser_free(parser);
}

static void test_states(void **state)
{
	static const struct {
		const char *block;
		const char *record;
		const char *facts;
	} rows[] = {
		/* No toolUseResult at all: agent files. */
		{ "`content`:`ok`,", "", "applied" },
		{ "`content`:`ok`,`is_error`:false,", "", "applied" },
		{ "", "", "applied" },
		{ "`content`:`File created successfully at: /a`,", "",
		  "applied created" },
		{ "`content`:`File created successfully at: /a`,"
		  "`is_error`:true,",
		  "", "failed" },
		{ "`content`:`x`,`is_error`:true,",
		  "`toolDenialKind`:`user-rejected`,", "denied" },
		{ "`content`:`x`,`is_error`:true,",
		  "`toolDenialKind`:`automode-blocked`,", "denied" },
		{ "`content`:`[Request interrupted by user for tool use]`,"
		  "`is_error`:true,",
		  "`toolDenialKind`:`user-rejected`,", "interrupted" },
		{ "`content`:`x`,`is_error`:true,",
		  "`toolUseResult`:`User rejected tool use`,", "denied" },
		{ "`content`:`x`,`is_error`:true,",
		  "`toolUseResult`:`Error: x`,", "failed" },
		{ "`content`:`x`,", "`toolUseResult`:`Error: x`,", "failed" },
		{ "`content`:`x`,", "`toolUseResult`:`User rejected write`,",
		  "denied" },
		{ "`content`:`x`,", "`toolUseResult`:`- a\\n- b`,", "applied" },
		{ "`content`:`x`,", "`toolUseResult`:[{`type`:`text`}],",
		  "applied" },
		{ "",
		  "`toolUseResult`:{`staged`:true,`type`:`update`,"
		  "`filePath`:`/a`,`content`:``,`structuredPatch`:[]},",
		  "staged Write /a +0 -0" },
		{ "`is_error`:true,",
		  "`toolUseResult`:{`type`:`update`,`filePath`:`/a`,"
		  "`structuredPatch`:[]},",
		  "failed Write /a +0 -0" },
		{ "",
		  "`toolUseResult`:{`new_source`:`x`,`cell_type`:`code`,"
		  "`edit_mode`:`replace`,`error`:`no such cell`},",
		  "failed NotebookEdit (none) +1 -?" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_result(parser, rows[i].block, rows[i].record,
			     rows[i].facts);
	ccfc_parser_free(parser);
}

#define HUNKS                                                                  \
	"[{`oldStart`:1,`lines`:[` a`,`-b`,`+c`,`+`,`\\\\ No newline`]},"      \
	"{`lines`:[`--x`,`++y`,7,``]}]"

static void test_details(void **state)
{
	static const struct {
		const char *detail;
		const char *facts;
	} rows[] = {
		{ "{`filePath`:`/a`,`oldString`:`b`,`newString`:`c`,"
		  "`originalFile`:null,`structuredPatch`:" HUNKS "}",
		  "Edit /a +3 -2" },
		{ "{`structuredPatch`:[],`newString`:`c`,`oldString`:`b`,"
		  "`filePath`:`a`}",
		  "Edit a +0 -0" },
		{ "{`filePath`:`/a`,`oldString`:`b`,`newString`:`b\\nc`}",
		  "Edit /a +1 -0" },
		{ "{`type`:`edit`,`filePath`:`/a`,`oldString`:`b`,"
		  "`newString`:`c`,`structuredPatch`:`@@ -1 +1 @@`}",
		  "Edit /a +1 -1" },
		{ "{`filePath`:`/a`,`oldString`:`b`,`newString`:`c`,"
		  "`replaceAll`:true}",
		  "Edit /a +? -?" },
		{ "{`type`:`create`,`filePath`:`/a`,`content`:`x\\ny\\n`,"
		  "`structuredPatch`:[]}",
		  "created Write /a +2 -0" },
		{ "{`type`:`update`,`filePath`:`/a`,`content`:`x`,"
		  "`structuredPatch`:" HUNKS "}",
		  "Write /a +3 -2" },
		{ "{`type`:`update`,`filePath`:`/a`,`content`:`x`}",
		  "Write /a +1 -?" },
		{ "{`filePath`:`/a`,`edits`:[{`old_string`:`a`,"
		  "`new_string`:`b`}],`originalFileContents`:`a`,"
		  "`structuredPatch`:" HUNKS "}",
		  "MultiEdit /a +3 -2" },
		{ "{`filePath`:`/a`,`edits`:[{`old_string`:`a`,"
		  "`new_string`:`b`}]}",
		  "MultiEdit /a +1 -1" },
		{ "{`filePath`:`/a`,`structuredPatch`:" HUNKS "}",
		  "Edit /a +3 -2" },
		{ "{`new_source`:`a\\nb`,`cell_type`:`code`,"
		  "`edit_mode`:`insert`,`error`:``}",
		  "NotebookEdit (none) +2 -0" },
		{ "{`new_source`:`a\\nb`,`old_source`:`a`,"
		  "`notebook_path`:`/n`,`edit_mode`:`replace`}",
		  "NotebookEdit /n +1 -0" },
		{ "{`new_source`:``,`old_source`:`a\\nb`,"
		  "`notebook_path`:`/n`,`edit_mode`:`delete`}",
		  "NotebookEdit /n +0 -2" },
		/* Not writes. */
		{ "{`type`:`text`,`file`:{`filePath`:`/a`,`content`:`x`}}",
		  "" },
		{ "{`plan`:`x`,`isAgent`:false,`filePath`:`/p.md`}", "" },
		{ "{`operation`:`hover`,`result`:`x`,`filePath`:`/a`}", "" },
		{ "{`stdout`:``,`stderr`:``,`interrupted`:false}", "" },
		{ "{`content`:[],`totalDurationMs`:1,`agentId`:`a`}", "" },
		{ "{`filePath`:``,`oldString`:`a`,`newString`:`b`}", "" },
		{ "{`filePath`:7,`oldString`:`a`,`newString`:`b`}", "" },
		{ "{}", "" },
		{ "null", "" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf field = CCFC_BUF_INIT;
	struct ccfc_buf facts = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ccfc_buf_clear(&field);
		ccfc_buf_printf(&field, "`toolUseResult`:%s,", rows[i].detail);
		ccfc_buf_clear(&facts);
		ccfc_buf_printf(&facts, "applied%s%s",
				*rows[i].facts ? " " : "", rows[i].facts);
		check_result(parser, "", field.ptr, facts.ptr);
	}
	ccfc_buf_release(&field);
	ccfc_buf_release(&facts);
	ccfc_parser_free(parser);
}

/* Records without a block, with several, and that are one themselves. */
static void test_blocks(void **state)
{
	static const char *const lines[][2] = {
		{ "{`uuid`:`u`,`type`:`user`,`toolUseResult`:{"
		  "`filePath`:`/a`,`structuredPatch`:`@@ -1 +1 @@`,"
		  "`oldString`:`a`,`newString`:`b`}}",
		  "user uuid=u; result u applied Edit /a +1 -1" },
		{ "{`uuid`:`u`,`type`:`user`,`toolUseResult`:{"
		  "`type`:`create`,`filePath`:`/a`,`content`:`x\\n`}}",
		  "user uuid=u; result u applied created Write /a +1 -0" },
		{ "{`type`:`user`,`toolUseResult`:{`filePath`:`/a`,"
		  "`oldString`:`a`,`newString`:`b`}}",
		  "user" },
		{ "{`uuid`:`u`,`type`:`user`,`toolUseResult`:{`stdout`:``}}",
		  "user uuid=u" },
		{ "{`uuid`:`u`,`type`:`user`,`toolUseResult`:`Error: x`}",
		  "user uuid=u" },
		{ "{`uuid`:`u`,`type`:`user`,`message`:{`content`:["
		  "{`type`:`tool_result`,`content`:`ok`}]},`toolUseResult`:"
		  "{`filePath`:`/a`,`oldString`:`a`,`newString`:`b`}}",
		  "user uuid=u; result u applied Edit /a +1 -1" },
		/* Whose toolUseResult is it? Nobody's. */
		{ "{`type`:`user`,`message`:{`content`:["
		  "{`type`:`tool_result`,`tool_use_id`:`a`},"
		  "{`type`:`tool_result`,`tool_use_id`:`b`,"
		  "`is_error`:true}]},`toolUseResult`:"
		  "{`filePath`:`/a`,`oldString`:`a`,`newString`:`b`}}",
		  "user; result a applied; result b failed" },
		{ "{`type`:`tool_result`,`tool_use_id`:`a`,"
		  "`is_error`:true,`content`:`x`}",
		  "user; result a failed" },
		{ "{`type`:`assistant`,`uuid`:`u`,`toolUseResult`:"
		  "{`filePath`:`/a`,`oldString`:`a`,`newString`:`b`}}",
		  "assistant uuid=u" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char *line = quoted(lines[i][0]);
		struct ccfc_record record;

		ccfc_record_parse(parser, &record,
				  ccfc_slice(line, strlen(lines[i][0])));
		put_facts(&buf, &record);
		assert_string_equal(buf.ptr, lines[i][1]);
		free(line);
	}
	ccfc_buf_release(&buf);
	ccfc_parser_free(parser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_texts),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
