/*
 * Calls: what each write tool's input says of its file and its lines. The
 * rows are the content of an assistant record's only tool_use block.
 */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
	const char *block; /* without its type and id */
	const char *facts; /* behind "assistant; call t " */
};

static void check_call(struct ccfc_parser *parser, const struct row *row)
{
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_record record;
	char *copy;

	ccfc_buf_printf(&line,
			"{`message`:{`content`:[{%s,`id`:`t`,"
			"`type`:`tool_use`}]},`type`:`assistant`}",
			row->block);
	copy = quoted(line.ptr);
	ccfc_record_parse(parser, &record, ccfc_slice(copy, line.len));
	put_facts(&buf, &record);
	assert_memory_equal(buf.ptr, "assistant; call t ", 18);
	if (strcmp(buf.ptr + 18, row->facts))
		print_error("block: %s\n", row->block);
	assert_string_equal(buf.ptr + 18, row->facts);
	free(copy);
	ccfc_buf_release(&buf);
	ccfc_buf_release(&line);
}

static void check_calls(const struct row *rows, size_t n)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	for (size_t i = 0; i < n; i++)
		check_call(parser, &rows[i]);
	ccfc_parser_free(parser);
}

#define CHECK_CALLS(rows) check_calls(rows, sizeof(rows) / sizeof(*(rows)))

static void test_client_tools(void **state)
{
	static const struct row rows[] = {
		{ "`name`:`Read`,`input`:{`file_path`:`/a`}", "Read" },
		{ "`input`:{`command`:`rm x`},`name`:`Bash`", "Bash [rm x]" },
		{ "`name`:`Edit`,`input`:{`file_path`:`/a.c`,"
		  "`old_string`:`x\\ny\\n`,`new_string`:`x\\nz\\nw\\n`,"
		  "`replace_all`:false}",
		  "Edit /a.c +2 -1" },
		{ "`input`:{`new_string`:``,`old_string`:`x\\ny`,"
		  "`file_path`:`a b/\\u00e9.c`},`name`:`Edit`",
		  "Edit a b/\xc3\xa9.c +0 -2" },
		{ "`name`:`Edit`,`input`:{`file_path`:`/a`,`old_string`:`x`,"
		  "`new_string`:`y`,`replace_all`:true}",
		  "Edit /a +? -?" },
		{ "`name`:`Edit`,`input`:{`file_path`:`/a`,`old_string`:`x`,"
		  "`new_string`:`y`,`expected_replacements`:2}",
		  "Edit /a +? -?" },
		{ "`name`:`Edit`,`input`:{`file_path`:`/a`,`old_string`:`x`,"
		  "`new_string`:`y`,`expected_replacements`:1}",
		  "Edit /a +1 -1" },
		{ "`name`:`Edit`,`input`:{`file_path`:`/a`,`old_string`:``,"
		  "`new_string`:`y\\n`}",
		  "Edit /a +1 -0" },
		{ "`name`:`Write`,`input`:{`file_path`:`/a`,"
		  "`content`:`a\\nb\\\\n\\u000ac`}",
		  "Write /a +3 -?" },
		{ "`name`:`Write`,`input`:{`file_path`:`/a`,`content`:``}",
		  "Write /a +0 -?" },
		/* Not what the schema says: the call is there all the same. */
		{ "`name`:`Write`,`input`:{`file_path`:`/a`}",
		  "Write /a +? -?" },
		{ "`name`:`Write`,`input`:`{\\`file_path`",
		  "Write (none) +? -?" },
		{ "`name`:`Write`", "Write (none) +? -?" },
		{ "`name`:`Write`,`input`:{`file_path`:7,`content`:[]}",
		  "Write (none) +? -?" },
		{ "`name`:`Write`,`input`:{`file_path`:`a\\u0000b`}",
		  "Write (none) +? -?" },
		{ "`name`:`write`,`input`:{`file_path`:`/a`}", "write" },
		{ "`name`:5", "(none)" },
		{ "`name`:`NotebookEdit`,`input`:{`notebook_path`:`/n`,"
		  "`new_source`:`a\\nb`,`edit_mode`:`insert`}",
		  "NotebookEdit /n +2 -0" },
		{ "`name`:`NotebookEdit`,`input`:{`notebook_path`:`/n`,"
		  "`new_source`:``,`edit_mode`:`delete`}",
		  "NotebookEdit /n +0 -?" },
		{ "`name`:`NotebookEdit`,`input`:{`notebook_path`:`/n`,"
		  "`new_source`:`a`,`cell_id`:`c`}",
		  "NotebookEdit /n +1 -?" },
	};

	(void)state;
	CHECK_CALLS(rows);
}

