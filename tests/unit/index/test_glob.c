/* Patterns against paths, as tables. */
#include "base/buf.h"
#include "index/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
	strcpy(text + 2001, "b");
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
		cmocka_unit_test(test_is_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
