/* Lines of "key value"; see kvfile.h. */
#include "cli/write/kvfile.h"

#include <stdint.h>
#include <stdlib.h>

void ccfc_kvfile_put(struct ccfc_buf *out, const char *key, const char *text)
{
	ccfc_buf_printf(out, "%s ", key);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p > 0x20 && *p < 0x7f && *p != '%')
			ccfc_buf_putc(out, (char)*p);
		else
			ccfc_buf_printf(out, "%%%02x", *p);
	}
	ccfc_buf_putc(out, '\n');
}

bool ccfc_kvfile_take(struct ccfc_slice *value, struct ccfc_slice *text,
		      const char *key)
{
	const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
	size_t n = strlen(key), len = end ? (size_t)(end - text->ptr) : 0;

	if (!end || len < n + 1 || memcmp(text->ptr, key, n) != 0 ||
	    text->ptr[n] != ' ')
		return false;
	*value = ccfc_slice(text->ptr + n + 1, len - n - 1);
	*text = ccfc_slice(end + 1, text->len - len - 1);
	return true;
}

static int lower_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *ccfc_kvfile_decode(struct ccfc_slice s)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "");
	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.ptr[i];

		if (c == '%') {
			int hi = i + 2 < s.len ? lower_hex_digit(s.ptr[i + 1])
					       : -1;
			int lo = i + 2 < s.len ? lower_hex_digit(s.ptr[i + 2])
					       : -1;

			c = hi < 0 || lo < 0 ? 0 : hi * 16 + lo;
			i += 2;
		}
		if (c <= 0) {
			ccfc_buf_release(&out);
			return NULL;
		}
		ccfc_buf_putc(&out, (char)c);
	}
	return ccfc_buf_detach(&out, NULL);
}

bool ccfc_kvfile_is_hex(struct ccfc_slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (lower_hex_digit(s.ptr[i]) < 0)
			return false;
	return true;
}

bool ccfc_kvfile_take_hash(char out[CCFC_SHA256_HEX + 1],
			   struct ccfc_slice *value)
{
	size_t n = CCFC_SHA256_HEX;

	out[0] = '\0';
	if (ccfc_slice_is(*value, "-")) {
		*value = CCFC_SLICE_NONE;
		return true;
	}
	if (value->len < n || !ccfc_kvfile_is_hex(ccfc_slice(value->ptr, n)))
		return false;
	memcpy(out, value->ptr, n);
	out[n] = '\0';
	*value = ccfc_slice(value->ptr + n, value->len - n);
	return true;
}

bool ccfc_kvfile_take_number(unsigned long *out, struct ccfc_slice *value,
			     int base)
{
	char text[24], *end;
	size_t n = 0;

	if (value->len && value->ptr[0] == ' ')
		*value = ccfc_slice(value->ptr + 1, value->len - 1);
	while (n < value->len && value->ptr[n] >= '0' && value->ptr[n] <= '9')
		n++;
	if (!n || n >= sizeof(text))
		return false;
	memcpy(text, value->ptr, n);
	text[n] = '\0';
	*out = strtoul(text, &end, base);
	*value = ccfc_slice(value->ptr + n, value->len - n);
	return !*end && *out <= UINT32_MAX;
}

bool ccfc_kvfile_read_temp(char out[CCFC_TEMP_MAX], struct ccfc_slice value)
{
	if (value.len != 22 || !ccfc_slice_starts(value, ".ccfc-") ||
	    !ccfc_kvfile_is_hex(ccfc_slice(value.ptr + 6, 16)))
		return false;
	memcpy(out, value.ptr, value.len);
	out[value.len] = '\0';
	return true;
}
