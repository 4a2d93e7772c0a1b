/* Bytes to text and back. */
#include "history/file/encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BYTES(lit) ccfc_slice(lit, sizeof(lit) - 1)

/* Decodes, checks the text, and says whether encoding gives the bytes again. */
static bool comes_back(struct ccfc_slice bytes, const char *text,
		       struct ccfc_form *form)
{
	struct ccfc_buf buf = CCFC_BUF_INIT, again = CCFC_BUF_INIT;
	bool same;

	ccfc_form_decode(&buf, form, bytes);
	assert_string_equal(buf.ptr ? buf.ptr : "", text);
	ccfc_form_encode(&again, form, ccfc_buf_view(&buf));
	same = ccfc_slice_eq(ccfc_buf_view(&again), bytes);
	ccfc_buf_release(&buf);
	ccfc_buf_release(&again);
	return same;
}

static void test_plain_forms_come_back(void **state)
{
	struct ccfc_form f;

	(void)state;
	assert_true(comes_back(BYTES(""), "", &f));
	assert_true(comes_back(BYTES("a\nb"), "a\nb", &f));
	assert_int_equal(f.eol, CCFC_EOL_LF);
	assert_true(comes_back(BYTES("a\r\nb\r\n"), "a\nb\n", &f));
	assert_int_equal(f.eol, CCFC_EOL_CRLF);
	assert_false(f.mixed);
	assert_true(comes_back(BYTES("\xef\xbb\xbf"
				     "a\n"),
			       "\xef\xbb\xbf"
			       "a\n",
			       &f));
	assert_true(comes_back(BYTES("\xff\xfe"
				     "h\0\xe9\0=\xd8\0\xde\r\0\n\0"),
			       "\xef\xbb\xbfh\xc3\xa9\xf0\x9f\x98\x80\n", &f));
	assert_int_equal(f.encoding, CCFC_UTF16LE);
	assert_int_equal(f.eol, CCFC_EOL_CRLF);
	assert_true(comes_back(BYTES("a\rb\n"), "a\rb\n", &f));
	assert_int_equal(f.eol, CCFC_EOL_LF);
}

static void test_mixed_says_so(void **state)
{
	struct ccfc_form f;

	(void)state;
	assert_false(comes_back(BYTES("a\r\nb\r\nc\n"), "a\nb\nc\n", &f));
	assert_true(f.mixed);
	assert_int_equal(f.eol, CCFC_EOL_CRLF);
	assert_false(comes_back(BYTES("a\r\nb\nc\n"), "a\nb\nc\n", &f));
	assert_true(f.mixed);
	assert_int_equal(f.eol, CCFC_EOL_LF);
}

/* As browsers and Node do it: one U+FFFD for the longest broken start. */
static void test_what_is_no_text(void **state)
{
	struct ccfc_form f;

	(void)state;
	assert_false(comes_back(BYTES("caf\xe9\n"), "caf\xef\xbf\xbd\n", &f));
	assert_true(f.mixed);
	assert_false(comes_back(BYTES("\xe2\x82x"), "\xef\xbf\xbdx", &f));
	assert_false(comes_back(BYTES("\xed\xa0\x80"),
				"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", &f));
	assert_false(comes_back(BYTES("\xf0\x9f\x98"), "\xef\xbf\xbd", &f));
	assert_false(comes_back(BYTES("\xff\xfe\x00\xd8"),
				"\xef\xbb\xbf\xef\xbf\xbd", &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_forms_come_back),
		cmocka_unit_test(test_mixed_says_so),
		cmocka_unit_test(test_what_is_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
