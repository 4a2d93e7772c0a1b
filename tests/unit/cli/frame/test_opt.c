/* Option parsing: what is read, and what is refused with which words. */
#include "cli_test.h"

#include "base/time.h"
#include "cli/frame/cli.h"
#include "cli/out/width.h"

enum { FLAG, TEXT, INT, CHOICE, LIST, EXTS, STATES, FROM, TO, WORD, PICK };

static const struct ccfc_opt table[] = {
	[FLAG] = { "flag", '0', CCFC_OPT_FLAG, .help = "" },
	[TEXT] = { "text", 'o', CCFC_OPT_TEXT, "T", .help = "" },
	[INT] = { "limit", 'U', CCFC_OPT_INT, "N", .help = "", .min = 1,
		  .max = 100000 },
	[CHOICE] = { "format", 0, CCFC_OPT_CHOICE, "F", .help = "",
		     .choices = "table|json|paths" },
	[LIST] = { "list", 0, CCFC_OPT_LIST, "L", .help = "" },
	[EXTS] = { "ext", 0, CCFC_OPT_EXTS, "L", .help = "" },
	[STATES] = { "state", 0, CCFC_OPT_STATES, "L", .help = "" },
	[FROM] = { "from", 0, CCFC_OPT_FROM, "D", .help = "" },
	[TO] = { "to", 0, CCFC_OPT_TO, "D", .help = "" },
	[WORD] = { "word", 'k', CCFC_OPT_WORDS, "W", .help = "" },
	[PICK] = { "in", 0, CCFC_OPT_LIST, "L", .help = "",
		   .choices = "text|tool" },
	{ 0 },
};

#define WORDS 8

static int parse(struct ccfc_opts *opts, const char *const *words,
		 struct ccfc_err *err)
{
	char *argv[WORDS + 1] = { 0 };
	int argc = 0;

	for (; argc < WORDS && words[argc]; argc++)
		argv[argc] = (char *)words[argc];
	ccfc_opts_init(opts, "cmd", table, ccfc_cli_common);
	return ccfc_opts_parse(opts, argc, argv, false, err);
}