static void test_multi_edit(void **state)
{
	static const struct row rows[] = {
		{ "`name`:`MultiEdit`,`input`:{`file_path`:`/a`,`edits`:["
		  "{`old_string`:`a`,`new_string`:`b\\nc`},"
		  "{`old_string`:`d\\ne`,`new_string`:``}]}",
		  "MultiEdit /a +2 -3" },
		{ "`name`:`MultiEdit`,`input`:{`file_path`:`/a`,`edits`:["
		  "{`old_string`:`a`,`new_string`:`b`},{`old_string`:`d`,"
		  "`new_string`:`e`,`replace_all`:true}]}",
		  "MultiEdit /a +? -?" },
		{ "`name`:`MultiEdit`,`input`:{`file_path`:`/a`,`edits`:[]}",
		  "MultiEdit /a +0 -0" },
		{ "`name`:`MultiEdit`,`input`:{`file_path`:`/a`,"
		  "`edits`:`broken`}",
		  "MultiEdit /a +? -?" },
		/* A file in each edit: a call for each file. */
		{ "`name`:`MultiEdit`,`input`:{`edits`:["
		  "{`file_path`:`/a`,`old_string`:`a`,`new_string`:`b`},"
		  "{`file_path`:`/b`,`old_string`:`a`,`new_string`:``},"
		  "{`old_string`:`lost`,`new_string`:`x`},"
		  "{`file_path`:`/a`,`old_string`:``,`new_string`:`c`}]}",
		  "MultiEdit /a 0/2 +2 -1; call t MultiEdit /b 1/2 +0 -1" },
		{ "`name`:`MultiEdit`,`input`:{`edits`:["
		  "{`file_path`:`/a`,`old_string`:`a`,`new_string`:`b`}]}",
		  "MultiEdit /a +1 -1" },
		{ "`name`:`MultiEdit`,`input`:{`edits`:[{},7,[]]}",
		  "MultiEdit (none) +? -?" },
	};

	(void)state;
	CHECK_CALLS(rows);
}

static void test_foreign_tools(void **state)
{
	static const struct row rows[] = {
		{ "`name`:`mcp__fs__write_file`,`input`:{`path`:`/a`,"
		  "`content`:`x`}",
		  "mcp__fs__write_file /a +1 -?" },
		{ "`name`:`mcp__fs__edit_file`,`input`:{`path`:`/a`,`edits`:"
		  "[{`oldText`:`a`,`newText`:`a\\nb`}]}",
		  "mcp__fs__edit_file /a +1 -0" },
		{ "`name`:`mcp__fs__edit_file`,`input`:{`path`:`/a`,`edits`:"
		  "[{`oldText`:`a`,`newText`:`b`}],`dryRun`:true}",
		  "mcp__fs__edit_file" },
		{ "`name`:`mcp__morph__edit_file`,`input`:{"
		  "`target_filepath`:`/a`,`code_edit`:`...`}",
		  "mcp__morph__edit_file /a +? -?" },
		{ "`name`:`mcp__acp__Edit`,`input`:{`file_path`:`/a`,"
		  "`old_string`:`a`,`new_string`:`b`}",
		  "mcp__acp__Edit /a +1 -1" },
		{ "`name`:`mcp__serena__replace_symbol_body`,`input`:{"
		  "`relative_path`:`a.c`,`body`:`x`}",
		  "mcp__serena__replace_symbol_body a.c +? -?" },
		{ "`name`:`mcp__serena__insert_after_symbol`,`input`:{"
		  "`relative_path`:`a.c`,`body`:`x`}",
		  "mcp__serena__insert_after_symbol a.c +? -?" },
		{ "`name`:`mcp__fs__read_file`,`input`:{`path`:`/a`}",
		  "mcp__fs__read_file" },
		{ "`name`:`str_replace_editor`,`input`:{`command`:`view`,"
		  "`path`:`/a`}",
		  "str_replace_editor" },
		{ "`name`:`str_replace_editor`,`input`:{`path`:`/a`,"
		  "`file_text`:`a\\nb`,`command`:`create`}",
		  "str_replace_editor /a +2 -?" },
		{ "`name`:`str_replace_based_edit_tool`,`input`:{`path`:`/a`,"
		  "`old_str`:`a`,`new_str`:`b`,`command`:`str_replace`}",
		  "str_replace_based_edit_tool /a +1 -1" },
		{ "`name`:`str_replace_based_edit_tool`,`input`:{`path`:`/a`,"
		  "`insert_line`:1,`new_str`:`b`,`command`:`insert`}",
		  "str_replace_based_edit_tool /a +1 -0" },
		{ "`name`:`EditFile`,`input`:{`path`:`/a`,`old_string`:`a`,"
		  "`new_string`:`b`}",
		  "EditFile /a +1 -1" },
	};

	(void)state;
	CHECK_CALLS(rows);
}

