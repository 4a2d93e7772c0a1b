/* Tables: what fits, what is cut, which columns go first. */
#include "cli_test.h"

#include "cli/out/table.h"

enum { A, B, C, D };

static const struct ccfc_table_col cols[] = {
	[A] = { "ID", 0, 2, false },
	[B] = { "TITLE", 12, 2, CCFC_TABLE_PROSE },
	[C] = { "COUNT", 0, 2, false },
	[D] = { "STATE", 0, 0, false },
};
static const unsigned drop[] = { C, D };

/* One row on a terminal of `width` columns. */
static void check(unsigned width, unsigned ndrop, const char *want)
{
	struct ccfc_out out = memory_out(width);
	struct ccfc_table table;

	ccfc_table_init(&table, cols, 4);
	ccfc_table_drop(&table, drop, ndrop);
	ccfc_table_cell(&table, ccfc_slice_str("1234"));
	ccfc_table_cell(&table, ccfc_slice_str("a title with five words"));
	ccfc_table_cell(&table, ccfc_slice_str("17"));
	ccfc_table_cell(&table, ccfc_slice_str("done"));
	ccfc_table_print(&table, &out);
	assert_string_equal(out.buf.ptr, want);
	ccfc_table_release(&table);
	ccfc_buf_release(&out.buf);
}

/* In the order that was asked for, each only when it has to. */
static void test_drop(void **state)
{
	(void)state;
	check(0, 2,
	      "  ID    TITLE                    COUNT  STATE\n"
	      "  1234  a title with five words  17     done\n");
	check(45, 2,
	      "  ID    TITLE                    COUNT  STATE\n"
	      "  1234  a title with five words  17     done\n");
	check(34, 2,
	      "  ID    TITLE         COUNT  STATE\n"
	      "  1234  a title wit…  17     done\n");
	check(33, 2,
	      "  ID    TITLE               STATE\n"
	      "  1234  a title with five…  done\n");
	check(26, 2,
	      "  ID    TITLE\n"
	      "  1234  a title with five…\n");
	check(18, 2,
	      "  ID    TITLE\n"
	      "  1234  a title w…\n");
}

/* Without an order a narrow terminal gets the first columns. */
static void test_first(void **state)
{
	(void)state;
	check(33, 0,
	      "  ID    TITLE        COUNT  STATE\n"
	      "  1234  a title wi…  17     done\n");
	check(30, 0,
	      "  ID    TITLE       COUNT\n"
	      "  1234  a title w…  17\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_first),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
