/* Unescaping: every escape, surrogates, what is refused as a name. */
#include "../seed.h"
#include "base/buf.h"
#include "transcript/json/unescape.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_texts(void **state)
{
	static const struct {
		const char *raw;
		const char *text;
		size_t len;
		bool bad;
	} rows[] = {
		{ "", "", 0, false },
		{ "plain", "plain", 5, false },
		{ "\\n\\t\\r\\b\\f\\\"\\\\\\/", "\n\t\r\b\f\"\\/", 8, false },
		{ "a\\u0041\\u00e9\\u20AC", "aA\xc3\xa9\xe2\x82\xac", 7,
		  false },
		{ "\\ud83d\\ude00!", "\xf0\x9f\x98\x80!", 5, false },
		{ "\\udbff\\udfff", "\xf4\x8f\xbf\xbf", 4, false },
		{ "\\ud83d", "\xef\xbf\xbd", 3, false },
		{ "\\ude00", "\xef\xbf\xbd", 3, false },
		{ "\\ud83d\\ud83d\\ude00", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7,
		  false },
		{ "\\ude00\\ude00", "\xef\xbf\xbd\xef\xbf\xbd", 6, false },
		{ "\\ud83d\\n", "\xef\xbf\xbd\n", 4, false },
		{ "\\ud83dx", "\xef\xbf\xbdx", 4, false },
		{ "a\\u0000b", "a\0b", 3, false },
		{ "\\x", "\xef\xbf\xbd", 3, true },
		{ "\\u12",
		  "\xef\xbf\xbd"
		  "12",
		  5, true },
		{ "\\u12g4",
		  "\xef\xbf\xbd"
		  "12g4",
		  7, true },
		{ "\\", "\xef\xbf\xbd", 3, true },
		{ "\\\\\\", "\\\xef\xbf\xbd", 4, true },
	};
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool bad = !rows[i].bad;
		struct ccfc_slice text = ccfc_unescape(
			&arena, ccfc_slice_str(rows[i].raw), &bad);

		assert_int_equal(text.len, rows[i].len);
		assert_memory_equal(text.ptr, rows[i].text, text.len);
		assert_int_equal(bad, rows[i].bad);
	}
	ccfc_arena_release(&arena);
}

static void test_names(void **state)
{
	static const struct {
		const char *raw;
		size_t max;
		const char *name; /* NULL: none */
	} rows[] = {
		{ "abc", 3, "abc" },	       { "abcd", 3, NULL },
		{ "\\u0061bc", 3, "abc" },     { "", 3, NULL },
		{ "a\\u0000", 9, NULL },       { "\\q", 9, NULL },
		{ "\\u0061\\u0062", 1, NULL },
	};
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_slice name = ccfc_unescape_name(
			&arena, ccfc_slice_str(rows[i].raw), rows[i].max);

		assert_int_equal(!name.ptr, !rows[i].name);
		if (rows[i].name)
			assert_true(ccfc_slice_is(name, rows[i].name));
	}
	assert_null(ccfc_unescape_name(&arena, CCFC_SLICE_NONE, 9).ptr);
	ccfc_arena_release(&arena);
}

/* Whatever the bytes are, the room that was reserved is enough. */
static void test_noise(void **state)
{
	static const char alphabet[] = "\\\\\\uuudD8cCnx0\"/";
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	for (int turn = 0; turn < 20000; turn++) {
		size_t len = seed_below(40);
		char *raw = malloc(len + 1);
		struct ccfc_slice text;

		assert_non_null(raw);
		for (size_t i = 0; i < len; i++)
			raw[i] = alphabet[seed_below(sizeof(alphabet) - 1)];
		text = ccfc_unescape(&arena, ccfc_slice(raw, len), NULL);
		assert_true(text.len <= len + len / 2 + 4);
		free(raw);
		ccfc_arena_clear(&arena);
	}
	ccfc_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_noise),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
