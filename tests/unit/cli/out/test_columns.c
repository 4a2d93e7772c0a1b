/* Cells of every kind, and the columns that a narrow terminal loses. */
#include "cli_test.h"

#include "cli/out/columns.h"

static void put_twice(struct ccfc_buf *text, const struct ccfc_cells *cells,
		      struct ccfc_obj row)
{
	struct ccfc_slice s = ccfc_obj_get_str(row, "id");

	ccfc_buf_puts(text, cells->data);
	ccfc_buf_slice(text, s);
	ccfc_buf_slice(text, s);
}

/* One with all fields, and an empty one. */
static void pack_rows(struct ccfc_pack *p)
{
	ccfc_pack_array(p);
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "id", "0123456789abcdef");
	ccfc_pack_kv_cstr(p, "text", "a\x1b[1m");
	ccfc_pack_kv_cstr(p, "title", "\n first \n second");
	ccfc_pack_kv_cstr(p, "model", "claude-opus-4-5-20251101");
	ccfc_pack_kv_cstr(p, "path", "/p/src/main.c");
	ccfc_pack_kv_int(p, "count", 12345);
	ccfc_pack_kv_int(p, "other", 7);
	ccfc_pack_kv_int(p, "linesAdded", 3);
	ccfc_pack_kv_int(p, "linesRemoved", 1);
	ccfc_pack_kv_cstr(p, "time", "2025-12-31T14:05:59.000Z");
	ccfc_pack_cstr(p, "tools");
	ccfc_pack_array(p);
	ccfc_pack_cstr(p, "Edit");
	ccfc_pack_cstr(p, "Write");
	ccfc_pack_end(p);
	ccfc_pack_cstr(p, "usage");
	ccfc_pack_map(p);
	ccfc_pack_kv_int(p, "input", 1000);
	ccfc_pack_kv_int(p, "output", 500);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	ccfc_pack_map(p);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
}

/* The two cells of one column. */
static void test_kinds(void **state)
{
	static const struct {
		struct ccfc_column column;
		const char *full, *empty;
	} rows[] = {
		{ { "T", "text", .kind = CCFC_CELL_TEXT }, "a^[[1m", "-" },
		{ { "T", "none", .kind = CCFC_CELL_TEXT, .second = "path" },
		  "/p/src/main.c",
		  "-" },
		{ { "T", "text", .kind = CCFC_CELL_OPTIONAL }, "a^[[1m", "" },
		{ { "T", "none", .kind = CCFC_CELL_GROUP },
		  "(none)",
		  "(none)" },
		{ { "T", "title", .kind = CCFC_CELL_TITLE }, "first", "-" },
		{ { "T", "model", .kind = CCFC_CELL_MODEL }, "opus-4-5", "-" },
		{ { "T", "path", .kind = CCFC_CELL_PATH },
		  "/p/src/main.c",
		  "-" },
		{ { "T", "path", .kind = CCFC_CELL_BELOW }, "src/main.c", "" },
		{ { "T", "id", .kind = CCFC_CELL_PREFIX }, "0123", "" },
		{ { "T", "id", .kind = CCFC_CELL_ID, .cut = 6 },
		  "0123456789abcdef",
		  "-" },
		{ { "T", "count", .kind = CCFC_CELL_COUNT }, "12345", "0" },
		{ { "T", "count", .kind = CCFC_CELL_PAIR, .second = "other" },
		  "12345/7",
		  "0/0" },
		{ { "T", "tools", .kind = CCFC_CELL_LENGTH }, "2", "0" },
		{ { "T", "usage", .kind = CCFC_CELL_TOKENS }, "1.5k", "0" },
		{ { "T", "count", .kind = CCFC_CELL_TOKENS }, "12.3k", "0" },
		{ { "T", "linesAdded", .kind = CCFC_CELL_LINES },
		  "+3 -1",
		  "+0 -0" },
		{ { "T", "count", .kind = CCFC_CELL_DURATION }, "3h25m", "-" },
		{ { "T", "time", .kind = CCFC_CELL_MINUTE },
		  "2025-12-31 14:05",
		  "-" },
		{ { "T", "time", .kind = CCFC_CELL_SECOND },
		  "2025-12-31 14:05:59",
		  "-" },
		{ { "T", "time", .kind = CCFC_CELL_WHEN },
		  "2025-12-31 14:05",
		  "-" },
		{ { "T", "tools", .kind = CCFC_CELL_JOIN }, "Edit, Write", "" },
		{ { "T", NULL, .kind = CCFC_CELL_OWN, .put = put_twice },
		  "x0123456789abcdef0123456789abcdef",
		  "x" },
	};
	struct packed p;
	struct ccfc_obj array;

	(void)state;
	pack_rows(packed_init(&p));
	array = packed_root(&p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(0);
		struct ccfc_cells cells = { .out = &out,
					    .id_length = 4,
					    .base = CCFC_SLICE_LIT("/p"),
					    .data = "x" };
		struct ccfc_buf want = CCFC_BUF_INIT;

		ccfc_buf_printf(&want, "  T\n  %s\n  %s\n", rows[i].full,
				rows[i].empty);
		ccfc_columns_print(&out, &rows[i].column, 1, &cells, array);
		assert_string_equal(out.buf.ptr, want.ptr);
		ccfc_buf_release(&want);
		ccfc_buf_release(&out.buf);
	}
	packed_release(&p);
}

static void note_title(struct ccfc_table *table, struct ccfc_obj row)
{
	if (ccfc_obj_get_str(row, "title").len)
		ccfc_table_note(table, CCFC_SLICE_LIT("noted"));
}

/* The lowest `drop` goes first; columns without one stay. */
static void test_drop(void **state)
{
	static const struct ccfc_column columns[] = {
		{ "PATH", "path", .kind = CCFC_CELL_TEXT, .gap = 3 },
		{ "COUNT", "count", .kind = CCFC_CELL_COUNT, .drop = 2 },
		{ "OTHER", "other", .kind = CCFC_CELL_COUNT, .drop = 1 },
	};
	static const struct {
		unsigned width;
		const char *text;
	} rows[] = {
		{ 0, "  PATH            COUNT  OTHER\n"
		     "  /p/src/main.c   12345  7\n"
		     "    noted\n"
		     "  -               0      0\n" },
		{ 29, "  PATH            COUNT\n"
		      "  /p/src/main.c   12345\n"
		      "    noted\n"
		      "  -               0\n" },
		{ 20, "  PATH\n"
		      "  /p/src/main.c\n"
		      "    noted\n"
		      "  -\n" },
	};
	struct packed p;
	struct ccfc_obj array;

	(void)state;
	pack_rows(packed_init(&p));
	array = packed_root(&p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_out out = memory_out(rows[i].width);
		struct ccfc_cells cells = { .out = &out, .note = note_title };

		ccfc_columns_print(&out, columns, CCFC_NCOLUMNS(columns),
				   &cells, array);
		assert_string_equal(out.buf.ptr, rows[i].text);
		ccfc_buf_release(&out.buf);
	}
	packed_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_drop),
	};

	return cmocka_run_group_tests(tests, use_utc, NULL);
}
