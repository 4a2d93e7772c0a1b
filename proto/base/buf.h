/*
 * A growable byte buffer. init/release for the owner, clear for reuse. The
 * bytes are always followed by a NUL that does not count, so `ptr` of a
 * buffer that was appended to can be used as a string.
 */
#ifndef CCFC_BASE_BUF_H
#define CCFC_BASE_BUF_H

#include "base/slice.h"

#include <stdarg.h>

struct ccfc_buf {
	char *ptr;
	size_t len;
	size_t cap;
};

#define CCFC_BUF_INIT                                                          \
	{                                                                      \
		NULL, 0, 0                                                     \
	}

void ccfc_buf_init(struct ccfc_buf *buf);
void ccfc_buf_release(struct ccfc_buf *buf);
void ccfc_buf_clear(struct ccfc_buf *buf);

/* Makes room for `more` bytes and returns where they start. */
char *ccfc_buf_reserve(struct ccfc_buf *buf, size_t more);

void ccfc_buf_append(struct ccfc_buf *buf, const void *ptr, size_t len);
void ccfc_buf_puts(struct ccfc_buf *buf, const char *s);
void ccfc_buf_putc(struct ccfc_buf *buf, char c);
void ccfc_buf_slice(struct ccfc_buf *buf, struct ccfc_slice s);
void ccfc_buf_printf(struct ccfc_buf *buf, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ccfc_buf_vprintf(struct ccfc_buf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Drops the first n bytes. */
void ccfc_buf_consume(struct ccfc_buf *buf, size_t n);

/* Hands the bytes to the caller, who frees them; the buffer is empty then. */
char *ccfc_buf_detach(struct ccfc_buf *buf, size_t *len);

static inline struct ccfc_slice ccfc_buf_view(const struct ccfc_buf *buf)
{
	return (struct ccfc_slice){ buf->ptr, buf->len };
}

#endif
