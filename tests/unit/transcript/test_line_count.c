/* Line counts: a table, and the diff against a plain LCS on random texts. */
#include "../seed.h"
#include "base/buf.h"
#include "transcript/line_count.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MAX_LINES 200u

static void test_count(void **state)
{
	static const struct {
		const char *text;
		const char *raw;
		int32_t lines;
	} rows[] = {
		{ "", "", 0 },
		{ "a", "a", 1 },
		{ "a\n", "a\\n", 1 },
		{ "a\nb", "a\\nb", 2 },
		{ "\n", "\\n", 1 },
		{ "\n\n", "\\n\\u000A", 2 },
		{ "\\n", "\\\\n", 1 },
		{ "\\\n", "\\\\\\n", 1 },
		{ "a\r\nb\r\n", "a\\r\\nb\\r\\n", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(ccfc_line_count(ccfc_slice_str(rows[i].text)),
				 rows[i].lines);
		assert_int_equal(
			ccfc_line_count_raw(ccfc_slice_str(rows[i].raw)),
			rows[i].lines);
	}
}

static void test_diff(void **state)
{
	static const struct {
		const char *before;
		const char *after;
		int32_t added;
		int32_t removed;
	} rows[] = {
		{ "", "", 0, 0 },
		{ "a", "a", 0, 0 },
		{ "a", "a\n", 0, 0 },
		{ "", "a\nb", 2, 0 },
		{ "a\nb", "", 0, 2 },
		{ "a\nb\nc\n", "a\nx\nc\n", 1, 1 },
		{ "a\nb", "b", 0, 1 },
		{ "x", "q\nx", 1, 0 },
		{ "x\n", "q\nx\n", 1, 0 },
		{ "ax", "bx", 1, 1 },
		{ "a\nb\nc", "c\na\nb", 1, 1 },
		{ "a\na\na", "a", 0, 2 },
	};
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t budget = CCFC_LINES_BUDGET;
		int32_t added;
		int32_t removed;

		ccfc_line_count_diff(
			&arena, &budget, ccfc_slice_str(rows[i].before),
			ccfc_slice_str(rows[i].after), &added, &removed);
		assert_int_equal(added, rows[i].added);
		assert_int_equal(removed, rows[i].removed);
	}
	ccfc_arena_release(&arena);
}

/* A text of up to MAX_LINES lines out of few words; returns how many. */
static unsigned random_text(struct ccfc_buf *text, unsigned *words)
{
	unsigned n = seed_below(seed_below(4) ? 12 : MAX_LINES);
	unsigned kinds = 1 + seed_below(9);

	ccfc_buf_clear(text);
	for (unsigned i = 0; i < n; i++) {
		words[i] = seed_below(kinds);
		/* The word 0 is the empty line. */
		for (unsigned c = 0; c < words[i]; c++)
			ccfc_buf_putc(text, (char)('a' + words[i] % 3));
		if (i + 1 < n || !words[i] || seed_below(2))
			ccfc_buf_putc(text, '\n');
	}
	return n;
}

static unsigned plain_lcs(const unsigned *a, unsigned n, const unsigned *b,
			  unsigned m)
{
	static unsigned best[MAX_LINES + 1][MAX_LINES + 1];

	/* Row 0 and column 0 are never written: they stay zero. */
	for (unsigned i = 1; i <= n; i++)
		for (unsigned j = 1; j <= m; j++) {
			unsigned up = best[i - 1][j];
			unsigned left = best[i][j - 1];

			best[i][j] = up > left ? up : left;
			if (a[i - 1] == b[j - 1])
				best[i][j] = best[i - 1][j - 1] + 1;
		}
	return best[n][m];
}

static void test_diff_is_smallest(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_buf before = CCFC_BUF_INIT;
	struct ccfc_buf after = CCFC_BUF_INIT;
	unsigned a[MAX_LINES];
	unsigned b[MAX_LINES];

	(void)state;
	for (int turn = 0; turn < 4000; turn++) {
		unsigned n = random_text(&before, a);
		unsigned m = random_text(&after, b);
		int32_t common = (int32_t)plain_lcs(a, n, b, m);
		uint64_t budget = CCFC_LINES_BUDGET;
		int32_t added;
		int32_t removed;

		ccfc_line_count_diff(&arena, &budget, ccfc_buf_view(&before),
				     ccfc_buf_view(&after), &added, &removed);
		assert_int_equal(added, (int32_t)m - common);
		assert_int_equal(removed, (int32_t)n - common);
		ccfc_arena_clear(&arena);
	}
	ccfc_buf_release(&before);
	ccfc_buf_release(&after);
	ccfc_arena_release(&arena);
}

/* More than a word of lines; then more than is compared at all. */
static void test_diff_of_big_texts(void **state)
{
	static const struct {
		unsigned lines;
		int32_t changed;
	} rows[] = { { 200, 2 }, { 2000, 2 }, { 3000, 2999 } };
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf before = CCFC_BUF_INIT;
		struct ccfc_buf after = CCFC_BUF_INIT;
		uint64_t budget = CCFC_LINES_BUDGET;
		int32_t added;
		int32_t removed;

		/* The second and the last line differ. */
		for (unsigned j = 0; j < rows[i].lines; j++) {
			bool differs = j == 1 || j + 1 == rows[i].lines;

			ccfc_buf_printf(&before, "%u\n", j);
			ccfc_buf_printf(&after, "%u%s\n", j,
					differs ? "x" : "");
		}
		ccfc_line_count_diff(&arena, &budget, ccfc_buf_view(&before),
				     ccfc_buf_view(&after), &added, &removed);
		assert_int_equal(added, rows[i].changed);
		assert_int_equal(removed, rows[i].changed);
		ccfc_buf_release(&before);
		ccfc_buf_release(&after);
	}
	ccfc_arena_release(&arena);
}

/* What a record may spend is used up by and by. */
static void test_budget(void **state)
{
	struct ccfc_slice before = CCFC_SLICE_LIT("a\nx\nb\n");
	struct ccfc_slice after = CCFC_SLICE_LIT("c\nx\nd\n");
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	uint64_t budget = 20;

	(void)state;
	for (int i = 0; i < 3; i++) {
		int32_t added;
		int32_t removed;

		ccfc_line_count_diff(&arena, &budget, before, after, &added,
				     &removed);
		assert_int_equal(added, i < 2 ? 2 : 3);
		assert_int_equal(removed, i < 2 ? 2 : 3);
		assert_int_equal(budget, i < 2 ? 11 - 9 * i : 2);
	}
	ccfc_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_diff_is_smallest),
		cmocka_unit_test(test_diff_of_big_texts),
		cmocka_unit_test(test_budget),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
