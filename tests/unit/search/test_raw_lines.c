/*
 * Lines that may match: texts are written as JSON in all the ways there are,
 * and no line whose text matches may be passed over; where a line is plain,
 * its raw strings have as many matches as their texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../seed.h"
#include "base/buf.h"
#include "search/raw_lines.h"

#define KELVIN "\xe2\x84\xaa"

static void unit(struct ccfc_buf *out, uint32_t u)
{
	ccfc_buf_printf(out, seed_below(2) ? "\\u%04x" : "\\u%04X", u);
}

/* One character of a text, as it may be written. */
static void escape(struct ccfc_buf *out, struct ccfc_slice c, uint32_t code,
		   uint32_t often)
{
	bool must = code < 0x20 || code == '"' || code == '\\';

	if (!must && seed_below(100) >= often)
		ccfc_buf_slice(out, c);
	else if (code == '\n' && seed_below(2))
		ccfc_buf_puts(out, "\\n");
	else if ((code == '"' || code == '\\' || code == '/') && seed_below(2))
		ccfc_buf_printf(out, "\\%c", (char)code);
	else if (code < 0x10000)
		unit(out, code);
	else {
		unit(out, 0xd800 + ((code - 0x10000) >> 10));
		unit(out, 0xdc00 + (code & 0x3ff));
	}
}

static const struct {
	const char *text;
	uint32_t code;
} letters[] = {
	{ "a", 'a' },	{ "B", 'B' },	    { "k", 'k' },     { "S", 'S' },
	{ "/", '/' },	{ "\"", '"' },	    { "\n", '\n' },   { "\\", '\\' },
	{ " ", ' ' },	{ "u", 'u' },	    { "0", '0' },     { "é", 0xe9 },
	{ "ſ", 0x17f }, { KELVIN, 0x212a }, { "😀", 0x1f600 }, { "中", 0x4e2d },
	{ "n", 'n' },	{ "6", '6' },	    { "1", '1' },
};

#define LETTERS (sizeof(letters) / sizeof(*letters))

static void slack(struct ccfc_buf *buf)
{
	memset(ccfc_buf_reserve(buf, 64), 0, 64);
}

/* A line whose text is appended to `text`. */
static void put_line(struct ccfc_buf *lines, struct ccfc_buf *text)
{
	uint32_t n = seed_below(12), often = seed_below(3) * 10;

	ccfc_buf_puts(lines, "{\"x\":\"");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = seed_below(LETTERS);

		ccfc_buf_puts(text, letters[k].text);
		escape(lines, ccfc_slice_str(letters[k].text), letters[k].code,
		       often);
	}
	ccfc_buf_puts(lines, "\"}\n");
	slack(text);
}

static uint32_t matches(struct ccfc_matcher *m, struct ccfc_slice s)
{
	const struct ccfc_text t = { s, true, true };
	struct ccfc_span at = { 0, 0 };
	uint32_t n = 0;

	while (ccfc_matcher_find(&at, m, &t, at.end, NULL) == 1)
		n++;
	return n;
}

/* The string in a line. */
static struct ccfc_slice string_of(struct ccfc_slice line)
{
	return ccfc_slice(line.ptr + 6, line.len - 8);
}

static uint32_t plain_lines;

#define LINES 30

static void check(const char *needle, bool exact)
{
	const struct ccfc_pattern_want want = { .text = ccfc_slice_str(needle),
						.case_sensitive = exact };
	struct ccfc_buf lines = CCFC_BUF_INIT, text = CCFC_BUF_INIT;
	size_t start[LINES + 1] = { 0 };
	uint32_t has[LINES];
	struct ccfc_matcher *m;
	struct ccfc_raw_lines raw;
	struct ccfc_raw_lines_walk walk;
	struct ccfc_slice line;
	int at = 0;

	assert_int_equal(ccfc_matcher_new(&m, &want, NULL), 0);
	for (int i = 0; i < LINES; i++) {
		ccfc_buf_clear(&text);
		put_line(&lines, &text);
		start[i + 1] = lines.len;
		has[i] = matches(m, ccfc_buf_view(&text));
	}
	slack(&lines);
	ccfc_raw_lines_init(&raw, &want);
	ccfc_raw_lines_begin(&walk, &raw, ccfc_buf_view(&lines));
	while (ccfc_raw_lines_next(&walk, &line)) {
		while ((size_t)(line.ptr - lines.ptr) != start[at])
			assert_false(has[at++]);
		assert_int_equal(line.len, start[at + 1] - start[at] - 1);
		if (walk.plain)
			assert_int_equal(ccfc_raw_lines_count(
						 &raw, string_of(line), 1000),
					 has[at]);
		plain_lines += walk.plain;
		at++;
	}
	while (at < LINES)
		assert_false(has[at++]);
	ccfc_matcher_free(m);
	ccfc_buf_release(&lines);
	ccfc_buf_release(&text);
}

