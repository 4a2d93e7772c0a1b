/*
 * Packing: the exact bytes of small values (the shortest encodings), and that
 * what is packed reads back through wire/obj.h, containers of all sizes too.
 */
#include "base/time.h"
#include "wire/frame.h"
#include "wire/obj.h"
#include "wire/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
	struct ccfc_buf buf;
	struct ccfc_pack pack;
};

static void start(struct fixture *f)
{
	ccfc_buf_init(&f->buf);
	ccfc_pack_init(&f->pack, &f->buf);
}

static void expect(struct fixture *f, const char *bytes, size_t len)
{
	assert_int_equal(f->buf.len, len);
	assert_memory_equal(f->buf.ptr, bytes, len);
	ccfc_buf_clear(&f->buf);
}

#define EXPECT(f, lit) expect(f, lit, sizeof(lit) - 1)

static void test_integers(void **state)
{
	static const struct {
		int64_t v;
		const char *bytes;
		size_t len;
	} table[] = {
		{ 0, "\x00", 1 },
		{ 127, "\x7f", 1 },
		{ 128, "\xcc\x80", 2 },
		{ 255, "\xcc\xff", 2 },
		{ 256, "\xcd\x01\x00", 3 },
		{ 65536, "\xce\x00\x01\x00\x00", 5 },
		{ (int64_t)1 << 32, "\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9 },
		{ -1, "\xff", 1 },
		{ -32, "\xe0", 1 },
		{ -33, "\xd0\xdf", 2 },
		{ -128, "\xd0\x80", 2 },
		{ -129, "\xd1\xff\x7f", 3 },
		{ -32769, "\xd2\xff\xff\x7f\xff", 5 },
		{ INT64_MIN, "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9 },
	};
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		ccfc_pack_int(&f.pack, table[i].v);
		expect(&f, table[i].bytes, table[i].len);
	}
	ccfc_pack_uint(&f.pack, UINT64_MAX);
	EXPECT(&f, "\xcf\xff\xff\xff\xff\xff\xff\xff\xff");
	ccfc_buf_release(&f.buf);
}

static void test_scalars(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	ccfc_pack_nil(&f.pack);
	EXPECT(&f, "\xc0");
	ccfc_pack_bool(&f.pack, true);
	ccfc_pack_bool(&f.pack, false);
	EXPECT(&f, "\xc3\xc2");
	ccfc_pack_double(&f.pack, 1.5);
	EXPECT(&f, "\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00");
	ccfc_pack_cstr(&f.pack, "abc");
	ccfc_pack_str(&f.pack, CCFC_SLICE_NONE);
	ccfc_pack_str(&f.pack, CCFC_SLICE_LIT("\xff\x00\xfe"));
	EXPECT(&f, "\xa3"
		   "abc\xa0\xa3\xff\x00\xfe");
	ccfc_pack_bin(&f.pack, CCFC_SLICE_LIT("\xff\x00\xfe"));
	ccfc_pack_bin(&f.pack, CCFC_SLICE_NONE);
	EXPECT(&f, "\xc4\x03\xff\x00\xfe\xc4\x00");
	ccfc_pack_time(&f.pack, 0);
	EXPECT(&f, "\xb8"
		   "1970-01-01T00:00:00.000Z");
	ccfc_pack_time(&f.pack, CCFC_TIME_NONE);
	EXPECT(&f, "\xc0");
	ccfc_pack_raw(&f.pack, CCFC_SLICE_LIT("\x91\x01"));
	EXPECT(&f, "\x91\x01");
	ccfc_buf_release(&f.buf);
}

static void test_containers(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	ccfc_pack_map(&f.pack);
	ccfc_pack_kv_int(&f.pack, "a", 1);
	ccfc_pack_kv_bool(&f.pack, "b", true);
	ccfc_pack_cstr(&f.pack, "c");
	ccfc_pack_array(&f.pack);
	ccfc_pack_raw(&f.pack, CCFC_SLICE_LIT("\x91\x01"));
	ccfc_pack_map(&f.pack);
	ccfc_pack_end(&f.pack);
	ccfc_pack_end(&f.pack);
	ccfc_pack_kv_time(&f.pack, "d", CCFC_TIME_NONE);
	ccfc_pack_kv_uint(&f.pack, "e", 2);
	ccfc_pack_kv_str(&f.pack, "f", CCFC_SLICE_LIT("x"));
	ccfc_pack_kv_cstr(&f.pack, "g", "y");
	ccfc_pack_kv_bin(&f.pack, "h", CCFC_SLICE_LIT("z"));
	ccfc_pack_end(&f.pack);
	assert_int_equal(f.pack.depth, 0);
	EXPECT(&f, "\x88\xa1"
		   "a\x01\xa1"
		   "b\xc3\xa1"
		   "c\x92\x91\x01\x80\xa1"
		   "d\xc0\xa1"
		   "e\x02\xa1"
		   "f\xa1x\xa1"
		   "g\xa1y\xa1"
		   "h\xc4\x01z");
	ccfc_buf_release(&f.buf);
}

/* A container of n in a container: the header grows, the rest must not move. */
static void check_size(uint32_t n, bool map, size_t header)
{
	struct ccfc_framer framer;
	struct ccfc_doc *doc;
	struct ccfc_obj inner;
	struct fixture f;
	size_t len;

	start(&f);
	ccfc_pack_array(&f.pack);
	ccfc_pack_cstr(&f.pack, "before");
	if (map)
		ccfc_pack_map(&f.pack);
	else
		ccfc_pack_array(&f.pack);
	for (uint32_t i = 0; i < n; i++) {
		ccfc_pack_uint(&f.pack, i & 0x7f);
		if (map)
			ccfc_pack_nil(&f.pack);
	}
	ccfc_pack_end(&f.pack);
	ccfc_pack_cstr(&f.pack, "after");
	ccfc_pack_end(&f.pack);
	assert_int_equal(f.buf.len, 1 + 7 + header + n * (map ? 2 : 1) + 6);
	assert_int_equal(f.buf.ptr[f.buf.len], 0);

	ccfc_framer_init(&framer, &ccfc_frame_reply);
	assert_int_equal(
		ccfc_framer_next(&framer, &len, ccfc_buf_view(&f.buf), NULL),
		1);
	assert_int_equal(len, f.buf.len);
	assert_int_equal(ccfc_doc_parse(&doc, ccfc_buf_view(&f.buf), NULL), 0);
	inner = ccfc_obj_at(ccfc_doc_root(doc), 1);
	assert_int_equal(ccfc_obj_len(inner), n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(ccfc_obj_int(map ? ccfc_obj_key_at(inner, i)
						  : ccfc_obj_at(inner, i),
					      -1),
				 i & 0x7f);
	assert_true(ccfc_slice_is(
		ccfc_obj_str(ccfc_obj_at(ccfc_doc_root(doc), 2)), "after"));
	ccfc_doc_free(doc);
	ccfc_buf_release(&f.buf);
}

static void test_sizes(void **state)
{
	(void)state;
	for (int map = 0; map < 2; map++) {
		check_size(0, map, 1);
		check_size(15, map, 1);
		check_size(16, map, 3);
		check_size(65535, map, 3);
		check_size(65536, map, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_containers),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
