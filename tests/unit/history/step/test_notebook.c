/*
 * Notebooks: what each client does to a cell, byte for byte as recorded, and
 * JSON as JavaScript prints it.
 */
#include "history/step/notebook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define S(s) CCFC_SLICE_LIT(s)

#define MARKDOWN                                                               \
	"  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"aaa111\",\n"       \
	"   \"metadata\": {},\n   \"source\": [\n    \"# Title\\n\",\n"        \
	"    \"text\"\n   ]\n  }"
#define CODE                                                                   \
	"  {\n   \"cell_type\": \"code\",\n   \"id\": \"bbb222\",\n"           \
	"   \"execution_count\": 3,\n   \"metadata\": {},\n"                   \
	"   \"outputs\": [],\n   \"source\": [\n    \"x = 1\"\n   ]\n  }"
#define TAIL                                                                   \
	"\n ],\n \"metadata\": {\n  \"language_info\": {\n"                    \
	"   \"name\": \"python\"\n  }\n },\n \"nbformat\": 4,\n"               \
	" \"nbformat_minor\": 5\n}"
#define NOTEBOOK(cells) "{\n \"cells\": [\n" cells TAIL
/* As other programs write it, the text ends in a newline. */
#define BEFORE NOTEBOOK(MARKDOWN ",\n" CODE) "\n"

/* What becomes of CODE; NEXT is what follows its id. */
#define CODE_WITH(next)                                                        \
	"  {\n   \"cell_type\": \"code\",\n   \"id\": \"bbb222\",\n" next      \
	"   \"metadata\": {},\n   \"outputs\": [],\n"                          \
	"   \"source\": \"x = 42\\nprint(x)\"\n  }"

static struct ccfc_cell replace_code(const char *version)
{
	return (struct ccfc_cell){
		.source = S("x = 42\nprint(x)"),
		.type = S("code"),
		.id = S("bbb222"),
		.number = -1,
		.asked = true,
		.asked_id = S("bbb222"),
		.version = ccfc_slice_str(version),
	};
}

static struct ccfc_cell insert_after(const char *type, const char *version)
{
	return (struct ccfc_cell){
		.mode = CCFC_CELL_INSERT,
		.source = S("## inserted"),
		.type = ccfc_slice_str(type),
		.id = S("y1zufsv1cdn"),
		.number = -1,
		.asked = true,
		.asked_type = ccfc_slice_str(type),
		.asked_id = S("aaa111"),
		.version = ccfc_slice_str(version),
	};
}

static struct ccfc_cell delete_number(int64_t number)
{
	return (struct ccfc_cell){
		.mode = CCFC_CELL_DELETE,
		.type = S("code"),
		.number = number,
	};
}

static void gives(struct ccfc_cell cell, const char *before, const char *after)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	assert_true(ccfc_notebook_edit(&out, &cell, ccfc_slice_str(before)));
	assert_string_equal(out.ptr, after);
	ccfc_buf_release(&out);
}

static void refuses(struct ccfc_cell cell, const char *before)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "old");
	assert_false(ccfc_notebook_edit(&out, &cell, ccfc_slice_str(before)));
	assert_int_equal(out.len, 0);
	ccfc_buf_release(&out);
}

static void test_replace(void **state)
{
	static const char early[] = NOTEBOOK(MARKDOWN ",\n" CODE_WITH(""));
	static const char late[] = NOTEBOOK(
		MARKDOWN ",\n" CODE_WITH("   \"execution_count\": null,\n"));
	struct ccfc_cell cell = replace_code(NULL);

	(void)state;
	gives(replace_code("1.0.35"), BEFORE, early);
	gives(replace_code("1.0.128"), BEFORE, late);
	gives(replace_code("2.0.30"), BEFORE, late);
	/* Somewhere between them it changed. */
	refuses(replace_code("1.0.36"), BEFORE);
	refuses(replace_code("1.0.127"), BEFORE);
	refuses(replace_code("1.0"), BEFORE);
	refuses(replace_code("next"), BEFORE);
	refuses(cell, BEFORE);
	/* A number is word enough. */
	cell.id = CCFC_SLICE_NONE;
	cell.number = 1;
	gives(cell, BEFORE, early);
	cell.number = 2;
	refuses(cell, BEFORE);
}

