/*
 * What matches, against a reference that decodes characters one by one and
 * knows which of a few are the same but for case.
 */
#include "pattern.h"

/* Characters that are equal but for case, as Unicode's simple folding says. */
static const char *const sets[] = {
	"aA",	"bB",
	"iI",	"zZ",
	"sSſ",	"kK\xe2\x84\xaa",
	"éÉ",	"åÅ\xe2\x84\xab",
	"σςΣ",	"\xc2\xb5\xce\xbc\xce\x9c",
	"ǆǅǄ",	"ßẞ",
	"θϑΘϴ", "𐐨𐐀",
};
/* Characters that are equal to none but themselves. */
static const char *const lone[] = {
	" ",  "\n", "\t", "ı", "İ", "中", "😀", "\"",
	"\\", "@",  "[",  "`", "{", "1",  "�", "€"
};

static uint32_t decode(const char **p)
{
	const unsigned char *s = (const unsigned char *)*p;
	int n = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	uint32_t c = n == 1 ? *s : *s & (0xffu >> (n + 1));

	for (int i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	*p += n;
	return c;
}

/* The first of the character's set. */
static uint32_t fold(uint32_t c)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		for (const char *p = sets[i]; *p;)
			if (decode(&p) == c) {
				p = sets[i];
				return decode(&p);
			}
	return c;
}

/* Does `needle` stand at p? Returns where it ends, or NULL. */
static const char *stands(const char *p, const char *needle, bool exact)
{
	while (*needle) {
		uint32_t a, b;

		if (!*p)
			return NULL;
		a = decode(&p);
		b = decode(&needle);
		if (a != b && (exact || fold(a) != fold(b)))
			return NULL;
	}
	return p;
}

static bool reference(struct ccfc_span *out, const char *text, size_t from,
		      const char *needle, bool exact)
{
	for (const char *p = text + from; *p; decode(&p)) {
		const char *end = stands(p, needle, exact);

		if (!end)
			continue;
		*out = (struct ccfc_span){ (size_t)(p - text),
					   (size_t)(end - text) };
		return true;
	}
	return false;
}

static void put_any(struct ccfc_buf *out)
{
	const char *p;
	const char *start;
	unsigned skip;

	if (seed_below(3)) {
		p = sets[seed_below(sizeof(sets) / sizeof(*sets))];
		skip = seed_below(3);
		do {
			start = p;
			decode(&p);
		} while (*p && skip--);
		ccfc_buf_append(out, start, (size_t)(p - start));
	} else {
		ccfc_buf_puts(out,
			      lone[seed_below(sizeof(lone) / sizeof(*lone))]);
	}
}

static void put_some(struct ccfc_buf *out, unsigned n)
{
	ccfc_buf_clear(out);
	for (unsigned i = 0; i < n; i++)
		put_any(out);
	memset(ccfc_buf_reserve(out, CCFC_NEEDLE_SLACK), 0, CCFC_NEEDLE_SLACK);
}

static void compare(struct ccfc_matcher *m, const char *text,
		    const char *needle, bool exact)
{
	const struct ccfc_text t = { ccfc_slice_str(text),
				     ccfc_text_folds(ccfc_slice_str(text)),
				     true };
	struct ccfc_span got = { 0, 0 }, want = { 0, 0 };
	bool more = true;

	while (more) {
		size_t from = got.end;
		int r = ccfc_matcher_find(&got, m, &t, from, NULL);

		more = reference(&want, text, from, needle, exact);
		if (r != more ||
		    (more && (got.start != want.start || got.end != want.end)))
			fail_msg("'%s' in '%s' from %zu: %d %zu-%zu, not %d "
				 "%zu-%zu",
				 needle, text, from, r, got.start, got.end,
				 more, want.start, want.end);
	}
}

static void test_random(void **state)
{
	struct ccfc_buf text = CCFC_BUF_INIT, needle = CCFC_BUF_INIT;

	(void)state;
	for (int i = 0; i < 1500; i++) {
		bool exact = seed_below(2);
		struct ccfc_matcher *m;

		put_some(&needle, 1 + seed_below(3));
		m = matcher(needle.ptr, false, exact);
		for (int k = 0; k < 20; k++) {
			put_some(&text, seed_below(120));
			compare(m, text.len ? text.ptr : "", needle.ptr, exact);
		}
		ccfc_matcher_free(m);
	}
	ccfc_buf_release(&text);
	ccfc_buf_release(&needle);
}

