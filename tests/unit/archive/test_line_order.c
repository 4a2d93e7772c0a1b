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

/* A segment without that is too short to be ordered. */
static void put_padding(struct ccfc_buf *out)
{
	ccfc_buf_puts(out, "{\"type\":\"padding\",\"text\":\"");
	for (int i = 0; i < 20000; i++)
		ccfc_buf_putc(out, 'x');
	ccfc_buf_puts(out, "\"}\n");
}

/* A stored segment, and its parts. */
struct stored {
	struct ccfc_buf bytes;
	struct ccfc_blob_parts parts;
	struct ccfc_ordered ordered;
};

static void store_lines(struct stored *out, struct ccfc_slice segment)
{
	*out = (struct stored){ .bytes = CCFC_BUF_INIT };
	out->ordered.len = segment.len;
	out->ordered.runs = ccfc_order_lines(&out->bytes, &out->parts, segment);
	out->ordered.bytes = out->bytes.ptr;
	assert_true(ccfc_ordered_measure(&out->ordered, out->bytes.len));
}

/* The part of a place in the stored bytes. */
static uint32_t part_of(const struct stored *stored, size_t from)
{
	uint32_t i = 0;

	while (stored->parts.ends[i] <= from)
		i++;
	return i;
}

static void check_parts(const struct stored *stored)
{
	const struct ccfc_blob_parts *parts = &stored->parts;

	assert_true(parts->n >= 1 && parts->n <= CCFC_BLOB_PARTS_MAX);
	assert_int_equal(parts->ends[parts->n - 1], stored->bytes.len);
	for (uint32_t i = 1; i < parts->n; i++)
		assert_true(parts->ends[i] >= parts->ends[i - 1]);
	assert_int_equal(parts->n == 1, !stored->ordered.runs);
	assert_true(ccfc_ordered_table(&stored->ordered) <= parts->ends[0]);
}

/* Checks that the segment comes back, and returns how many runs there are. */
static uint32_t check_order(struct ccfc_slice segment)
{
	struct stored stored;
	char *back = malloc(segment.len + 1);
	uint32_t runs;

	assert_non_null(back);
	store_lines(&stored, segment);
	check_parts(&stored);
	assert_true(ccfc_ordered_is_valid(&stored.ordered));
	ccfc_ordered_undo(back, &stored.ordered);
	if (segment.len)
		assert_memory_equal(back, segment.ptr, segment.len);
	for (size_t at = 0; at < segment.len; at += 1 + segment.len / 500) {
		struct ccfc_ordered_piece piece =
			ccfc_ordered_find(&stored.ordered, at);

		assert_true(piece.len &&
			    piece.from + piece.len <= stored.bytes.len);
		/* A piece is in one part only. */
		assert_int_equal(part_of(&stored, piece.from),
				 part_of(&stored, piece.from + piece.len - 1));
		assert_memory_equal(stored.bytes.ptr + piece.from,
				    segment.ptr + at, piece.len);
	}
	runs = stored.ordered.runs;
	ccfc_buf_release(&stored.bytes);
	free(back);
	return runs;
}

/* The part that has the text, once. */
static uint32_t part_with(const struct stored *stored, const char *what)
{
	const char *at = memmem(stored->bytes.ptr, stored->bytes.len, what,
				strlen(what));

	assert_non_null(at);
	return part_of(stored, (size_t)(at - stored->bytes.ptr));
}

/* Does the line come first, in a segment with others? */
static bool comes_first(const struct ccfc_buf *lines, const char *what)
{
	struct stored stored;
	bool is;

	store_lines(&stored, ccfc_buf_view(lines));
	is = part_with(&stored, what) < stored.parts.n - 1;
	ccfc_buf_release(&stored.bytes);
	return is;
}

static void test_lines_of_changes_come_first(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	(void)state;
	put_padding(&lines);
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
	put_padding(&lines);
	put_result(&lines, "r1", ",\"n\":\"of r1\"");
	put_result(&lines, "r2", ",\"n\":\"of r2\"");
	put_result(&lines, "r3", ",\"n\":\"of r3\"");
	assert_true(check_order(ccfc_buf_view(&lines)));
	assert_true(comes_first(&lines, "of r1"));
	assert_false(comes_first(&lines, "of r2"));
	assert_true(comes_first(&lines, "of r3"));
	ccfc_buf_release(&lines);
}

/* Edits of two files in turn, each long enough for a part of its own. */
static void test_lines_of_a_file_are_side_by_side(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;
	struct stored stored;
	uint32_t a, b;

	(void)state;
	ccfc_buf_puts(&lines, "{\"message\":{\"role\":\"user\",\"content\":"
			      "\"do it\"}}\n");
	for (int i = 0; i < 10; i++) {
		ccfc_buf_printf(
			&lines,
			"{\"content\":[{\"type\":\"tool_use\",\"id\":"
			"\"e%d\",\"name\":\"Edit\",\"input\":{"
			"\"file_path\":\"/%c\",\"new\":\"%04000d\"}}]}\n",
			i, i % 2 ? 'b' : 'a', i);
		ccfc_buf_printf(
			&lines,
			"{\"content\":[{\"tool_use_id\":\"e%d\","
			"\"type\":\"tool_result\",\"n\":\"of e%d\"}]}\n",
			i, i);
	}
	put_padding(&lines);
	check_order(ccfc_buf_view(&lines));
	store_lines(&stored, ccfc_buf_view(&lines));
	a = part_with(&stored, "of e0");
	b = part_with(&stored, "of e1");
	assert_int_equal(part_with(&stored, "do it"), 0);
	assert_int_not_equal(a, b);
	for (int i = 0; i < 10; i++) {
		char id[32];

		snprintf(id, sizeof(id), "of e%d", i);
		assert_int_equal(part_with(&stored, id), i % 2 ? b : a);
		snprintf(id, sizeof(id), "\"id\":\"e%d\"", i);
		assert_int_equal(part_with(&stored, id), i % 2 ? b : a);
	}
	assert_int_equal(part_with(&stored, "padding"), stored.parts.n - 1);
	ccfc_buf_release(&stored.bytes);
	ccfc_buf_release(&lines);
}

