/* Invalid UTF-8 is replaced as Python's errors="replace" does it. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define E "\xe2\x80\xa6"
#define R "\xef\xbf\xbd"

static void check(struct ccfc_slice in, const char *want, bool ascii)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, ">");
	assert_int_equal(ccfc_utf8_append(&out, in), ascii);
	assert_string_equal(out.ptr + 1, want);
	ccfc_buf_release(&out);
}

static void test_valid(void **state)
{
	const char *texts[] = { "\xc3\xa9",
				"\xe2\x82\xac",
				"\xf0\x9f\x98\x80",
				"a\xc5\xbf"
				"b",
				"\xf4\x8f\xbf\xbf",
				"12345678\xc3\xa9"
				"12345678" };

	(void)state;
	check(CCFC_SLICE_NONE, "", true);
	check(CCFC_SLICE_LIT("123456789"), "123456789", true);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check(ccfc_slice_str(texts[i]), texts[i], false);
}

static void test_invalid(void **state)
{
	static const char *const cases[][2] = {
		{ "\x80", R },
		{ "a\xff"
		  "b",
		  "a" R "b" },
		{ "\xc3", R },
		{ "\xc3(", R "(" },
		{ "\xe2\x82", R },
		{ "\xe2\x82z", R "z" },
		{ "\xf0\x9f\x98", R },
		{ "\xf0\x9f\x98\xe2\x82\xac", R "\xe2\x82\xac" },
		{ "\xc0\xaf", R R },
		{ "\xe0\x80\xaf", R R R },
		{ "\xed\xa0\x80", R R R },
		{ "\xf4\x90\x80\x80", R R R R },
		{ "\xf8\x88\x80\x80\x80", R R R R R },
		{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", R R R R },
		{ "12345678\xff"
		  "12345678",
		  "12345678" R "12345678" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(ccfc_slice_str(cases[i][0]), cases[i][1], false);
}

static void test_line(void **state)
{
	static const struct {
		const char *text;
		size_t chars;
		const char *line;
		bool cut;
	} rows[] = {
		{ "", 5, "", false },
		{ " \n\t ", 5, "", false },
		{ "abc", 3, "abc", false },
		{ "abcd", 3, "ab" E, true },
		{ "  a \r\n\t b  ", 3, "a b", false },
		{ "abc \n", 3, "abc", false },
		{ "abc \nd", 3, "ab" E, true },
		{ "abc \nd", 4, "abc" E, true },
		{ "abc \nd", 5, "abc d", false },
		{ "\xe2\x82\xac\xe2\x82\xac", 1, E, true },
		{ "\x80\x80\x80\x80\x80\x80", 1, "\x80\x80\x80\x80" E, true },
		{ "\xe2\x82\xac", 1, "\xe2\x82\xac", false },
	};
	struct ccfc_buf buf = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_slice text = ccfc_slice_str(rows[i].text);

		ccfc_buf_clear(&buf);
		assert_int_equal(
			ccfc_utf8_append_line(&buf, text, rows[i].chars),
			rows[i].cut);
		assert_true(ccfc_slice_is(ccfc_buf_view(&buf), rows[i].line));
	}
	ccfc_buf_release(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