/* Long needles of ASCII, cut out of the text, and nearly so. */
static void test_ascii(void **state)
{
	char text[700 + CCFC_NEEDLE_SLACK] = "", needle[300];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = 1 + seed_below(600), n, at;
		bool exact = seed_below(2);
		struct ccfc_matcher *m;

		for (size_t k = 0; k < len; k++)
			text[k] = "abAB @kS"[seed_below(i % 7 + 2)];
		text[len] = '\0';
		n = 1 + seed_below(len < 250 ? (unsigned)len : 250u);
		at = seed_below((unsigned)(len - n + 1));
		memcpy(needle, text + at, n);
		needle[n] = '\0';
		if (seed_below(2))
			needle[seed_below((unsigned)n)] ^= 0x20;
		for (size_t k = 0; k < n; k++)
			if (!needle[k])
				needle[k] = ' ';
		m = matcher(needle, false, exact);
		compare(m, text, needle, exact);
		ccfc_matcher_free(m);
	}
}

static void put_code(struct ccfc_buf *out, uint32_t c)
{
	if (c < 0x80) {
		ccfc_buf_putc(out, (char)c);
	} else if (c < 0x800) {
		ccfc_buf_putc(out, (char)(0xc0 | c >> 6));
	} else if (c < 0x10000) {
		ccfc_buf_putc(out, (char)(0xe0 | c >> 12));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	} else {
		ccfc_buf_putc(out, (char)(0xf0 | c >> 18));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	if (c >= 0x80)
		ccfc_buf_putc(out, (char)(0x80 | (c & 0x3f)));
}

/*
 * Of all characters there are only two outside of ASCII that are equal to one
 * in it: what the fast path, and the flag of texts that fold, rely on.
 */
static void test_all_characters(void **state)
{
	struct ccfc_buf all = CCFC_BUF_INIT;

	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++)
		if (c < 0xd800 || c > 0xdfff)
			put_code(&all, c);
	memset(ccfc_buf_reserve(&all, CCFC_NEEDLE_SLACK), 0, CCFC_NEEDLE_SLACK);
	for (char c = 1; c < 0x7f; c++) {
		char needle[] = { c, '\0' };
		struct ccfc_matcher *m = matcher(needle, false, false);
		bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		bool folds = strchr("sSkK", c) != NULL;
		int want = letter + 1;

		assert_int_equal(count(m, ccfc_buf_view(&all), false), want);
		assert_int_equal(count(m, ccfc_buf_view(&all), true),
				 want + folds);
		ccfc_matcher_free(m);
	}
	assert_true(ccfc_text_folds(ccfc_buf_view(&all)));
	ccfc_buf_release(&all);
	assert_true(ccfc_text_folds(ccfc_slice_str("a…ſ")));
	assert_true(ccfc_text_folds(ccfc_slice_str("…\xe2\x84\xaa")));
	assert_false(ccfc_text_folds(ccfc_slice_str("ž…\xe2\x84\xab sk")));
	assert_false(ccfc_text_folds(ccfc_slice("\xc5", 1)));
	assert_false(ccfc_text_folds(CCFC_SLICE_NONE));
}

/* Bytes that are not UTF-8 after all do no harm. */
static void test_not_utf8(void **state)
{
	const char *const patterns[] = { "é", "s", "\\w+x" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ccfc_matcher *m = matcher(patterns[i], i == 2, false);

		for (int k = 0; k < 2000; k++) {
			char text[900 + CCFC_NEEDLE_SLACK] = "";
			struct ccfc_text t = { { text, seed_below(900) + 1 },
					       true,
					       false };
			struct ccfc_span at = { 0, 0 };

			for (size_t j = 0; j < t.bytes.len; j++)
				text[j] = (char)(seed_below(3) ? seed_below(256)
							       : 's');
			while (ccfc_matcher_find(&at, m, &t, at.end, NULL) == 1)
				assert_true(at.end <= t.bytes.len &&
					    at.start < at.end);
		}
		ccfc_matcher_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_all_characters),
		cmocka_unit_test(test_not_utf8),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