static void test_none_passed_over(void **state)
{
	struct ccfc_buf needle = CCFC_BUF_INIT;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		uint32_t n = 1 + seed_below(2);

		ccfc_buf_clear(&needle);
		while (n--)
			ccfc_buf_puts(&needle,
				      letters[seed_below(LETTERS)].text);
		check(needle.ptr, seed_below(2));
	}
	assert_true(plain_lines > 1000);
	ccfc_buf_release(&needle);
}

static uint32_t count_in(const char *pattern, const char *raw, uint32_t max)
{
	const struct ccfc_pattern_want want = { .text = ccfc_slice_str(
							pattern) };
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_raw_lines r;
	uint32_t n;

	ccfc_buf_puts(&buf, raw);
	slack(&buf);
	ccfc_raw_lines_init(&r, &want);
	assert_true(r.whole);
	n = ccfc_raw_lines_count(&r, ccfc_buf_view(&buf), max);
	ccfc_buf_release(&buf);
	return n;
}

/* What begins within an escape is not there. */
static void test_raw_counts(void **state)
{
	(void)state;
	assert_int_equal(count_in("nno", "\\nno nno", 9), 1);
	assert_int_equal(count_in("nno", "\\\\nno", 9), 1);
	assert_int_equal(count_in("nno", "\\\\\\nno", 9), 0);
	assert_int_equal(count_in("001b", "\\u001b 001b", 9), 1);
	assert_int_equal(count_in("b[0m", "\\u001b[0m", 9), 0);
	assert_int_equal(count_in("[0m", "\\u001b[0m", 9), 1);
	assert_int_equal(count_in("00", "\\u0000000", 9), 1);
	assert_int_equal(count_in("u001", "\\\\u001b", 9), 1);
	/* An escape that is none is two bytes. */
	assert_int_equal(count_in("zz", "\\uzz00", 9), 1);
	assert_int_equal(count_in("uzz", "\\uzz00", 9), 0);
	assert_int_equal(count_in("12", "\\u12", 9), 1);
	assert_int_equal(count_in("aa", "aaaaa", 9), 2);
	assert_int_equal(count_in("a", "aaaaa", 3), 3);
	assert_int_equal(count_in("a", "", 3), 0);
}

/* And what cannot match is not looked at: else this would be no use. */
static void test_few_too_many(void **state)
{
	static const char text[] = "{\"a\":\"\\u001b[0m needl\\ne\"}\n"
				   "{\"a\":\"a Needle\"}\n"
				   "{\"a\":\"\\u00e9\\u2026 nee dle\"}\n"
				   "{\"a\":\"nee\\u0064le\"}\n"
				   "\n";
	const struct ccfc_pattern_want want = { .text = CCFC_SLICE_LIT(
							"\"needle\"") };
	struct ccfc_buf lines = CCFC_BUF_INIT;
	struct ccfc_raw_lines raw;
	struct ccfc_raw_lines_walk walk;
	struct ccfc_slice line;

	(void)state;
	ccfc_buf_puts(&lines, text);
	slack(&lines);
	ccfc_raw_lines_init(&raw, &want);
	ccfc_raw_lines_begin(&walk, &raw, ccfc_buf_view(&lines));
	assert_true(ccfc_raw_lines_next(&walk, &line));
	assert_true(ccfc_slice_is(line, "{\"a\":\"a Needle\"}"));
	assert_true(ccfc_raw_lines_next(&walk, &line));
	assert_true(ccfc_slice_is(line, "{\"a\":\"nee\\u0064le\"}"));
	assert_false(ccfc_raw_lines_next(&walk, &line));
	ccfc_buf_release(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_passed_over),
		cmocka_unit_test(test_few_too_many),
		cmocka_unit_test(test_raw_counts),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
