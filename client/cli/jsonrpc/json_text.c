/* Pieces of JSON; see json_text.h. */
#include "cli/jsonrpc/json_text.h"

#include "wire/to_json.h"

#include <inttypes.h>

void ccfc_json_text_next(struct ccfc_buf *out)
{
	char last = out->len ? out->ptr[out->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':')
		ccfc_buf_putc(out, ',');
}

void ccfc_json_text_key(struct ccfc_buf *out, const char *key)
{
	ccfc_json_text_next(out);
	ccfc_json_string(out, ccfc_slice_str(key));
	ccfc_buf_putc(out, ':');
}

void ccfc_json_text_str(struct ccfc_buf *out, const char *key,
			struct ccfc_slice value)
{
	ccfc_json_text_key(out, key);
	ccfc_json_string(out, value);
}

void ccfc_json_text_cstr(struct ccfc_buf *out, const char *key,
			 const char *value)
{
	ccfc_json_text_str(out, key, ccfc_slice_str(value));
}

void ccfc_json_text_int(struct ccfc_buf *out, const char *key, int64_t value)
{
	ccfc_json_text_key(out, key);
	ccfc_buf_printf(out, "%" PRId64, value);
}

void ccfc_json_text_bool(struct ccfc_buf *out, const char *key, bool value)
{
	ccfc_json_text_key(out, key);
	ccfc_buf_puts(out, value ? "true" : "false");
}

void ccfc_json_text_open(struct ccfc_buf *out, const char *key, char bracket)
{
	ccfc_json_text_key(out, key);
	ccfc_buf_putc(out, bracket);
}
