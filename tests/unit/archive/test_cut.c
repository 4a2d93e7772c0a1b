/*
 * Cuts: the same lines are cut at the same places, whatever stands before them;
 * and the id of a session is put back exactly.
 */
#include "archive/cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FIRST  "5e550000-0000-4000-8000-000000000001"
#define SECOND "5e550000-0000-4000-8000-000000000002"

/* Lines of a session; the same ones for the same `from`. */
static void put_lines(struct ccfc_buf *out, unsigned from, unsigned n,
		      const char *session)
{
	for (unsigned i = from; i < from + n; i++) {
		ccfc_buf_printf(out, "{\"sessionId\":\"%s\",\"n\":%u,\"x\":\"",
				session, i);
		for (unsigned k = 0; k < i % 97; k++)
			ccfc_buf_printf(out, "%u ", i * 2654435761u + k);
		ccfc_buf_puts(out, "\"}\n");
	}
}

/* Where it is cut, with the id blanked. */
static size_t cuts(size_t *out, size_t max, const struct ccfc_buf *bytes,
		   const char *session)
{
	struct ccfc_buf copy = CCFC_BUF_INIT;
	struct ccfc_slice left;
	size_t n = 0, len;

	ccfc_buf_slice(&copy, ccfc_buf_view(bytes));
	ccfc_cut_blank(copy.ptr, copy.len, ccfc_slice_str(session));
	left = ccfc_buf_view(&copy);
	while (n < max && (len = ccfc_cut_next(left))) {
		assert_true(len >= CCFC_CUT_MIN && len <= CCFC_CUT_MAX);
		left = ccfc_slice_from(left, len);
		out[n++] = copy.len - left.len;
	}
	assert_true(left.len < CCFC_CUT_MAX);
	ccfc_buf_release(&copy);
	return n;
}

static void test_same_lines(void **state)
{
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;
	size_t of_a[100], of_b[100], na, nb, before, same = 0;

	(void)state;
	put_lines(&a, 1000, 9000, FIRST);
	put_lines(&b, 0, 1000, SECOND);
	before = b.len;
	put_lines(&b, 1000, 9000, SECOND);
	na = cuts(of_a, 100, &a, FIRST);
	nb = cuts(of_b, 100, &b, SECOND);
	for (size_t i = 0; i < na; i++)
		for (size_t k = 0; k < nb; k++)
			same += of_b[k] == of_a[i] + before;
	assert_true(na > 4);
	/* Soon after the lines that only one of them has, all are. */
	assert_true(same + 3 >= na);
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

static void test_more_bytes_do_not_move_cuts(void **state)
{
	struct ccfc_buf a = CCFC_BUF_INIT;
	size_t few[100], many[100], n;

	(void)state;
	put_lines(&a, 0, 5000, FIRST);
	n = cuts(few, 100, &a, FIRST);
	put_lines(&a, 5000, 3000, FIRST);
	assert_true(cuts(many, 100, &a, FIRST) >= n);
	assert_memory_equal(few, many, n * sizeof(*few));
	ccfc_buf_release(&a);
}

static void test_one_long_line(void **state)
{
	char *bytes = calloc(1, CCFC_CUT_MAX + 1);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', CCFC_CUT_MAX + 1);
	assert_int_equal(ccfc_cut_next(ccfc_slice(bytes, CCFC_CUT_MAX + 1)),
			 CCFC_CUT_MAX);
	assert_int_equal(ccfc_cut_next(ccfc_slice(bytes, CCFC_CUT_MAX - 1)), 0);
	assert_int_equal(ccfc_cut_next(CCFC_SLICE_NONE), 0);
	free(bytes);
}

static void test_ids(void **state)
{
	struct ccfc_slice session = ccfc_slice_str(FIRST);
	struct ccfc_buf a = CCFC_BUF_INIT, b = CCFC_BUF_INIT;

	(void)state;
	assert_true(ccfc_cut_has_id(session));
	assert_false(ccfc_cut_has_id(ccfc_slice_str("agent")));
	ccfc_buf_puts(&a, FIRST FIRST "\x01" SECOND "-" FIRST "\n\x01");
	ccfc_buf_slice(&b, ccfc_buf_view(&a));
	assert_false(ccfc_cut_is_odd(ccfc_buf_view(&b)));
	ccfc_cut_blank(b.ptr, b.len, session);
	assert_null(strstr(b.ptr, FIRST));
	assert_true(ccfc_cut_is_odd(ccfc_buf_view(&b)));
	ccfc_cut_fill(b.ptr, b.len, session);
	assert_string_equal(a.ptr, b.ptr);
	assert_false(ccfc_cut_is_odd(CCFC_SLICE_NONE));
	ccfc_buf_release(&a);
	ccfc_buf_release(&b);
}

/* A line that is too long is cut, but never within what replaces the id. */
static void test_no_cut_in_an_id(void **state)
{
	struct ccfc_slice session = ccfc_slice_str(FIRST);
	size_t len = CCFC_CUT_MAX + 100;
	char *bytes = malloc(len), *copy = malloc(len);

	(void)state;
	assert_true(bytes && copy);
	for (size_t at = CCFC_CUT_MAX - 40; at <= CCFC_CUT_MAX + 4; at++) {
		size_t cut;

		memset(bytes, 'x', len);
		memcpy(bytes + at, FIRST, strlen(FIRST));
		memcpy(copy, bytes, len);
		ccfc_cut_blank(copy, len, session);
		cut = ccfc_cut_next(ccfc_slice(copy, len));
		assert_true(cut <= at || cut >= at + strlen(FIRST));
		ccfc_cut_fill(copy, cut, session);
		ccfc_cut_fill(copy + cut, len - cut, session);
		assert_memory_equal(copy, bytes, len);
	}
	free(bytes);
	free(copy);
}

/* Parts of a segment have the id, wherever they begin and end. */
static void test_copies_have_the_id(void **state)
{
	static const char text[] = "{" FIRST "," FIRST FIRST "}\n" SECOND "\n";
	size_t len = sizeof(text) - 1;
	char stored[sizeof(text)], part[sizeof(text)];

	(void)state;
	memcpy(stored, text, sizeof(text));
	ccfc_cut_blank(stored, len, ccfc_slice_str(FIRST));
	assert_null(strstr(stored, FIRST));
	for (size_t at = 0; at <= len; at++)
		for (size_t n = 0; n <= len - at; n++) {
			ccfc_cut_copy(part, ccfc_slice(stored, len), at, n,
				      ccfc_slice_str(FIRST));
			assert_memory_equal(part, text + at, n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_lines),
		cmocka_unit_test(test_more_bytes_do_not_move_cuts),
		cmocka_unit_test(test_one_long_line),
		cmocka_unit_test(test_no_cut_in_an_id),
		cmocka_unit_test(test_copies_have_the_id),
		cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
