/* What `stats` shows. */
#include "cli_test.h"

#include "cli/report/stats_print.h"

static void pack_tokens(struct ccfc_pack *p, int64_t input, int64_t output)
{
	ccfc_pack_cstr(p, "tokenUsage");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "input", input);
	ccfc_pack_kv_int(p, "output", output);
	ccfc_pack_kv_int(p, "cacheRead", 0);
	ccfc_pack_kv_int(p, "cacheWrite", 0);
	ccfc_pack_end(p);
}

static void pack_totals(struct ccfc_pack *p)
{
	ccfc_pack_cstr(p, "period");
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "from", "2025-12-01T08:00:00.000Z");
	ccfc_pack_kv_cstr(p, "to", "2025-12-10T10:30:00.000Z");
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "totals");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "sessions", 7);
	ccfc_pack_kv_int(p, "messages", 1234);
	ccfc_pack_kv_int(p, "changes", 99);
	ccfc_pack_kv_int(p, "filesChanged", 1);
	ccfc_pack_kv_int(p, "linesAdded", 1000);
	ccfc_pack_kv_int(p, "linesRemoved", 200);
	ccfc_pack_kv_int(p, "toolCalls", 555);
	ccfc_pack_kv_int(p, "errors", 1);
	pack_tokens(p, 1200, 45000);
	ccfc_pack_cstr(p, "agents");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "toolCalls", 5);
	pack_tokens(p, 100, 200);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

static void test_totals(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	ccfc_pack_map(p);
	pack_totals(p);
	ccfc_pack_end(p);
	ccfc_stats_print_totals(&out, packed_root(&packed));
	assert_string_equal(
		out.buf.ptr,
		"Period:    2025-12-01 08:00 - 2025-12-10 10:30\n"
		"Sessions:  7\n"
		"Messages:  1234 of the model\n"
		"Tools:     555 calls, 1 error\n"
		"Changes:   99 in 1 file, +1000 -200\n"
		"Tokens:    46.2k (input 1.2k, output 45.0k, cache read 0, "
		"cache write 0)\n"
		"Subagents: 5 calls and 300 tokens of these\n");
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

static void pack_row(struct ccfc_pack *p, const char *key, int64_t tokens)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "key", key);
	ccfc_pack_kv_int(p, "sessions", 2);
	ccfc_pack_kv_int(p, "toolCalls", 3);
	pack_tokens(p, tokens, 0);
	ccfc_pack_end(p);
}

static void check_rows(unsigned width, const char *locale, const char *want)
{
	struct ccfc_out out = memory_out(width);
	struct ccfc_pack *p;
	struct packed packed;

	setenv("LC_ALL", locale, 1);
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "by", "model");
	ccfc_pack_cstr(p, "rows");
	ccfc_pack_array(p);
	pack_row(p, "claude-opus-4-5", 4000);
	pack_row(p, "claude\a", 1000);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_stats_print_rows(&out, packed_root(&packed), "Models");
	assert_string_equal(out.buf.ptr, want);
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

/* Only the columns that the rows have; bars on a terminal only. */
static void test_rows(void **state)
{
	(void)state;
	check_rows(0, "C.UTF-8",
		   "\nModels:\n"
		   "  MODEL     TOKENS  SESSIONS  CALLS\n"
		   "  opus-4-5  4.0k    2         3\n"
		   "  claude^G  1.0k    2         3\n");
	check_rows(80, "C.UTF-8",
		   "\nModels:\n"
		   "  MODEL     TOKENS  SESSIONS  CALLS  tokens\n"
		   "  opus-4-5  4.0k    2         3      "
		   "████████████████████\n"
		   "  claude^G  1.0k    2         3      █████\n");
	check_rows(80, "C",
		   "\nModels:\n"
		   "  MODEL     TOKENS  SESSIONS  CALLS  tokens\n"
		   "  opus-4-5  4.0k    2         3      "
		   "####################\n"
		   "  claude^G  1.0k    2         3      #####\n");
	check_rows(34, "C",
		   "\nModels:\n"
		   "  MODEL     TOKENS  SESSIONS\n"
		   "  opus-4-5  4.0k    2\n"
		   "  claude^G  1.0k    2\n");
}

static void pack_day(struct ccfc_pack *p, const char *day, int64_t changes,
		     int64_t tokens)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "day", day);
	ccfc_pack_kv_int(p, "changes", changes);
	ccfc_pack_kv_int(p, "tokens", tokens);
	ccfc_pack_end(p);
}

static void check_days(unsigned width, const char *want)
{
	struct ccfc_out out = memory_out(width);
	struct ccfc_pack *p;
	struct packed packed;

	setenv("LC_ALL", "C.UTF-8", 1);
	ccfc_buf_puts(&out.buf, ">");
	p = packed_init(&packed);
	ccfc_pack_array(p);
	pack_day(p, "2025-11-28", 8, 0);
	pack_day(p, "yesterday", 8, 0);
	pack_day(p, "2025-12-01", 16, 1500);
	pack_day(p, "2025-12-02", 1, 3000);
	ccfc_pack_end(p);
	ccfc_stats_print_days(&out, packed_root(&packed));
	assert_string_equal(out.buf.ptr, want);
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

/* Days without anything have their place; a narrow terminal has the last. */
static void test_days(void **state)
{
	(void)state;
	check_days(0, ">");
	check_days(80, ">\nBy day, 2025-11-28 to 2025-12-02:\n"
		       "  Changes: ▄  █▁▕ 16 at most\n"
		       "  Tokens:     ▄█▕ 3.0k at most\n");
	check_days(29, ">\nBy day, 2025-12-01 to 2025-12-02:\n"
		       "  Changes: █▁▕ 16 at most\n"
		       "  Tokens:  ▄█▕ 3.0k at most\n");
	check_days(20, ">");
}

static void test_tools_and_files(void **state)
{
	struct ccfc_out out = memory_out(0);
	struct ccfc_obj root;
	struct ccfc_pack *p;
	struct packed packed;

	(void)state;
	p = packed_init(&packed);
	ccfc_pack_map(p);
	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "name", "Bash");
	ccfc_pack_kv_int(p, "count", 12);
	ccfc_pack_kv_int(p, "errors", 3);
	ccfc_pack_kv_cstr(p, "path", "/p/a.c");
	ccfc_pack_kv_int(p, "changes", 4);
	ccfc_pack_kv_int(p, "sessions", 2);
	ccfc_pack_kv_int(p, "linesAdded", 10);
	ccfc_pack_kv_int(p, "linesRemoved", 1);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	root = packed_root(&packed);
	ccfc_stats_print_tools(&out, ccfc_obj_get(root, "files"));
	ccfc_stats_print_files(&out, root);
	/* Nothing of nothing. */
	ccfc_stats_print_files(&out, (struct ccfc_obj){ NULL });
	assert_string_equal(out.buf.ptr,
			    "\nMost used tools:\n"
			    "  TOOL  CALLS  ERRORS\n"
			    "  Bash  12     3\n"
			    "\nMost changed files:\n"
			    "  FILE    CHANGES  SESSIONS  LINES\n"
			    "  /p/a.c  4        2         +10 -1\n");
	ccfc_buf_release(&out.buf);
	packed_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_tools_and_files),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
