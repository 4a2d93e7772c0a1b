/*
 * msgpack to JSON; see to_json.h. Strings are checked for UTF-8 on the way: a
 * byte sequence that cannot be the start of a character is replaced as the
 * Unicode standard recommends, one U+FFFD for each maximal part. DEL, the C1
 * controls and the characters that turn the direction of text or separate
 * lines are escaped like the C0 ones, which keeps the value exact and a
 * terminal safe.
 */
#include "wire/to_json.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct writer {
	struct ccfc_buf *out;
	int indent; /* 0: all on one line */
	int level;
};

static void put_escape(struct ccfc_buf *out, unsigned c)
{
	switch (c) {
	case '"':
		ccfc_buf_puts(out, "\\\"");
		break;
	case '\\':
		ccfc_buf_puts(out, "\\\\");
		break;
	case '\b':
		ccfc_buf_puts(out, "\\b");
		break;
	case '\f':
		ccfc_buf_puts(out, "\\f");
		break;
	case '\n':
		ccfc_buf_puts(out, "\\n");
		break;
	case '\r':
		ccfc_buf_puts(out, "\\r");
		break;
	case '\t':
		ccfc_buf_puts(out, "\\t");
		break;
	default:
		ccfc_buf_printf(out, "\\u%04x", c);
	}
}

/* The character at p (n bytes) if a terminal may act on it, else 0. */
static unsigned obeyed(const unsigned char *p, int n)
{
	unsigned cp;

	if (n == 2)
		cp = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	else if (n == 3)
		cp = (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 |
		     (p[2] & 0x3fu);
	else
		return 0;
	if (cp < 0xa0 || cp == 0x061c || cp == 0x200e || cp == 0x200f ||
	    (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069))
		return cp;
	return 0;
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Writes the character at p that is not plain; returns its length. */
static size_t put_special(struct ccfc_buf *out, const unsigned char *p,
			  size_t len)
{
	unsigned cp;
	int n;

	if (p[0] < 0x80) {
		put_escape(out, p[0]);
		return 1;
	}
	n = ccfc_utf8_step(p, len);
	if (n < 0) {
		ccfc_buf_puts(out, "\xef\xbf\xbd");
		return (size_t)-n;
	}
	cp = obeyed(p, n);
	if (cp)
		put_escape(out, cp);
	else
		ccfc_buf_append(out, p, (size_t)n);
	return (size_t)n;
}

void ccfc_json_string(struct ccfc_buf *out, struct ccfc_slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0;

	ccfc_buf_putc(out, '"');
	while (i < s.len) {
		size_t start = i;

		while (i < s.len && is_plain(p[i]))
			i++;
		ccfc_buf_append(out, p + start, i - start);
		if (i < s.len)
			i += put_special(out, p + i, s.len - i);
	}
	ccfc_buf_putc(out, '"');
}

/* The shortest text that reads back as v, with a point in every locale. */
static void put_double(struct ccfc_buf *out, double v)
{
	char text[40];
	int precision = 15;

	if (!isfinite(v)) {
		ccfc_buf_puts(out, "null");
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", precision, v);
	while (strtod(text, NULL) != v && ++precision <= 17);
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	ccfc_buf_puts(out, text);
}

static void put_break(struct writer *w)
{
	if (w->indent)
		ccfc_buf_printf(w->out, "\n%*s", w->indent * w->level, "");
}

static bool is_utf8(struct ccfc_slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t i = 0;

	while (i < s.len) {
		int n = p[i] < 0x80 ? 1 : ccfc_utf8_step(p + i, s.len - i);

		if (n < 0)
			return false;
		i += (size_t)n;
	}
	return true;
}

static void put_base64(struct ccfc_buf *out, struct ccfc_slice s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)s.ptr;

	for (size_t i = 0; i < s.len; i += 3) {
		size_t left = s.len - i;
		unsigned v = (unsigned)p[i] << 16 |
			     (left > 1 ? (unsigned)p[i + 1] << 8 : 0) |
			     (left > 2 ? (unsigned)p[i + 2] : 0);

		ccfc_buf_putc(out, digits[v >> 18]);
		ccfc_buf_putc(out, digits[v >> 12 & 63]);
		ccfc_buf_putc(out, left > 1 ? digits[v >> 6 & 63] : '=');
		ccfc_buf_putc(out, left > 2 ? digits[v & 63] : '=');
	}
}

static void put_bytes(struct writer *w, struct ccfc_slice s)
{
	if (is_utf8(s)) {
		ccfc_json_string(w->out, s);
		return;
	}
	ccfc_buf_puts(w->out, w->indent ? "{\"base64\": \"" : "{\"base64\":\"");
	put_base64(w->out, s);
	ccfc_buf_puts(w->out, "\"}");
}

static void put_value(struct writer *w, struct ccfc_obj o);

/* JSON has string keys only: others are quoted as their own JSON. */
static void put_key(struct writer *w, struct ccfc_obj key)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (ccfc_obj_is_str(key)) {
		ccfc_json_string(w->out, ccfc_obj_str(key));
	} else {
		ccfc_json_write(&text, key, 0);
		ccfc_json_string(w->out, ccfc_buf_view(&text));
		ccfc_buf_release(&text);
	}
	ccfc_buf_puts(w->out, w->indent ? ": " : ":");
}

static void put_container(struct writer *w, struct ccfc_obj o, bool map)
{
	uint32_t n = ccfc_obj_len(o);

	ccfc_buf_putc(w->out, map ? '{' : '[');
	w->level++;
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			ccfc_buf_putc(w->out, ',');
		put_break(w);
		if (map)
			put_key(w, ccfc_obj_key_at(o, i));
		put_value(w, map ? ccfc_obj_value_at(o, i) : ccfc_obj_at(o, i));
	}
	w->level--;
	if (n)
		put_break(w);
	ccfc_buf_putc(w->out, map ? '}' : ']');
}

static void put_value(struct writer *w, struct ccfc_obj o)
{
	switch (ccfc_obj_type(o)) {
	case CCFC_OBJ_NONE:
	case CCFC_OBJ_NIL:
	case CCFC_OBJ_EXT: /* ours never has one */
		ccfc_buf_puts(w->out, "null");
		break;
	case CCFC_OBJ_BOOL:
		ccfc_buf_puts(w->out,
			      ccfc_obj_bool(o, false) ? "true" : "false");
		break;
	case CCFC_OBJ_INT:
		ccfc_buf_printf(w->out, "%lld", (long long)ccfc_obj_int(o, 0));
		break;
	case CCFC_OBJ_UINT:
		ccfc_buf_printf(w->out, "%llu",
				(unsigned long long)ccfc_obj_uint(o, 0));
		break;
	case CCFC_OBJ_DOUBLE:
		put_double(w->out, ccfc_obj_double(o, 0));
		break;
	case CCFC_OBJ_STR:
		ccfc_json_string(w->out, ccfc_obj_str(o));
		break;
	case CCFC_OBJ_BIN:
		put_bytes(w, ccfc_obj_str(o));
		break;
	case CCFC_OBJ_ARRAY:
		put_container(w, o, false);
		break;
	case CCFC_OBJ_MAP:
		put_container(w, o, true);
		break;
	}
}

void ccfc_json_write(struct ccfc_buf *out, struct ccfc_obj o, int indent)
{
	struct writer w = { out, indent, 0 };

	put_value(&w, o);
}
