/*
 * The order in which lines are stored: any bytes come back exactly, from any
 * place, and the lines that questions about changes read come first.
 */
#include "archive/line_order.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void put_call(struct ccfc_buf *out, const char *id, const char *tool)
{
	ccfc_buf_printf(out,
			"{\"type\":\"assistant\",\"message\":{\"role\":"
			"\"assistant\",\"content\":[{\"type\":\"tool_use\","
			"\"id\":\"%s\",\"name\":\"%s\",\"input\":{}}]}}\n",
			id, tool);
}

static void put_result(struct ccfc_buf *out, const char *id, const char *more)
{
	ccfc_buf_printf(out,
			"{\"type\":\"user\",\"message\":{\"role\":\"user\","
			"\"content\":[{\"tool_use_id\":\"%s\",\"type\":"
			"\"tool_result\",\"content\":\"done\"}]}%s}\n",
			id, more);
}

/* Checks that the segment comes back, and returns how much comes first. */
static size_t check_order(struct ccfc_slice segment)
{
	struct ccfc_buf stored = CCFC_BUF_INIT;
	size_t first = 1;
	struct ccfc_ordered ordered = { .len = segment.len };
	char *back = malloc(segment.len + 1);

	assert_non_null(back);
	ordered.runs = ccfc_order_lines(&stored, &first, segment);
	ordered.bytes = stored.ptr;
	assert_int_equal(stored.len,
			 segment.len + ccfc_ordered_table(ordered.runs));
	assert_true(ccfc_ordered_is_valid(&ordered));
	assert_int_equal(!first, !ordered.runs);
	ccfc_ordered_undo(back, &ordered);
	if (segment.len)
		assert_memory_equal(back, segment.ptr, segment.len);
	for (size_t at = 0; at < segment.len; at += 1 + segment.len / 500) {
		struct ccfc_ordered_piece piece =
			ccfc_ordered_find(&ordered, at);

		assert_true(piece.len && piece.from + piece.len <= stored.len);
		/* A piece is in one part only. */
		assert_true(piece.from >= first ||
			    piece.from + piece.len <= first);
		assert_memory_equal(stored.ptr + piece.from, segment.ptr + at,
				    piece.len);
	}
	ccfc_buf_release(&stored);
	free(back);
	return first;
}

/* Does the line come first, in a segment with others? */
static bool comes_first(const struct ccfc_buf *lines, const char *what)
{
	struct ccfc_buf stored = CCFC_BUF_INIT;
	size_t first;
	bool is;

	ccfc_order_lines(&stored, &first, ccfc_buf_view(lines));
	is = memmem(stored.ptr, first, what, strlen(what));
	ccfc_buf_release(&stored);
	return is;
}

static void test_lines_of_changes_come_first(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	(void)state;
	ccfc_buf_puts(&lines, "{\"type\":\"summary\"}\n");
	put_call(&lines, "edit", "Edit");
	put_call(&lines, "read", "Read");
	put_call(&lines, "bash", "Bash");
	put_call(&lines, "diff", "Bash");
	put_call(&lines, "mine", "mcp__fs__write_file");
	put_result(&lines, "read", ",\"n\":\"of read\"");
	put_result(&lines, "edit", ",\"n\":\"of edit\"");
	put_result(&lines, "bash", ",\"n\":\"of bash\"");
	put_result(&lines, "diff", ",\"bashEditDiff\":{},\"n\":\"of diff\"");
	put_result(&lines, "gone", ",\"n\":\"of gone\"");
	ccfc_buf_puts(&lines, "{\"message\":{\"role\":\"user\",\"content\":"
			      "\"do it\"}}\n{\"message\":{\"role\":"
			      "\"assistant\",\"content\":\"done it\"}}\n");
	assert_true(check_order(ccfc_buf_view(&lines)));
	assert_true(comes_first(&lines, "\"id\":\"edit\""));
	assert_true(comes_first(&lines, "\"id\":\"bash\""));
	assert_true(comes_first(&lines, "\"id\":\"mine\""));
	assert_true(comes_first(&lines, "of edit"));
	assert_true(comes_first(&lines, "of diff"));
	assert_true(comes_first(&lines, "of gone"));
	assert_true(comes_first(&lines, "do it"));
	assert_false(comes_first(&lines, "\"id\":\"read\""));
	assert_false(comes_first(&lines, "of read"));
	assert_false(comes_first(&lines, "of bash"));
	assert_false(comes_first(&lines, "done it"));
	assert_false(comes_first(&lines, "summary"));
	ccfc_buf_release(&lines);
}

