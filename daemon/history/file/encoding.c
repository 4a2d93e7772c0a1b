/* Bytes and texts; see encoding.h. */
#include "history/file/encoding.h"

#include "base/utf8.h"

#include <stdint.h>

#define BOM_16 "\xff\xfe"

static void put_utf8(struct ccfc_buf *out, uint32_t c)
{
	if (c < 0x80) {
		ccfc_buf_putc(out, (char)c);
	} else if (c < 0x800) {
		ccfc_buf_putc(out, (char)(0xc0 | c >> 6));
		ccfc_buf_putc(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		ccfc_buf_putc(out, (char)(0xe0 | c >> 12));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		ccfc_buf_putc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		ccfc_buf_putc(out, (char)(0xf0 | c >> 18));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		ccfc_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		ccfc_buf_putc(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* --- UTF-8 --- */

/*
 * The length of the character at `s`. Negative: so many bytes are an incomplete
 * or invalid character (at most as many as one U+FFFD replaces).
 */
static int utf8_len(const unsigned char *s, size_t left)
{
	unsigned char lo = 0x80, hi = 0xbf;
	int n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return -1;
	lo = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : lo;
	hi = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : hi;
	for (int i = 1; i < n; i++) {
		if ((size_t)i >= left || s[i] < lo || s[i] > hi)
			return -i;
		lo = 0x80;
		hi = 0xbf;
	}
	return n;
}

/* True if everything was valid. */
static bool decode_utf8(struct ccfc_buf *out, struct ccfc_slice bytes)
{
	ccfc_utf8_append(out, bytes);
	return ccfc_slice_eq(ccfc_buf_view(out), bytes);
}

/* --- UTF-16 --- */

static uint32_t utf16_unit(struct ccfc_slice bytes, size_t at)
{
	return (uint32_t)(unsigned char)bytes.ptr[at] |
	       (uint32_t)(unsigned char)bytes.ptr[at + 1] << 8;
}

static bool decode_utf16(struct ccfc_buf *out, struct ccfc_slice bytes)
{
	bool valid = bytes.len % 2 == 0;

	for (size_t at = 0; at + 1 < bytes.len; at += 2) {
		uint32_t c = utf16_unit(bytes, at), d;

		if (c >= 0xd800 && c <= 0xdbff && at + 3 < bytes.len) {
			d = utf16_unit(bytes, at + 2);
			if (d >= 0xdc00 && d <= 0xdfff) {
				c = 0x10000 + ((c - 0xd800) << 10) +
				    (d - 0xdc00);
				at += 2;
			}
		}
		if (c >= 0xd800 && c <= 0xdfff) {
			c = 0xfffd;
			valid = false;
		}
		put_utf8(out, c);
	}
	return valid;
}

static void put_utf16_unit(struct ccfc_buf *out, uint32_t unit16)
{
	ccfc_buf_putc(out, (char)(unit16 & 0xff));
	ccfc_buf_putc(out, (char)(unit16 >> 8));
}

/* Invalid UTF-8 in `text` becomes U+FFFD. */
static void encode_utf16(struct ccfc_buf *out, struct ccfc_slice text)
{
	const unsigned char *s = (const unsigned char *)text.ptr;

	for (size_t at = 0; at < text.len;) {
		int n = utf8_len(s + at, text.len - at);
		uint32_t c = 0xfffd;

		if (n == 1)
			c = s[at];
		else if (n > 1)
			c = s[at] & (0xffu >> (n + 1));
		for (int i = 1; i < n; i++)
			c = c << 6 | (s[at + (size_t)i] & 0x3f);
		at += (size_t)(n < 0 ? -n : n);
		if (c < 0x10000) {
			put_utf16_unit(out, c);
			continue;
		}
		put_utf16_unit(out, 0xd800 + ((c - 0x10000) >> 10));
		put_utf16_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

/* --- line endings --- */

/*
 * Replaces "\r\n" by "\n" in place; sets the majority. True: all line ends were
 * the same.
 */
static bool unify_line_ends(struct ccfc_buf *text, enum ccfc_eol *eol)
{
	size_t n = 0, crlf = 0, lf = 0;

	*eol = CCFC_EOL_LF;
	if (!text->len || !memchr(text->ptr, '\r', text->len))
		return true;
	for (size_t i = 0; i < text->len; i++) {
		char c = text->ptr[i];

		if (c == '\r' && i + 1 < text->len && text->ptr[i + 1] == '\n')
			crlf++;
		else
			text->ptr[n++] = c;
		lf += c == '\n';
	}
	lf -= crlf;
	text->len = n;
	if (text->ptr)
		text->ptr[n] = '\0';
	*eol = crlf > lf ? CCFC_EOL_CRLF : CCFC_EOL_LF;
	return !crlf || !lf;
}

void ccfc_form_decode(struct ccfc_buf *text, struct ccfc_form *form,
		      struct ccfc_slice bytes)
{
	bool valid;

	ccfc_buf_clear(text);
	form->encoding = CCFC_UTF8;
	if (bytes.len >= 2 && !memcmp(bytes.ptr, BOM_16, 2)) {
		form->encoding = CCFC_UTF16LE;
		valid = decode_utf16(text, bytes);
	} else {
		valid = decode_utf8(text, bytes);
	}
	form->mixed = !unify_line_ends(text, &form->eol) || !valid;
}

static void append_crlf(struct ccfc_buf *out, struct ccfc_slice text)
{
	const char *at = text.ptr, *end = ccfc_slice_end(text);

	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		ccfc_buf_append(out, at, (size_t)((nl ? nl : end) - at));
		if (nl)
			ccfc_buf_puts(out, "\r\n");
		at = nl ? nl + 1 : end;
	}
}

void ccfc_form_encode(struct ccfc_buf *bytes, const struct ccfc_form *form,
		      struct ccfc_slice text)
{
	struct ccfc_buf lines = CCFC_BUF_INIT;

	ccfc_buf_clear(bytes);
	if (form->eol == CCFC_EOL_CRLF) {
		append_crlf(&lines, text);
		text = ccfc_buf_view(&lines);
	}
	if (form->encoding == CCFC_UTF16LE)
		encode_utf16(bytes, text);
	else
		ccfc_buf_slice(bytes, text);
	ccfc_buf_release(&lines);
}