/* A record may hold several calls, and may itself be one. */
static void test_blocks(void **state)
{
	static const char *const lines[][2] = {
		{ "{`type`:`assistant`,`message`:{`content`:[{`type`:`text`,"
		  "`text`:`x`},{`type`:`tool_use`,`id`:`a`,`name`:`Read`},"
		  "{`type`:`tool_use`,`name`:`Write`},7,"
		  "{`type`:`tool_use`,`id`:`b`,`name`:`Glob`}]}}",
		  "assistant; call a Read; call b Glob" },
		{ "{`type`:`assistant`,`message`:{`content`:`text`}}",
		  "assistant" },
		{ "{`type`:`tool_use`,`id`:`a`,`name`:`Write`,"
		  "`input`:{`file_path`:`/a`,`content`:`x`}}",
		  "assistant; call a Write /a +1 -?" },
		{ "{`role`:`assistant`,`content`:[{`type`:`tool_use`,"
		  "`id`:`a`,`name`:`Read`}]}",
		  "assistant; call a Read" },
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

/* Sizes from outside are capped: beyond them a name counts as missing. */
static void test_caps(void **state)
{
	static const struct {
		const char *before;
		size_t len;
		const char *after;
		bool there;
	} rows[] = {
		{ "`id`:`", 256, "`,`name`:`Read`", true },
		{ "`id`:`", 257, "`,`name`:`Read`", false },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf line = CCFC_BUF_INIT;
		struct ccfc_record record;
		char *copy;

		ccfc_buf_printf(&line,
				"{`type`:`assistant`,`message`:"
				"{`content`:[{`type`:`tool_use`,%s",
				rows[i].before);
		memset(ccfc_buf_reserve(&line, rows[i].len), 'x', rows[i].len);
		line.len += rows[i].len;
		ccfc_buf_printf(&line, "%s}]}}", rows[i].after);
		copy = quoted(line.ptr);
		ccfc_record_parse(parser, &record, ccfc_slice(copy, line.len));
		assert_int_equal(record.kind, CCFC_RECORD_ASSISTANT);
		assert_int_equal(record.ncalls, rows[i].there);
		free(copy);
		ccfc_buf_release(&line);
	}
	ccfc_parser_free(parser);
}

/*
 * So many and so large edits that not all can be compared: the first are, the
 * others count as rewritten, and the next record starts afresh.
 */
static void test_costly_edits(void **state)
{
	enum { LINES = 2000, EDITS = 12 }; /* 8 of which are compared */
	struct ccfc_buf block = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	struct row row = { NULL, "MultiEdit /m +8020 -8020" };
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (int i = 0; i < LINES; i++)
		ccfc_buf_puts(&text, "\\n");
	ccfc_buf_puts(&block, "`name`:`MultiEdit`,`input`:{`file_path`:`/m`,"
			      "`edits`:[");
	for (int i = 0; i < EDITS; i++)
		ccfc_buf_printf(&block,
				"%s{`old_string`:`a%sx`,`new_string`:`b%sy`}",
				i ? "," : "", text.ptr, text.ptr);
	ccfc_buf_puts(&block, "]}");
	row.block = block.ptr;
	check_call(parser, &row);
	check_call(parser, &row);
	ccfc_parser_free(parser);
	ccfc_buf_release(&block);
	ccfc_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_client_tools),
		cmocka_unit_test(test_multi_edit),
		cmocka_unit_test(test_foreign_tools),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_costly_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