static void test_replace_type(void **state)
{
	struct ccfc_cell cell = replace_code("2.0.30");

	(void)state;
	cell.id = cell.asked_id = S("aaa111");
	cell.source = S("new");
	/* "code" is the result's word for nothing. */
	gives(cell, BEFORE,
	      NOTEBOOK("  {\n   \"cell_type\": \"markdown\",\n"
		       "   \"id\": \"aaa111\",\n   \"metadata\": {},\n"
		       "   \"source\": \"new\"\n  },\n" CODE));
	cell.asked_type = S("code");
	gives(cell, BEFORE,
	      NOTEBOOK("  {\n   \"cell_type\": \"code\",\n"
		       "   \"id\": \"aaa111\",\n   \"metadata\": {},\n"
		       "   \"source\": \"new\"\n  },\n" CODE));
	cell.asked = false;
	refuses(cell, BEFORE);
}

static void test_insert(void **state)
{
	static const char fresh[] =
		NOTEBOOK(MARKDOWN ",\n  {\n   \"cell_type\": \"markdown\",\n"
				  "   \"id\": \"y1zufsv1cdn\",\n"
				  "   \"source\": \"## inserted\",\n"
				  "   \"metadata\": {}\n  },\n" CODE);
	struct ccfc_cell cell = insert_after("markdown", "1.0.35");

	(void)state;
	gives(cell, BEFORE, fresh);
	gives(insert_after("markdown", "1.0.77"), BEFORE, fresh);
	gives(insert_after("markdown", "2.0.30"), BEFORE, fresh);
	refuses(insert_after("markdown", "1.0.25"), BEFORE);
	refuses(insert_after("markdown", NULL), BEFORE);
	refuses(insert_after("code", "1.0.77"), BEFORE);
	refuses(insert_after("raw", "2.0.30"), BEFORE);
	cell.asked = false; /* after which one? */
	refuses(cell, BEFORE);
	cell.asked = true;
	cell.id = cell.asked_id; /* no result: the new id is not known */
	refuses(cell, BEFORE);
}

static void test_insert_first(void **state)
{
	struct ccfc_cell cell = insert_after("code", "2.0.30");

	(void)state;
	cell.asked_id = CCFC_SLICE_NONE;
	gives(cell, NOTEBOOK(CODE),
	      NOTEBOOK("  {\n   \"cell_type\": \"code\",\n"
		       "   \"id\": \"y1zufsv1cdn\",\n"
		       "   \"source\": \"## inserted\",\n"
		       "   \"metadata\": {},\n"
		       "   \"execution_count\": null,\n"
		       "   \"outputs\": []\n  },\n" CODE));
}

static void test_insert_number(void **state)
{
	struct ccfc_cell cell = insert_after("markdown", NULL);

	(void)state;
	cell.id = cell.asked_id = CCFC_SLICE_NONE;
	cell.number = 1;
	gives(cell, BEFORE,
	      NOTEBOOK(MARKDOWN ",\n  {\n   \"cell_type\": \"markdown\",\n"
				"   \"source\": \"## inserted\",\n"
				"   \"metadata\": {}\n  },\n" CODE));
	cell.number = 2; /* at the end */
	gives(cell, BEFORE,
	      NOTEBOOK(MARKDOWN ",\n" CODE
				",\n  {\n   \"cell_type\": \"markdown\",\n"
				"   \"source\": \"## inserted\",\n"
				"   \"metadata\": {}\n  }"));
	cell.number = 3;
	refuses(cell, BEFORE);
}

/* Formats before 4.5 have no ids, and cells are called cell-0, cell-1. */
static void test_no_ids(void **state)
{
	static const char before[] = "{\"cells\":[{\"a\":1},{\"b\":2}],"
				     "\"metadata\":{},\"nbformat\":4,"
				     "\"nbformat_minor\":4}";
	struct ccfc_cell cell = insert_after("markdown", "2.0.30");

	(void)state;
	cell.id = cell.asked_id = S("cell-0");
	gives(cell, before,
	      "{\n \"cells\": [\n  {\n   \"a\": 1\n  },\n"
	      "  {\n   \"cell_type\": \"markdown\",\n"
	      "   \"source\": \"## inserted\",\n   \"metadata\": {}\n  },\n"
	      "  {\n   \"b\": 2\n  }\n ],\n \"metadata\": {},\n"
	      " \"nbformat\": 4,\n \"nbformat_minor\": 4\n}");
	cell.version = S("1.0.35"); /* before or after? */
	refuses(cell, before);
	cell.version = S("2.0.30");
	cell.id = S("y1zufsv1cdn"); /* not of this notebook */
	refuses(cell, before);
	cell.id = cell.asked_id = S("cell-2");
	refuses(cell, before);
	cell.mode = CCFC_CELL_DELETE;
	refuses(cell, before);
	cell.id = S("cell-1");
	gives(cell, before,
	      "{\n \"cells\": [\n  {\n   \"a\": 1\n  }\n ],\n"
	      " \"metadata\": {},\n \"nbformat\": 4,\n"
	      " \"nbformat_minor\": 4\n}");
}

