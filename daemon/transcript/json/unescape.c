/*
 * Unescaping of JSON strings. Written here because simdjson's own refuses
 * lone surrogates, which real transcripts have (a text cut in the middle of
 * an emoji).
 */
#include "transcript/json/unescape.h"

#define REPLACEMENT 0xfffdu

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int32_t ccfc_unescape_unit(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* "\uXXXX" at *p, or a pair of them; *p goes behind what was read. */
static uint32_t unicode_escape(const char **p, const char *end, bool *bad)
{
	int32_t unit = ccfc_unescape_unit(*p, end);
	int32_t low;

	if (unit < 0) {
		*bad = true;
		*p += 2;
		return REPLACEMENT;
	}
	*p += 6;
	if (unit < 0xd800 || unit > 0xdfff)
		return (uint32_t)unit;
	low = unit < 0xdc00 ? ccfc_unescape_unit(*p, end) : -1;
	if (low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	*p += 6;
	return 0x10000 + (((uint32_t)unit & 0x3ff) << 10) +
	       ((uint32_t)low & 0x3ff);
}

/* An escape that is not one of the plain ones; *p goes behind it. */
static uint32_t escape(const char **p, const char *end, bool *bad)
{
	if (end - *p > 1 && (*p)[1] == 'u')
		return unicode_escape(p, end, bad);
	*p += end - *p > 1 ? 2 : 1;
	*bad = true;
	return REPLACEMENT;
}

/* What escapes of one character stand for: nearly all escapes are such. */
static const char plain[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static char *put_escape(char *out, const char **p, const char *end, bool *bad)
{
	char c = end - *p > 1 ? plain[(unsigned char)(*p)[1]] : 0;

	if (!c)
		return put_utf8(out, escape(p, end, bad));
	*p += 2;
	*out = c;
	return out + 1;
}

/* From the first escape on; returns where the text ends. */
static char *unescape_tail(char *out, const char *p, const char *end, bool *bad)
{
	const char *mark = p;

	while (mark) {
		memcpy(out, p, (size_t)(mark - p));
		out += mark - p;
		p = mark;
		do
			out = put_escape(out, &p, end, bad);
		while (p < end && *p == '\\');
		mark = p < end ? memchr(p, '\\', (size_t)(end - p)) : NULL;
	}
	memcpy(out, p, (size_t)(end - p));
	return out + (end - p);
}

struct ccfc_slice ccfc_unescape(struct ccfc_arena *arena, struct ccfc_slice raw,
				bool *bad)
{
	const char *mark = raw.len ? memchr(raw.ptr, '\\', raw.len) : NULL;
	bool wrong = false;

	if (mark) {
		/* Only a bad escape grows: two bytes become three. */
		char *start =
			ccfc_arena_alloc(arena, raw.len + raw.len / 2 + 4);
		size_t clean = (size_t)(mark - raw.ptr);
		char *out;

		memcpy(start, raw.ptr, clean);
		out = unescape_tail(start + clean, mark, raw.ptr + raw.len,
				    &wrong);
		raw = ccfc_slice(start, (size_t)(out - start));
	}
	if (bad)
		*bad = wrong;
	return raw;
}

struct ccfc_slice ccfc_unescape_name(struct ccfc_arena *arena,
				     struct ccfc_slice raw, size_t max)
{
	struct ccfc_slice s;
	bool bad;

	if (!raw.len || raw.len / 6 > max)
		return CCFC_SLICE_NONE;
	s = ccfc_unescape(arena, raw, &bad);
	if (bad || s.len > max ||
	    (s.ptr != raw.ptr && memchr(s.ptr, '\0', s.len)))
		return CCFC_SLICE_NONE;
	return s;
}
