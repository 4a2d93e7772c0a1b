/* What a message cost and asks, titles, and the files that calls look at. */
#include "facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A line, and what it says in short; `put` writes that. */
struct row {
	const char *line, *want;
};

typedef void (*put_fn)(struct ccfc_buf *out, const struct ccfc_record *r);

static void check(const struct row *rows, size_t n, put_fn put)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf out = CCFC_BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		char *line = quoted(rows[i].line);
		struct ccfc_record r;

		ccfc_record_parse(parser, &r,
				  ccfc_slice(line, strlen(rows[i].line)));
		ccfc_buf_clear(&out);
		ccfc_buf_puts(&out, "");
		put(&out, &r);
		if (strcmp(out.ptr, rows[i].want))
			print_error("line: %s\n", rows[i].line);
		assert_string_equal(out.ptr, rows[i].want);
		free(line);
	}
	ccfc_buf_release(&out);
	ccfc_parser_free(parser);
}

#define CHECK(rows, put) check(rows, sizeof(rows) / sizeof(*(rows)), put)

static void put_usage(struct ccfc_buf *out, const struct ccfc_record *r)
{
	if (r->has_usage)
		ccfc_buf_printf(out, "%llu %llu %llu %llu",
				(unsigned long long)r->usage.input,
				(unsigned long long)r->usage.output,
				(unsigned long long)r->usage.cache_write,
				(unsigned long long)r->usage.cache_read);
}

#define USAGE(x) "{`type`:`assistant`,`message`:{`usage`:" x "}}"

static void test_usage(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`assistant`,`message`:{}}", "" },
		{ USAGE("null"), "" },
		{ USAGE("[1]"), "" },
		{ USAGE("{}"), "0 0 0 0" },
		{ USAGE("{`input_tokens`:1,`output_tokens`:2,"
			"`cache_creation_input_tokens`:3,"
			"`cache_read_input_tokens`:4}"),
		  "1 2 3 4" },
		{ USAGE("{`input_tokens`:-1,`output_tokens`:1.5,"
			"`cache_creation_input_tokens`:`3`,"
			"`cache_read_input_tokens`:null}"),
		  "0 0 0 0" },
		{ USAGE("{`input_tokens`:1e3,"
			"`output_tokens`:99999999999999999999,"
			"`cache_read_input_tokens`:999999999999999999}"),
		  "0 0 0 281474976710656" },
		/* Only a message of the model has any. */
		{ "{`type`:`user`,`message`:{`usage`:{`input_tokens`:1}}}",
		  "" },
	};

	(void)state;
	CHECK(rows, put_usage);
}

static void put_asks(struct ccfc_buf *out, const struct ccfc_record *r)
{
	if (r->asks)
		ccfc_buf_puts(out, "asks");
}

#define SAYS(x) "{`type`:`assistant`,`message`:{`content`:[" x "]}}"
#define TEXT(x) "{`type`:`text`,`text`:`" x "`}"
#define CALL(x) "{`type`:`tool_use`,`id`:`t`,`name`:`" x "`,`input`:{}}"

static void test_asks(void **state)
{
	static const struct row rows[] = {
		{ SAYS(TEXT("Shall I?")), "asks" },
		{ SAYS(TEXT("Shall I? \\n\\t")), "asks" },
		{ SAYS(TEXT("**Shall I?**")), "asks" },
		{ SAYS(TEXT("_Shall (I?)_\\r\\n")), "asks" },
		{ SAYS(TEXT("\\\"Shall I?\\\"")), "asks" },
		{ SAYS(TEXT("\xe2\x80\x9cShall I?\xe2\x80\x9d")), "asks" },
		{ SAYS(TEXT("\xe5\x90\x97\xef\xbc\x9f")), "asks" },
		{ SAYS(TEXT("\\u5417\\uff1f")), "asks" },
		{ SAYS(TEXT("?!")), "" },
		{ SAYS(TEXT("Shall I? Done.")), "" },
		{ SAYS(TEXT("")), "" },
		{ SAYS(TEXT("**")), "" },
		{ SAYS(TEXT("So?") "," TEXT("So.")), "" },
		{ SAYS(TEXT("So.") "," TEXT("So?")), "asks" },
		/* A call of another tool goes on by itself. */
		{ SAYS(TEXT("So?") "," CALL("Bash")), "" },
		{ SAYS(CALL("AskUserQuestion")), "asks" },
		{ SAYS(CALL("ExitPlanMode")), "asks" },
		{ "{`type`:`assistant`,`message`:{`content`:`So?`}}", "asks" },
		{ "{`type`:`user`,`message`:{`content`:`So?`}}", "" },
	};

	(void)state;
	CHECK(rows, put_asks);
}

