/* Text made safe: a table, and a property over random bytes. */
#include "cli_test.h"

#include "cli/out/safe.h"

#include <stdio.h>

#define TEXT(s) s, sizeof(s) - 1

static void test_table(void **state)
{
	static const struct {
		const char *in;
		size_t len;
		bool tabs;
		const char *out;
	} rows[] = {
		{ TEXT(""), false, "" },
		{ TEXT("plain"), false, "plain" },
		{ TEXT("\033[31mred"), false, "^[[31mred" },
		{ TEXT("bell\a"), false, "bell^G" },
		{ TEXT("a\nb\rc"), true, "a^Jb^Mc" },
		{ TEXT("a\tb"), true, "a\tb" },
		{ TEXT("a\tb"), false, "a^Ib" },
		{ TEXT("\0x"), false, "^@x" },
		{ TEXT("\x7f"), false, "^?" },
		{ TEXT("\x1f\x1c"), false, "^_^\\" },
		/* C1: as a character, and as a bare byte */
		{ TEXT("\xc2\x9b"
		       "31m"),
		  false, "\\x9b31m" },
		{ TEXT("\x9b"
		       "31m"),
		  false, "\\x9b31m" },
		{ TEXT("\xc2\xa0"), false, "\xc2\xa0" },
		/* bidi */
		{ TEXT("\xe2\x80\xae"), false, "<U+202E>" },
		{ TEXT("\xe2\x80\xaa"), false, "<U+202A>" },
		{ TEXT("\xe2\x81\xa6\xe2\x81\xa9"), false, "<U+2066><U+2069>" },
		{ TEXT("\xe2\x80\x8e\xe2\x80\x8f"), false, "<U+200E><U+200F>" },
		{ TEXT("\xd8\x9c"), false, "<U+061C>" },
		{ TEXT("\xe2\x80\xa8\xe2\x80\xa9"), false, "<U+2028><U+2029>" },
		{ TEXT("\xe2\x80\xa7"), false, "\xe2\x80\xa7" },
		{ TEXT("\xe2\x81\xaa"), false, "\xe2\x81\xaa" },
		/* good UTF-8 */
		{ TEXT("é漢😀"), false, "é漢😀" },
		/* bad: alone, cut, overlong, surrogate, too high */
		{ TEXT("\xff"), false, "\\xff" },
		{ TEXT("a\xc3"), false, "a\\xc3" },
		{ TEXT("\xe6\xbc"), false, "\\xe6\\xbc" },
		{ TEXT("\xc0\xaf"), false, "\\xc0\\xaf" },
		{ TEXT("\xe0\x80\xaf"), false, "\\xe0\\x80\\xaf" },
		{ TEXT("\xed\xa0\x80"), false, "\\xed\\xa0\\x80" },
		{ TEXT("\xf4\x90\x80\x80"), false, "\\xf4\\x90\\x80\\x80" },
		{ TEXT("\xc3(\xa9"), false, "\\xc3(\\xa9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ccfc_buf out = CCFC_BUF_INIT;

		ccfc_buf_puts(&out, "");
		ccfc_safe_append(&out, ccfc_slice(rows[i].in, rows[i].len),
				 rows[i].tabs);
		assert_string_equal(out.ptr, rows[i].out);
		ccfc_buf_release(&out);
	}
}

static bool is_dangerous(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x061c ||
	       cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069);
}

/* Whatever comes in: valid UTF-8 comes out, and nothing dangerous in it. */
static void test_property(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	srand(seed);
	for (int round = 0; round < 20000; round++) {
		struct ccfc_buf out = CCFC_BUF_INIT;
		char in[24];
		size_t n = (size_t)rand() % sizeof(in);

		for (size_t i = 0; i < n; i++)
			in[i] = (char)(rand() % 3 ? 0x80 + rand() % 128
						  : rand() % 128);
		ccfc_buf_puts(&out, "");
		ccfc_safe_append(&out, ccfc_slice(in, n), false);
		for (const char *p = out.ptr; p < out.ptr + out.len;) {
			int32_t cp = ccfc_utf8_next(&p, out.ptr + out.len);

			if (is_dangerous(cp))
				fail_msg("seed %u: U+%04X", seed, (unsigned)cp);
		}
		ccfc_buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_property),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