/* More files than there may be parts. */
static void test_many_files(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	(void)state;
	for (int i = 0; i < 300; i++)
		ccfc_buf_printf(
			&lines,
			"{\"content\":[{\"type\":\"tool_use\",\"id\":"
			"\"e%d\",\"name\":\"Edit\",\"input\":{"
			"\"file_path\":\"/%d\",\"new\":\"%020000d\"}}]}\n",
			i, i, i);
	assert_int_equal(check_order(ccfc_buf_view(&lines)), 300);
	ccfc_buf_release(&lines);
}

/* Prompts or calls, each between other lines: a table of 18 KB. */
static void put_many_runs(struct ccfc_buf *out, bool prompts)
{
	for (int i = 0; i < 1500; i++) {
		if (prompts)
			ccfc_buf_printf(out,
					"{\"message\":{\"role\":\"user\","
					"\"content\":\"no. %d.\"}}\n",
					i);
		else
			ccfc_buf_printf(out,
					"{\"content\":[{\"type\":\"tool_use\","
					"\"name\":\"Edit\",\"n\":"
					"\"no. %d.\"}]}\n",
					i);
		ccfc_buf_puts(out, "{\"type\":\"padding\"}\n");
	}
}

/* The first part is the prefix of the others, so it is more than a table. */
static void test_long_table(void **state)
{
	(void)state;
	for (int prompts = 0; prompts < 2; prompts++) {
		struct ccfc_buf lines = CCFC_BUF_INIT;
		struct stored stored;

		put_many_runs(&lines, prompts);
		assert_int_equal(check_order(ccfc_buf_view(&lines)), 1500);
		store_lines(&stored, ccfc_buf_view(&lines));
		assert_int_equal(part_with(&stored, "no. 0."), 0);
		assert_int_equal(part_with(&stored, "no. 1499."), 0);
		ccfc_buf_release(&stored.bytes);
		ccfc_buf_release(&lines);
	}
}

/* A segment that an earlier version stored: its runs are in order. */
static void test_an_older_table(void **state)
{
	static const unsigned char stored[] =
		"\x02\0\0\0\x02\0\0\0\x06\0\0\0\x05\0\0\0"
		"ccghiaabbdeff";
	struct ccfc_ordered ordered = { (const char *)stored, 13, 2, 0 };
	char back[13];

	(void)state;
	assert_true(ccfc_ordered_measure(&ordered, sizeof(stored) - 1));
	assert_int_equal(ccfc_ordered_table(&ordered), 16);
	assert_true(ccfc_ordered_is_valid(&ordered));
	ccfc_ordered_undo(back, &ordered);
	assert_memory_equal(back, "aaccbbghideff", 13);
	assert_false(ccfc_ordered_measure(&ordered, sizeof(stored)));
}

static void test_notes(void **state)
{
	(void)state;
	assert_true(ccfc_lines_have_no_note(CCFC_SLICE_NONE));
	assert_true(ccfc_lines_have_no_note(CCFC_SLICE_LIT("{\"a\":1}\n")));
	assert_false(ccfc_lines_have_no_note(CCFC_SLICE_LIT(
		"{}\n{\"attachment\":{\"type\":\"hook_additional_context\","
		"\"content\":[]}}\n")));
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
	ccfc_buf_clear(&lines);
	put_padding(&lines);
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
		if (seed_next() % 2)
			put_padding(&lines);
		if (lines.len)
			lines.len -= seed_next() % (lines.len / 8 + 1);
		check_order(ccfc_buf_view(&lines));
		ccfc_buf_release(&lines);
	}
}

/* A table from a hostile archive must not lead out of the segment. */
static void test_damaged_tables(void **state)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;
	struct stored stored;
	uint32_t refused = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		put_call(&lines, "edit", "Edit");
		ccfc_buf_puts(&lines, "{}\n");
	}
	put_padding(&lines);
	store_lines(&stored, ccfc_buf_view(&lines));
	assert_int_equal(stored.ordered.runs, 20);
	for (size_t i = 0; i < ccfc_ordered_table(&stored.ordered) * 8; i++) {
		stored.bytes.ptr[i / 8] ^= (char)(1 << i % 8);
		if (!ccfc_ordered_is_valid(&stored.ordered)) {
			refused++;
		} else {
			for (size_t at = 0; at < stored.ordered.len; at += 7) {
				struct ccfc_ordered_piece p =
					ccfc_ordered_find(&stored.ordered, at);

				assert_true(p.len);
				assert_true(p.from + p.len <= stored.bytes.len);
			}
		}
		stored.bytes.ptr[i / 8] ^= (char)(1 << i % 8);
	}
	assert_true(refused > stored.ordered.runs);
	ccfc_buf_release(&lines);
	ccfc_buf_release(&stored.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_changes_come_first),
		cmocka_unit_test(test_reads_of_changed_files),
		cmocka_unit_test(test_lines_of_a_file_are_side_by_side),
		cmocka_unit_test(test_many_files),
		cmocka_unit_test(test_long_table),
		cmocka_unit_test(test_an_older_table),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_nothing_to_order),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_damaged_tables),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