static void put_title(struct ccfc_buf *out, const struct ccfc_record *r)
{
	static const char *const names[] = { "", "summary", "ai", "custom" };

	ccfc_buf_puts(out, names[r->naming]);
	put_field(out, "title", r->title);
	put_field(out, "leaf", r->leaf);
}

static void test_titles(void **state)
{
	static const struct row rows[] = {
		{ "{`type`:`custom-title`,`customTitle`:`a\\u00e4`}",
		  "custom title=a\xc3\xa4" },
		{ "{`type`:`ai-title`,`aiTitle`:`b`,`customTitle`:`a`}",
		  "ai title=b" },
		{ "{`type`:`summary`,`summary`:`c`,`leafUuid`:`u`}",
		  "summary title=c leaf=u" },
		{ "{`type`:`custom-title`,`customTitle`:7}", "custom" },
		{ "{`type`:`system`,`summary`:`c`,`leafUuid`:`u`}", "" },
		{ "{`type`:`user`,`customTitle`:`a`}", "" },
	};

	(void)state;
	CHECK(rows, put_title);
}

/* Long texts are cut between characters. */
static void test_cut(void **state)
{
	struct ccfc_parser *parser = ccfc_parser_new(NULL);
	struct ccfc_buf line = CCFC_BUF_INIT;
	struct ccfc_record r;
	char *copy;

	(void)state;
	ccfc_buf_puts(&line, "{\"type\":\"ai-title\",\"aiTitle\":\"x");
	for (int i = 0; i < 400; i++)
		ccfc_buf_puts(&line, "\xc3\xa4");
	ccfc_buf_puts(&line, "\"}");
	copy = padded(ccfc_buf_view(&line));
	ccfc_record_parse(parser, &r, ccfc_slice(copy, line.len));
	assert_int_equal(r.title.len, CCFC_TITLE_MAX - 1);
	free(copy);
	ccfc_buf_clear(&line);
	ccfc_buf_puts(&line, "{\"type\":\"user\",\"message\":{\"content\":\"x");
	for (int i = 0; i < 400; i++)
		ccfc_buf_puts(&line, "\xc3\xa4");
	ccfc_buf_puts(&line, "\"}}");
	copy = padded(ccfc_buf_view(&line));
	ccfc_record_parse(parser, &r, ccfc_slice(copy, line.len));
	assert_true(r.asked);
	assert_int_equal(r.typed.len, CCFC_TYPED_MAX - 1);
	free(copy);
	ccfc_buf_release(&line);
	ccfc_parser_free(parser);
}

static void put_typed(struct ccfc_buf *out, const struct ccfc_record *r)
{
	ccfc_buf_slice(out, r->typed);
}

#define ASKED(x) "{`type`:`user`,`message`:{`content`:" x "}}"

static void test_typed(void **state)
{
	static const struct row rows[] = {
		{ ASKED("` fix it `"), "fix it" },
		{ ASKED("`<command-name>/review</command-name>"
			"<command-args>12</command-args>`"),
		  "/review 12" },
		{ ASKED("[{`type`:`text`,`text`:`a`},"
			"{`type`:`text`,`text`:`b`}]"),
		  "a\nb" },
		{ ASKED("`<bash-input>ls</bash-input>`"), "" },
		{ ASKED("[{`type`:`tool_result`,`tool_use_id`:`t`}]"), "" },
	};

	(void)state;
	CHECK(rows, put_typed);
}

static void put_calls(struct ccfc_buf *out, const struct ccfc_record *r)
{
	for (uint32_t i = 0; i < r->ncalls; i++)
		ccfc_buf_printf(
			out, "%s%s%u/%u %.*s", i ? ", " : "",
			r->calls[i].reads ? "reads " : "", r->calls[i].part,
			r->calls[i].nparts, (int)r->calls[i].path.len,
			r->calls[i].path.ptr ? r->calls[i].path.ptr : "");
}

#define USES(tool, input)                                                      \
	SAYS("{`type`:`tool_use`,`id`:`t`,`name`:`" tool "`,`input`:" input "}")

