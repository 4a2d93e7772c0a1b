/* How wide text is on a terminal; see width.h. */
#include "cli/out/width.h"

#include "cli/out/locale_utf8.h"
#include "cli/out/safe.h"

#include <locale.h>
#include <wchar.h>

/*
 * The user's locale decides, if it knows Unicode (a CJK ideograph is two
 * columns there); C.UTF-8 is the next best.
 */
static void set_locale(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	setlocale(LC_CTYPE, "");
	if (wcwidth(0x4e00) != 2)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static size_t char_width(int32_t cp)
{
	int w;

	if (cp < 0x80)
		return 1;
	set_locale();
	w = wcwidth((wchar_t)cp);
	return w < 0 ? 1 : (size_t)w;
}

size_t ccfc_width(struct ccfc_slice s)
{
	const char *p = s.ptr, *end = s.ptr + s.len;
	size_t width = 0;

	while (p < end)
		width += char_width(ccfc_utf8_next(&p, end));
	return width;
}

/* The bytes at the start of `s` that take at most `max` columns. */
static size_t head_bytes(struct ccfc_slice s, size_t max)
{
	const char *p = s.ptr, *end = s.ptr + s.len, *cut = p;
	size_t width = 0;

	while (p < end) {
		width += char_width(ccfc_utf8_next(&p, end));
		if (width > max)
			break;
		cut = p;
	}
	return (size_t)(cut - s.ptr);
}

/* The first byte from which on `s` takes at most `max` columns. */
static size_t tail_start(struct ccfc_slice s, size_t max)
{
	const char *p = s.ptr, *end = s.ptr + s.len;
	size_t width = ccfc_width(s);

	while (p < end && width > max)
		width -= char_width(ccfc_utf8_next(&p, end));
	/* A combining mark does not go without its letter. */
	while (p < end) {
		const char *next = p;

		if (char_width(ccfc_utf8_next(&next, end)))
			break;
		p = next;
	}
	return (size_t)(p - s.ptr);
}

/* How wide the ellipsis is; 0: there is no room for it. */
static size_t dots_width(size_t max)
{
	size_t width = ccfc_is_utf8() ? 1 : 3;

	return width < max ? width : 0;
}

void ccfc_width_elide(struct ccfc_buf *out, struct ccfc_slice s, size_t max)
{
	struct ccfc_slice head;
	size_t from, dots;

	if (ccfc_width(s) <= max) {
		ccfc_buf_slice(out, s);
		return;
	}
	dots = dots_width(max);
	if (!dots) {
		ccfc_width_cut(out, s, max);
		return;
	}
	head = ccfc_slice(s.ptr, head_bytes(s, (max - dots) / 3));
	from = tail_start(s, max - dots - ccfc_width(head));
	ccfc_buf_slice(out, head);
	ccfc_buf_puts(out, ccfc_ellipsis());
	ccfc_buf_append(out, s.ptr + from, s.len - from);
}

void ccfc_width_cut(struct ccfc_buf *out, struct ccfc_slice s, size_t max)
{
	size_t dots = dots_width(max);

	if (ccfc_width(s) <= max) {
		ccfc_buf_slice(out, s);
		return;
	}
	if (max == 1 && ccfc_is_utf8())
		dots = 1;
	ccfc_buf_append(out, s.ptr, head_bytes(s, max - dots));
	ccfc_buf_puts(out, dots ? ccfc_ellipsis() : "");
}
