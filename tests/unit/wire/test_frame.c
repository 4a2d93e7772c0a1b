/*
 * The framer: where a value ends, whatever its types and wherever it is cut,
 * and that nothing above the limits gets past it.
 */
#include "base/buf.h"
#include "wire/frame.h"
#include "wire/obj.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <msgpack.h>

#define B(x) ((char)(x))

static const struct ccfc_frame_limits small = { 64, 4, 16 };
static const struct ccfc_frame_limits wide = { 1u << 20, 32, 1u << 20 };

static int append(void *data, const char *ptr, size_t len)
{
	ccfc_buf_append(data, ptr, len);
	return 0;
}

static int frame(const struct ccfc_frame_limits *limits, size_t *len,
		 struct ccfc_slice bytes)
{
	struct ccfc_framer f;

	ccfc_framer_init(&f, limits);
	return ccfc_framer_next(&f, len, bytes, NULL);
}

/* Every type of the specification, with its exact length. */
static void test_types(void **state)
{
	static const struct {
		unsigned char head[8];
		size_t head_len, total;
	} table[] = {
		{ { 0x00 }, 1, 1 },
		{ { 0x7f }, 1, 1 },
		{ { 0xe0 }, 1, 1 },
		{ { 0xff }, 1, 1 },
		{ { 0x80 }, 1, 1 },
		{ { 0x81 }, 1, 3 },
		{ { 0x8f }, 1, 31 },
		{ { 0x90 }, 1, 1 },
		{ { 0x9f }, 1, 16 },
		{ { 0xa0 }, 1, 1 },
		{ { 0xbf }, 1, 32 },
		{ { 0xc0 }, 1, 1 },
		{ { 0xc2 }, 1, 1 },
		{ { 0xc3 }, 1, 1 },
		{ { 0xc4, 3 }, 2, 5 },
		{ { 0xc5, 1, 2 }, 3, 3 + 258 },
		{ { 0xc6, 0, 0, 1, 0 }, 5, 5 + 256 },
		{ { 0xc7, 0 }, 2, 3 },
		{ { 0xc7, 2 }, 2, 5 },
		{ { 0xc8, 0, 9 }, 3, 4 + 9 },
		{ { 0xc9, 0, 0, 0, 7 }, 5, 6 + 7 },
		{ { 0xca }, 1, 5 },
		{ { 0xcb }, 1, 9 },
		{ { 0xcc }, 1, 2 },
		{ { 0xcd }, 1, 3 },
		{ { 0xce }, 1, 5 },
		{ { 0xcf }, 1, 9 },
		{ { 0xd0 }, 1, 2 },
		{ { 0xd1 }, 1, 3 },
		{ { 0xd2 }, 1, 5 },
		{ { 0xd3 }, 1, 9 },
		{ { 0xd4 }, 1, 3 },
		{ { 0xd5 }, 1, 4 },
		{ { 0xd6 }, 1, 6 },
		{ { 0xd7 }, 1, 10 },
		{ { 0xd8 }, 1, 18 },
		{ { 0xd9, 200 }, 2, 202 },
		{ { 0xda, 1, 0 }, 3, 259 },
		{ { 0xdb, 0, 1, 0, 0 }, 5, 5 + 65536 },
		{ { 0xdc, 0, 3 }, 3, 6 },
		{ { 0xdd, 0, 0, 0, 3 }, 5, 8 },
		{ { 0xde, 0, 3 }, 3, 9 },
		{ { 0xdf, 0, 0, 0, 3 }, 5, 11 },
	};
	char bytes[1 << 17] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t len = 0;

		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, table[i].head, table[i].head_len);
		assert_int_equal(frame(&wide, &len,
				       ccfc_slice(bytes, table[i].total - 1)),
				 0);
		assert_int_equal(
			frame(&wide, &len, ccfc_slice(bytes, sizeof(bytes))),
			1);
		assert_int_equal(len, table[i].total);
	}
}

/* A row of the table below: what is expected of which bytes. */
#define ROW(expected, ...)                                                     \
	{                                                                      \
		expected, sizeof((const unsigned char[]){ __VA_ARGS__ }),      \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}

static const struct {
	int expected;
	size_t len;
	unsigned char bytes[12];
} hostile[] = {
	ROW(CCFC_EPROTO, 0xc1),
	ROW(CCFC_EPROTO, 0x92, 1, 0xc1),
	/* declared lengths, with nothing behind them */
	ROW(CCFC_ETOOBIG, 0xdd, 0xff, 0xff, 0xff, 0xff),
	ROW(CCFC_ETOOBIG, 0xdf, 0xff, 0xff, 0xff, 0xff),
	ROW(CCFC_ETOOBIG, 0xdb, 0xff, 0xff, 0xff, 0xff),
	ROW(CCFC_ETOOBIG, 0xc6, 0xff, 0xff, 0xff, 0xff),
	ROW(CCFC_ETOOBIG, 0xc9, 0xff, 0xff, 0xff, 0xff),
	ROW(CCFC_ETOOBIG, 0xd9, 63),
	ROW(0, 0xd9, 62),
	/* 16 items with the outermost: 15 elements */
	ROW(CCFC_ETOOBIG, 0xdc, 0, 16),
	ROW(0, 0xdc, 0, 15),
	ROW(CCFC_ETOOBIG, 0xde, 0, 8),
	ROW(0, 0xde, 0, 7),
	/* the sum counts, not each of them */
	ROW(CCFC_ETOOBIG, 0x93, 0x96, 0, 0, 0, 0, 0, 0, 0x97),
	ROW(0, 0x93, 0x96, 0, 0, 0, 0, 0, 0, 0x96),
	/* depth */
	ROW(1, 0x91, 0x91, 0x91, 0x91, 0),
	ROW(CCFC_ETOOBIG, 0x91, 0x91, 0x91, 0x91, 0x90),
	ROW(CCFC_ETOOBIG, 0x91, 0x81, 0, 0x91, 0x91, 0x81),
};

