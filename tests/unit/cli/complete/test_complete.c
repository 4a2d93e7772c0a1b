/* Completions: reading unfinished lines, tables, bash's words and quotes. */
#include "cli_test.h"

#include "cli/complete/complete.h"

#include <stdio.h>

#define WORDS_MAX 12
#define BREAKS	  " \t\n\"'><=;|&(:"

/* What the tables offer for a line of words (ends with NULL), one a line. */
static void offered(struct ccfc_buf *out, const char *const *words)
{
	struct ccfc_complete c;
	struct ccfc_candidates to = { .out = out };
	int n = 0;

	while (words[n])
		n++;
	ccfc_complete_read(&c, n, words);
	to.stem = c.stem;
	to.prefix = c.prefix;
	ccfc_buf_puts(out, ccfc_complete_wants_files(&c)  ? "files "
			   : ccfc_complete_wants_dirs(&c) ? "dirs "
							  : "");
	ccfc_buf_slice(out, c.stem);
	ccfc_buf_putc(out, '|');
	ccfc_complete_tables(&to, &c);
	ccfc_candidates_release(&to);
	ccfc_complete_release(&c);
}

static void assert_offered(const char *const *words, const char *want)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	offered(&out, words);
	assert_string_equal(out.ptr, want);
	ccfc_buf_release(&out);
}

