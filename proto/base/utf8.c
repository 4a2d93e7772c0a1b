/*
 * UTF-8; see utf8.h. Most texts are ASCII, or nearly so: 32 bytes at a time are
 * checked for that, and then eight.
 */
#include "base/utf8.h"

#include <stdint.h>

#define HIGH_BITS 0x8080808080808080u
#define ELLIPSIS  "\xe2\x80\xa6"

/* Lowest and highest second byte that a lead byte allows, and the length. */
struct lead {
	unsigned char first, last; /* lead bytes that this is for */
	unsigned char lo, hi;
	unsigned char len;
};

static const struct lead leads[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
	{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

int ccfc_utf8_step(const unsigned char *p, size_t len)
{
	const struct lead *lead = NULL;

	/* The ranges ascend. */
	for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++)
		if (p[0] <= leads[i].last) {
			lead = &leads[i];
			break;
		}
	if (!lead || p[0] < lead->first || len < 2 || p[1] < lead->lo ||
	    p[1] > lead->hi)
		return -1;
	for (int i = 2; i < lead->len; i++)
		if (len <= (size_t)i || (p[i] & 0xc0) != 0x80)
			return -i;
	return lead->len;
}

static size_t skip_ascii(const unsigned char *p, size_t i, size_t len)
{
	uint64_t word, four[4];

	while (i + sizeof(four) <= len) {
		memcpy(four, p + i, sizeof(four));
		if ((four[0] | four[1] | four[2] | four[3]) & HIGH_BITS)
			break;
		i += sizeof(four);
	}
	while (i + sizeof(word) <= len) {
		memcpy(&word, p + i, sizeof(word));
		if (word & HIGH_BITS)
			break;
		i += sizeof(word);
	}
	while (i < len && p[i] < 0x80)
		i++;
	return i;
}

bool ccfc_utf8_append(struct ccfc_buf *out, struct ccfc_slice text)
{
	const unsigned char *p = (const unsigned char *)text.ptr;
	size_t i = skip_ascii(p, 0, text.len);
	/* start of the valid bytes that are not appended yet */
	size_t from = 0;
	bool ascii = i == text.len;

	while (i < text.len) {
		int n = ccfc_utf8_step(p + i, text.len - i);

		if (n < 0) {
			ccfc_buf_append(out, p + from, i - from);
			ccfc_buf_puts(out, "\xef\xbf\xbd");
			n = -n;
			from = i + (size_t)n;
		}
		i = skip_ascii(p, i + (size_t)n, text.len);
	}
	if (text.len > from)
		ccfc_buf_append(out, p + from, text.len - from);
	return ascii;
}

bool ccfc_utf8_append_line(struct ccfc_buf *out, struct ccfc_slice text,
			   size_t chars)
{
	size_t start = out->len, last = out->len, n = 0;
	size_t most = start + 4 * chars; /* bytes, also if not UTF-8 */
	size_t at = start;
	bool space = false;
	char *to;

	ccfc_buf_reserve(out, 4 * chars);
	to = out->ptr;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			space = at > start;
			continue;
		}
		n += space + ((c & 0xc0) != 0x80);
		if (n > chars || at + space >= most) {
			out->len = last;
			ccfc_buf_puts(out, ELLIPSIS);
			return true;
		}
		if (space)
			to[at++] = ' ';
		space = false;
		to[at++] = (char)c;
		/* With the ellipsis it may not be longer than this. */
		if (n < chars)
			last = at;
	}
	out->len = at;
	ccfc_buf_append(out, "", 0);
	return false;
}
