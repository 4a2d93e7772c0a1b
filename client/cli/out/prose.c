/* Lines that people wrote, on a terminal; see prose.h. */
#include "cli/out/prose.h"

#include "cli/out/safe.h"
#include "cli/out/width.h"

#define INDENT 2

/* The bytes of `text` up to the last blank within `width`; all: it fits. */
static size_t fitting_length(struct ccfc_slice text, size_t width)
{
	size_t end = 0;

	/* No character takes more columns than bytes. */
	if (text.len <= width)
		return text.len;
	for (size_t i = 1; i < text.len; i++) {
		if (text.ptr[i] != ' ')
			continue;
		if (end && ccfc_width(ccfc_slice(text.ptr, i)) > width)
			return end;
		end = i;
	}
	/* Is it more than the last word? */
	return !end || ccfc_width(text) <= width ? text.len : end;
}

void ccfc_prose_wrap(struct ccfc_out *out, struct ccfc_slice text, unsigned at)
{
	size_t width = out->width > at ? out->width - at : SIZE_MAX;

	for (;;) {
		size_t n = fitting_length(text, width);

		ccfc_buf_append(&out->buf, text.ptr, n);
		if (n == text.len)
			return;
		ccfc_buf_printf(&out->buf, "\n%*s", (int)at, "");
		text = ccfc_slice(text.ptr + n + 1, text.len - n - 1);
	}
}

void ccfc_prose_print(struct ccfc_out *out, struct ccfc_slice text)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;

	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;

		ccfc_buf_clear(&safe);
		ccfc_safe_append(&safe, ccfc_slice(text.ptr, n), false);
		if (n) {
			ccfc_buf_printf(&out->buf, "%*s", INDENT, "");
			ccfc_prose_wrap(out, ccfc_buf_view(&safe), INDENT);
		}
		ccfc_buf_putc(&out->buf, '\n');
		n += nl != NULL;
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
	ccfc_buf_release(&safe);
}
