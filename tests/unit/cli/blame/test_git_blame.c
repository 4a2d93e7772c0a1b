/* Reading what `git blame --porcelain` prints, and lines as -L names them. */
#include "blame_reply.h"

#include "base/time.h"
#include "cli/blame/git_blame.h"
#include "cli/words/line_range.h"

static int parse(struct ccfc_git_blame *blame, const char *words)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	int code;

	ccfc_buf_puts(&bytes, words);
	code = ccfc_git_blame_parse(blame, &bytes, NULL);
	assert_null(bytes.ptr);
	return code;
}

static const char *commit_of(const struct ccfc_git_blame *b, int64_t line,
			     const char *text)
{
	const struct ccfc_git_commit *c =
		ccfc_git_blame_commit(b, line, ccfc_slice_str(text));

	return c ? c->id : "none";
}

static void test_parse(void **state)
{
	struct ccfc_git_blame b;
	const struct ccfc_git_commit *c;

	(void)state;
	assert_int_equal(parse(&b, git_words), 0);
	assert_int_equal(b.lines.n, 6);
	assert_int_equal(b.commits.n, 2);
	c = &b.commits.items[0];
	assert_true(ccfc_slice_is(c->author, "Ann Ey"));
	assert_true(ccfc_slice_is(c->mail, "<ann@example.org>"));
	assert_true(ccfc_slice_is(c->zone, "+0100"));
	assert_true(ccfc_slice_is(c->summary, "first"));
	assert_int_equal(c->time, 1765360000000);
	assert_string_equal(commit_of(&b, 1, "int a;"), COMMIT_1);
	/* Another text is another line. */
	assert_string_equal(commit_of(&b, 1, "int b;"), "none");
	assert_string_equal(commit_of(&b, 3, "b"), "none");
	/* Line ends may have been turned around. */
	assert_string_equal(commit_of(&b, 5, "mine\r"), COMMIT_1);
	assert_string_equal(commit_of(&b, 6, "int c;"), "none");
	assert_string_equal(commit_of(&b, 0, "int a;"), "none");
	assert_string_equal(commit_of(&b, 7, ""), "none");
	ccfc_git_blame_release(&b);
}

/* A part of a file begins at its own line. */
static void test_part(void **state)
{
	struct ccfc_git_blame b;

	(void)state;
	assert_int_equal(parse(&b, COMMIT_1 " 9 40 1\nsummary s\n\tx\n"), 0);
	assert_string_equal(commit_of(&b, 40, "x"), COMMIT_1);
	assert_string_equal(commit_of(&b, 1, "x"), "none");
	assert_int_equal(b.commits.items[0].time, CCFC_TIME_NONE);
	ccfc_git_blame_release(&b);
}

static void test_nonsense(void **state)
{
	static const char *const bad[] = {
		"hello\n",
		"1234 1 1 1\n\tx\n",
		COMMIT_1 "\n\tx\n",
		COMMIT_1 " 1\n\tx\n",
		COMMIT_1 " x 1\n\tx\n",
		COMMIT_1 " 1 0 1\n\tx\n",
		COMMIT_1 " 1 99999999999999999999 1\n\tx\n",
		/* line 3 after line 1 */
		COMMIT_1 " 1 1 1\n\tx\n" COMMIT_1 " 2 3 1\n\ty\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ccfc_git_blame b;

		if (parse(&b, bad[i]) != CCFC_EPROTO)
			fail_msg("taken: %s", bad[i]);
		ccfc_git_blame_release(&b);
	}
}

static void test_range(void **state)
{
	static const struct {
		const char *text;
		int64_t from, to; /* -1: refused */
	} cases[] = {
		{ "3,5", 3, 5 },
		{ "3,+2", 3, 4 },
		{ "3", 3, 0 },
		{ "3,", 3, 0 },
		{ ",5", 0, 5 },
		{ ",+5", 0, 5 },
		{ "7,7", 7, 7 },
		{ "5,3", -1, 0 },
		{ "0,3", -1, 0 },
		{ "3,0", -1, 0 },
		{ ",", -1, 0 },
		{ "", -1, 0 },
		{ "a", -1, 0 },
		{ "3,b", -1, 0 },
		{ "3,+", -1, 0 },
		{ "3,+0", -1, 0 },
		{ "-3", -1, 0 },
		{ "3,5,7", -1, 0 },
		{ "99999999999999999999", -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t from, to;
		bool ok = ccfc_line_range_parse(&from, &to, cases[i].text);

		if (ok != (cases[i].from >= 0) ||
		    (ok && (from != cases[i].from || to != cases[i].to)))
			fail_msg("%s: %d %d,%d", cases[i].text, ok, (int)from,
				 (int)to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
