/* Hex digits, and bytes written with them. */
#ifndef CCFC_BASE_HEX_H
#define CCFC_BASE_HEX_H

#include "base/buf.h"

/* The value of a digit of either case, or -1. */
static inline int ccfc_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes 2 * `n` lower-case digits and a NUL. */
static inline void ccfc_hex_write(char *out, const unsigned char *bytes,
				  size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

/* Reads 2 * `n` digits; false if there are fewer. Stops at a NUL. */
static inline bool ccfc_hex_read(unsigned char *out, const char *text, size_t n)
{
	for (; n--; text += 2) {
		int high = ccfc_hex_digit(text[0]);
		int low = high < 0 ? -1 : ccfc_hex_digit(text[1]);

		if (low < 0)
			return false;
		*out++ = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* Appends `text` with each %XX as its byte; other '%' stay. */
static inline void ccfc_hex_unpercent(struct ccfc_buf *out,
				      struct ccfc_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte;

		if (text.ptr[i] == '%' && text.len - i > 2 &&
		    ccfc_hex_read(&byte, text.ptr + i + 1, 1)) {
			ccfc_buf_putc(out, (char)byte);
			i += 2;
		} else {
			ccfc_buf_putc(out, text.ptr[i]);
		}
	}
}

#endif
