/* Slices, also those that point nowhere. */
#include "base/slice.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define L(s) CCFC_SLICE_LIT(s)

static void test_equal(void **state)
{
	(void)state;
	assert_true(ccfc_slice_eq(CCFC_SLICE_NONE, L("")));
	assert_true(ccfc_slice_eq(L("a\0b"), L("a\0b")));
	assert_false(ccfc_slice_eq(L("a\0b"), L("a\0c")));
	assert_false(ccfc_slice_eq(L("a"), L("ab")));
	assert_true(ccfc_slice_is(L("ab"), "ab"));
	assert_false(ccfc_slice_is(L("ab\0"), "ab"));
	assert_true(ccfc_slice_is(CCFC_SLICE_NONE, ""));
	assert_true(ccfc_slice_is(CCFC_SLICE_NONE, NULL));
	assert_int_equal(ccfc_slice_str(NULL).len, 0);
}

static void test_affixes(void **state)
{
	static const struct {
		struct ccfc_slice s;
		const char *affix;
		bool starts, ends, contains;
	} table[] = {
		{ { NULL, 0 }, "", true, true, true },
		{ { NULL, 0 }, "a", false, false, false },
		{ { "abc", 3 }, "", true, true, true },
		{ { "abc", 3 }, "a", true, false, true },
		{ { "abc", 3 }, "b", false, false, true },
		{ { "abc", 3 }, "c", false, true, true },
		{ { "abc", 3 }, "abc", true, true, true },
		{ { "abc", 3 }, "abcd", false, false, false },
		{ { "abc", 2 }, "bc", false, false, false },
		{ { "aab", 3 }, "ab", false, true, true },
		{ { "aaab", 4 }, "aab", false, true, true },
		{ { "a\0b", 3 }, "b", false, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_int_equal(ccfc_slice_starts(table[i].s, table[i].affix),
				 table[i].starts);
		assert_int_equal(ccfc_slice_ends(table[i].s, table[i].affix),
				 table[i].ends);
		assert_int_equal(
			ccfc_slice_contains(table[i].s, table[i].affix),
			table[i].contains);
	}
}

/* In sorted order; each is below all that follow. */
static void test_order(void **state)
{
	static const struct ccfc_slice sorted[] = {
		{ "", 0 },     { "\0", 1 },   { "\0a", 2 }, { "a", 1 },
		{ "aa", 2 },   { "ab", 2 },   { "b", 1 },   { "\x7f", 1 },
		{ "\x80", 1 }, { "\xff", 1 },
	};
	size_t n = sizeof(sorted) / sizeof(*sorted);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			int r = ccfc_slice_cmp(sorted[i], sorted[j]);

			assert_int_equal((r > 0) - (r < 0), (i > j) - (i < j));
		}
	assert_int_equal(ccfc_slice_cmp(CCFC_SLICE_NONE, L("")), 0);
}

/* strstr is the model. */
static void test_contains_random(void **state)
{
	(void)state;
	for (int round = 0; round < 50000; round++) {
		char hay[16], needle[5];
		size_t h = seed_below(sizeof(hay)), n = seed_below(5);

		for (size_t i = 0; i < h; i++)
			hay[i] = (char)('a' + seed_below(2));
		for (size_t i = 0; i < n; i++)
			needle[i] = (char)('a' + seed_below(2));
		hay[h] = '\0';
		if (n == sizeof(needle))
			n--;
		needle[n] = '\0';
		assert_int_equal(
			ccfc_slice_contains(ccfc_slice(hay, h), needle),
			strstr(hay, needle) != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_affixes),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_contains_random),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
