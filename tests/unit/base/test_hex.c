/* Hex digits, and bytes written with them. */
#include "base/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_bytes(void **state)
{
	const unsigned char bytes[] = { 0x00, 0x0f, 0xa5, 0xff };
	unsigned char back[4];
	char text[9];

	(void)state;
	ccfc_hex_write(text, bytes, 4);
	assert_string_equal(text, "000fa5ff");
	assert_true(ccfc_hex_read(back, "000FA5ff", 4));
	assert_memory_equal(back, bytes, 4);
	assert_false(ccfc_hex_read(back, "000fa5f", 4));
	assert_false(ccfc_hex_read(back, "000fa5 f", 4));
	assert_false(ccfc_hex_read(back, "g0", 1));
	assert_true(ccfc_hex_read(back, "", 0));
}

static void test_unpercent(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "a%20b", "a b" },
		{ "%41%4a%4A", "AJJ" },
		{ "100%", "100%" },
		{ "%4", "%4" },
		{ "%zz%", "%zz%" },
		{ "%%41", "%A" },
		{ "%e2%82%ac", "\xe2\x82\xac" },
	};
	struct ccfc_buf out = CCFC_BUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ccfc_buf_clear(&out);
		ccfc_hex_unpercent(&out, ccfc_slice_str(cases[i][0]));
		assert_true(ccfc_slice_is(ccfc_buf_view(&out), cases[i][1]));
	}
	ccfc_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_unpercent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
