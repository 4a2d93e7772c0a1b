/*
 * Unescaping of JSON strings. simdjson's own function refuses lone surrogates,
 * which real transcripts have (a text cut in the middle of an emoji).
 */
#include "transcript/json/unescape.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define REPLACEMENT 0xfffdu
#define BLOCK	    16

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

/* A digit and 1; 0: it is none. */
static const unsigned char digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

int32_t ccfc_unescape_unit(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p + 2;
	int32_t a, b, c, d;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	a = digits[u[0]];
	b = digits[u[1]];
	c = digits[u[2]];
	d = digits[u[3]];
	if (!a || !b || !c || !d)
		return -1;
	return (a - 1) << 12 | (b - 1) << 8 | (c - 1) << 4 | (d - 1);
}

/* Reads "\uXXXX" at *p, or a surrogate pair; moves *p behind it. */
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

/* Reads an escape that is not in `plain`; moves *p behind it. */
static uint32_t read_escape(const char **p, const char *end, bool *bad)
{
	if (end - *p > 1 && (*p)[1] == 'u')
		return unicode_escape(p, end, bad);
	*p += end - *p > 1 ? 2 : 1;
	*bad = true;
	return REPLACEMENT;
}

/* The characters of escapes of one character: nearly all escapes. */
static const char plain[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static char *put_escape(char *out, const char **p, const char *end, bool *bad)
{
	char c = end - *p > 1 ? plain[(unsigned char)(*p)[1]] : 0;

	if (!c)
		return put_utf8(out, read_escape(p, end, bad));
	*p += 2;
	*out = c;
	return out + 1;
}

#ifdef __SSE2__
/*
 * All but the last bytes of a text. In code escapes are some 20 bytes apart:
 * finding and copying are one loop, and whole blocks are written, as there is
 * room for what is left of the text.
 */
static char *unescape_blocks(char *out, const char **p, const char *end,
			     bool *bad)
{
	const __m128i backslash = _mm_set1_epi8('\\');
	const char *in = *p;

	while (end - in > BLOCK) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)in);
		unsigned at = (unsigned)_mm_movemask_epi8(
			_mm_cmpeq_epi8(x, backslash));
		unsigned n = at ? (unsigned)__builtin_ctz(at) : BLOCK;
		char c;

		_mm_storeu_si128((__m128i *)(void *)out, x);
		in += n;
		out += n;
		if (!at)
			continue;
		c = plain[(unsigned char)in[1]];
		*out = c;
		if (c) {
			in += 2;
			out++;
		} else {
			out = put_utf8(out, read_escape(&in, end, bad));
		}
	}
	*p = in;
	return out;
}
#else
static char *unescape_blocks(char *out, const char **p, const char *end,
			     bool *bad)
{
	(void)p, (void)end, (void)bad;
	return out;
}
#endif

/* Unescapes from the first escape on; returns the end of the text. */
static char *unescape_tail(char *out, const char *p, const char *end, bool *bad)
{
	out = unescape_blocks(out, &p, end, bad);
	while (p < end) {
		if (*p == '\\')
			out = put_escape(out, &p, end, bad);
		else
			*out++ = *p++;
	}
	return out;
}

struct ccfc_slice ccfc_unescape(struct ccfc_arena *arena, struct ccfc_slice raw,
				bool *bad)
{
	const char *mark = raw.len ? memchr(raw.ptr, '\\', raw.len) : NULL;
	bool wrong = false;

	if (mark) {
		/* Only a bad escape grows: from two bytes to three. */
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
