/*
 * Commands of a shell: what their calls say, and every shape of what their
 * results say of files.
 */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct row {
	const char *line;
	const char *facts;
};

static void check_text(struct ccfc_parser *parser, const char *line,
		       const char *facts)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_record record;
	char *copy = quoted(line);

	ccfc_record_parse(parser, &record, ccfc_slice(copy, strlen(line)));
	put_facts(&buf, &record);
	if (strcmp(buf.ptr, facts))
		print_error("line: %s\n", line);
	assert_string_equal(buf.ptr, facts);
	free(copy);
	ccfc_buf_release(&buf);
}

static void check_rows(const struct row *rows, size_t n)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	for (size_t i = 0; i < n; i++)
		check_text(parser, rows[i].line, rows[i].facts);
	ccfc_parser_free(parser);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(*(rows)))

#define CALL(name, input)                                                      \
	"{`message`:{`content`:[{`name`:`" name "`,`input`:" input             \
	",`id`:`t`,`type`:`tool_use`}]},`type`:`assistant`}"

static void test_calls(void **state)
{
	static const struct row rows[] = {
		{ CALL("Bash", "{`command`:`echo \\`x\\` > a\\nrm b`}"),
		  "assistant; call t Bash [echo \"x\" > a\nrm b]" },
		{ CALL("Bash", "{`run_in_background`:true,`command`:`make`}"),
		  "assistant; call t Bash [make] background" },
		{ CALL("Bash", "{`run_in_background`:`true`,`command`:`m`}"),
		  "assistant; call t Bash [m]" },
		{ CALL("PowerShell", "{`command`:`del a`}"),
		  "assistant; call t PowerShell [del a] foreign" },
		{ CALL("mcp__x__execute_command", "{`cmd`:`ls`}"),
		  "assistant; call t mcp__x__execute_command [ls]" },
		{ CALL("Bash", "{}"), "assistant; call t Bash []" },
		{ CALL("Bash", "{`command`:7}"), "assistant; call t Bash []" },
		{ CALL("Bash", "[]"), "assistant; call t Bash []" },
		{ CALL("Bash", "null"), "assistant; call t Bash []" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

#define RESULT(detail)                                                         \
	"{`message`:{`content`:[{`type`:`tool_result`,`tool_use_id`:`t`}]},"   \
	"`toolUseResult`:" detail ",`type`:`user`}"
#define DIFF(fields) RESULT("{`stdout`:``,`bashEditDiff`:{" fields "}}")
#define HUNK(lines)                                                            \
	"{`oldStart`:1,`oldLines`:1,`newStart`:1,`newLines`:1,"                \
	"`lines`:[" lines "]}"

static void test_diffs(void **state)
{
	static const struct row rows[] = {
		{ DIFF("`files`:[{`filePath`:`/p/c`,`hunks`:[" HUNK(
			  "`-a`,`-b`,`+A`,` x`") "]}],`moreFiles`:0,"
						 "`changedFiles`:[`/p/c`]"),
		  "user; result t applied diff, modified /p/c +1 -2" },
		{ DIFF("`changedFiles`:[`/p/n`],`files`:[{`created`:true,"
		       "`hunks`:[" HUNK("`+a`,`\\\\ No newline`") "],"
								  "`filePath`:"
								  "`/p/n`}]"),
		  "user; result t applied diff, created /p/n +1 -0" },
		{ DIFF("`files`:[{`filePath`:`/p/d`,`deleted`:true,"
		       "`hunks`:[" HUNK("`-a`") "," HUNK("`-b`") "]}]"),
		  "user; result t applied diff, deleted /p/d +0 -2" },
		/* An empty file that was made: no line, and that is known. */
		{ DIFF("`files`:[{`filePath`:`/p/e`,`created`:true,"
		       "`hunks`:[]}]"),
		  "user; result t applied diff, created /p/e +0 -0" },
		{ DIFF("`files`:[{`filePath`:`/p/e`}]"),
		  "user; result t applied diff, modified /p/e" },
		/* More than five: only their names. */
		{ DIFF("`files`:[{`filePath`:`/p/a`,`hunks`:[" HUNK(
			  "`+a`") "]}],`moreFiles`:2,"
				  "`changedFiles`:[`/p/a`,`/p/b`,`/p/c`]"),
		  "user; result t applied diff, modified /p/a +1 -0, "
		  "modified /p/b, modified /p/c" },
		/* More than two hundred: not even those. */
		{ DIFF("`files`:[],`moreFiles`:3,"
		       "`changedFiles`:[`/p/a`,`/p/b`]"),
		  "user; result t applied diff partial, modified /p/a, "
		  "modified /p/b" },
		{ DIFF("`files`:[],`moreFiles`:0,`skipped`:true"),
		  "user; result t applied diff partial" },
		{ DIFF("`files`:[],`moreFiles`:0,`unavailable`:true"),
		  "user; result t applied diff partial" },
		{ DIFF("`files`:[],`moreFiles`:1,`shared`:true,"
		       "`changedFiles`:[`/p/a`]"),
		  "user; result t applied diff shared, modified /p/a" },
		{ RESULT("{`stdout`:``,`backgroundTaskId`:`b1`}"),
		  "user; result t applied background" },
		{ RESULT("{`stdout`:``,`interrupted`:true}"),
		  "user; result t interrupted interrupted" },
		{ RESULT("{`stdout`:``,`interrupted`:false}"),
		  "user; result t applied" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void test_odd_diffs(void **state)
{
	static const struct row rows[] = {
		{ RESULT("{`bashEditDiff`:7}"), "user; result t applied" },
		{ RESULT("{`bashEditDiff`:[]}"), "user; result t applied" },
		{ RESULT("`bashEditDiff`"), "user; result t applied" },
		{ DIFF(""), "user; result t applied diff" },
		{ DIFF("`files`:{`filePath`:`/a`},`changedFiles`:`/a`"),
		  "user; result t applied diff" },
		{ DIFF("`files`:[7,null,{},{`filePath`:``},{`filePath`:[]}],"
		       "`changedFiles`:[7,``,{},`/a`,`/a`]"),
		  "user; result t applied diff, modified /a" },
		{ DIFF("`files`:[{`filePath`:`/a`,`hunks`:{}}]"),
		  "user; result t applied diff, modified /a" },
		{ DIFF("`files`:[{`filePath`:`/a`,`hunks`:[7,{},{`lines`:7},"
		       "{`lines`:[7,`+x`]}]}]"),
		  "user; result t applied diff, modified /a +1 -0" },
		{ DIFF("`files`:[{`filePath`:`/a`,`deleted`:`yes`}],"
		       "`moreFiles`:-1,`shared`:1"),
		  "user; result t applied diff, modified /a" },
		{ DIFF("`moreFiles`:99999999999999999999"),
		  "user; result t applied diff" },
		/* A write's own result is that. */
		{ RESULT("{`filePath`:`/w`,`type`:`create`,`content`:`a`,"
			 "`bashEditDiff`:{`changedFiles`:[`/a`]}}"),
		  "user; result t applied created Write /w +1 -0" },
		/* With two results in a record it is nobody's. */
		{ "{`message`:{`content`:[{`type`:`tool_result`,"
		  "`tool_use_id`:`t`},{`type`:`tool_result`,"
		  "`tool_use_id`:`u`}]},`toolUseResult`:{`bashEditDiff`:"
		  "{`changedFiles`:[`/a`]}},`type`:`user`}",
		  "user; result t applied; result u applied" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

/* More files than anybody has: cut off, and said to be. */
static void test_many_files(void **state)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_record record;
	char *copy;

	(void)state;
	ccfc_buf_puts(&line, "{`message`:{`content`:[{`type`:`tool_result`,"
			     "`tool_use_id`:`t`}]},`type`:`user`,"
			     "`toolUseResult`:{`bashEditDiff`:{"
			     "`changedFiles`:[`/0`");
	for (int i = 1; i <= 100000; i++)
		ccfc_buf_printf(&line, ",`/%d`", i);
	ccfc_buf_puts(&line, "]}}}");
	ccfc_buf_putc(&line, '\0');
	copy = quoted(line.ptr);
	ccfc_record_parse(parser, &record, ccfc_slice(copy, line.len - 1));
	assert_int_equal(record.nresults, 1);
	assert_int_equal(record.results[0].nfiles, CCFC_RUN_FILES_MAX);
	assert_int_equal(record.results[0].run,
			 CCFC_RUN_DIFF | CCFC_RUN_PARTIAL);
	free(copy);
	ccfc_buf_release(&line);
	ccfc_parser_free(parser);
}

static void test_long_command(void **state)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_record record;
	char *copy;

	(void)state;
	ccfc_buf_puts(&line, "{`message`:{`content`:[{`name`:`Bash`,`id`:`t`,"
			     "`type`:`tool_use`,`input`:{`command`:`");
	for (uint32_t i = 0; i < CCFC_COMMAND_MAX; i++)
		ccfc_buf_puts(&line, "\\n");
	ccfc_buf_puts(&line, "`}}]},`type`:`assistant`}");
	ccfc_buf_putc(&line, '\0');
	copy = quoted(line.ptr);
	ccfc_record_parse(parser, &record, ccfc_slice(copy, line.len - 1));
	assert_int_equal(record.ncalls, 1);
	assert_true(record.calls[0].cut);
	assert_int_equal(record.calls[0].command.len, CCFC_COMMAND_MAX / 2);
	free(copy);
	ccfc_buf_release(&line);
	ccfc_parser_free(parser);
}

#define NOTE(status)                                                           \
	"<task-notification>\\n<task-id>b</task-id>\\n<tool-use-id>t1"         \
	"</tool-use-id>\\n<status>" status "</status>\\n</task-notification>"
#define QUEUE(text)                                                            \
	"{`type`:`queue-operation`,`operation`:`enqueue`,`content`:`" text "`" \
	"}"

static void test_ended(void **state)
{
	static const struct row rows[] = {
		{ QUEUE(NOTE("completed")), "other ended=t1" },
		{ QUEUE(NOTE("failed")), "other ended=t1" },
		{ QUEUE(NOTE("running")), "other" },
		{ QUEUE("please look at " NOTE("completed")), "other" },
		{ QUEUE("<task-notification>"), "other" },
		{ QUEUE("<task-notification></tool-use-id><tool-use-id>"),
		  "other" },
		{ QUEUE("<task-notification><tool-use-id>t"), "other" },
		{ QUEUE("<task-notification><tool-use-id></tool-use-id>"),
		  "other" },
		{ "{`type`:`queue-operation`}", "other" },
		{ "{`type`:`progress`,`content`:`" NOTE("completed") "`}",
		  "other" },
		{ "{`type`:`user`,`message`:{`content`:`" NOTE(
			  "completed") "`}}",
		  "user prompt ended=t1" },
	};

	(void)state;
	CHECK_ROWS(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_diffs),
		cmocka_unit_test(test_odd_diffs),
		cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_long_command),
		cmocka_unit_test(test_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