static void test_looks(void **state)
{
	static const struct row rows[] = {
		{ USES("Read", "{`file_path`:`/a`,`limit`:3}"),
		  "reads 0/1 /a" },
		{ USES("NotebookRead", "{`notebook_path`:`/n`}"),
		  "reads 0/1 /n" },
		{ USES("mcp__fs__read_text_file", "{`path`:`a\\u0062`}"),
		  "reads 0/1 ab" },
		{ USES("mcp__fs__read_multiple_files",
		       "{`paths`:[`/a`,`/b`,7]}"),
		  "reads 0/3 /a, reads 1/3 /b, reads 2/3 " },
		{ USES("mcp__fs__read_multiple_files", "{`paths`:[]}"),
		  "0/1 " },
		{ USES("str_replace_based_edit_tool",
		       "{`command`:`view`,`path`:`/v`}"),
		  "reads 0/1 /v" },
		{ USES("Read", "{}"), "0/1 " },
		{ USES("Read", "[`file_path`]"), "0/1 " },
		{ USES("Reads", "{`file_path`:`/a`}"), "0/1 " },
		{ USES("Bash", "{`file_path`:`/a`}"), "0/1 " },
		{ USES("Edit", "{`file_path`:`/a`}"), "0/1 /a" },
	};

	(void)state;
	CHECK(rows, put_calls);
}

static void put_errors(struct ccfc_buf *out, const struct ccfc_record *r)
{
	for (uint32_t i = 0; i < r->nresults; i++)
		ccfc_buf_puts(out, r->results[i].error ? "error " : "fine ");
}

#define RESULT(more) "{`type`:`tool_result`,`tool_use_id`:`t`" more "}"

static void test_errors(void **state)
{
	static const struct row rows[] = {
		{ ASKED("[" RESULT("") "]"), "fine " },
		{ ASKED("[" RESULT(",`is_error`:true") "]"), "error " },
		{ ASKED("[" RESULT(",`is_error`:false") "," RESULT(
			  ",`is_error`:true") "]"),
		  "fine error " },
		{ "{`type`:`user`,`message`:{`content`:[" RESULT(
			  "") "]},`toolUseResult`:`Error: no`}",
		  "error " },
		{ "{`type`:`user`,`message`:{`content`:[" RESULT(
			  "") "]},`toolUseResult`:`fine`}",
		  "fine " },
	};

	(void)state;
	CHECK(rows, put_errors);
}

static void put_added(struct ccfc_buf *out, const struct ccfc_record *r)
{
	for (uint32_t i = 0; i < r->nadded; i++) {
		ccfc_buf_slice(out, r->added[i]);
		ccfc_buf_putc(out, ';');
	}
}

#define ENVIRONMENT(type, dirs)                                                \
	"{`type`:`attachment`,`attachment`:{`type`:`" type                     \
	"`,`snapshot`:{`additionalWorkingDirectories`:" dirs "}}}"
#define PRINTED(text)                                                          \
	"{`type`:`user`,`message`:{`role`:`user`,`content`:`"                  \
	"<local-command-stdout>" text "</local-command-stdout>`}}"

static void test_added_directories(void **state)
{
	static const struct row rows[] = {
		{ ENVIRONMENT("environment", "[`/a`,`/b c`]"), "/a;/b c;" },
		{ ENVIRONMENT("environment", "[7,null,`rel`,``,`/a`]"), "/a;" },
		{ ENVIRONMENT("environment", "`/a`"), "" },
		{ ENVIRONMENT("other", "[`/a`]"), "" },
		{ "{`type`:`attachment`,`attachment`:[1]}", "" },
		{ "{`type`:`attachment`}", "" },
		{ "{`type`:`user`,`attachment`:{`type`:`environment`,"
		  "`snapshot`:{`additionalWorkingDirectories`:[`/a`]}}}",
		  "" },
		{ PRINTED("Added \\u001b[1m/a b\\u001b[22m as a working "
			  "directory for this session"),
		  "/a b;" },
		{ PRINTED("Added /a as a working directory and saved to local "
			  "settings"),
		  "/a;" },
		{ PRINTED("Added a as a working directory"), "" },
		{ PRINTED("Added  as a working directory"), "" },
		{ PRINTED("Added /a"), "" },
		{ PRINTED("Did not add /a as a working directory."), "" },
		{ PRINTED("x Added /a as a working directory"), "" },
		{ "{`type`:`system`,`content`:`<local-command-stdout>Added /a "
		  "as a working directory</local-command-stdout>`}",
		  "/a;" },
	};

	(void)state;
	CHECK(rows, put_added);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_asks),
		cmocka_unit_test(test_titles),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_typed),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_added_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
