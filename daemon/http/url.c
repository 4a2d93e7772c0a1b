/* URLs; see url.h. */
#include "http/url.h"

#include "base/hex.h"

static struct ccfc_slice cut_at(struct ccfc_slice s, char c,
				struct ccfc_slice *rest)
{
	const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;
	size_t n = at ? (size_t)(at - s.ptr) : s.len;

	*rest = at ? ccfc_slice_from(s, n + 1) : CCFC_SLICE_NONE;
	return ccfc_slice(s.ptr, n);
}

void ccfc_url_split(struct ccfc_slice url, struct ccfc_slice *path,
		    struct ccfc_slice *query)
{
	struct ccfc_slice dropped;

	url = cut_at(url, '#', &dropped);
	*path = cut_at(url, '?', query);
}

bool ccfc_url_segment(struct ccfc_slice *path, struct ccfc_slice *segment)
{
	const char *end;

	if (!path->len || *path->ptr != '/')
		return false;
	*path = ccfc_slice_from(*path, 1);
	end = path->len ? memchr(path->ptr, '/', path->len) : NULL;
	segment->ptr = path->ptr;
	segment->len = end ? (size_t)(end - path->ptr) : path->len;
	*path = ccfc_slice_from(*path, segment->len);
	return true;
}

bool ccfc_url_parameter(struct ccfc_slice *query, struct ccfc_slice *name,
			struct ccfc_slice *value)
{
	struct ccfc_slice pair;

	do {
		if (!query->len)
			return false;
		pair = cut_at(*query, '&', query);
	} while (!pair.len);
	*name = cut_at(pair, '=', value);
	return true;
}

/* The byte of "%xy", or -1. */
static int decode_byte(struct ccfc_slice s)
{
	unsigned char byte;

	return s.len > 2 && ccfc_hex_read(&byte, s.ptr + 1, 1) ? byte : -1;
}

bool ccfc_url_decode(struct ccfc_buf *out, struct ccfc_slice text, bool plus)
{
	for (size_t i = 0; i < text.len; i++) {
		int c = (unsigned char)text.ptr[i];

		if (c == '%') {
			c = decode_byte(ccfc_slice_from(text, i));
			i += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		if (c <= 0)
			return false;
		ccfc_buf_putc(out, (char)c);
	}
	return true;
}

bool ccfc_url_climbs(struct ccfc_slice path)
{
	while (path.len) {
		struct ccfc_slice part = cut_at(path, '/', &path);

		if (ccfc_slice_is(part, ".."))
			return true;
	}
	return false;
}
