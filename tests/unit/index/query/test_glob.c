/* Patterns against paths, as tables. */
#include "base/buf.h"
#include "index/query/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "../seed.h"

static const struct {
	const char *pattern;
	const char *path;
	bool match;
} cases[] = {
	{ "/a/b.c", "/a/b.c", true },
	{ "/a/b.c", "/a/b.cc", false },
	{ "/a/*.c", "/a/b.c", true },
	{ "/a/*.c", "/a/x/b.c", false },
	{ "/a/*.c", "/a/.c", true },
	{ "/a/b?c", "/a/b.c", true },
	{ "/a/b?c", "/a/b/c", false },
	{ "/a/?.txt", "/a/é.txt", true },
	{ "/a/?.txt", "/a/日.txt", true },
	{ "/a/?.txt", "/a/ab.txt", false },
	{ "/a/[bc].x", "/a/b.x", true },
	{ "/a/[!bc].x", "/a/b.x", false },
	{ "/a/[a-f]x", "/a/ex", true },
	{ "/a/[a-f]x", "/a/gx", false },
	{ "/a/[]]x", "/a/]x", true },
	{ "/a/[x", "/a/[x", true },
	{ "/a/\\[id\\].tsx", "/a/[id].tsx", true },
	{ "/a/\\*", "/a/x", false },
	{ "/a/**", "/a/b", true },
	{ "/a/**", "/a/b/c/d", true },
	{ "/a/**", "/a", false },
	{ "/a/**/d", "/a/d", true },
	{ "/a/**/d", "/a/b/c/d", true },
	{ "/a/**/d", "/a/b/c/e", false },
	{ "/a/**/b/**/c", "/a/x/b/y/b/z/c", true },
	{ "/**/*.ts", "/x/y.ts", true },
	{ "/a/x**y", "/a/xzzy", true },
	{ "/a/x**y", "/a/x/y", false },
	{ "/a/*.{ts,tsx}", "/a/b.tsx", true },
	{ "/a/*.{ts,tsx}", "/a/b.js", false },
	{ "/{a,b{c,d}}/x", "/bd/x", true },
	{ "/{a,b{c,d}}/x", "/b/x", false },
	{ "/a{,b}", "/a", true },
	{ "/a/{x", "/a/{x", true },
	{ "/a/*a*a*a*a*a*b", "/a/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  false },
	{ "C:/x/*.c", "C:/x/y.c", true },
};

static void test_match(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ccfc_glob *glob;
		bool got;

		assert_int_equal(ccfc_glob_new(&glob,
					       ccfc_slice_str(cases[i].pattern),
					       NULL),
				 0);
		got = ccfc_glob_match(glob, ccfc_slice_str(cases[i].path));
		if (got != cases[i].match)
			fail_msg("%s on %s: %d", cases[i].pattern,
				 cases[i].path, got);
		ccfc_glob_free(glob);
	}
}

