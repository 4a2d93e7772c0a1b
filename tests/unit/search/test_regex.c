/* Regular expressions: what they match, and that they come to an end. */
#include "pattern.h"

static void test_regex(void **state)
{
	static const struct {
		const char *pattern, *text;
		int n;
		bool exact;
	} cases[] = {
		{ "^b", "a\nb\nB b", 2, false },
		{ "^b", "a\nb\nB b", 1, true },
		{ "b$", "b\nab\nabc", 2, false },
		{ "\\bé\\w+", "Été éa né", 2, false },
		{ "x*", "aaxxa", 1, false }, /* an empty match is none */
		{ "a.c", "a\nc abc a😀c", 2, false },
		{ "(?s)a.c", "a\nc abc", 2, false },
		{ "(?<=a)b", "ab bb", 1, false },
		{ "\\d{2,}", "1 22 333", 2, false },
		{ "[^\\x00-\\x7f]", "aé中😀", 3, false },
		{ "foo(?=bar)", "foobar foo", 1, false },
		{ "\\\\G", "a\\G", 1, false },
		{ "\\Q\\G(*F)\\E", "\\G(*F)", 1, false },
		{ "[(*A]", "(a", 2, false },
		{ "(*pla:a)a", "aa", 2, false },
		{ "a\\Kb", "ab", 1, false },
		{ "\\Aa", "aa\na", 1, false },
	};
	char text[100 + CCFC_NEEDLE_SLACK];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_matcher *m =
			matcher(cases[i].pattern, true, cases[i].exact);

		snprintf(text, sizeof(text), "%s", cases[i].text);
		if (count(m, ccfc_slice_str(text), true) != cases[i].n)
			fail_msg("%s", cases[i].pattern);
		ccfc_matcher_free(m);
	}
}

/* A match is found wherever a long text is cut for the search. */
static void test_regex_far(void **state)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_matcher *m = matcher("x[0-9]+y", true, false);
	int n = 0;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		ccfc_buf_puts(&text, seed_below(50) ? "é" : "x12y");
		n += ccfc_slice_ends(ccfc_buf_view(&text), "y");
	}
	assert_int_equal(count(m, ccfc_buf_view(&text), false), n);
	ccfc_matcher_free(m);
	ccfc_buf_release(&text);
}

/* What is looked at before a match may stand in another stretch. */
static void test_lookbehind_far(void **state)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_matcher *behind = matcher("(?<=x)é", true, false);
	struct ccfc_matcher *first = matcher("\\Ax|(?<!x|é)é", true, false);
	const int n = 30000;

	(void)state;
	for (int i = 0; i < n; i++)
		ccfc_buf_puts(&text, "xéé");
	assert_int_equal(count(behind, ccfc_buf_view(&text), false), n);
	assert_int_equal(count(first, ccfc_buf_view(&text), false), 1);
	ccfc_matcher_free(behind);
	ccfc_matcher_free(first);
	ccfc_buf_release(&text);
}

static void test_bad_patterns(void **state)
{
	static const struct {
		const char *pattern, *what;
		bool regex;
	} cases[] = {
		{ "a(b", "at byte 4: missing closing parenthesis", true },
		{ "", "1 to 4096 bytes", false },
		{ "*", "at byte 1: quantifier", true },
		{ "a\\Cb", "\\C", true },
		{ "a\\Gb", "at byte 2: \\G cannot", true },
		{ "[[:alpha:]\\]]\\G", "at byte 14: \\G", true },
		{ "\"[^\"]*\"(*SKIP)(*F)|a", "at byte 8: verbs", true },
		{ "(*NO_JIT)a", "at byte 1: verbs", true },
		{ "(*LIMIT_MATCH=99999999)a", "verbs", true },
		{ "(*UTF)a", "verbs", true },
		{ "a(*:name)", "verbs", true },
		{ "\xff", "UTF-8", true },
		{ "a\xe9", "UTF-8", false },
	};
	char long_one[CCFC_PATTERN_MAX + 2];
	struct ccfc_pattern_want want = { 0 };
	struct ccfc_matcher *m;
	struct ccfc_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		want.text = ccfc_slice_str(cases[i].pattern);
		want.regex = cases[i].regex;
		assert_int_equal(ccfc_matcher_new(&m, &want, &err),
				 CCFC_EINVAL);
		if (!strstr(err.what, cases[i].what))
			fail_msg("%s: %s", cases[i].pattern, err.what);
	}
	memset(long_one, 'a', sizeof(long_one));
	want.text = ccfc_slice(long_one, CCFC_PATTERN_MAX + 1);
	assert_int_equal(ccfc_matcher_new(&m, &want, &err), CCFC_EINVAL);
	want.text.len = CCFC_PATTERN_MAX;
	assert_int_equal(ccfc_matcher_new(&m, &want, &err), 0);
	ccfc_matcher_free(m);
}

static int find_in(struct ccfc_matcher *m, char c, size_t n,
		   struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_text t = { .valid = true };
	struct ccfc_span at;
	int r;

	memset(ccfc_buf_reserve(&text, n + CCFC_NEEDLE_SLACK), c, n);
	t.bytes = ccfc_slice(text.ptr, n);
	r = ccfc_matcher_find(&at, m, &t, 0, err);
	ccfc_buf_release(&text);
	return r;
}

/* Exponential in one place: an error. */
static void test_too_many_steps(void **state)
{
	static const char *const patterns[] = { "(a+)+[^a]", "(a|aa)+[c-z]{2}",
						"(([a-z])+.)+[A-Z]" };
	struct ccfc_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct ccfc_matcher *m = matcher(patterns[i], true, true);

		assert_int_equal(find_in(m, 'a', 5000, &err), CCFC_ETOOBIG);
		assert_non_null(strstr(err.what, "too many steps"));
		ccfc_matcher_free(m);
	}
}

static bool stop_soon(void *ctx)
{
	return ++*(int *)ctx > 3;
}

/* Quadratic over a long text: it is stopped in between. */
static void test_stopped(void **state)
{
	int asked = 0;
	const struct ccfc_pattern_want want = { .text = CCFC_SLICE_LIT("a+b"),
						.regex = true,
						.stop = stop_soon,
						.ctx = &asked };
	struct ccfc_matcher *m;

	(void)state;
	assert_int_equal(ccfc_matcher_new(&m, &want, NULL), 0);
	assert_int_equal(find_in(m, 'a', 400000, NULL), CCFC_EAGAIN);
	assert_int_equal(asked, 4);
	ccfc_matcher_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regex),
		cmocka_unit_test(test_regex_far),
		cmocka_unit_test(test_lookbehind_far),
		cmocka_unit_test(test_bad_patterns),
		cmocka_unit_test(test_too_many_steps),
		cmocka_unit_test(test_stopped),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