static void test_tables(void **state)
{
	static const struct {
		const char *words[WORDS_MAX], *want;
	} rows[] = {
		{ { "sea" }, "|search\tsessions that changed a file\n" },
		{ { "nosuch", "" }, "|" },
		{ { "--vers" }, "|--version\tshow the version\n" },
		{ { "list", "--vers" }, "|" },
		{ { "--color", "al" }, "|always\n" },
		{ { "--color=never", "help", "cat" },
		  "|cat\ta file as it was\n" },
		{ { "list", "--format=jsonl" }, "--format=|jsonl\n" },
		{ { "list", "--format", "di" }, "|diff\n" },
		{ { "list", "--show-c" },
		  "|--show-changes\tshow the lines that each change removed "
		  "and added\n" },
		{ { "list", "--show-changes", "--show-c" }, "|" },
		{ { "list", "--state=failed,a" },
		  "--state=failed,|all\napplied\n" },
		{ { "list", "--state=applied,a" }, "--state=applied,|all\n" },
		{ { "list", "--state", "denied,den" }, "denied,|" },
		{ { "show", "x", "--files=r" }, "--files=|read\n" },
		/* It takes no word behind it. */
		{ { "show", "x", "--files", "r" }, "|" },
		{ { "export", "x", "-o", "a" }, "files |" },
		{ { "export", "x", "-foa" }, "files -fo|" },
		{ { "export", "x", "--output=a" }, "files --output=|" },
		{ { "sessions", "--project", "" }, "dirs |" },
		{ { "list", "x", "--dir=a,b" }, "dirs --dir=a,|" },
		{ { "search", "" }, "files |" },
		{ { "search", "--", "--re" }, "files |" },
		{ { "diff", "x", "a", "b" }, "files |" },
		{ { "list", "a/b" }, "files |" },
		{ { "list", "ab" }, "|" },
		{ { "files", "s" }, "|search\n" },
		{ { "files", "search", "a" }, "files |" },
		{ { "files", "list", "--format=p" }, "--format=|paths\n" },
		{ { "cat", "a", "--at=before:b" }, "--at=before:|" },
		{ { "grep", "x", "--role=us" }, "--role=|user\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_offered(rows[i].words, rows[i].want);
}

static void test_all_commands(void **state)
{
	static const char *const words[] = { "", NULL };
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	offered(&out, words);
	for (int i = 0; ccfc_commands[i]; i++) {
		char want[256];

		snprintf(want, sizeof(want), "%s\t%s\n", ccfc_commands[i]->name,
			 ccfc_commands[i]->summary);
		assert_non_null(strstr(out.ptr, want));
	}
	assert_null(strstr(out.ptr, "__complete"));
	ccfc_buf_release(&out);
}

/* Whatever a command has is offered, with no line of it here. */
static void test_all_options(void **state)
{
	(void)state;
	for (int i = 0; ccfc_commands[i]; i++) {
		const struct ccfc_opt *o = ccfc_commands[i]->options;
		const char *words[] = { ccfc_commands[i]->name, "-", NULL };
		struct ccfc_buf out = CCFC_BUF_INIT;

		offered(&out, words);
		for (; o && o->name; o++) {
			char want[64];

			snprintf(want, sizeof(want), "\n--%s%s\t", o->name,
				 o->type == CCFC_OPT_FLAG ? "" : "=");
			/* The first has no newline in front of it. */
			if (!strstr(out.ptr, want))
				assert_int_equal(strncmp(out.ptr + 1, want + 1,
							 strlen(want) - 1),
						 0);
		}
		ccfc_buf_release(&out);
	}
}

static void test_place(void **state)
{
	static const struct {
		const char *usage;
		int i;
		const char *want;
	} rows[] = {
		{ "list SESSION [options]", 0, "SESSION" },
		{ "list SESSION [options]", 1, "" },
		{ "diff SESSION|CHANGE [PATH…] [options]", 0,
		  "SESSION|CHANGE" },
		{ "diff SESSION|CHANGE [PATH…] [options]", 1, "PATH" },
		{ "diff SESSION|CHANGE [PATH…] [options]", 7, "PATH" },
		{ "blame FILE [-L N,M] [--at=WHEN] [options]", 0, "FILE" },
		{ "blame FILE [-L N,M] [--at=WHEN] [options]", 1, "" },
		{ "index --build|--stats [options]", 0, "" },
		{ "restore FILE\n  ccfc restore X Y", 1, "" },
		{ "log [PATH|GLOB|SESSION] [options]", 0, "PATH|GLOB|SESSION" },
		{ "files list|search …", 0, "list|search" },
		{ "stop", 0, "" },
		{ "x [-a b", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(ccfc_slice_is(
			ccfc_complete_place(rows[i].usage, rows[i].i),
			rows[i].want));
}

/* The words of usages and options mean what they say. */
static void test_kinds(void **state)
{
	static const char *const by_session[] = { "list",    "show", "export",
						  "diff",    "log",  "revert",
						  "recover", "stats" };
	static const char *const by_path[] = { "search", "log", "blame", "cat",
					       "restore" };

	(void)state;
	for (size_t i = 0; i < sizeof(by_session) / sizeof(*by_session); i++)
		assert_true(ccfc_complete_kinds(
				    ccfc_complete_place(
					    ccfc_cli_find(by_session[i], NULL)
						    ->usage,
					    0),
				    false) &
			    CCFC_KIND_SESSION);
	for (size_t i = 0; i < sizeof(by_path) / sizeof(*by_path); i++)
		assert_true(
			ccfc_complete_kinds(
				ccfc_complete_place(
					ccfc_cli_find(by_path[i], NULL)->usage,
					0),
				false) &
			CCFC_KIND_PATH);
	assert_int_equal(ccfc_complete_kinds(ccfc_slice_str("FILE"), true),
			 CCFC_KIND_FILE);
	assert_int_equal(ccfc_complete_kinds(ccfc_slice_str("NOSUCH"), true),
			 0);
}

static void test_candidates(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_candidates to = { .out = &out,
				      .prefix = ccfc_slice_str("a") };
	static const char *const bad[] = {
		"", "b", "a\nb", "a\tb", "a\033", "a\x80", "a\u202eb", "a\177"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ccfc_candidates_add(&to, ccfc_slice_str(bad[i]),
				    CCFC_SLICE_NONE);
	assert_int_equal(out.len, 0);
	ccfc_candidates_add(&to, ccfc_slice_str("a b'$é"),
			    ccfc_slice_str("x\ty\033\n"));
	ccfc_candidates_add(&to, ccfc_slice_str("a b'$é"), CCFC_SLICE_NONE);
	ccfc_candidates_add(&to, ccfc_slice_str("a"), CCFC_SLICE_NONE);
	assert_string_equal(out.ptr, "a b'$é\tx^Iy^[^J\na\n");
	ccfc_candidates_release(&to);
	ccfc_buf_release(&out);
}

static void test_bash_words(void **state)
{
	static const struct {
		const char *line, *last, *kept;
		int n;
		char quote;
	} rows[] = {
		{ "ccfc", "ccfc", "", 1, 0 },
		{ "ccfc ", "", "", 2, 0 },
		{ "ccfc  list \t x", "x", "", 3, 0 },
		{ "ccfc --format=js", "--format=js", "--format=", 2, 0 },
		{ "ccfc --at=before:1", "--at=before:1", "--at=before:", 2, 0 },
		{ "ccfc a\\ b", "a b", "", 2, 0 },
		{ "ccfc a\\=b", "a=b", "", 2, 0 },
		{ "ccfc 'a b", "a b", "", 2, '\'' },
		{ "ccfc 'a=b", "a=b", "", 2, '\'' },
		{ "ccfc x=\"a b", "x=a b", "x=", 2, '"' },
		{ "ccfc x\"a b", "xa b", "x", 2, '"' },
		{ "ccfc \"a\\$\\x", "a$\\x", "", 2, '"' },
		{ "ccfc 'a\\", "a\\", "", 2, '\'' },
		/* Closed quotes are replaced with all that is in them. */
		{ "ccfc 'a b'c", "a bc", "", 2, 0 },
		{ "ccfc x='a b'c", "x=a bc", "x=", 2, 0 },
		{ "ccfc 'a=b'", "a=b", "", 2, 0 },
		{ "ccfc a\\", "a", "", 2, 0 },
		{ "", "", "", 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_bash bash;

		ccfc_bash_init(&bash, rows[i].line, BREAKS);
		assert_int_equal(bash.n, rows[i].n);
		assert_string_equal(bash.words[bash.n - 1], rows[i].last);
		assert_string_equal(bash.kept, rows[i].kept);
		assert_int_equal(bash.quote, rows[i].quote);
		ccfc_bash_release(&bash);
	}
}

static void test_bash_quote(void **state)
{
	static const struct {
		const char *text;
		char quote;
		const char *want;
	} rows[] = {
		{ "a-b_c.d/e,f:g=h@i%j+k", 0, "a-b_c.d/e,f:g=h@i%j+k" },
		{ "a b'c\"d$e`f\\g", 0, "a\\ b\\'c\\\"d\\$e\\`f\\\\g" },
		{ "[i]*?{~#!;&|<>()", 0,
		  "\\[i\\]\\*\\?\\{\\~\\#\\!\\;\\&\\|\\<\\>\\(\\)" },
		{ "é日", 0, "é日" },
		{ "a b'c\"d$e`f\\g[", '"', "a b'c\\\"d\\$e\\`f\\\\g[" },
		{ "a b'c\"d$e`f\\g[", '\'', "a b'\\''c\"d$e`f\\g[" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_bash_quote(&out, ccfc_slice_str(rows[i].text),
				rows[i].quote);
		assert_string_equal(out.ptr, rows[i].want);
		ccfc_buf_release(&out);
	}
}

/* What readline gets is what stands behind the part that it keeps. */
static void test_bash_candidates(void **state)
{
	static const char line[] = "ccfc sessions --branch=\"it's";
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_bash bash;
	struct ccfc_candidates to = { .out = &out, .bash = &bash };

	(void)state;
	ccfc_bash_init(&bash, line, BREAKS);
	to.stem = ccfc_slice_str("--branch=");
	to.prefix = ccfc_slice_str("it's");
	ccfc_candidates_add(&to, ccfc_slice_str("it's $5"),
			    ccfc_slice_str("about"));
	assert_string_equal(out.ptr, "it's \\$5\n");
	ccfc_candidates_release(&to);
	ccfc_bash_release(&bash);
	ccfc_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_all_commands),
		cmocka_unit_test(test_all_options),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_bash_words),
		cmocka_unit_test(test_bash_quote),
		cmocka_unit_test(test_bash_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