static void test_anchor(void **state)
{
	static const struct {
		const char *pattern, *base, *want;
	} rows[] = {
		{ "src/*.c", "/home/u/p", "/home/u/p/src/*.c" },
		{ "./a", "/p/", "/p/a" },
		{ "../*.c", "/p/q", "/p/*.c" },
		{ "../../../x", "/p", "/x" },
		{ "*.c", "/odd[dir]{x}", "/odd\\[dir\\]\\{x\\}/*.c" },
		{ "/a//b/./c", "/ignored", "/a/b/c" },
		{ "C:/a/*", "/ignored", "C:/a/*" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		assert_int_equal(
			ccfc_glob_anchor(&out, ccfc_slice_str(rows[i].pattern),
					 ccfc_slice_str(rows[i].base), NULL),
			0);
		assert_string_equal(out.ptr, rows[i].want);
		ccfc_buf_release(&out);
	}
}

static void test_refused(void **state)
{
	struct ccfc_glob *glob;
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_err err;
	char many[200] = "";

	(void)state;
	for (int i = 0; i < 12; i++)
		strcat(many, "{a,b,c,d}");
	assert_int_equal(ccfc_glob_new(&glob, ccfc_slice_str(many), &err),
			 CCFC_EINVAL);
	assert_int_equal(ccfc_glob_new(&glob, CCFC_SLICE_NONE, &err),
			 CCFC_EINVAL);
	assert_int_equal(ccfc_glob_anchor(&out, CCFC_SLICE_LIT("a*"),
					  CCFC_SLICE_NONE, &err),
			 CCFC_EINVAL);
	ccfc_buf_release(&out);
}

/* What a hostile pattern may cost. */
static void test_costs(void **state)
{
	char text[4096], path[4096];
	struct ccfc_glob *glob;

	(void)state;
	/* Braces that are never closed, and many choices behind them. */
	memset(text, '{', 3000);
	strcpy(text + 3000, "{a,b,c,d,e,f,g}");
	assert_int_equal(ccfc_glob_new(&glob, ccfc_slice_str(text), NULL), 0);
	ccfc_glob_free(glob);
	/* Too many bytes in all. */
	memset(text, 'x', 4000);
	strcpy(text + 4000, "{a,b,c,d}{a,b,c,d,e,f,g,h}");
	assert_int_equal(ccfc_glob_new(&glob, ccfc_slice_str(text), NULL),
			 CCFC_EINVAL);
	/* Stars that cost the square of the length. */
	text[0] = path[0] = '/';
	for (int i = 1; i < 2000; i += 2)
		memcpy(text + i, "*a", 2);
	strcpy(text + 2001, "[b]");
	memset(path + 1, 'a', 4000);
	path[4001] = '\0';
	assert_int_equal(ccfc_glob_new(&glob, ccfc_slice_str(text), NULL), 0);
	ccfc_glob_grant(glob, 1000);
	assert_false(ccfc_glob_match(glob, ccfc_slice_str(path)));
	assert_true(ccfc_glob_is_spent(glob));
	ccfc_glob_free(glob);
	/* Spent is spent: it must not take a half of a path for the whole. */
	assert_int_equal(ccfc_glob_new(&glob, CCFC_SLICE_LIT("/a"), NULL), 0);
	for (uint64_t steps = 0; steps < 8; steps++) {
		ccfc_glob_grant(glob, steps);
		assert_false(ccfc_glob_match(glob, CCFC_SLICE_LIT("/ab")));
	}
	ccfc_glob_free(glob);
}

/* --- against a matcher that tries everything --- */

static bool naive(const char *p, const char *s);

/* "[…]" against one byte; NULL when it is not closed. */
static const char *naive_class(const char *p, char c, bool *hit)
{
	bool negate = p[1] == '!' || p[1] == '^';
	const char *first = p + 1 + negate;

	*hit = false;
	for (p = first; *p && *p != '/' && (*p != ']' || p == first); p++)
		*hit |= *p == c;
	*hit ^= negate;
	return *p == ']' ? p + 1 : NULL;
}

/* "**" as a whole component: nothing, or whole components. */
static bool naive_globstar(const char *p, const char *s)
{
	if (!p[2])
		return true;
	for (;; s++) {
		if (naive(p + 3, s))
			return true;
		s = strchr(s, '/');
		if (!s)
			return false;
	}
}

/* At the start of a component, or within one. */
static bool naive_at(const char *p, const char *s, bool start)
{
	const char *after;
	bool hit;

	if (start && !strncmp(p, "**", 2) && (!p[2] || p[2] == '/'))
		return naive_globstar(p, s);
	if (*p == '*')
		return naive_at(p + 1, s, false) ||
		       (*s && *s != '/' && naive_at(p, s + 1, false));
	if (!*p || !*s)
		return !*p && !*s;
	if (*p == '/')
		return *s == '/' && naive_at(p + 1, s + 1, true);
	if (*s == '/')
		return false;
	if (*p == '?')
		return naive_at(p + 1, s + 1, false);
	if (*p == '[' && (after = naive_class(p, *s, &hit)))
		return hit && naive_at(after, s + 1, false);
	return *p == *s && naive_at(p + 1, s + 1, false);
}

static bool naive(const char *p, const char *s)
{
	return naive_at(p, s, true);
}

/* Braces by expansion, the first group first; they are not nested wrongly. */
static bool naive_braces(const char *p, const char *s)
{
	const char *open = strchr(p, '{'), *end, *from;
	int depth = 0;

	if (!open)
		return naive(p, s);
	for (end = open; *end && (depth += (*end == '{') - (*end == '}'));)
		end++;
	from = open + 1;
	for (const char *q = from; q <= end; q++) {
		char text[128];

		if (q == end || (*q == ',' && !depth)) {
			snprintf(text, sizeof(text), "%.*s%.*s%s",
				 (int)(open - p), p, (int)(q - from), from,
				 end + 1);
			if (naive_braces(text, s))
				return true;
			from = q + 1;
		}
		depth += (*q == '{') - (*q == '}');
	}
	return false;
}

static size_t put_random(char *out, const char *const *words, unsigned nwords,
			 unsigned n)
{
	size_t len = 0;

	for (unsigned i = 0; i < n; i++)
		len += (size_t)sprintf(out + len, "%s",
				       words[seed_below(nwords)]);
	return len;
}

static void test_against_naive(void **state)
{
	static const char *const words[] = {
		"a",	"b",  "/",	  "/",	    "*",      "**",
		"/**/", "?",  "[ab]",	  "[!a]",   "{a,b}",  "{,a}",
		"[b",	"/*", "{a,{b,}}", "{a*,b}", "{/a,b}", "{**,a}/",
	};
	static const char *const letters[] = { "a", "b", "/", "a", "/b" };
	unsigned matched = 0;

	(void)state;
	seed_start();
	for (int i = 0; i < 20000; i++) {
		char pattern[128] = "/", path[64] = "/";
		struct ccfc_glob *glob;

		put_random(pattern + 1, words, sizeof(words) / sizeof(*words),
			   1 + seed_below(6));
		if (ccfc_glob_new(&glob, ccfc_slice_str(pattern), NULL))
			continue;
		for (int k = 0; k < 10; k++) {
			bool got, want;

			put_random(path + 1, letters,
				   sizeof(letters) / sizeof(*letters),
				   seed_below(6));
			got = ccfc_glob_match(glob, ccfc_slice_str(path));
			want = naive_braces(pattern, path);
			if (got != want)
				fail_msg("%s on %s: %d", pattern, path, got);
			matched += got;
		}
		ccfc_glob_free(glob);
	}
	assert_true(matched > 1000);
}

/* --- what it costs --- */

static uint64_t cost(const char *pattern, const char *path)
{
	const uint64_t all = 1u << 30;
	struct ccfc_glob *glob;
	uint64_t left;

	assert_int_equal(ccfc_glob_new(&glob, ccfc_slice_str(pattern), NULL),
			 0);
	ccfc_glob_grant(glob, all);
	assert_false(ccfc_glob_match(glob, ccfc_slice_str(path)));
	left = ccfc_glob_left(glob);
	ccfc_glob_free(glob);
	return all - left;
}

/* `n` times `unit`, with `end` behind. */
static const char *times(char *out, int n, const char *unit, const char *end)
{
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += (size_t)sprintf(out + len, "%s", unit);
	strcpy(out + len, end);
	return out;
}

/* Both twice as long cost no more than eight times as much. */
static void test_growth(void **state)
{
	static const char *const units[][3] = {
		{ "*a", "a", "?" },
		{ "/**/a", "/a", "/?" },
		{ "/**/*a", "/aa", "/[!a]" },
	};
	char p[2][1024], s[2][1024];

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		uint64_t once, twice;

		times(p[0], 20, units[i][0], units[i][2]);
		times(s[0], 60, units[i][1], "/b/b");
		times(p[1], 40, units[i][0], units[i][2]);
		times(s[1], 120, units[i][1], "/b/b");
		once = cost(p[0], s[0]);
		twice = cost(p[1], s[1]);
		assert_true(once > 20 && twice <= 8 * once + 64);
	}
}

/* 64 choices on a path that none fits: looked at, not gone through. */
static void test_braces_are_cheap(void **state)
{
	const char *path = "/aaaaaaaa/aaaaaaaa/aaaaaaaa/aaaaaaaa/a.txt";
	uint64_t one = cost("/**/*a*a*.c", path);
	uint64_t many = cost("/**/*a*a*.{a,b}{a,b}{a,{b,c}}{a,b}{c,d}", path);

	(void)state;
	assert_int_equal(one, 1);
	assert_int_equal(many, 48);
	assert_int_equal(cost("/b{a,b,c}/**/*a*a*", path), 3);
}

static void test_is_pattern(void **state)
{
	(void)state;
	assert_true(ccfc_glob_is_pattern(CCFC_SLICE_LIT("a*")));
	assert_true(ccfc_glob_is_pattern(CCFC_SLICE_LIT("[id]")));
	assert_true(ccfc_glob_is_pattern(CCFC_SLICE_LIT("{a,b}")));
	assert_false(ccfc_glob_is_pattern(CCFC_SLICE_LIT("/a/b-c_d.e")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_anchor),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_braces_are_cheap),
		cmocka_unit_test(test_is_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
