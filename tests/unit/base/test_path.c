/* Paths: tables, and a property of the normal form. */
#include "base/path.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define S(s) ccfc_slice_str(s)

static const struct {
	const char *path, *base, *home, *expected; /* NULL: refused */
} table[] = {
	{ "/a/b", "", "", "/a/b" },
	{ "/", "", "", "/" },
	{ "//", "", "", "/" },
	{ "/a//b/./c/", "", "", "/a/b/c" },
	{ "/a/../b", "", "", "/b" },
	{ "/../../a", "", "", "/a" },
	{ "/a/b/../..", "", "", "/" },
	{ "/a/...", "", "", "/a/..." },
	{ "/a/..b/.c", "", "", "/a/..b/.c" },
	{ "/a\\b", "", "", "/a\\b" }, /* a fine name on Unix */
	{ "/a b/\n", "", "", "/a b/\n" },
	{ "/\xff", "", "", "/\xff" },
	/* relative */
	{ "b", "/a", "", "/a/b" },
	{ "./b", "/a/", "", "/a/b" },
	{ "../b", "/a/c", "", "/a/b" },
	{ "../../../b", "/a", "", "/b" },
	{ ".", "/a", "", "/a" },
	{ "..", "/a", "", "/" },
	{ "b", "/", "", "/b" },
	{ "b", "", "", NULL },
	{ "b", "a", "", NULL },
	{ "", "/a", "", NULL },
	/* home */
	{ "~", "/a", "/home/u", "/home/u" },
	{ "~/x", "/a", "/home/u/", "/home/u/x" },
	{ "~/../x", "/a", "/home/u", "/home/x" },
	{ "~x", "/a", "/home/u", "/a/~x" },
	{ "~u/x", "/a", "/home/u", "/a/~u/x" },
	{ "~/x", "/home/u/p", "", "/home/u/x" },
	{ "~/x", "/Users/u", "", "/Users/u/x" },
	{ "~/x", "/root/p", "", "/root/x" },
	{ "~/x", "/rooted/p", "", NULL },
	{ "~/x", "/home/", "", NULL },
	{ "~/x", "/srv/p", "", NULL },
	{ "~/x", "/srv/p", "relative", NULL },
	/* Windows */
	{ "C:\\a\\b", "", "", "C:/a/b" },
	{ "c:/a/b", "", "", "C:/a/b" },
	{ "C:\\a\\..\\..\\b", "", "", "C:/b" },
	{ "C:\\", "", "", "C:/" },
	{ "C:/a/../..", "", "", "C:/" },
	{ "a\\b", "C:\\p", "", "C:/p/a/b" },
	{ "..\\b", "C:\\p\\q", "", "C:/p/b" },
	{ "/c/a", "C:\\p", "", "C:/a" },
	{ "/c", "C:\\p", "", "C:/" },
	{ "/c/a", "/p", "", "/c/a" },
	{ "/cc/a", "C:\\p", "", "/cc/a" },
	{ "C:a", "/p", "", "/p/C:a" },
	{ "C:", "/p", "", "/p/C:" },
	{ "1:/a", "/p", "", "/p/1:/a" },
};

static void test_normalise(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;
		bool ok;

		ccfc_buf_puts(&out, "kept/");
		ok = ccfc_path_normalise(&out, S(table[i].path),
					 S(table[i].base), S(table[i].home));
		if (ok != (table[i].expected != NULL))
			fail_msg("%s against %s", table[i].path, table[i].base);
		assert_memory_equal(out.ptr, "kept/", 5);
		assert_string_equal(out.ptr + 5, ok ? table[i].expected : "");
		ccfc_buf_release(&out);
	}
}

/* A normal path is its own normal form, and has nothing in it to remove. */
static void test_normal_form(void **state)
{
	static const char *const parts[] = {
		"a",  "b",  "/", "//",	"..",  ".",
		"\\", "C:", "~", "...", "/c/", "/"
	};

	(void)state;
	for (int round = 0; round < 50000; round++) {
		struct ccfc_buf in = CCFC_BUF_INIT, once = CCFC_BUF_INIT,
				twice = CCFC_BUF_INIT;
		const char *base = seed_below(2) ? "/base/dir" : "C:/base";

		for (uint32_t n = 1 + seed_below(8); n; n--)
			ccfc_buf_puts(&in, parts[seed_below(12)]);
		assert_true(ccfc_path_normalise(&once, ccfc_buf_view(&in),
						S(base), S("/home/u")));
		assert_true(ccfc_path_is_absolute(ccfc_buf_view(&once)));
		assert_true(ccfc_path_normalise(&twice, ccfc_buf_view(&once),
						S("/x"), S("/home/u")));
		assert_string_equal(once.ptr, twice.ptr);
		assert_null(strstr(once.ptr, "//"));
		assert_null(strstr(once.ptr, "/../"));
		assert_null(strstr(once.ptr, "/./"));
		assert_true(once.ptr[once.len - 1] != '/' || once.len == 1 ||
			    once.len == 3);
		ccfc_buf_release(&in);
		ccfc_buf_release(&once);
		ccfc_buf_release(&twice);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *path, *base, *ext;
	} rows[] = {
		{ "/a/b.ts", "b.ts", ".ts" },
		{ "b.ts", "b.ts", ".ts" },
		{ "/a.d/Makefile", "Makefile", "" },
		{ "/a/.gitignore", ".gitignore", "" },
		{ "/a/.eslintrc.js", ".eslintrc.js", ".js" },
		{ "/a/x.tar.gz", "x.tar.gz", ".gz" },
		{ "/a/x.", "x.", "" },
		{ "/a/..x", "..x", ".x" },
		{ "/", "", "" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(ccfc_slice_is(ccfc_path_basename(S(rows[i].path)),
					  rows[i].base));
		assert_true(ccfc_slice_is(ccfc_path_extension(S(rows[i].path)),
					  rows[i].ext));
	}
	assert_int_equal(ccfc_path_basename(CCFC_SLICE_NONE).len, 0);
	assert_int_equal(ccfc_path_extension(CCFC_SLICE_NONE).len, 0);
}

static void test_below(void **state)
{
	static const struct {
		const char *path, *dir;
		bool below;
		const char *relative;
	} rows[] = {
		{ "/a/b", "/a", true, "b" },
		{ "/a/b/c", "/a", true, "b/c" },
		{ "/a", "/a", true, "/a" },
		{ "/ab", "/a", false, "/ab" },
		{ "/a", "/a/b", false, "/a" },
		{ "/a", "/", true, "a" },
		{ "/", "/", true, "/" },
		{ "/a/b", "/a/", true, "b" },
		{ "/a", "", false, "/a" },
		{ "C:/a", "C:/", true, "a" },
		{ "D:/a", "C:/", false, "D:/a" },
		{ "C:/a/b", "C:/a", true, "b" },
		{ "", "", false, "" },
		{ "", "/", false, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_slice path = S(rows[i].path), dir = S(rows[i].dir);

		if (ccfc_path_is_below(path, dir) != rows[i].below)
			fail_msg("%s below %s", rows[i].path, rows[i].dir);
		assert_true(ccfc_slice_is(ccfc_path_relative(path, dir),
					  rows[i].relative));
	}
	assert_false(ccfc_path_is_below(CCFC_SLICE_NONE, CCFC_SLICE_NONE));
	assert_false(ccfc_path_is_below(S("/a"), CCFC_SLICE_NONE));
	assert_false(ccfc_path_is_absolute(CCFC_SLICE_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normalise),
		cmocka_unit_test(test_normal_form),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_below),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
