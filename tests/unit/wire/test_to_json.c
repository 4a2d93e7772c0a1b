/*
 * JSON: strings byte for byte (control characters, every way of being bad
 * UTF-8), numbers, and the layout.
 */
#include "wire/pack.h"
#include "wire/to_json.h"

#include "../seed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define FFFD "\xef\xbf\xbd"

static void check_string(struct ccfc_slice in, const char *expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_json_string(&out, in);
	assert_string_equal(out.ptr, expected);
	ccfc_buf_release(&out);
}

static void test_controls(void **state)
{
	(void)state;
	for (int c = 0; c < 0x80; c++) {
		const char *names = "\"\\\b\f\n\r\t", *letters = "\"\\bfnrt";
		const char *hit = c ? strchr(names, c) : NULL;
		char in[3] = { 'a', (char)c, 'b' }, expected[16];

		if (hit)
			snprintf(expected, sizeof(expected), "\"a\\%cb\"",
				 letters[hit - names]);
		else if (c < 0x20 || c == 0x7f)
			snprintf(expected, sizeof(expected), "\"a\\u%04xb\"",
				 (unsigned)c);
		else
			snprintf(expected, sizeof(expected), "\"a%cb\"", c);
		check_string(ccfc_slice(in, 3), expected);
	}
	check_string(CCFC_SLICE_NONE, "\"\"");
}

#define S(in, out)                                                             \
	{                                                                      \
		{ in, sizeof(in) - 1 }, "\"" out "\""                          \
	}