static void test_delete(void **state)
{
	struct ccfc_cell cell = replace_code(NULL);

	(void)state;
	cell.mode = CCFC_CELL_DELETE;
	gives(cell, BEFORE, NOTEBOOK(MARKDOWN));
	gives(delete_number(0), BEFORE, NOTEBOOK(CODE));
	gives(delete_number(0), "{\"cells\":[{}],\"metadata\":{}}",
	      "{\n \"cells\": [],\n \"metadata\": {}\n}");
	refuses(delete_number(2), BEFORE);
	cell.id = S("nope");
	refuses(cell, BEFORE);
	cell.id = CCFC_SLICE_NONE;
	refuses(cell, BEFORE);
}

/* A cell's own id may look like another's number. */
static void test_odd_id(void **state)
{
	static const char before[] =
		"{\"cells\":[{\"id\":\"\\u0063ell-1\"},{}],\"metadata\":{}}";
	struct ccfc_cell cell = replace_code(NULL);

	(void)state;
	cell.mode = CCFC_CELL_DELETE;
	cell.id = S("cell-1");
	refuses(cell, before);
	cell.version = S("2.0.30");
	gives(cell, before,
	      "{\n \"cells\": [\n  {}\n ],\n"
	      " \"metadata\": {}\n}");
}

#define WITH(value) "{\"metadata\":{},\"cells\":[{}],\"v\":" value "}"

/* How JavaScript prints the value. */
static void prints(const char *value, const char *expected)
{
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;

	ccfc_buf_printf(&in, WITH("%s"), value);
	ccfc_buf_printf(&out,
			"{\n \"metadata\": {},\n \"cells\": [],\n \"v\": %s\n}",
			expected);
	gives(delete_number(0), in.ptr, out.ptr);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
}

