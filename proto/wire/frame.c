/*
 * Finds the end of a msgpack value; see frame.h. The framer walks tokens: a
 * token is a header (type and length), the body of a scalar, and for a map or
 * array the number of values that follow. It keeps, for each open container,
 * how many values are still to come; the value ends when the outermost count
 * reaches zero. Every declared length is checked against the limits as soon as
 * it is read, so a few bytes cannot announce more than is allowed.
 */
#include "wire/frame.h"

#include <ccfc/protocol.h>

/* msgpack-c nests no deeper than its embedded stack of 32. */
#define UNPACK_DEPTH 32u
/* One item of a reply costs 24 bytes unpacked. */
#define REPLY_MAX_ITEMS (1u << 26)

const struct ccfc_frame_limits ccfc_frame_request = {
	.bytes = CCFC_REQUEST_MAX_BYTES,
	.depth = CCFC_REQUEST_MAX_DEPTH,
	.items = CCFC_REQUEST_MAX_ITEMS,
};

const struct ccfc_frame_limits ccfc_frame_reply = {
	.bytes = CCFC_REPLY_MAX_BYTES,
	.depth = UNPACK_DEPTH,
	.items = REPLY_MAX_ITEMS,
};

struct token {
	size_t head;	 /* bytes of the header */
	uint64_t body;	 /* bytes that follow it */
	uint64_t values; /* values that follow it */
	bool container;
};

/* How a type's header goes on: by `size` bytes of length, then `fixed`. */
struct form {
	uint8_t size;  /* bytes of the length field */
	uint8_t fixed; /* bytes of the body that are always there */
	uint8_t per;   /* 0: the length counts bytes; else values per item */
};

/* For the types 0xc0 to 0xdf. */
static const struct form forms[32] = {
	/* nil, (never used), false, true */
	{ 0, 0, 0 },
	{ 0, 0, 0 },
	{ 0, 0, 0 },
	{ 0, 0, 0 },
	/* bin 8, 16, 32 */
	{ 1, 0, 0 },
	{ 2, 0, 0 },
	{ 4, 0, 0 },
	/* ext 8, 16, 32: a byte of type is not counted */
	{ 1, 1, 0 },
	{ 2, 1, 0 },
	{ 4, 1, 0 },
	/* float 32, 64 */
	{ 0, 4, 0 },
	{ 0, 8, 0 },
	/* uint 8, 16, 32, 64 */
	{ 0, 1, 0 },
	{ 0, 2, 0 },
	{ 0, 4, 0 },
	{ 0, 8, 0 },
	/* int 8, 16, 32, 64 */
	{ 0, 1, 0 },
	{ 0, 2, 0 },
	{ 0, 4, 0 },
	{ 0, 8, 0 },
	/* fixext 1, 2, 4, 8, 16, and the type */
	{ 0, 2, 0 },
	{ 0, 3, 0 },
	{ 0, 5, 0 },
	{ 0, 9, 0 },
	{ 0, 17, 0 },
	/* str 8, 16, 32 */
	{ 1, 0, 0 },
	{ 2, 0, 0 },
	{ 4, 0, 0 },
	/* array 16, 32 */
	{ 2, 0, 1 },
	{ 4, 0, 1 },
	/* map 16, 32 */
	{ 2, 0, 2 },
	{ 4, 0, 2 },
};

static void set_length(struct token *t, uint64_t n, unsigned per)
{
	t->container = per != 0;
	if (per)
		t->values = n * per;
	else
		t->body += n;
}

/* The types that hold their length (or value) in the first byte. */
static bool read_short(struct token *t, unsigned char c)
{
	t->head = 1;
	if (c < 0x80 || c >= 0xe0) /* a small integer */
		return true;
	if (c < 0x90)
		set_length(t, c & 0x0f, 2);
	else if (c < 0xa0)
		set_length(t, c & 0x0f, 1);
	else if (c < 0xc0)
		set_length(t, c & 0x1f, 0);
	else
		return false;
	return true;
}

/* 1: *t is read; 0: its header is not complete; else CCFC_EPROTO. */
static int read_token(struct token *t, const unsigned char *p, size_t avail)
{
	const struct form *form;
	uint64_t n = 0;

	*t = (struct token){ .head = 1 };
	if (!avail)
		return 0;
	if (read_short(t, p[0]))
		return 1;
	if (p[0] == 0xc1)
		return CCFC_EPROTO;
	form = &forms[p[0] - 0xc0];
	if (avail < 1u + form->size)
		return 0;
	for (unsigned i = 0; i < form->size; i++)
		n = n << 8 | p[1 + i];
	t->head += form->size;
	t->body = form->fixed;
	set_length(t, n, form->per);
	return 1;
}

void ccfc_framer_init(struct ccfc_framer *f,
		      const struct ccfc_frame_limits *limits)
{
	f->limits = *limits;
	if (f->limits.depth > CCFC_FRAME_DEPTH_MAX)
		f->limits.depth = CCFC_FRAME_DEPTH_MAX;
	f->pos = 0;
	f->items = 0;
	f->depth = 0;
}

/* A value has at least one byte, so `values` counts as bytes, too. */
static int check_limits(const struct ccfc_framer *f, const struct token *t,
			struct ccfc_err *err)
{
	if (f->pos + t->head + t->body + t->values > f->limits.bytes)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "message is longer than %zu bytes",
				    f->limits.bytes);
	if (t->container && f->depth >= f->limits.depth)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "message is nested deeper than %u levels",
				    (unsigned)f->limits.depth);
	if (f->items + 1 + t->values > f->limits.items)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "message has more than %llu items",
				    (unsigned long long)f->limits.items);
	return 0;
}

/* Moves past a token; true when that ended the whole value. */
static bool pass_token(struct ccfc_framer *f, const struct token *t)
{
	f->pos += t->head + (size_t)t->body;
	f->items += t->values;
	if (t->values) {
		f->left[f->depth++] = t->values;
		return false;
	}
	while (f->depth && --f->left[f->depth - 1] == 0)
		f->depth--;
	return f->depth == 0;
}

int ccfc_framer_next(struct ccfc_framer *f, size_t *len,
		     struct ccfc_slice bytes, struct ccfc_err *err)
{
	struct token t;
	int r;

	do {
		size_t avail = bytes.len - f->pos;
		const unsigned char *p = (const unsigned char *)bytes.ptr;

		r = read_token(&t, avail ? p + f->pos : p, avail);
		if (r < 0)
			return ccfc_err_set(err, r, "message is not msgpack");
		if (r == 0)
			return 0;
		r = check_limits(f, &t, err);
		if (r < 0)
			return r;
		if (avail < t.head + t.body)
			return 0;
	} while (!pass_token(f, &t));
	*len = f->pos;
	ccfc_framer_init(f, &f->limits);
	return 1;
}