static void test_utf8(void **state)
{
	static const struct {
		struct ccfc_slice in;
		const char *out;
	} table[] = {
		/* good */
		S("\xc2\xa0", "\xc2\xa0"),
		S("\xdf\xbf", "\xdf\xbf"),
		S("\xe0\xa0\x80", "\xe0\xa0\x80"),
		S("\xed\x9f\xbf", "\xed\x9f\xbf"),
		S("\xee\x80\x80", "\xee\x80\x80"),
		S("\xef\xbf\xbf", "\xef\xbf\xbf"),
		S("\xf0\x90\x80\x80", "\xf0\x90\x80\x80"),
		S("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"),
		S("x\xe2\x82\xacy", "x\xe2\x82\xacy"),
		/* C1 controls: exact, but not as they are */
		S("\xc2\x80", "\\u0080"),
		S("\xc2\x9b", "\\u009b"),
		S("\xc2\x9f", "\\u009f"),
		/* and what turns text around or separates lines */
		S("\xd8\x9c", "\\u061c"),
		S("\xe2\x80\x8e\xe2\x80\x8f", "\\u200e\\u200f"),
		S("\xe2\x80\xa7\xe2\x80\xa8", "\xe2\x80\xa7\\u2028"),
		S("\xe2\x80\xae\xe2\x80\xaf", "\\u202e\xe2\x80\xaf"),
		S("\xe2\x81\xa5\xe2\x81\xa6", "\xe2\x81\xa5\\u2066"),
		S("\xe2\x81\xa9\xe2\x81\xaa", "\\u2069\xe2\x81\xaa"),
		/* lone bytes */
		S("\x80", FFFD),
		S("\xbf\xbf", FFFD FFFD),
		S("\xc0\xaf", FFFD FFFD),
		S("\xc1\xbf", FFFD FFFD),
		S("\xf5\x80\x80\x80", FFFD FFFD FFFD FFFD),
		S("\xfe\xff", FFFD FFFD),
		/* overlong, surrogates, beyond the last */
		S("\xe0\x9f\xbf", FFFD FFFD FFFD),
		S("\xed\xa0\x80", FFFD FFFD FFFD),
		S("\xf0\x8f\xbf\xbf", FFFD FFFD FFFD FFFD),
		S("\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD),
		/* cut: one for what there is */
		S("\xc2", FFFD),
		S("\xe2\x82", FFFD),
		S("\xf0\x9f\x98", FFFD),
		S("\xf0\x9f", FFFD),
		S("\xc2x", FFFD "x"),
		S("\xe2\x82x", FFFD "x"),
		S("\xf0\x9f\x98x", FFFD "x"),
		S("\xe2\x82\xc2\xa0", FFFD "\xc2\xa0"),
		S("\xf1\x80\x80\xe1\x80\xc2", FFFD FFFD FFFD),
		S("\xe2\"", FFFD "\\\""),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check_string(table[i].in, table[i].out);
}

struct value {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
};

static void start(struct value *v)
{
	ccfc_buf_init(&v->buf);
	ccfc_pack_init(&v->pack, &v->buf);
}

static void check(struct value *v, int indent, const char *expected)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	struct ccfc_doc *doc;

	assert_int_equal(ccfc_doc_parse(&doc, ccfc_buf_view(&v->buf), NULL), 0);
	ccfc_json_write(&out, ccfc_doc_root(doc), indent);
	assert_string_equal(out.ptr, expected);
	ccfc_doc_free(doc);
	ccfc_buf_release(&out);
}

static void finish(struct value *v)
{
	ccfc_buf_release(&v->buf);
}

static void test_numbers(void **state)
{
	static const struct {
		double v;
		const char *text;
	} doubles[] = {
		{ 0, "0" },
		{ 1.5, "1.5" },
		{ 0.1, "0.1" },
		{ -2.25, "-2.25" },
		{ 1e300, "1e+300" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ NAN, "null" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
		{ 0.1 + 0.2, "0.30000000000000004" },
	};
	struct value v;

	(void)state;
	for (size_t i = 0; i < sizeof(doubles) / sizeof(*doubles); i++) {
		start(&v);
		ccfc_pack_double(&v.pack, doubles[i].v);
		check(&v, 0, doubles[i].text);
		finish(&v);
	}
	start(&v);
	ccfc_pack_array(&v.pack);
	ccfc_pack_int(&v.pack, INT64_MIN);
	ccfc_pack_int(&v.pack, INT64_MAX);
	ccfc_pack_uint(&v.pack, UINT64_MAX);
	ccfc_pack_int(&v.pack, -1);
	ccfc_pack_end(&v.pack);
	check(&v, 0,
	      "[-9223372036854775808,9223372036854775807,"
	      "18446744073709551615,-1]");
	finish(&v);
}

static void test_layout(void **state)
{
	struct value v;

	(void)state;
	start(&v);
	ccfc_pack_map(&v.pack);
	ccfc_pack_kv_bool(&v.pack, "z", true);
	ccfc_pack_kv_bool(&v.pack, "a", false);
	ccfc_pack_cstr(&v.pack, "empty");
	ccfc_pack_array(&v.pack);
	ccfc_pack_end(&v.pack);
	ccfc_pack_cstr(&v.pack, "list");
	ccfc_pack_array(&v.pack);
	ccfc_pack_nil(&v.pack);
	ccfc_pack_map(&v.pack);
	ccfc_pack_end(&v.pack);
	ccfc_pack_raw(&v.pack, CCFC_SLICE_LIT("\xc4\x01x"));
	ccfc_pack_raw(&v.pack, CCFC_SLICE_LIT("\xd4\x01x"));
	ccfc_pack_end(&v.pack);
	ccfc_pack_int(&v.pack, 5);
	ccfc_pack_cstr(&v.pack, "number key");
	ccfc_pack_end(&v.pack);
	check(&v, 0,
	      "{\"z\":true,\"a\":false,\"empty\":[],"
	      "\"list\":[null,{},\"x\",null],\"5\":\"number key\"}");
	check(&v, 2,
	      "{\n  \"z\": true,\n  \"a\": false,\n  \"empty\": [],\n"
	      "  \"list\": [\n    null,\n    {},\n    \"x\",\n    null\n  ],\n"
	      "  \"5\": \"number key\"\n}");
	finish(&v);
}

/* Bytes are a string where they can be, and never lose any. */
static void test_bytes(void **state)
{
	static const struct {
		struct ccfc_slice in;
		const char *out;
	} table[] = {
		{ CCFC_SLICE_LIT(""), "\"\"" },
		{ CCFC_SLICE_LIT("a\xc3\xbc\n"), "\"a\xc3\xbc\\n\"" },
		{ CCFC_SLICE_LIT("a\0b"), "\"a\\u0000b\"" },
		{ CCFC_SLICE_LIT("\xff"), "{\"base64\":\"/w==\"}" },
		{ CCFC_SLICE_LIT("\xff\xfe"), "{\"base64\":\"//4=\"}" },
		{ CCFC_SLICE_LIT("h\xe9l"), "{\"base64\":\"aOls\"}" },
		{ CCFC_SLICE_LIT("\xff\xfeh\0"), "{\"base64\":\"//5oAA==\"}" },
		{ CCFC_SLICE_LIT("ok\xe2\x82"), "{\"base64\":\"b2vigg==\"}" },
	};
	struct value v;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		start(&v);
		ccfc_pack_bin(&v.pack, table[i].in);
		check(&v, 0, table[i].out);
		finish(&v);
	}
	start(&v);
	ccfc_pack_bin(&v.pack, CCFC_SLICE_LIT("\xff"));
	check(&v, 2, "{\"base64\": \"/w==\"}");
	finish(&v);
}

/* Is it UTF-8, and nothing that a terminal would obey? */
static bool is_clean(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	for (; *p; p++) {
		int more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;

		if (*p < 0x20 || *p == 0x7f || (*p >= 0x80 && *p < 0xc2) ||
		    (*p == 0xc2 && p[1] < 0xa0))
			return false;
		for (; more; more--)
			if ((*++p & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static void test_random_bytes(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct ccfc_buf out = CCFC_BUF_INIT;
		char in[24];
		size_t n = seed_below(sizeof(in) + 1);

		for (size_t i = 0; i < n; i++)
			in[i] = (char)(seed_below(4) ? 0x80 + seed_below(128)
						     : seed_below(128));
		ccfc_json_string(&out, ccfc_slice(in, n));
		assert_true(is_clean(out.ptr));
		ccfc_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_random_bytes),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
