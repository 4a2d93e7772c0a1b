/* Widths, cutting text to a width, and tables that must fit. */
#include "cli_test.h"

#include "cli/out/table.h"
#include "cli/out/width.h"

static void test_width(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} rows
		[] = {
			{ "", 0 },	    { "abc", 3 },  { "é", 1 },
			{ "漢字", 4 },	    { "a漢b", 4 }, { "😀", 2 },
			{ "e\xcc\x81", 1 }, /* e and a combining acute */
			{ "…", 1 },
		};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(ccfc_width(ccfc_slice_str(rows[i].text)),
				 rows[i].width);
}

static void test_elide(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		const char *out;
	} rows[] = {
		{ "short", 5, "short" },
		{ "src/very/long/path.c", 20, "src/very/long/path.c" },
		{ "src/very/long/path.c", 13, "src/…g/path.c" },
		{ "abcdef", 1, "…" },
		{ "abcdef", 2, "…f" },
		{ "abcdef", 0, "" },
		/* a wide character does not fit in half */
		{ "漢字漢字", 5, "…漢字" },
		/* a combining mark is not left alone */
		{ "abcdefe\xcc\x81g", 3, "…e\xcc\x81g" },
		{ "abcdefe\xcc\x81g", 2, "…g" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_puts(&out, "");
		ccfc_width_elide(&out, ccfc_slice_str(rows[i].text),
				 rows[i].max);
		assert_string_equal(out.ptr, rows[i].out);
		ccfc_buf_release(&out);
	}
}

static void test_cut(void **state)
{
	static const struct {
		const char *text;
		size_t max;
		const char *out;
	} rows[] = {
		{ "short", 5, "short" },  { "add a test", 6, "add a…" },
		{ "abcdef", 1, "…" },	  { "abcdef", 0, "" },
		{ "漢字漢字", 4, "漢…" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_puts(&out, "");
		ccfc_width_cut(&out, ccfc_slice_str(rows[i].text), rows[i].max);
		assert_string_equal(out.ptr, rows[i].out);
		ccfc_buf_release(&out);
	}
}

static const struct ccfc_table_col cols[] = {
	{ "PATH", 12, 2, true },
	{ "N", 0, 1, false },
	{ "TOOLS", 0, 0, false },
};

static void check_table(unsigned width, const char *path, const char *golden)
{
	struct ccfc_out out = memory_out(width);
	struct ccfc_table table;

	ccfc_table_init(&table, cols, 3);
	ccfc_table_cell(&table, ccfc_slice_str(path));
	ccfc_table_printf(&table, "%d", 4);
	ccfc_table_cell(&table, ccfc_slice_str("Edit"));
	ccfc_table_cell(&table, ccfc_slice_str("b"));
	ccfc_table_printf(&table, "%d", 12);
	ccfc_table_cell(&table, ccfc_slice_str("Write"));
	ccfc_table_print(&table, &out);
	assert_string_equal(out.buf.ptr, golden);
	ccfc_table_release(&table);
	ccfc_buf_release(&out.buf);
}

static void test_table(void **state)
{
	(void)state;
	/* the minimum, where there is room */
	check_table(0, "a.c",
		    "  PATH          N  TOOLS\n"
		    "  a.c           4  Edit\n"
		    "  b             12 Write\n");
	check_table(24, "a.c",
		    "  PATH          N  TOOLS\n"
		    "  a.c           4  Edit\n"
		    "  b             12 Write\n");
	/* no room for it */
	check_table(23, "a.c",
		    "  PATH  N  TOOLS\n"
		    "  a.c   4  Edit\n"
		    "  b     12 Write\n");
	/* wide characters are aligned */
	check_table(0, "漢字.c",
		    "  PATH          N  TOOLS\n"
		    "  漢字.c        4  Edit\n"
		    "  b             12 Write\n");
	/* cut on a terminal, not elsewhere */
	check_table(24, "src/some/where/deep/a.c",
		    "  PATH          N  TOOLS\n"
		    "  src…deep/a.c  4  Edit\n"
		    "  b             12 Write\n");
	check_table(0, "src/some/where/deep/a.c",
		    "  PATH                     N  TOOLS\n"
		    "  src/some/where/deep/a.c  4  Edit\n"
		    "  b                        12 Write\n");
	/* a newline in a cell stays in its cell */
	check_table(0, "a\nb\033",
		    "  PATH          N  TOOLS\n"
		    "  a^Jb^[        4  Edit\n"
		    "  b             12 Write\n");
}

/* No row is wider than the terminal as long as columns can be cut. */
static void test_fits(void **state)
{
	(void)state;
	for (unsigned width = 26; width < 60; width++) {
		struct ccfc_out out = memory_out(width);
		struct ccfc_table table;
		char path[64];

		memset(path, 'x', sizeof(path));
		ccfc_table_init(&table, cols, 3);
		ccfc_table_cell(&table, ccfc_slice(path, sizeof(path)));
		ccfc_table_cell(&table, ccfc_slice_str("1"));
		ccfc_table_cell(&table, ccfc_slice_str("Edit"));
		ccfc_table_print(&table, &out);
		for (char *p = out.buf.ptr; *p;) {
			size_t n = strcspn(p, "\n");

			assert_true(ccfc_width(ccfc_slice(p, n)) <= width);
			p += n + 1;
		}
		ccfc_table_release(&table);
		ccfc_buf_release(&out.buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_width), cmocka_unit_test(test_elide),
		cmocka_unit_test(test_cut),   cmocka_unit_test(test_table),
		cmocka_unit_test(test_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
