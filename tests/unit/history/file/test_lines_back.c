/* Lines backwards, with windows of all sizes. */
#include "../source/tmp.h"
#include "history/file/lines_back.h"

static struct ccfc_tail *tail;

/* The lines in front of `end`, last first, each as "offset:line ". */
static void list(struct ccfc_buf *out, size_t window, uint64_t end,
		 uint64_t floor, bool cut)
{
	struct ccfc_slice line;
	struct ccfc_lines_back back;
	uint64_t offset;

	ccfc_buf_clear(out);
	ccfc_lines_back_init(&back, tail, tmp_path("t"), end, floor, cut);
	back.window = window;
	while (ccfc_lines_back_next(&back, &line, &offset)) {
		ccfc_buf_printf(out, "%d:%.*s ", (int)offset, (int)line.len,
				line.ptr);
		/* Readable behind the line, as the parser wants it. */
		for (size_t i = 0; i < CCFC_TAIL_PADDING; i++)
			*(volatile const char *)(line.ptr + line.len + i);
	}
	/* Nothing in front of the floor; less than twice for long lines. */
	assert_true(back.read <= 3 * (end > floor ? end - floor : 0));
	assert_true(back.start >= floor || back.start == end);
	ccfc_lines_back_release(&back);
	ccfc_buf_putc(out, '\0');
}

static void test_lines(void **state)
{
	static const char text[] = "ab\n\nc\ndefghijk\nlm\n";
	static const struct {
		uint64_t end, floor;
		bool cut;
		const char *lines;
	} rows[] = {
		{ 18, 0, false, "15:lm 6:defghijk 4:c 3: 0:ab " },
		{ 15, 0, false, "6:defghijk 4:c 3: 0:ab " },
		{ 4, 0, false, "3: 0:ab " },
		{ 3, 0, false, "0:ab " },
		{ 0, 0, false, "" },
		/* A floor at the start of a line, and one that may not be. */
		{ 18, 4, false, "15:lm 6:defghijk 4:c " },
		{ 18, 4, true, "15:lm 6:defghijk " },
		{ 18, 8, true, "15:lm " },
		{ 15, 8, true, "" },
		{ 15, 15, false, "" },
		{ 15, 18, false, "" },
		/* The file is shorter than that. */
		{ 19, 0, false, "" },
	};
	struct ccfc_buf got = CCFC_BUF_INIT;

	(void)state;
	tmp_write("t", text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t window = 1; window < 20; window++) {
			list(&got, window, rows[i].end, rows[i].floor,
			     rows[i].cut);
			/* A small window sees the lines that are there. */
			if (rows[i].end > 18)
				continue;
			if (strcmp(got.ptr, rows[i].lines))
				fail_msg("row %zu, window %zu: '%s'", i, window,
					 got.ptr);
		}
	list(&got, 20, 19, 0, false);
	assert_string_equal(got.ptr, "");
	ccfc_buf_release(&got);
}

/* What the tail takes at once is less than the window. */
static void test_small_tail(void **state)
{
	struct ccfc_buf got = CCFC_BUF_INIT;
	struct ccfc_tail *own = tail;

	(void)state;
	tail = ccfc_tail_new(6);
	tmp_write("t", "ab\ncd\nef\n");
	list(&got, 1024, 9, 0, false);
	assert_string_equal(got.ptr, "6:ef 3:cd 0:ab ");
	/* Up to a line that it does not take at all. */
	tmp_write("t", "ab\ncdcdcdcdcd\nef\n");
	list(&got, 1024, 17, 0, false);
	assert_string_equal(got.ptr, "14:ef ");
	ccfc_buf_release(&got);
	ccfc_tail_free(tail);
	tail = own;
}

static int set_up(void **state)
{
	(void)state;
	tmp_make();
	tail = ccfc_tail_new(1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ccfc_tail_free(tail);
	tmp_drop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_small_tail),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
