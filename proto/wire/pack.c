/*
 * Writing msgpack; see pack.h. Scalars are msgpack-c's, in its shortest
 * encodings. A map or array starts as a one-byte header; if at its end it has
 * more than 15 items, the body is moved up to make room for a longer header.
 * That is one memmove for each large container, far cheaper than packing its
 * items, and messages are as short as possible.
 */
#include "wire/pack.h"

#include "base/time.h"

#include <msgpack.h>
#include <stdlib.h>

static int append_packed(void *data, const char *ptr, size_t len)
{
	ccfc_buf_append(data, ptr, len);
	return 0;
}

static msgpack_packer packer(struct ccfc_buf *buf)
{
	return (msgpack_packer){ buf, append_packed };
}

/* Called once for each value: counts it in the open container. */
static msgpack_packer begin_item(struct ccfc_pack *p)
{
	if (p->depth)
		p->open[p->depth - 1].items++;
	return packer(p->buf);
}

void ccfc_pack_init(struct ccfc_pack *p, struct ccfc_buf *buf)
{
	p->buf = buf;
	p->depth = 0;
}

static void open_container(struct ccfc_pack *p, bool map)
{
	if (p->depth == CCFC_PACK_DEPTH)
		abort(); /* our own messages are flat: a programming error */
	begin_item(p);
	p->open[p->depth].at = p->buf->len;
	p->open[p->depth].items = 0;
	p->open[p->depth].map = map;
	p->depth++;
	ccfc_buf_putc(p->buf, 0);
}

void ccfc_pack_map(struct ccfc_pack *p)
{
	open_container(p, true);
}

void ccfc_pack_array(struct ccfc_pack *p)
{
	open_container(p, false);
}

static size_t header_size(uint32_t n)
{
	return n < 16 ? 1 : n < 65536 ? 3 : 5;
}

/* Moves the body to make room for a longer header than one byte. */
static void make_room(struct ccfc_buf *buf, size_t body, size_t more)
{
	ccfc_buf_reserve(buf, more);
	memmove(buf->ptr + body + more, buf->ptr + body, buf->len - body);
	buf->len += more;
	buf->ptr[buf->len] = '\0';
}

static int overwrite(void *data, const char *ptr, size_t len)
{
	memcpy(data, ptr, len);
	return 0;
}

void ccfc_pack_end(struct ccfc_pack *p)
{
	msgpack_packer pk = { NULL, overwrite };
	uint32_t n;
	size_t at;
	bool map;

	if (!p->depth)
		abort();
	p->depth--;
	at = p->open[p->depth].at;
	map = p->open[p->depth].map;
	n = p->open[p->depth].items / (map ? 2 : 1);
	if (header_size(n) > 1)
		make_room(p->buf, at + 1, header_size(n) - 1);
	pk.data = p->buf->ptr + at;
	if (map)
		msgpack_pack_map(&pk, n);
	else
		msgpack_pack_array(&pk, n);
}

void ccfc_pack_array_head(struct ccfc_pack *p, uint32_t n)
{
	msgpack_packer pk = begin_item(p);

	msgpack_pack_array(&pk, n);
}

void ccfc_pack_nil(struct ccfc_pack *p)
{
	msgpack_packer pk = begin_item(p);

	msgpack_pack_nil(&pk);
}

void ccfc_pack_bool(struct ccfc_pack *p, bool v)
{
	msgpack_packer pk = begin_item(p);

	if (v)
		msgpack_pack_true(&pk);
	else
		msgpack_pack_false(&pk);
}

void ccfc_pack_int(struct ccfc_pack *p, int64_t v)
{
	msgpack_packer pk = begin_item(p);

	msgpack_pack_int64(&pk, v);
}

void ccfc_pack_uint(struct ccfc_pack *p, uint64_t v)
{
	msgpack_packer pk = begin_item(p);

	msgpack_pack_uint64(&pk, v);
}

void ccfc_pack_double(struct ccfc_pack *p, double v)
{
	msgpack_packer pk = begin_item(p);

	msgpack_pack_double(&pk, v);
}

void ccfc_pack_str(struct ccfc_pack *p, struct ccfc_slice s)
{
	msgpack_packer pk = begin_item(p);
	size_t len = s.len <= UINT32_MAX ? s.len : UINT32_MAX;

	msgpack_pack_str(&pk, len);
	ccfc_buf_append(p->buf, s.ptr, len);
}

void ccfc_pack_bin(struct ccfc_pack *p, struct ccfc_slice bytes)
{
	msgpack_packer pk = begin_item(p);
	size_t len = bytes.len <= UINT32_MAX ? bytes.len : UINT32_MAX;

	msgpack_pack_bin(&pk, len);
	ccfc_buf_append(p->buf, bytes.ptr, len);
}

void ccfc_pack_cstr(struct ccfc_pack *p, const char *s)
{
	ccfc_pack_str(p, ccfc_slice_str(s));
}

void ccfc_pack_time(struct ccfc_pack *p, int64_t ms)
{
	char text[CCFC_TIME_TEXT_MAX];

	ccfc_time_format(text, ms);
	if (text[0])
		ccfc_pack_cstr(p, text);
	else
		ccfc_pack_nil(p);
}

void ccfc_pack_raw(struct ccfc_pack *p, struct ccfc_slice packed)
{
	begin_item(p);
	ccfc_buf_slice(p->buf, packed);
}

void ccfc_pack_raws(struct ccfc_pack *p, struct ccfc_slice packed, uint32_t n)
{
	if (p->depth)
		p->open[p->depth - 1].items += n;
	ccfc_buf_slice(p->buf, packed);
}

void ccfc_pack_kv_str(struct ccfc_pack *p, const char *key, struct ccfc_slice s)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_str(p, s);
}

void ccfc_pack_kv_cstr(struct ccfc_pack *p, const char *key, const char *s)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_cstr(p, s);
}

void ccfc_pack_kv_bin(struct ccfc_pack *p, const char *key,
		      struct ccfc_slice bytes)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_bin(p, bytes);
}

void ccfc_pack_kv_int(struct ccfc_pack *p, const char *key, int64_t v)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_int(p, v);
}

void ccfc_pack_kv_uint(struct ccfc_pack *p, const char *key, uint64_t v)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_uint(p, v);
}

void ccfc_pack_kv_bool(struct ccfc_pack *p, const char *key, bool v)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_bool(p, v);
}

void ccfc_pack_kv_time(struct ccfc_pack *p, const char *key, int64_t ms)
{
	ccfc_pack_cstr(p, key);
	ccfc_pack_time(p, ms);
}