static void test_hostile(void **state)
{
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct ccfc_slice bytes = { (const char *)hostile[i].bytes,
					    hostile[i].len };
		struct ccfc_err err = { 0 };
		struct ccfc_framer f;

		ccfc_framer_init(&f, &small);
		assert_int_equal(ccfc_framer_next(&f, &len, bytes, &err),
				 hostile[i].expected);
		if (hostile[i].expected < 0) {
			assert_int_equal(err.code, hostile[i].expected);
			assert_true(err.what[0]);
		}
	}
	assert_int_equal(frame(&small, &len, CCFC_SLICE_NONE), 0);
}

/* The limits that the daemon and the client use fit what msgpack-c can. */
static void test_deepest(void **state)
{
	char bytes[34];
	struct ccfc_doc *doc;
	size_t len;

	(void)state;
	memset(bytes, 0x91, sizeof(bytes));
	bytes[32] = 0;
	assert_int_equal(frame(&ccfc_frame_reply, &len, ccfc_slice(bytes, 33)),
			 1);
	assert_int_equal(ccfc_doc_parse(&doc, ccfc_slice(bytes, 33), NULL), 0);
	ccfc_doc_free(doc);
	bytes[32] = B(0x91);
	assert_int_equal(frame(&ccfc_frame_reply, &len, ccfc_slice(bytes, 33)),
			 CCFC_ETOOBIG);
	assert_int_equal(
		frame(&ccfc_frame_request, &len, ccfc_slice(bytes, 17)),
		CCFC_ETOOBIG);
}

static void random_body(msgpack_packer *pk, int kind)
{
	static const char text[400] = "some text";
	size_t n = seed_below(seed_below(8) ? 40 : 400);

	switch (kind) {
	case 0:
		msgpack_pack_str_with_body(pk, text, n);
		break;
	case 1:
		msgpack_pack_bin_with_body(pk, text, n);
		break;
	default:
		msgpack_pack_ext_with_body(pk, text, n, 5);
	}
}

static void random_scalar(msgpack_packer *pk)
{
	uint64_t v = seed_next() >> seed_below(64);

	switch (seed_below(8)) {
	case 0:
		msgpack_pack_nil(pk);
		break;
	case 1:
		msgpack_pack_true(pk);
		break;
	case 2:
		msgpack_pack_uint64(pk, v);
		break;
	case 3:
		msgpack_pack_int64(pk, -(int64_t)(v >> 1));
		break;
	case 4:
		msgpack_pack_double(pk, 1.5);
		break;
	case 5:
		msgpack_pack_float(pk, 1.5f);
		break;
	default:
		random_body(pk, (int)seed_below(3));
	}
}

static void random_value(msgpack_packer *pk, int depth)
{
	size_t n = seed_below(seed_below(10) ? 5 : 40);

	if (depth == 0 || seed_below(2)) {
		random_scalar(pk);
	} else if (seed_below(2)) {
		msgpack_pack_array(pk, n);
		while (n--)
			random_value(pk, depth - 1);
	} else {
		msgpack_pack_map(pk, n);
		for (n *= 2; n; n--)
			random_value(pk, depth - 1);
	}
}

/* Two values in a row, one byte more each time: complete exactly when due. */
static void test_cut_anywhere(void **state)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;
	msgpack_packer pk;

	(void)state;
	msgpack_packer_init(&pk, &buf, append);
	for (int round = 0; round < 300; round++) {
		struct ccfc_framer f;
		size_t first, len = 0, start = 0;
		int found = 0;

		ccfc_buf_clear(&buf);
		random_value(&pk, 4);
		first = buf.len;
		random_value(&pk, 4);
		ccfc_framer_init(&f, &wide);
		for (size_t n = 1; n <= buf.len; n++) {
			int r = ccfc_framer_next(
				&f, &len,
				ccfc_slice(buf.ptr + start, n - start), NULL);

			assert_int_equal(r, n == first || n == buf.len);
			if (r) {
				assert_int_equal(len, n - start);
				start = n;
				found++;
			}
		}
		assert_int_equal(found, 2);
	}
	ccfc_buf_release(&buf);
}

/*
 * Bytes that mean nothing: whatever is accepted is within the limits, and
 * msgpack-c finds the same end.
 */
static void test_random_bytes(void **state)
{
	char bytes[96];

	(void)state;
	for (int round = 0; round < 200000; round++) {
		size_t n = 1 + seed_below(sizeof(bytes)), len = 0;
		struct ccfc_doc *doc;
		int r;

		for (size_t i = 0; i < n; i++)
			bytes[i] = B(seed_below(3) ? 0x80 + seed_below(128)
						   : seed_below(8));
		r = frame(&small, &len, ccfc_slice(bytes, n));
		if (r != 1)
			continue;
		assert_in_range(len, 1, n < small.bytes ? n : small.bytes);
		assert_int_equal(
			ccfc_doc_parse(&doc, ccfc_slice(bytes, len), NULL), 0);
		ccfc_doc_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_deepest),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_random_bytes),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
