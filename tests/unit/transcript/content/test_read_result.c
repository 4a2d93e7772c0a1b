/* What a line says of files that were read whole. */
#include "facts.h"

#include "base/hash.h"
#include "transcript/content/read_result.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COMMON                                                                 \
	"`cwd`:`/p`,`version`:`2.1.50`,`timestamp`:`1970-01-01T00:00:07Z`"
#define ASSISTANT(blocks)                                                      \
	"{`type`:`assistant`," COMMON ",`message`:{`content`:[" blocks "]}}"
#define USER(blocks, more)                                                     \
	"{`type`:`user`," COMMON ",`message`:{`content`:[" blocks "]}" more "}"
#define CALL(id, name, input)                                                  \
	"{`type`:`tool_use`,`id`:`" id "`,`name`:`" name "`,`input`:" input "}"
#define READ(id, input) ASSISTANT(CALL(id, "Read", input))
#define RESULT(id, content)                                                    \
	"{`type`:`tool_result`,`tool_use_id`:`" id "`,`content`:" content "}"
#define ERROR(id, content)                                                     \
	"{`type`:`tool_result`,`is_error`:true,`tool_use_id`:`" id             \
	"`,`content`:" content "}"
#define TEXT(text) "{`type`:`text`,`text`:`" text "`}"
#define FILE_(fields)                                                          \
	USER(RESULT("t", "`1\\ta`"),                                           \
	     ",`toolUseResult`:{`type`:`text`,`file`:{" fields "}}")
#define SHOWS(content, start, lines, total)                                    \
	FILE_("`filePath`:`a.c`,`content`:" content ",`startLine`:" start      \
	      ",`numLines`:" lines ",`totalLines`:" total)

struct row {
	const char *line;
	const char *says;
};

static struct ccfc_parser *parser;
static struct ccfc_arena arena;
static struct ccfc_buf said;

typedef void say_fn(struct ccfc_slice line);

static void put_reading(const struct ccfc_read_result *r)
{
	ccfc_buf_slice(&said, r->path);
	put_field(&said, "cwd", r->cwd);
	put_field(&said, "version", r->version);
	ccfc_buf_printf(&said, " time=%lld", (long long)r->time);
	if (r->text.ptr)
		ccfc_buf_printf(&said, " text=%.*s", (int)r->text.len,
				r->text.ptr);
}

static void put_id(uint64_t id)
{
	static const char *const known[] = { "t", "u", "v" };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (ccfc_hash_slice(ccfc_slice_str(known[i])) == id)
			ccfc_buf_printf(&said, "%s ", known[i]);
}

static void say_detail(struct ccfc_slice line)
{
	struct ccfc_read_result r;

	if (!ccfc_read_result_detail(parser, &r, line, &arena))
		return;
	assert_int_equal(r.id, 0);
	put_reading(&r);
}

static void say_calls(struct ccfc_slice line)
{
	struct ccfc_read_result r[2];
	uint32_t n = ccfc_read_result_calls(parser, r, 2, line, &arena);

	for (uint32_t i = 0; i < n; i++) {
		if (i)
			ccfc_buf_puts(&said, "; ");
		put_id(r[i].id);
		put_reading(&r[i]);
	}
}

static void say_results(struct ccfc_slice line)
{
	uint64_t ids[2];
	uint32_t n = ccfc_read_result_results(parser, ids, 2, line);

	for (uint32_t i = 0; i < n; i++)
		put_id(ids[i]);
}

static void say_result(struct ccfc_slice line)
{
	struct ccfc_read_result r;
	uint64_t id = ccfc_hash_slice(CCFC_SLICE_LIT("t"));

	if (!ccfc_read_result_result(parser, &r, line, id, &arena))
		return;
	put_id(r.id);
	put_reading(&r);
}

static void check(say_fn *say, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *line = quoted(rows[i].line);

		ccfc_buf_clear(&said);
		ccfc_arena_clear(&arena);
		say(ccfc_slice(line, strlen(rows[i].line)));
		ccfc_buf_putc(&said, '\0');
		if (strcmp(said.ptr, rows[i].says))
			fail_msg("%s:\n got '%s'\nwant '%s'", rows[i].line,
				 said.ptr, rows[i].says);
		free(line);
	}
}

#define CHECK(say, rows) check(say, rows, sizeof(rows) / sizeof(*(rows)))

static void test_detail(void **state)
{
#define WHOLE "a.c cwd=/p version=2.1.50 time=7000 text="
	static const struct row rows[] = {
		{ SHOWS("`x\\ny\\n`", "1", "3", "3"), WHOLE "x\ny\n" },
		{ SHOWS("``", "1", "1", "1"), WHOLE },
		{ SHOWS("`\\ud83d\\ude00`", "1", "1", "1"), WHOLE "😀" },
		/* A part of it. */
		{ SHOWS("`x`", "2", "1", "1"), "" },
		{ SHOWS("`x`", "1", "1", "2"), "" },
		{ SHOWS("`x`", "0", "1", "1"), "" },
		{ SHOWS("`x`", "1", "0", "0"), "" },
		{ SHOWS("`x`", "1", "`1`", "`1`"), "" },
		{ SHOWS("7", "1", "1", "1"), "" },
		{ SHOWS("`\\q`", "1", "1", "1"), "" },
		{ FILE_("`content`:`x`,`startLine`:1,`numLines`:1,"
			"`totalLines`:1"),
		  "" },
		{ FILE_("`filePath`:`a.c`"), "" },
		{ USER("", ",`toolUseResult`:`Error`"), "" },
		{ USER("", ",`toolUseResult`:{`file`:7}"), "" },
		/* A copy in a record of another kind. */
		{ "{`type`:`progress`,`toolUseResult`:{`file`:{`filePath`:"
		  "`a.c`,`content`:`x`,`startLine`:1,`numLines`:1,"
		  "`totalLines`:1}}}",
		  "" },
		{ "{", "" },
	};

	(void)state;
	CHECK(say_detail, rows);
}

