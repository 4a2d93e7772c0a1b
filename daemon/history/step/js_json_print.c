/*
 * JSON.stringify's strings and numbers; see js_json_print.h.
 *
 * A number of up to 15 digits is its own shortest form: no two such decimals
 * are the same double, so no shorter one can stand for it. Longer ones are
 * read as a double, for which 15, 16 and 17 digits are tried. The first that
 * gives the double back is the shortest form and the one nearest to it, but for
 * powers of two: below them doubles lie twice as dense, so that the decimal of
 * 16 digits above may do where the nearest, below, does not.
 */
#include "history/step/js_json_print.h"

#include "transcript/json/unescape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SURE_DIGITS 15
#define ALL_DIGITS  17
/* Beyond 10^±290, doubles are near the end of their range or lose digits. */
#define MAX_EXPONENT 290
/* Longer numbers are refused. */
#define MAX_NUMBER 1100u

static void put_char(struct ccfc_buf *out, char c)
{
	static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *hit = c ? strchr(named, c) : NULL;

	if (hit) {
		ccfc_buf_putc(out, '\\');
		ccfc_buf_putc(out, letters[hit - named]);
	} else if ((unsigned char)c < 0x20) {
		ccfc_buf_printf(out, "\\u%04x", (unsigned)c);
	} else {
		ccfc_buf_putc(out, c);
	}
}

static void put_plain_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		ccfc_buf_append(out, text.ptr + from, i - from);
		put_char(out, (char)c);
		from = i + 1;
	}
	ccfc_buf_append(out, text.ptr + from, text.len - from);
}

bool ccfc_js_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	if (text.len && memmem(text.ptr, text.len, "\xef\xbf\xbd", 3))
		return false;
	ccfc_buf_putc(out, '"');
	if (text.len)
		put_plain_text(out, text);
	ccfc_buf_putc(out, '"');
	return true;
}

/* Do the n bytes at p begin with "\ud" and one of the characters `next`? */
static bool is_surrogate(const char *p, size_t n, const char *next)
{
	return n >= 6 && p[0] == '\\' && p[1] == 'u' && (p[2] | 0x20) == 'd' &&
	       p[3] && strchr(next, p[3]);
}

/*
 * Prints the escape that `raw` starts with. Returns its length; 0: not an
 * escape.
 */
static size_t put_escape(struct ccfc_buf *out, struct ccfc_slice raw,
			 struct ccfc_arena *scratch)
{
	bool high = is_surrogate(raw.ptr, raw.len, "89abAB");
	bool low = is_surrogate(raw.ptr, raw.len, "cdefCDEF");
	size_t len = raw.len > 1 && raw.ptr[1] == 'u' ? 6 : 2;
	struct ccfc_slice text;
	bool bad;

	if (high && is_surrogate(raw.ptr + 6, raw.len - 6, "cdefCDEF")) {
		high = false;
		len = 12;
	}
	if (len > raw.len)
		return 0;
	ccfc_arena_clear(scratch);
	text = ccfc_unescape(scratch, ccfc_slice(raw.ptr, len), &bad);
	if (bad)
		return 0;
	if (high || low) {
		ccfc_buf_puts(out, "\\u");
		for (size_t i = 2; i < 6; i++)
			ccfc_buf_putc(out, (char)(raw.ptr[i] | 0x20));
	} else {
		put_plain_text(out, text);
	}
	return len;
}

bool ccfc_js_string(struct ccfc_buf *out, struct ccfc_slice raw,
		    struct ccfc_arena *scratch)
{
	ccfc_buf_putc(out, '"');
	while (raw.len) {
		const char *mark = memchr(raw.ptr, '\\', raw.len);
		size_t n = mark ? (size_t)(mark - raw.ptr) : raw.len;

		ccfc_buf_append(out, raw.ptr, n);
		raw = ccfc_slice(raw.ptr + n, raw.len - n);
		if (!raw.len)
			break;
		n = put_escape(out, raw, scratch);
		if (!n)
			return false;
		raw = ccfc_slice(raw.ptr + n, raw.len - n);
	}
	ccfc_buf_putc(out, '"');
	return true;
}

/* 0.DIGITS × 10^point, without zeros at either end; n = 0 is zero. */
struct decimal {
	char digits[MAX_NUMBER + 1];
	int n;
	int point;
};

