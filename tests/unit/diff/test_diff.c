/*
 * Diffs: known ones, and for random texts that they are well formed, give the
 * new text, and are as small as can be (against the textbook's table).
 */
#include "base/alloc.h"
#include "diff/diff.h"

#include "texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct pair {
	struct ccfc_arena arena;
	struct ccfc_split a, b;
	struct ccfc_diff diff;
};

static void pair_init(struct pair *p, struct ccfc_slice a, struct ccfc_slice b)
{
	ccfc_arena_init(&p->arena);
	ccfc_split(&p->a, a, &p->arena);
	ccfc_split(&p->b, b, &p->arena);
	ccfc_diff(&p->diff, &p->a, &p->b, &p->arena);
}

static void pair_release(struct pair *p)
{
	ccfc_arena_release(&p->arena);
}

/* Blocks in order, not empty, apart, and counted. */
static void check_form(const struct pair *p)
{
	uint64_t added = 0, removed = 0;

	for (uint32_t i = 0; i < p->diff.n; i++) {
		const struct ccfc_block *b = &p->diff.blocks[i];

		assert_true(b->an || b->bn);
		assert_true(!i || b->a > b[-1].a + b[-1].an);
		assert_true(!i || b->b > b[-1].b + b[-1].bn);
		assert_true(b->a + b->an <= p->a.n);
		assert_true(b->b + b->bn <= p->b.n);
		added += b->bn;
		removed += b->an;
	}
	assert_int_equal(p->diff.added, added);
	assert_int_equal(p->diff.removed, removed);
}

/* The old text, with each block taken from the new one, is the new text. */
static void check_apply(const struct pair *p, struct ccfc_slice expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	uint32_t at = 0;

	for (uint32_t i = 0; i < p->diff.n; i++) {
		const struct ccfc_block *b = &p->diff.blocks[i];

		for (; at < b->a; at++)
			ccfc_buf_slice(&out, p->a.lines[at]);
		for (uint32_t k = 0; k < b->bn; k++)
			ccfc_buf_slice(&out, p->b.lines[b->b + k]);
		at += b->an;
	}
	for (; at < p->a.n; at++)
		ccfc_buf_slice(&out, p->a.lines[at]);
	assert_true(ccfc_slice_eq(ccfc_buf_view(&out), expected));
	ccfc_buf_release(&out);
}

static void check_pair(const struct pair *p, struct ccfc_slice expected)
{
	check_form(p);
	check_apply(p, expected);
}

static void test_split(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_split s;

	(void)state;
	ccfc_split(&s, CCFC_SLICE_NONE, &arena);
	assert_int_equal(s.n, 0);
	ccfc_split(&s, CCFC_SLICE_LIT("a\r\n\n\0b\nc"), &arena);
	assert_int_equal(s.n, 4);
	assert_true(ccfc_slice_is(s.lines[0], "a\r\n"));
	assert_true(ccfc_slice_is(s.lines[1], "\n"));
	assert_true(ccfc_slice_eq(s.lines[2], CCFC_SLICE_LIT("\0b\n")));
	assert_true(ccfc_slice_is(s.lines[3], "c"));
	ccfc_split(&s, CCFC_SLICE_LIT("\n"), &arena);
	assert_int_equal(s.n, 1);
	ccfc_arena_release(&arena);
}

/* "a,an b,bn;" for each block */
static void check_known(const char *a, const char *b, const char *expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct pair p;

	pair_init(&p, ccfc_slice_str(a), ccfc_slice_str(b));
	ccfc_buf_puts(&out, "");
	for (uint32_t i = 0; i < p.diff.n; i++)
		ccfc_buf_printf(&out, "%u,%u %u,%u;", p.diff.blocks[i].a,
				p.diff.blocks[i].an, p.diff.blocks[i].b,
				p.diff.blocks[i].bn);
	assert_string_equal(out.ptr, expected);
	check_pair(&p, ccfc_slice_str(b));
	ccfc_buf_release(&out);
	pair_release(&p);
}

static void test_known(void **state)
{
	(void)state;
	check_known("", "", "");
	check_known("a\nb\n", "a\nb\n", "");
	check_known("", "a\nb\n", "0,0 0,2;");
	check_known("a\nb\n", "", "0,2 0,0;");
	check_known("a\nb\nc\n", "a\nx\nc\n", "1,1 1,1;");
	check_known("a\nb", "a\nb\n", "1,1 1,1;");
	check_known("a\r\nb\n", "a\nb\n", "0,1 0,1;");
	check_known("a\nb\nc\nd\n", "b\nc\nx\nd\n", "0,1 0,0;3,0 2,1;");
}