/* A Read of a file that a call of the same segment changes, before or after. */
static void test_reads_of_changed_files(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	(void)state;
#define CALL(id, tool, path)                                                   \
	"{\"content\":[{\"type\":\"tool_use\",\"id\":\"" id                    \
	"\",\"name\":\"" tool "\",\"input\":{\"file_path\":\"" path "\"}}]}\n"
	ccfc_buf_puts(&lines,
		      CALL("r1", "Read", "/a") CALL("r2", "Read", "/b")
			      CALL("e", "Edit", "/a") CALL("r3", "Read", "/a"));
	put_result(&lines, "r1", ",\"n\":\"of r1\"");
	put_result(&lines, "r2", ",\"n\":\"of r2\"");
	put_result(&lines, "r3", ",\"n\":\"of r3\"");
	assert_true(check_order(ccfc_buf_view(&lines)));
	assert_true(comes_first(&lines, "of r1"));
	assert_false(comes_first(&lines, "of r2"));
	assert_true(comes_first(&lines, "of r3"));
	ccfc_buf_release(&lines);
}

static void test_nothing_to_order(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	(void)state;
	assert_int_equal(check_order(CCFC_SLICE_NONE), 0);
	assert_int_equal(check_order(CCFC_SLICE_LIT("\n")), 0);
	assert_int_equal(check_order(CCFC_SLICE_LIT("\"tool_use")), 0);
	put_call(&lines, "edit", "Edit");
	assert_int_equal(check_order(ccfc_buf_view(&lines)), 0);
	ccfc_buf_release(&lines);
}

/* Lines of all kinds, cut off anywhere, with pieces of marks between. */
static void test_any_bytes(void **state)
{
	static const char *const pieces[] = {
		"\n",
		"\"tool_use",
		"\"tool_use\"",
		"\"tool_use_id\":\"",
		"\"id\":\"",
		"\"name\":\"",
		"Edit\"",
		"Read\"",
		"\"role\":\"user\"",
		"\"",
		"x",
		"\xff",
	};
	size_t n = sizeof(pieces) / sizeof(*pieces);

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct ccfc_buf lines = CCFC_BUF_INIT;

		for (uint64_t k = seed_next() % 200; k--;) {
			if (seed_next() % 4)
				ccfc_buf_puts(&lines, pieces[seed_next() % n]);
			else
				put_call(&lines, "id",
					 seed_next() % 2 ? "Edit" : "Read");
		}
		if (lines.len)
			lines.len -= seed_next() % lines.len;
		check_order(ccfc_buf_view(&lines));
		ccfc_buf_release(&lines);
	}
}

/* A table from a hostile archive must not lead out of the segment. */
static void test_damaged_tables(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT, stored = CCFC_BUF_INIT;
	struct ccfc_ordered ordered;
	uint32_t refused = 0;
	size_t first;

	(void)state;
	for (int i = 0; i < 20; i++) {
		put_call(&lines, "edit", "Edit");
		ccfc_buf_puts(&lines, "{}\n");
	}
	ordered.len = lines.len;
	ordered.runs = ccfc_order_lines(&stored, &first, ccfc_buf_view(&lines));
	ordered.bytes = stored.ptr;
	assert_int_equal(ordered.runs, 20);
	for (size_t i = 0; i < ccfc_ordered_table(ordered.runs) * 8; i++) {
		stored.ptr[i / 8] ^= (char)(1 << i % 8);
		if (!ccfc_ordered_is_valid(&ordered)) {
			refused++;
		} else {
			for (size_t at = 0; at < ordered.len; at++) {
				struct ccfc_ordered_piece p =
					ccfc_ordered_find(&ordered, at);

				assert_true(p.len);
				assert_true(p.from + p.len <= stored.len);
			}
		}
		stored.ptr[i / 8] ^= (char)(1 << i % 8);
	}
	assert_true(refused > ordered.runs);
	ccfc_buf_release(&lines);
	ccfc_buf_release(&stored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_changes_come_first),
		cmocka_unit_test(test_reads_of_changed_files),
		cmocka_unit_test(test_nothing_to_order),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_damaged_tables),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