static void trim_zeros(struct decimal *d)
{
	int zeros = 0;

	while (d->n && d->digits[d->n - 1] == '0')
		d->n--;
	while (zeros < d->n && d->digits[zeros] == '0')
		zeros++;
	d->n -= zeros;
	d->point -= zeros;
	memmove(d->digits, d->digits + zeros, (size_t)d->n);
}

/* False when the exponent is out of range. Accepts any decimal point. */
static bool read_decimal(struct decimal *d, const char *p)
{
	long exponent = 0;
	int seen = -1; /* digits before the point */

	d->n = 0;
	for (; *p && *p != 'e' && *p != 'E'; p++) {
		if (*p >= '0' && *p <= '9')
			d->digits[d->n++] = *p;
		else
			seen = d->n;
	}
	if (*p)
		exponent = strtol(p + 1, NULL, 10);
	if (exponent < -9999 || exponent > 9999)
		return false;
	d->point = (seen < 0 ? d->n : seen) + (int)exponent;
	trim_zeros(d);
	return true;
}

/* Increments the last digit of a decimal printed with %e. */
static void increment_digits(char *text)
{
	char *p = strchr(text, 'e');

	while (p-- > text) {
		if (*p >= '0' && *p < '9') {
			++*p;
			return;
		}
		if (*p == '9')
			*p = '0';
	}
}

/* Does `v`, printed with n digits, read back as `v`? */
static bool try_digits(char *text, size_t size, double v, int n)
{
	int exponent;

	snprintf(text, size, "%.*e", n - 1, v);
	if (strtod(text, NULL) == v)
		return true;
	if (n != SURE_DIGITS + 1 || frexp(v, &exponent) != 0.5)
		return false;
	increment_digits(text);
	return strtod(text, NULL) == v;
}

/* The shortest digits that read back as the double `number`. */
static bool shortest_digits(struct decimal *d, const char *number)
{
	char *end, text[64];
	double v = strtod(number, &end);

	/* strtod stopped early: the locale has another decimal point. */
	if (*end || !isfinite(v))
		return false;
	for (int n = SURE_DIGITS; n <= ALL_DIGITS; n++)
		if (try_digits(text, sizeof(text), v, n))
			return read_decimal(d, text);
	return false;
}

static void put_zeros(struct ccfc_buf *out, int n)
{
	while (n-- > 0)
		ccfc_buf_putc(out, '0');
}

static void put_digits(struct ccfc_buf *out, const struct decimal *d, int from,
		       int to)
{
	ccfc_buf_append(out, d->digits + from, (size_t)(to - from));
}

/* ECMAScript's Number::toString. */
static void put_decimal(struct ccfc_buf *out, const struct decimal *d)
{
	int n = d->n, point = d->point;

	if (n <= point && point <= 21) {
		put_digits(out, d, 0, n);
		put_zeros(out, point - n);
	} else if (point > 0 && point <= 21) {
		put_digits(out, d, 0, point);
		ccfc_buf_putc(out, '.');
		put_digits(out, d, point, n);
	} else if (point > -6 && point <= 0) {
		ccfc_buf_puts(out, "0.");
		put_zeros(out, -point);
		put_digits(out, d, 0, n);
	} else {
		put_digits(out, d, 0, 1);
		if (n > 1)
			ccfc_buf_putc(out, '.');
		put_digits(out, d, 1, n);
		ccfc_buf_printf(out, "e%+d", point - 1);
	}
}

bool ccfc_js_number(struct ccfc_buf *out, struct ccfc_slice raw)
{
	bool negative = raw.len && raw.ptr[0] == '-';
	char number[MAX_NUMBER + 1];
	struct decimal d;

	raw = ccfc_slice(raw.ptr + negative, raw.len - negative);
	if (!raw.len || raw.len > MAX_NUMBER)
		return false;
	memcpy(number, raw.ptr, raw.len);
	number[raw.len] = '\0';
	if (!read_decimal(&d, number))
		return false;
	if (!d.n) { /* -0 is printed as 0 */
		ccfc_buf_putc(out, '0');
		return true;
	}
	if (d.point > MAX_EXPONENT || d.point < -MAX_EXPONENT ||
	    (d.n > SURE_DIGITS && !shortest_digits(&d, number)))
		return false;
	if (negative)
		ccfc_buf_putc(out, '-');
	put_decimal(out, &d);
	return true;
}