/* Where a run of lines could stand in several places. */
static void test_slide(void **state)
{
	(void)state;
	/* Down: the second function is the new one, not "}\n\nf() {". */
	check_known("f {\n1\n}\n\nz\n", "f {\n1\n}\n\nf {\n1\n}\n\nz\n",
		    "4,0 4,4;");
	check_known("a\na\nz\n", "a\na\na\nz\n", "2,0 2,1;");
	check_known("a\na\na\nz\n", "a\nz\n", "1,2 1,0;");
	/* Beside the change of the other side, not down to the last "x". */
	check_known("q\nx\nx\nz\n", "r\nx\nz\n", "0,2 0,1;");
	check_known("d\nc\n", "c\nc\n", "0,1 0,1;");
	/* With changes at both ends, so that these decide nothing. */
	check_known("c\na\nc\n", "a\nc\nc\n", "0,1 0,0;3,0 2,1;");
	/* Up, to meet another removal. */
	check_known("c\nb\nb\n", "b\na\n", "0,2 0,0;3,0 1,1;");
	/* Down once more after two have met. */
	check_known("b\nc\nc\n", "c\nc\nb\nc\n", "0,1 0,0;3,0 2,2;");
	/* Two removals that meet on the way become one. */
	check_known("a\nb\na\nb\na\nz\n", "a\nz\n", "1,4 1,0;");
}

static uint32_t common(const struct ccfc_split *a, const struct ccfc_split *b)
{
	uint32_t table[33][33] = { 0 };

	for (uint32_t i = 0; i < a->n; i++) {
		for (uint32_t j = 0; j < b->n; j++) {
			uint32_t up = table[i][j + 1], left = table[i + 1][j];

			table[i + 1][j + 1] = up > left ? up : left;
			if (ccfc_slice_eq(a->lines[i], b->lines[j]))
				table[i + 1][j + 1] = table[i][j] + 1;
		}
	}
	return table[a->n][b->n];
}

static void test_smallest(void **state)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint32_t kinds = 1 + seed_below(8);
		struct pair p;

		texts_random(&a, 33, kinds);
		if (i % 2)
			texts_random(&b, 33, kinds);
		else
			texts_edit(&b, ccfc_buf_view(&a), 4, kinds);
		pair_init(&p, ccfc_buf_view(&a), ccfc_buf_view(&b));
		if (p.b.n < 33) {
			check_pair(&p, ccfc_buf_view(&b));
			assert_int_equal(p.diff.added + p.diff.removed,
					 p.a.n + p.b.n -
						 2 * common(&p.a, &p.b));
		}
		pair_release(&p);
	}
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

static void test_edits(void **state)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;

	(void)state;
	for (int i = 0; i < 60; i++) {
		uint32_t kinds = 1 + seed_below(i % 2 ? 20 : 5000);
		struct pair p;

		texts_random(&a, 5000, kinds);
		texts_edit(&b, ccfc_buf_view(&a), 1 + seed_below(200), kinds);
		pair_init(&p, ccfc_buf_view(&a), ccfc_buf_view(&b));
		check_pair(&p, ccfc_buf_view(&b));
		pair_release(&p);
	}
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

static void check_bound(int a_lines, int b_lines)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;
	struct pair p, again;
	uint64_t fewer = (uint64_t)(a_lines < b_lines ? a_lines : b_lines);

	for (int i = 0; i < a_lines; i++)
		texts_line(&a, 12);
	for (int i = 0; i < b_lines; i++)
		texts_line(&b, 12);
	pair_init(&p, ccfc_buf_view(&a), ccfc_buf_view(&b));
	check_pair(&p, ccfc_buf_view(&b));
	/* Not hopeless: about a half of the lines is common, or more. */
	assert_true(p.a.n - p.diff.removed > fewer / 4);
	pair_init(&again, ccfc_buf_view(&a), ccfc_buf_view(&b));
	assert_int_equal(p.diff.n, again.diff.n);
	assert_memory_equal(p.diff.blocks, again.diff.blocks,
			    p.diff.n * sizeof(*p.diff.blocks));
	pair_release(&again);
	pair_release(&p);
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

/* Long random texts of few kinds: far more edits than are looked at. */
static void test_bound(void **state)
{
	(void)state;
	check_bound(15000, 15000);
	/* Searches that run out of the box. */
	check_bound(9000, 400);
	check_bound(400, 9000);
	check_bound(6000, 1800);
}

/* The lines the other way round: as deep as it gets. */
static void test_reversed(void **state)
{
	enum { LINES = 300000 };
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;
	struct pair p;

	(void)state;
	for (int i = 0; i < LINES; i++) {
		ccfc_buf_printf(&a, "%d\n", i);
		ccfc_buf_printf(&b, "%d\n", LINES - i);
	}
	pair_init(&p, ccfc_buf_view(&a), ccfc_buf_view(&b));
	check_pair(&p, ccfc_buf_view(&b));
	pair_release(&p);
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_slide),
		cmocka_unit_test(test_smallest),
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_reversed),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