static void test_calls(void **state)
{
#define CALLED "a.c cwd=/p version=2.1.50 time=7000"
	static const struct row rows[] = {
		{ READ("t", "{`file_path`:`a.c`}"), "t " CALLED },
		{ READ("t", "{`file_path`:`a.c`,`offset`:null}"), "t " CALLED },
		{ READ("t", "{`file_path`:`a.c`,`offset`:1}"), "" },
		{ READ("t", "{`limit`:9,`file_path`:`a.c`}"), "" },
		{ READ("t", "{`file_path`:`a.c`,`pages`:`1`}"), "" },
		{ READ("t", "{`file_path`:7}"), "" },
		{ READ("t", "{}"), "" },
		{ READ("t", "`a.c`"), "" },
		{ READ("", "{`file_path`:`a.c`}"), "" },
		{ ASSISTANT(CALL("t", "Edit", "{`file_path`:`a.c`}")), "" },
		{ ASSISTANT(CALL("t", "Edit", "{`file_path`:`b`}") "," CALL(
			  "u", "Read", "{`file_path`:`a.c`}")),
		  "u " CALLED },
		/* As many as there is room for. */
		{ ASSISTANT(CALL("t", "Read", "{`file_path`:`a.c`}") "," CALL(
			  "u", "Read",
			  "{`file_path`:`a.c`}") "," CALL("v", "Read",
							  "{`file_path`:`a.c`"
							  "}")),
		  "t " CALLED "; u " CALLED },
		{ USER(CALL("t", "Read", "{`file_path`:`a.c`}"), ""), "" },
		{ "[]", "" },
	};

	(void)state;
	CHECK(say_calls, rows);
}

static void test_results(void **state)
{
	static const struct row rows[] = {
		{ USER(RESULT("t", "`x`"), ""), "t " },
		{ USER(ERROR("t", "`x`") "," RESULT("u", "`x`"), ""), "u " },
		{ USER(RESULT("t", "`x`") "," RESULT("u", "`x`") "," RESULT(
			       "v", "`x`"),
		       ""),
		  "t u " },
		{ USER(RESULT("", "`x`"), ""), "" },
		{ ASSISTANT(RESULT("t", "`x`")), "" },
		{ "x", "" },
	};

	(void)state;
	CHECK(say_results, rows);
}

static void test_result(void **state)
{
#define SHOWN "t  time=7000 text="
	static const struct row rows[] = {
		{ USER(RESULT("t", "`     1→a\\n     2→`"), ""), SHOWN "a\n" },
		{ USER(RESULT("t", "`1\\ta\\n2\\tb`"), ""), SHOWN "a\nb" },
		{ USER(RESULT("u", "`1\\tu`") "," RESULT("t", "`1\\tt`"), ""),
		  SHOWN "t" },
		/* Blocks of text. */
		{ USER(RESULT("t", "[" TEXT("1\\ta\\n2\\tb") "]"), ""),
		  SHOWN "a\nb" },
		{ USER(RESULT("t",
			      "[" TEXT("1\\ta") "," TEXT(
				      "<system-reminder>Whenever you read a "
				      "file</system-reminder>") "]"),
		       ""),
		  SHOWN "a" },
		{ USER(RESULT("t", "[" TEXT("1\\ta") ",{`type`:`image`}]"), ""),
		  "" },
		{ USER(RESULT("t", "[`1\\ta`]"), ""), "" },
		{ USER(RESULT("t", "[]"), ""), "" },
		{ USER(RESULT("t", "7"), ""), "" },
		{ USER("{`type`:`tool_result`,`tool_use_id`:`t`}", ""), "" },
		{ USER(RESULT("t", "`1\\ta\\n3\\tb`"), ""), "" },
		{ USER(RESULT("t", "`1\\t\\q`"), ""), "" },
		{ USER(ERROR("t", "`1\\ta`"), ""), "" },
		{ USER(RESULT("u", "`1\\ta`"), ""), "" },
		{ ASSISTANT(RESULT("t", "`1\\ta`")), "" },
	};

	(void)state;
	CHECK(say_result, rows);
}

static int set_up(void **state)
{
	(void)state;
	parser = ccfc_parser_new(NULL);
	ccfc_arena_init(&arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ccfc_parser_free(parser);
	ccfc_arena_release(&arena);
	ccfc_buf_release(&said);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detail),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_result),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
