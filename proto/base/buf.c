/* A growable byte buffer; see buf.h. */
#include "base/buf.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

void ccfc_buf_init(struct ccfc_buf *buf)
{
	*buf = (struct ccfc_buf)CCFC_BUF_INIT;
}

void ccfc_buf_release(struct ccfc_buf *buf)
{
	free(buf->ptr);
	ccfc_buf_init(buf);
}

void ccfc_buf_clear(struct ccfc_buf *buf)
{
	buf->len = 0;
	if (buf->ptr)
		buf->ptr[0] = '\0';
}

char *ccfc_buf_reserve(struct ccfc_buf *buf, size_t more)
{
	size_t need = buf->len + more + 1;

	if (need > buf->cap) {
		size_t cap = buf->cap ? buf->cap * 2 : 64;

		if (cap < need)
			cap = need;
		buf->ptr = ccfc_realloc(buf->ptr, cap);
		buf->cap = cap;
	}
	return buf->ptr + buf->len;
}

void ccfc_buf_append(struct ccfc_buf *buf, const void *ptr, size_t len)
{
	char *at = ccfc_buf_reserve(buf, len);

	if (len)
		memcpy(at, ptr, len);
	buf->len += len;
	buf->ptr[buf->len] = '\0';
}

void ccfc_buf_puts(struct ccfc_buf *buf, const char *s)
{
	ccfc_buf_append(buf, s, strlen(s));
}

void ccfc_buf_putc(struct ccfc_buf *buf, char c)
{
	ccfc_buf_append(buf, &c, 1);
}

void ccfc_buf_slice(struct ccfc_buf *buf, struct ccfc_slice s)
{
	ccfc_buf_append(buf, s.ptr, s.len);
}

void ccfc_buf_vprintf(struct ccfc_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	ccfc_buf_reserve(buf, (size_t)n);
	vsnprintf(buf->ptr + buf->len, (size_t)n + 1, fmt, ap);
	buf->len += (size_t)n;
}

void ccfc_buf_printf(struct ccfc_buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(buf, fmt, ap);
	va_end(ap);
}

void ccfc_buf_consume(struct ccfc_buf *buf, size_t n)
{
	if (n >= buf->len) {
		ccfc_buf_clear(buf);
		return;
	}
	memmove(buf->ptr, buf->ptr + n, buf->len - n);
	buf->len -= n;
	buf->ptr[buf->len] = '\0';
}

char *ccfc_buf_detach(struct ccfc_buf *buf, size_t *len)
{
	char *ptr;

	ccfc_buf_reserve(buf, 0);
	buf->ptr[buf->len] = '\0';
	ptr = buf->ptr;
	if (len)
		*len = buf->len;
	ccfc_buf_init(buf);
	return ptr;
}