static void test_numbers(void **state)
{
	static const char *const table[][2] = {
		{ "-0", "0" },
		{ "0.0e9", "0" },
		{ "1.50", "1.5" },
		{ "-12E+2", "-1200" },
		{ "9007199254740992", "9007199254740992" },
		{ "-9007199254740992", "-9007199254740992" },
		{ "9007199254740993", "9007199254740992" },
		{ "1e20", "100000000000000000000" },
		{ "1e21", "1e+21" },
		{ "12e22", "1.2e+23" },
		{ "0.000001", "0.000001" },
		{ "0.0000001", "1e-7" },
		{ "123e-9", "1.23e-7" },
		{ "0.1000000000000000055511151231257827", "0.1" },
		{ "0.30000000000000004", "0.30000000000000004" },
		{ "2.220446049250313e-16", "2.220446049250313e-16" },
		/* powers of two: the decimal above, or all 17 digits */
		{ "5.9604644775390625e-8", "5.960464477539063e-8" },
		{ "1.1920928955078125e-07", "1.1920928955078125e-7" },
		{ "1125899906842624.25", "1125899906842624.2" },
		{ "1125899906842624.75", "1125899906842624.8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		prints(table[i][0], table[i][1]);
	refuses(delete_number(0), WITH("1e999"));
	refuses(delete_number(0), WITH("5e-324"));
	refuses(delete_number(0), WITH("1e99999999999999999999"));
}

static void test_strings(void **state)
{
	(void)state;
	prints("\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"",
	       "\"/\\b\\f\\n\\r\\t\\\"\\\\\"");
	prints("\"\\u0041\\u001B\\u0000\\u000a\\u0022\\u005c\\u007f\"",
	       "\"A\\u001b\\u0000\\n\\\"\\\\\x7f\"");
	prints("\"\\u00e9\\u2028 \xc3\xa9\"",
	       "\"\xc3\xa9\xe2\x80\xa8 \xc3\xa9\"");
	prints("\"\\uD83D\\ude00\"", "\"\xf0\x9f\x98\x80\"");
	prints("\"\\uD83D\\uD83D\\uDE00\\uDE00\\udBFf\"",
	       "\"\\ud83d\xf0\x9f\x98\x80\\ude00\\udbff\"");
	refuses(delete_number(0), WITH("\"\\x41\""));
	refuses(delete_number(0), WITH("\"\\u12g4\""));
	refuses(delete_number(0), WITH("\"\\u12\""));
	refuses(delete_number(0), WITH("\"\xff\""));
	/* also in what is thrown away */
	refuses(delete_number(0), WITH("{\"a\":\"\\x\",\"a\":1}"));
}

static void test_objects(void **state)
{
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;

	(void)state;
	prints("[ { } , [ ] , true , null ]",
	       "[\n  {},\n  [],\n  true,\n  null\n ]");
	prints("{\"a\":1,\"b\":2,\"\\u0061\":3}",
	       "{\n  \"a\": 3,\n  \"b\": 2\n }");
	prints("{\"b\":0,\"10\":1,\"9\":2,\"01\":3,\"4294967294\":4,"
	       "\"4294967295\":5,\"9\":6,\"-1\":7}",
	       "{\n  \"9\": 6,\n  \"10\": 1,\n  \"4294967294\": 4,\n"
	       "  \"b\": 0,\n  \"01\": 3,\n  \"4294967295\": 5,\n"
	       "  \"-1\": 7\n }");
	/* so many that they are hashed */
	for (int i = 0; i < 200; i++) {
		ccfc_buf_printf(&in, "%c\"k%d\":%d", i ? ',' : '{', i % 100, i);
		if (i >= 100)
			ccfc_buf_printf(&out, "%c\n  \"k%d\": %d",
					i > 100 ? ',' : '{', i - 100, i);
	}
	ccfc_buf_putc(&in, '}');
	ccfc_buf_puts(&out, "\n }");
	prints(in.ptr, out.ptr);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
}

static void nest(struct ccfc_buf *out, int depth)
{
	ccfc_buf_clear(out);
	ccfc_buf_puts(out, "{\"metadata\":{},\"cells\":[{}],\"v\":");
	for (int i = 0; i < depth; i++)
		ccfc_buf_putc(out, '[');
	for (int i = 0; i < depth; i++)
		ccfc_buf_putc(out, ']');
	ccfc_buf_putc(out, '}');
}

static void test_depth(void **state)
{
	struct ccfc_buf in = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_cell cell = delete_number(0);

	(void)state;
	nest(&in, 200);
	assert_true(ccfc_notebook_edit(&out, &cell, ccfc_buf_view(&in)));
	nest(&in, 201);
	refuses(cell, in.ptr);
	nest(&in, 1000000);
	refuses(cell, in.ptr);
	ccfc_buf_release(&in);
	ccfc_buf_release(&out);
}

static void test_no_notebook(void **state)
{
	static const char *const table[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"cells\":[{}]}",
		"{\"cells\":[{}],\"metadata\":null}",
		"{\"cells\":{},\"metadata\":{}}",
		"{\"cells\":[{},1],\"metadata\":{}}",
		"{\"cells\":[{}],\"metadata\":{}} x",
		"\xef\xbb\xbf{\"cells\":[{}],\"metadata\":{}}",
		"{\"cells\":[{}],\r\n\"metadata\":{}}",
	};
	struct ccfc_cell cell = replace_code("2.0.30");

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		refuses(delete_number(0), table[i]);
	/* It may have been half a character, which is printed otherwise. */
	cell.source = S("\xef\xbf\xbd");
	refuses(cell, BEFORE);
	cell = replace_code("2.0.30");
	cell.number = 1; /* both a number and an id */
	refuses(cell, BEFORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replace),
		cmocka_unit_test(test_replace_type),
		cmocka_unit_test(test_insert),
		cmocka_unit_test(test_insert_first),
		cmocka_unit_test(test_insert_number),
		cmocka_unit_test(test_no_ids),
		cmocka_unit_test(test_delete),
		cmocka_unit_test(test_odd_id),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_no_notebook),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
