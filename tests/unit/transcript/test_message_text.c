/*
 * Where what was said stands in a line. Tables of a line and what it says,
 * as "kind block raw;…"; a backtick stands for a double quote.
 */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void put(struct ccfc_buf *out, const struct ccfc_message_text *s)
{
	static const char *const kinds[] = { "text", "thinking", "tasks" };

	ccfc_buf_printf(out, "%s%s %u %.*s;", kinds[s->kind],
			s->result ? "!" : "", (unsigned)s->block,
			(int)s->raw.len, s->raw.ptr);
}

static void check(const char *line, const char *want)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf out = CCFC_BUF_INIT;
	char *copy = quoted(line);
	char *wanted = quoted(want);
	struct ccfc_record r;

	ccfc_record_parse(parser, &r, ccfc_slice(copy, strlen(line)));
	for (uint32_t i = 0; i < r.nspoken; i++) {
		assert_true(r.spoken[i].raw.ptr >= copy);
		put(&out, &r.spoken[i]);
	}
	ccfc_buf_puts(&out, r.meta ? "meta" : "");
	ccfc_buf_puts(&out, r.summary ? "summary" : "");
	assert_int_equal(out.len, strlen(want));
	assert_memory_equal(out.ptr, wanted, out.len);
	ccfc_buf_release(&out);
	ccfc_parser_free(parser);
	free(wanted);
	free(copy);
}

#define USER(content) "{`type`:`user`,`message`:{`content`:" content "}}"
#define MODEL(content)                                                         \
	"{`type`:`assistant`,`message`:{`id`:`m`,`content`:" content "}}"

static void test_texts(void **state)
{
	(void)state;
	check(USER("`hi \\u00e9`"), "text 0 hi \\u00e9;");
	check(USER("``"), "");
	check(USER("7"), "");
	check(USER("[{`type`:`image`},{`type`:`text`,`text`:`a`}]"),
	      "text 1 a;");
	check(MODEL("`plain`"), "text 0 plain;");
	check(MODEL("[{`type`:`thinking`,`thinking`:`hm`,`signature`:`x`},"
		    "{`type`:`text`,`text`:`a`},"
		    "{`type`:`text`,`text`:7},"
		    "{`type`:`tool_use`,`id`:`t`,`name`:`Bash`,`input`:{}},"
		    "{`text`:`b`,`type`:`text`}]"),
	      "thinking 0 hm;text 1 a;text 4 b;");
	check(MODEL("[{`type`:`thinking`,`thinking`:``}]"), "");
	check("{`type`:`system`,`content`:`x`}", "");
	check("{`type`:`user`,`isMeta`:true,`message`:{`content`:`a`}}",
	      "text 0 a;meta");
	check("{`type`:`user`,`message`:{`content`:`a`},"
	      "`isCompactSummary`:true}",
	      "text 0 a;summary");
}

#define TODO                                                                   \
	"{`type`:`tool_use`,`id`:`t`,`name`:`TodoWrite`,`input`:{`a`:[1]} }"
#define MADE  "{`tool_use_id`:`t`,`type`:`tool_result`,`content`:`Task #1 made`}"
#define MADE2 "{`type`:`tool_result`,`content`:[{`text`:`Task #2`}]}"

static void test_tasks(void **state)
{
	(void)state;
	check(MODEL("[{`type`:`text`,`text`:`a`}," TODO "]"),
	      "text 0 a;tasks 1 " TODO ";");
	check(MODEL("[{`type`:`tool_use`,`id`:`t`,`name`:`TaskStop`,"
		    "`input`:{}}]"),
	      "");
	check(USER("[" MADE "," MADE2 "]"),
	      "tasks! 0 " MADE ";tasks! 1 " MADE2 ";");
	check(USER("[{`type`:`tool_result`,`content`:`ok`}]"), "");
	/* A record that is itself the block. */
	check(TODO, "tasks 0 " TODO ";");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
