/* What the lines of a command say of one file. */
#include "facts.h"

#include "transcript/content/run_evidence.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define CALL(name, input)                                                      \
	"{`type`:`assistant`,`cwd`:`/p`,`message`:{`content`:["                \
	"{`type`:`tool_use`,`id`:`t`,`name`:`" name "`,`input`:" input "}]}}"
#define RESULT(files)                                                          \
	"{`type`:`user`,`cwd`:`/p`,`message`:{`content`:[{"                    \
	"`type`:`tool_result`,`tool_use_id`:`t`,`content`:``}]},"              \
	"`toolUseResult`:{`stdout`:``,`bashEditDiff`:{`files`:" files "}}}"
#define FILE_OF(more) "[{`filePath`:`/p/a`" more "}]"
#define HUNKS(hunks)  ",`hunks`:[" hunks "]"
#define HUNK(b, d, lines)                                                      \
	"{`oldStart`:1,`oldLines`:" #b ",`newStart`:1,`newLines`:" #d          \
	",`lines`:[" lines "]}"
#define NO_NEWLINE ",`\\\\ No newline at end of file`"

struct row {
	const char *line;
	const char *says; /* NULL: nothing */
};

static void put_evidence(struct ccfc_buf *out, const struct ccfc_evidence *e)
{
	ccfc_buf_puts(out, e->gone ? "gone" : "there");
	if (e->before == CCFC_BEFORE_ABSENT)
		ccfc_buf_puts(out, " absent");
	if (e->before == CCFC_BEFORE_TEXT) {
		ccfc_buf_puts(out, " before=");
		ccfc_buf_slice(out, e->original);
	}
	if (e->has_after) {
		ccfc_buf_puts(out, " after=");
		ccfc_buf_slice(out, e->after);
	}
	ccfc_buf_puts(out, e->open_end ? " open" : "");
	ccfc_buf_puts(out, e->with_cr ? " cr" : "");
	ccfc_buf_puts(out, e->without_cr ? " lf" : "");
	for (uint32_t h = 0; h < e->nhunks; h++)
		for (uint32_t k = 0; k < e->hunks[h].nlines; k++) {
			ccfc_buf_putc(out, '|');
			ccfc_buf_slice(out, e->hunks[h].lines[k]);
		}
}

static void check_result(struct ccfc_parser *parser, const struct row *row)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_evidence ev = { 0 };
	char *line = quoted(row->line);
	bool told = ccfc_run_result_read(
		parser, &ev, CCFC_SLICE_LIT("t"), CCFC_SLICE_LIT("/p/a"),
		ccfc_slice(line, strlen(row->line)), &arena);

	/* The evidence must not need the line. */
	free(line);
	put_evidence(&buf, &ev);
	if (told != (row->says != NULL))
		fail_msg("%s: %s", row->line, buf.ptr);
	if (row->says) {
		assert_string_equal(buf.ptr, row->says);
		assert_true(ev.is_shell && ev.from_result);
	}
	ccfc_buf_release(&buf);
	ccfc_arena_release(&arena);
}

static void test_lines(void **state)
{
	static const struct row rows[] = {
		{ RESULT(FILE_OF(HUNKS(HUNK(2, 2, "` \\tx`,`-a`,`+b`")))),
		  "there lf| \tx|-a|+b" },
		/* A name may be relative, and others may come first. */
		{ RESULT("[{`filePath`:`/p/b`,`hunks`:[]},{`filePath`:`./"
			 "a`" HUNKS(HUNK(1, 1, "`-a`,`+b`")) "}]"),
		  "there lf|-a|+b" },
		{ RESULT(FILE_OF(HUNKS(HUNK(2, 2, "` x\\r`,`-a\\r`,`+b\\r`")))),
		  "there cr| x|-a|+b" },
		{ RESULT(FILE_OF(HUNKS(HUNK(1, 1, "`-a\\r`,`+b`")))),
		  "there cr lf|-a|+b" },
		{ RESULT(FILE_OF(
			  ",`created`:true" HUNKS(HUNK(0, 2, "`+a\\r`,`+b`")))),
		  "there absent after=a\r\nb\n open cr lf|+a|+b" },
		{ RESULT(FILE_OF(",`created`:true" HUNKS(
			  HUNK(0, 1, "`+a`" NO_NEWLINE)))),
		  "there absent after=a lf|+a|\\ No newline at end of file" },
		{ RESULT(FILE_OF(",`created`:true,`hunks`:[]")),
		  "there absent after=" },
		{ RESULT(FILE_OF(",`deleted`:true" HUNKS(HUNK(1, 0, "`-a`")))),
		  "gone before=a\n open lf|-a" },
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_result(parser, &rows[i]);
	ccfc_parser_free(parser);
}

/* What does not hold together is not believed. */
static void test_nonsense(void **state)
{
	static const char *const lines[] = {
		RESULT("[]"),
		RESULT("7"),
		RESULT("[7,null,[],{}]"),
		RESULT(FILE_OF("")),
		RESULT(FILE_OF(",`hunks`:[]")),
		RESULT(FILE_OF(",`hunks`:{}")),
		RESULT(FILE_OF(HUNKS("7"))),
		RESULT(FILE_OF(HUNKS(HUNK(2, 1, "`-a`,`+b`")))),
		RESULT(FILE_OF(HUNKS(HUNK(1, 1, "`-a`,7,`+b`")))),
		RESULT(FILE_OF(HUNKS(HUNK(0, 0, "``")))),
		RESULT(FILE_OF(HUNKS(HUNK(-1, 1, "`+b`")))),
		/* A file that was made has no lines of before. */
		RESULT(FILE_OF(
			",`created`:true" HUNKS(HUNK(1, 1, "`-a`,`+b`")))),
		RESULT(FILE_OF(
			",`deleted`:true" HUNKS(HUNK(1, 1, "`-a`,`+b`")))),
		RESULT("[{`filePath`:`/p/b`" HUNKS(
			HUNK(1, 1, "`-a`,`+b`")) "}]"),
		"{`type`:`user`}",
		"no line at all",
		"",
	};
	struct ccfc_parser *parser = ccfc_parser_new(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		check_result(parser, &(struct row){ lines[i], NULL });
	ccfc_parser_free(parser);
}

static bool read_call(struct ccfc_parser *parser, struct ccfc_run_call *out,
		      const char *text, struct ccfc_arena *arena)
{
	char *line = quoted(text);
	bool found = ccfc_run_call_read(parser, out, CCFC_SLICE_LIT("t"),
					ccfc_slice(line, strlen(text)), arena);

	free(line);
	return found;
}

static void test_calls(void **state)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_run_call call;

	(void)state;
	assert_true(read_call(parser, &call,
			      CALL("Bash", "{`command`:`echo\\n\\u0061`}"),
			      &arena));
	assert_string_equal(call.command.ptr, "echo\na");
	assert_string_equal(call.cwd.ptr, "/p");
	assert_false(call.cut || call.foreign);
	assert_true(read_call(parser, &call,
			      CALL("PowerShell", "{`command`:`ls`}"), &arena));
	assert_true(call.foreign);
	assert_true(read_call(parser, &call, CALL("Bash", "{}"), &arena));
	assert_int_equal(call.command.len, 0);
	assert_false(read_call(parser, &call, CALL("Write", "{`command`:`ls`}"),
			       &arena));
	assert_false(read_call(parser, &call, "[]", &arena));
	assert_false(read_call(parser, &call, "", &arena));
	ccfc_arena_release(&arena);
	ccfc_parser_free(parser);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
