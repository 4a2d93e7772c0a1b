/* Text from transcripts made safe to show; see safe.h. */
#include "cli/out/safe.h"

static int32_t decode_utf8(const unsigned char *p, size_t n, size_t *used)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	int32_t cp;

	*used = 1;
	if (p[0] < 0x80)
		return p[0];
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
		return -1;
	cp = p[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < least[len] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return -1;
	*used = len;
	return cp;
}

int32_t ccfc_utf8_next(const char **p, const char *end)
{
	size_t used;
	int32_t cp = decode_utf8((const unsigned char *)*p, (size_t)(end - *p),
				 &used);

	*p += used;
	return cp;
}

bool ccfc_utf8_is_layout(int32_t cp)
{
	return cp == 0x061c || cp == 0x200e || cp == 0x200f ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

static bool is_safe_char(int32_t cp, bool keep_tabs)
{
	if (cp < 0x20)
		return cp == '\t' && keep_tabs;
	return cp != 0x7f && !(cp >= 0x80 && cp < 0xa0) &&
	       !ccfc_utf8_is_layout(cp);
}

static void append_escaped(struct ccfc_buf *out, int32_t cp, char byte)
{
	if (cp < 0)
		ccfc_buf_printf(out, "\\x%02x", (unsigned char)byte);
	else if (cp < 0x20 || cp == 0x7f)
		ccfc_buf_printf(out, "^%c", (char)(cp ^ 0x40));
	else if (cp < 0xa0)
		ccfc_buf_printf(out, "\\x%02x", (unsigned)cp);
	else
		ccfc_buf_printf(out, "<U+%04X>", (unsigned)cp);
}

void ccfc_safe_append(struct ccfc_buf *out, struct ccfc_slice s, bool keep_tabs)
{
	const char *p = s.ptr, *end = s.ptr + s.len, *run = p;

	while (p < end) {
		const char *at = p;
		int32_t cp = ccfc_utf8_next(&p, end);

		if (is_safe_char(cp, keep_tabs))
			continue;
		ccfc_buf_append(out, run, (size_t)(at - run));
		append_escaped(out, cp, *at);
		run = p;
	}
	if (end > run)
		ccfc_buf_append(out, run, (size_t)(end - run));
}