static void test_refused(void **state)
{
	static const struct {
		const char *words[WORDS];
		const char *what, *hint;
	} rows[] = {
		{ { "--nothing" },
		  "cmd: unknown option '--nothing'",
		  "ccfc cmd --help lists the options" },
		{ { "--fromat=json" },
		  "cmd: unknown option '--fromat'",
		  "did you mean '--format'?" },
		{ { "--no-pagre" },
		  "cmd: unknown option '--no-pagre'",
		  "did you mean '--no-pager'?" },
		{ { "-x" },
		  "cmd: unknown option '-x'",
		  "ccfc cmd --help lists the options" },
		{ { "-0x" },
		  "cmd: unknown option '-0x'",
		  "ccfc cmd --help lists the options" },
		{ { "-o" }, "cmd: -o: needs a value", "" },
		{ { "-0o" }, "cmd: -o: needs a value", "" },
		{ { "-o", "" }, "cmd: --text: empty value", "" },
		{ { "-U5x" }, "cmd: --limit=5x: not a number", "" },
		{ { "-U", "-o" }, "cmd: --limit=-o: not a number", "" },
		{ { "-k", "" }, "cmd: --word: empty value", "" },
		{ { "--in=text,tol" },
		  "cmd: --in=tol: no such choice",
		  "did you mean 'tool'? (one of text, tool)" },
		{ { "--flag=1" }, "cmd: --flag: takes no value", "" },
		{ { "--text" }, "cmd: --text: needs a value", "" },
		{ { "--text=" }, "cmd: --text: empty value", "" },
		{ { "--limit", "ten" }, "cmd: --limit=ten: not a number", "" },
		{ { "--limit=1x" }, "cmd: --limit=1x: not a number", "" },
		{ { "--limit=0" },
		  "cmd: --limit=0: out of range",
		  "give a number from 1 to 100000" },
		{ { "--limit=100001" },
		  "cmd: --limit=100001: out of range",
		  "give a number from 1 to 100000" },
		{ { "--limit", "-1" },
		  "cmd: --limit=-1: out of range",
		  "give a number from 1 to 100000" },
		{ { "--limit=99999999999999999999" },
		  "cmd: --limit=99999999999999999999: out of range",
		  "give a number from 1 to 100000" },
		{ { "--format=jsno" },
		  "cmd: --format=jsno: no such choice",
		  "did you mean 'json'? (one of table, json, paths)" },
		{ { "--format=x" },
		  "cmd: --format=x: no such choice",
		  "one of table, json, paths" },
		{ { "--list=,," }, "cmd: --list=,,: an empty list", "" },
		{ { "--state=applied,faild" },
		  "cmd: --state=faild: no such state",
		  "did you mean 'failed'? (one of all, pending, applied, "
		  "staged, denied, failed, interrupted)" },
		{ { "--from=soon" },
		  "cmd: --from=soon: not a date",
		  "yesterday, monday, 10:00, 2d, '2 days ago', 'last week', "
		  "2025-12-31, 2025-12, or RFC 3339" },
		{ { "--to=2025-02-30" },
		  "cmd: --to=2025-02-30: not a date",
		  "yesterday, monday, 10:00, 2d, '2 days ago', 'last week', "
		  "2025-12-31, 2025-12, or RFC 3339" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_opts opts;
		struct ccfc_err err;

		assert_int_equal(parse(&opts, rows[i].words, &err),
				 CCFC_EINVAL);
		assert_string_equal(err.what, rows[i].what);
		assert_string_equal(err.hint, rows[i].hint);
		ccfc_opts_release(&opts);
	}
}

static void test_words(void **state)
{
	static const char *const words[] = { "a",    "--flag", "b",   "--text",
					     "-val", "--",     "--x", NULL };
	struct ccfc_opts opts;
	struct ccfc_err err;

	(void)state;
	assert_int_equal(parse(&opts, words, &err), 0);
	assert_int_equal(opts.nargs, 3);
	assert_string_equal(opts.args[0], "a");
	assert_string_equal(opts.args[1], "b");
	assert_string_equal(opts.args[2], "--x");
	assert_true(ccfc_opts_own(&opts, FLAG)->set);
	assert_string_equal(ccfc_opts_own(&opts, TEXT)->text, "-val");
	assert_false(ccfc_opts_own(&opts, LIST)->set);
	ccfc_opts_release(&opts);
}

static void test_values(void **state)
{
	static const char *const words[] = { "-0h",
					     "--limit",
					     "100000",
					     "--format=paths",
					     "--color=always",
					     "--text=a=b",
					     "-",
					     NULL };
	struct ccfc_opts opts;
	struct ccfc_err err;

	(void)state;
	assert_int_equal(parse(&opts, words, &err), 0);
	assert_true(ccfc_opts_own(&opts, FLAG)->set);
	assert_true(ccfc_opts_common(&opts, CCFC_COMMON_HELP)->set);
	assert_int_equal(ccfc_opts_own(&opts, INT)->num, 100000);
	assert_int_equal(ccfc_opts_own(&opts, CHOICE)->num, 2);
	assert_int_equal(ccfc_opts_common(&opts, CCFC_COMMON_COLOR)->num,
			 CCFC_COLOR_ALWAYS);
	assert_string_equal(ccfc_opts_own(&opts, TEXT)->text, "a=b");
	assert_string_equal(opts.args[0], "-");
	ccfc_opts_release(&opts);
}

/* Letters with values: in the same word or the next, also bundled. */
static void test_letters(void **state)
{
	static const struct {
		const char *words[WORDS];
		bool flag;
		const char *text;
		int limit, nargs;
	} rows[] = {
		{ { "-o", "DIR" }, false, "DIR", 0, 0 },
		{ { "-oDIR", "x" }, false, "DIR", 0, 1 },
		{ { "-o=DIR" }, false, "=DIR", 0, 0 },
		{ { "-o", "-0" }, false, "-0", 0, 0 },
		{ { "-0oDIR", "-U", "5", "x" }, true, "DIR", 5, 1 },
		{ { "-0o", "DIR", "-U12" }, true, "DIR", 12, 0 },
		{ { "-oU5", "-U5", "-0" }, true, "U5", 5, 0 },
		{ { "-o", "a", "-o", "b" }, false, "b", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_opts opts;
		struct ccfc_err err;

		assert_int_equal(parse(&opts, rows[i].words, &err), 0);
		assert_int_equal(ccfc_opts_own(&opts, FLAG)->set, rows[i].flag);
		assert_string_equal(ccfc_opts_own(&opts, TEXT)->text,
				    rows[i].text);
		assert_int_equal(ccfc_opts_own(&opts, INT)->num, rows[i].limit);
		assert_int_equal(opts.nargs, rows[i].nargs);
		ccfc_opts_release(&opts);
	}
}

static void check_list(const struct ccfc_opts *opts, int option,
		       const char *const *items)
{
	const struct ccfc_opt_value *v = ccfc_opts_own(opts, option);
	uint32_t n = 0;

	for (; items[n]; n++)
		assert_string_equal(v->list.items[n], items[n]);
	assert_int_equal(v->list.n, n);
	assert_null(v->list.items[n]);
}

static void test_lists(void **state)
{
	static const char *const words[] = { "--list=a,b", "--list",
					     "c,,d",	   "--ext=ts,.md",
					     "--ext=c",	   "--state=all",
					     NULL };
	static const char *const spaced[] = { "-k",  "a, b",	  "--word=c",
					      "-kd", "--in=tool", NULL };
	struct ccfc_opts opts;
	struct ccfc_err err;

	(void)state;
	assert_int_equal(parse(&opts, words, &err), 0);
	check_list(&opts, LIST, (const char *[]){ "a", "b", "c", "d", NULL });
	check_list(&opts, EXTS, (const char *[]){ ".ts", ".md", ".c", NULL });
	check_list(&opts, STATES, (const char *[]){ "all", NULL });
	ccfc_opts_release(&opts);
	assert_int_equal(parse(&opts, spaced, &err), 0);
	check_list(&opts, WORD, (const char *[]){ "a, b", "c", "d", NULL });
	check_list(&opts, PICK, (const char *[]){ "tool", NULL });
	ccfc_opts_release(&opts);
}

/* A day is a whole local day, a time is itself. */
static void test_dates(void **state)
{
	static const struct {
		const char *zone, *from, *to;
		const char *first, *last;
	} rows[] = {
		{ "UTC", "--from=2025-12-10", "--to=2025-12-10",
		  "2025-12-10T00:00:00.000Z", "2025-12-10T23:59:59.999Z" },
		{ "EST5", "--from=2025-12-10", "--to=2025-12-31",
		  "2025-12-10T05:00:00.000Z", "2026-01-01T04:59:59.999Z" },
		{ "EST5", "--from=2025-12-10T10:00:00+02:00",
		  "--to=2025-12-10T10:00:00Z", "2025-12-10T08:00:00.000Z",
		  "2025-12-10T10:00:00.000Z" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *const words[] = { rows[i].from, rows[i].to, NULL };
		char text[CCFC_TIME_TEXT_MAX];
		struct ccfc_opts opts;
		struct ccfc_err err;

		setenv("TZ", rows[i].zone, 1);
		tzset();
		assert_int_equal(parse(&opts, words, &err), 0);
		assert_string_equal(
			ccfc_time_format(text, ccfc_opts_own(&opts, FROM)->num),
			rows[i].first);
		assert_string_equal(
			ccfc_time_format(text, ccfc_opts_own(&opts, TO)->num),
			rows[i].last);
		ccfc_opts_release(&opts);
	}
}

/* Each table must fit, and each option must have what the help prints. */
static void test_commands(void **state)
{
	(void)state;
	for (int i = 0; ccfc_commands[i]; i++) {
		const struct ccfc_opt *o = ccfc_commands[i]->options;
		int n = 0;

		for (; o && o[n].name; n++) {
			assert_non_null(o[n].help);
			assert_true(o[n].type == CCFC_OPT_FLAG || o[n].arg);
			assert_true(o[n].type != CCFC_OPT_CHOICE ||
				    o[n].choices);
		}
		assert_true(n <= CCFC_OPT_MAX);
		assert_non_null(ccfc_commands[i]->about);
		assert_ptr_equal(ccfc_cli_find(ccfc_commands[i]->name, NULL),
				 ccfc_commands[i]);
	}
}

static void test_unknown_command(void **state)
{
	struct ccfc_err err;

	(void)state;
	assert_null(ccfc_cli_find("serach", &err));
	assert_int_equal(err.code, CCFC_EINVAL);
	assert_string_equal(err.what, "unknown command 'serach'");
	assert_string_equal(err.hint, "did you mean 'ccfc search'?");
	assert_null(ccfc_cli_find("bananas", &err));
	assert_string_equal(err.hint, "ccfc --help lists the commands");
}

/* No line of a help text is wider than a terminal. */
static void test_help(void **state)
{
	(void)state;
	for (int i = -1; i < 0 || ccfc_commands[i]; i++) {
		struct ccfc_out out = memory_out(0);

		ccfc_help_print(&out, i < 0 ? NULL : ccfc_commands[i]);
		for (const char *p = out.buf.ptr; *p;) {
			size_t n = strcspn(p, "\n");

			if (ccfc_width(ccfc_slice(p, n)) > 80)
				fail_msg("too wide: %.*s", (int)n, p);
			p += n + 1;
		}
		ccfc_buf_release(&out.buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_unknown_command),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
