/*
 * JSON to msgpack; see from_json.h. A recursive descent over the grammar, as
 * deep as CCFC_FROM_JSON_DEPTH. Strings are copied in runs: only an escape
 * needs a look at single bytes.
 */
#include "wire/from_json.h"

#include "base/utf8.h"
#include "wire/pack.h"

#include <errno.h>
#include <stdlib.h>

#define NUMBER_MAX 512 /* characters of a number */

struct reader {
	const char *start, *at, *end;
	struct ccfc_pack pack;
	struct ccfc_buf text; /* the string that is being read */
	const char *wrong;    /* NULL: nothing yet */
	int depth;
};

static bool read_value(struct reader *r);

static bool set_wrong(struct reader *r, const char *wrong)
{
	if (!r->wrong)
		r->wrong = wrong;
	return false;
}

static int peek_char(const struct reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void skip_blanks(struct reader *r)
{
	while (peek_char(r) == ' ' || peek_char(r) == '\t' ||
	       peek_char(r) == '\n' || peek_char(r) == '\r')
		r->at++;
}

/* Skips `c` if it is the next character. */
static bool take_char(struct reader *r, char c)
{
	if (peek_char(r) != c)
		return false;
	r->at++;
	return true;
}

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static int read_hex(struct reader *r)
{
	int value = 0;

	for (int i = 0; i < 4; i++, r->at++) {
		int c = peek_char(r);

		if (c >= '0' && c <= '9')
			value = value * 16 + c - '0';
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			value = value * 16 + c - 'A' + 10;
		else
			return -1;
	}
	return value;
}

static void put_character(struct ccfc_buf *out, unsigned cp)
{
	if (cp < 0x80) {
		ccfc_buf_putc(out, (char)cp);
		return;
	}
	if (cp < 0x800) {
		ccfc_buf_putc(out, (char)(0xc0 | cp >> 6));
	} else if (cp < 0x10000) {
		ccfc_buf_putc(out, (char)(0xe0 | cp >> 12));
		ccfc_buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
	} else {
		ccfc_buf_putc(out, (char)(0xf0 | cp >> 18));
		ccfc_buf_putc(out, (char)(0x80 | (cp >> 12 & 0x3f)));
		ccfc_buf_putc(out, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	ccfc_buf_putc(out, (char)(0x80 | (cp & 0x3f)));
}

/* After "\u": one escape, or two that are one character. */
static bool read_unicode(struct reader *r)
{
	int high = read_hex(r), low;
	const char *back = r->at;

	if (high < 0)
		return set_wrong(r, "\\u wants four hexadecimal digits");
	if (high < 0xd800 || high > 0xdfff) {
		put_character(&r->text, (unsigned)high);
		return true;
	}
	if (high < 0xdc00 && take_char(r, '\\') && take_char(r, 'u')) {
		low = read_hex(r);
		if (low >= 0xdc00 && low <= 0xdfff) {
			put_character(&r->text,
				      0x10000u +
					      (((unsigned)high & 0x3ff) << 10) +
					      ((unsigned)low & 0x3ff));
			return true;
		}
	}
	/* Half of a surrogate pair; the next escape is read separately. */
	r->at = back;
	put_character(&r->text, 0xfffd);
	return true;
}

static bool read_escape(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = peek_char(r);
	const char *found = c > 0 ? strchr(from, c) : NULL;

	if (take_char(r, 'u'))
		return read_unicode(r);
	if (!found)
		return set_wrong(r, "not an escape");
	ccfc_buf_putc(&r->text, to[found - from]);
	r->at++;
	return true;
}

/* The bytes up to a quote or a backslash. */
static bool read_run(struct reader *r)
{
	const char *start = r->at;

	while (peek_char(r) != '"' && peek_char(r) != '\\') {
		int c = peek_char(r), n = 1;

		if (c < 0)
			return set_wrong(r, "a string does not end");
		if (c < 0x20)
			return set_wrong(r, "a control character in a string");
		if (c >= 0x80)
			n = ccfc_utf8_step((const unsigned char *)r->at,
					   (size_t)(r->end - r->at));
		if (n < 0)
			return set_wrong(r, "not UTF-8");
		r->at += n;
	}
	ccfc_buf_append(&r->text, start, (size_t)(r->at - start));
	return true;
}

static bool read_string(struct reader *r)
{
	ccfc_buf_clear(&r->text);
	if (!take_char(r, '"'))
		return set_wrong(r, "a string was expected");
	while (!take_char(r, '"')) {
		if (!read_run(r))
			return false;
		if (take_char(r, '\\') && !read_escape(r))
			return false;
	}
	ccfc_pack_str(&r->pack, ccfc_buf_view(&r->text));
	return true;
}

/* ---- numbers ---- */

static bool skip_digits(struct reader *r)
{
	const char *start = r->at;

	while (peek_char(r) >= '0' && peek_char(r) <= '9')
		r->at++;
	return r->at > start;
}

/* *whole: there is neither a fraction nor an exponent. */
static bool skip_number(struct reader *r, bool *whole)
{
	*whole = true;
	take_char(r, '-');
	if (!take_char(r, '0') && !skip_digits(r))
		return set_wrong(r, "a value was expected");
	if (take_char(r, '.')) {
		*whole = false;
		if (!skip_digits(r))
			return set_wrong(r, "a fraction has no digits");
	}
	if (take_char(r, 'e') || take_char(r, 'E')) {
		*whole = false;
		if (!take_char(r, '+'))
			take_char(r, '-');
		if (!skip_digits(r))
			return set_wrong(r, "an exponent has no digits");
	}
	return true;
}

static bool read_number(struct reader *r)
{
	const char *start = r->at;
	char text[NUMBER_MAX + 1];
	long long integer;
	bool whole;
	size_t n;

	if (!skip_number(r, &whole))
		return false;
	n = (size_t)(r->at - start);
	if (n > NUMBER_MAX)
		return set_wrong(r, "a number is too long");
	memcpy(text, start, n);
	text[n] = '\0';
	errno = 0;
	integer = whole ? strtoll(text, NULL, 10) : 0;
	if (whole && !errno)
		ccfc_pack_int(&r->pack, integer);
	else
		ccfc_pack_double(&r->pack, strtod(text, NULL));
	return true;
}

/* ---- arrays, maps ---- */

/* NOLINTNEXTLINE(misc-no-recursion): see read_container */
static bool read_members(struct reader *r, char close, bool map)
{
	skip_blanks(r);
	if (take_char(r, close))
		return true;
	do {
		skip_blanks(r);
		if (map) {
			if (!read_string(r))
				return false;
			skip_blanks(r);
			if (!take_char(r, ':'))
				return set_wrong(r, "a ':' was expected");
			skip_blanks(r);
		}
		if (!read_value(r))
			return false;
		skip_blanks(r);
	} while (take_char(r, ','));
	return take_char(r, close) ||
	       set_wrong(r, map ? "a ',' or '}' was expected"
				: "a ',' or ']' was expected");
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as CCFC_FROM_JSON_DEPTH */
static bool read_container(struct reader *r, char close, bool map)
{
	bool ok;

	r->at++;
	if (++r->depth > CCFC_FROM_JSON_DEPTH)
		return set_wrong(r, "nested too deep");
	if (map)
		ccfc_pack_map(&r->pack);
	else
		ccfc_pack_array(&r->pack);
	ok = read_members(r, close, map);
	if (ok)
		ccfc_pack_end(&r->pack);
	r->depth--;
	return ok;
}

static bool take_word(struct reader *r, const char *word)
{
	if (!ccfc_slice_starts(ccfc_slice(r->at, (size_t)(r->end - r->at)),
			       word))
		return false;
	r->at += strlen(word);
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see read_container */
static bool read_value(struct reader *r)
{
	switch (peek_char(r)) {
	case '{':
		return read_container(r, '}', true);
	case '[':
		return read_container(r, ']', false);
	case '"':
		return read_string(r);
	default:
		break;
	}
	if (take_word(r, "null"))
		ccfc_pack_nil(&r->pack);
	else if (take_word(r, "true"))
		ccfc_pack_bool(&r->pack, true);
	else if (take_word(r, "false"))
		ccfc_pack_bool(&r->pack, false);
	else
		return read_number(r);
	return true;
}

int ccfc_json_read(struct ccfc_buf *out, struct ccfc_slice text,
		   struct ccfc_err *err)
{
	struct reader r = { .start = text.ptr,
			    .at = text.ptr,
			    .end = ccfc_slice_end(text) };
	bool ok;

	ccfc_buf_init(&r.text);
	ccfc_pack_init(&r.pack, out);
	skip_blanks(&r);
	ok = read_value(&r);
	skip_blanks(&r);
	if (ok && r.at < r.end)
		ok = set_wrong(&r, "something follows the value");
	ccfc_buf_release(&r.text);
	return ok ? 0
		  : ccfc_err_set(err, CCFC_EINVAL, "JSON: byte %zu: %s",
				 (size_t)(r.at - r.start), r.wrong);
}
