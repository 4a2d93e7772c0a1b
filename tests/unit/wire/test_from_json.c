/*
 * JSON to msgpack: what comes back as JSON is what was meant, and everything
 * that the grammar does not allow is refused.
 */
#include "wire/from_json.h"
#include "wire/obj.h"
#include "wire/to_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The text read and written again; NULL: it was refused. */
static char *through(struct ccfc_slice text)
{
	struct ccfc_buf packed = CCFC_BUF_INIT, out = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_err err;
	bool ok;

	if (!ccfc_json_read(&packed, text, &err)) {
		assert_int_equal(
			ccfc_doc_parse(&doc, ccfc_buf_view(&packed), &err), 0);
		ccfc_json_write(&out, ccfc_doc_root(doc), 0);
	} else {
		assert_int_equal(err.code, CCFC_EINVAL);
		assert_non_null(strstr(err.what, "JSON: byte "));
	}
	ok = doc;
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	return ok ? ccfc_buf_detach(&out, NULL) : NULL;
}

static void test_values(void **state)
{
	static const struct {
		const char *in, *out;
	} table[] = {
		{ "null", "null" },
		{ " true\t", "true" },
		{ "\r\nfalse\n", "false" },
		{ "0", "0" },
		{ "-0", "0" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "1.5", "1.5" },
		{ "2e2", "200" },
		{ "\"\"", "\"\"" },
		{ "\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"",
		  "\"a\\\"\\\\/\\b\\f\\n\\r\\tz\"" },
		{ "\"\\u0041\\u00e4\\u20ac\"", "\"A\xc3\xa4\xe2\x82\xac\"" },
		{ "\"\\u0000\"", "\"\\u0000\"" },
		{ "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
		/* halves of characters */
		{ "\"\\ud83d\"", "\"\xef\xbf\xbd\"" },
		{ "\"\\ude00x\"", "\"\xef\xbf\xbdx\"" },
		{ "\"\\ud83d\\ud83d\\ude00\"",
		  "\"\xef\xbf\xbd\xf0\x9f\x98\x80\"" },
		{ "\"\\ud83d\\n\"", "\"\xef\xbf\xbd\\n\"" },
		{ "[]", "[]" },
		{ "{ }", "{}" },
		{ "[1,[2],{\"a\":[]}]", "[1,[2],{\"a\":[]}]" },
		{ "{\"a\" : 1 , \"b\":{\"c\":null}}",
		  "{\"a\":1,\"b\":{\"c\":null}}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		char *got = through(ccfc_slice_str(table[i].in));

		assert_non_null(got);
		assert_string_equal(got, table[i].out);
		free(got);
	}
}

#define BAD(text)                                                              \
	{                                                                      \
		text, sizeof(text) - 1                                         \
	}

static void test_refused(void **state)
{
	static const struct ccfc_slice table[] = {
		BAD(""),
		BAD(" "),
		BAD("nul"),
		BAD("nullx"),
		BAD("True"),
		BAD("1 2"),
		BAD("01"),
		BAD("-"),
		BAD("+1"),
		BAD("1."),
		BAD(".5"),
		BAD("1e"),
		BAD("1e+"),
		BAD("0x1"),
		BAD("NaN"),
		BAD("\""),
		BAD("\"\\\""),
		BAD("\"\\x\""),
		BAD("\"\\u12\""),
		BAD("\"\\u12g4\""),
		BAD("\"\n\""),
		BAD("\"\0\""),
		BAD("\"\xff\""),
		BAD("\"\xc0\x80\""),
		BAD("\"\xed\xa0\x80\""),
		BAD("'a'"),
		BAD("["),
		BAD("[1"),
		BAD("[1,]"),
		BAD("[,]"),
		BAD("[1 2]"),
		BAD("[1}"),
		BAD("{"),
		BAD("{\"a\"}"),
		BAD("{\"a\":}"),
		BAD("{a:1}"),
		BAD("{1:1}"),
		BAD("{\"a\":1,}"),
		BAD("{\"a\":1"),
		BAD("{} {}"),
		BAD("\xef\xbb\xbf{}"),
		BAD("// x\n1"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		if (through(table[i]))
			fail_msg("accepted: %s", table[i].ptr);
}

static void test_limits(void **state)
{
	char text[2048];

	(void)state;
	for (int depth = 1; depth < 100; depth++) {
		char *got;

		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		got = through(ccfc_slice(text, 2 * (size_t)depth));
		assert_int_equal(!!got, depth <= CCFC_FROM_JSON_DEPTH);
		free(got);
	}
	memset(text, '1', sizeof(text));
	assert_null(through(ccfc_slice(text, sizeof(text))));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
