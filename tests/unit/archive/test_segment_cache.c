/*
 * Segments in memory: a part of a segment is what was stored, or newlines,
 * whatever was read before it.
 */
#include "archive/cut.h"
#include "archive/line_order.h"
#include "archive/segment_cache.h"
#include "blobs/blobs_internal.h"
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FILES 4

/* A segment in parts: prompts and the first file, the other files, the rest. */
struct fixture {
	char dir[64];
	struct ccfc_blobs *blobs;
	struct ccfc_segment_cache *cache;
	struct ccfc_buf lines, stored, packed;
	struct ccfc_blob_parts parts;
	struct ccfc_ordered ordered;
	struct ccfc_cached cached;
};

static void put_lines(struct ccfc_buf *out)
{
	ccfc_buf_puts(out, "{\"message\":{\"role\":\"user\",\"content\":"
			   "\"do it\"}}\n");
	for (int i = 0; i < 5 * FILES; i++)
		ccfc_buf_printf(
			out,
			"{\"content\":[{\"type\":\"tool_use\",\"id\":"
			"\"e%d\",\"name\":\"Edit\",\"input\":{"
			"\"file_path\":\"/%d\",\"new\":\"%04000d\"}}]}\n",
			i, i % FILES, i);
	for (int i = 0; i < 1000; i++)
		ccfc_buf_printf(out, "{\"type\":\"other\",\"n\":%d}\n", i);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->dir, "/tmp/ccfc-segments-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(ccfc_blobs_new(&f->blobs, f->dir, NULL), 0);
	f->cache = ccfc_segment_cache_new(f->blobs);
	ccfc_segment_cache_enter(f->cache);
	put_lines(&f->lines);
	f->ordered.len = f->lines.len;
	f->ordered.runs = ccfc_order_lines(&f->stored, &f->parts,
					   ccfc_buf_view(&f->lines));
	f->ordered.bytes = f->stored.ptr;
	assert_true(ccfc_ordered_measure(&f->ordered, f->stored.len));
	assert_int_equal(f->parts.n, FILES + 1);
	assert_int_equal(ccfc_blob_pack(&f->packed, f->blobs,
					ccfc_buf_view(&f->stored), &f->parts,
					NULL),
			 0);
	f->cached.segment.len = (uint32_t)f->lines.len;
	f->cached.segment.runs = f->ordered.runs;
	f->cached.packed = ccfc_buf_view(&f->packed);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int r;

	ccfc_segment_cache_leave(f->cache);
	ccfc_segment_cache_free(f->cache);
	ccfc_blobs_free(f->blobs);
	ccfc_buf_release(&f->lines);
	ccfc_buf_release(&f->stored);
	ccfc_buf_release(&f->packed);
	r = remove_tree(f->dir);
	free(f);
	return r;
}

/* Where the segment has a line that is stored in this part. */
static size_t line_in(const struct fixture *f, uint32_t part)
{
	size_t from = part ? f->parts.ends[part - 1] : 0, at = 0;

	for (; at < f->lines.len; at++) {
		size_t stored = ccfc_ordered_find(&f->ordered, at).from;

		if (stored >= from && stored < f->parts.ends[part] &&
		    f->lines.ptr[at] == '{')
			break;
	}
	assert_true(at < f->lines.len);
	return at;
}

/* Is a line of the part there? If not, there must be newlines. */
static bool has_part(struct fixture *f, uint32_t part)
{
	size_t at = line_in(f, part);
	char to[20];

	assert_int_equal(ccfc_segment_cache_read(f->cache, to, &f->cached,
						 CCFC_SLICE_NONE, at,
						 sizeof(to), true),
			 sizeof(to));
	if (!memcmp(to, f->lines.ptr + at, sizeof(to)))
		return true;
	for (size_t i = 0; i < sizeof(to); i++)
		assert_int_equal(to[i], '\n');
	return false;
}

/* Nothing is in memory any more. */
static void start_again(struct fixture *f)
{
	assert_true(ccfc_segment_cache_leave(f->cache));
	ccfc_segment_cache_enter(f->cache);
}

static void test_all_parts(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < f->parts.n; i++)
		assert_true(has_part(f, i));
	start_again(f);
	for (uint32_t i = f->parts.n; i-- > 0;)
		assert_true(has_part(f, i));
}

/* The content was packed again, with other parts or in one piece. */
static void test_packed_again(void **state)
{
	struct fixture *f = *state;
	struct ccfc_blob_parts other = f->parts;
	struct ccfc_buf packed = CCFC_BUF_INIT;

	other.ends[1] = other.ends[2] = other.ends[3];
	for (int i = 0; i < 2; i++) {
		start_again(f);
		f->cached.packed = ccfc_buf_view(&f->packed);
		assert_true(has_part(f, 0));
		ccfc_buf_clear(&packed);
		assert_int_equal(ccfc_blob_pack(&packed, f->blobs,
						ccfc_buf_view(&f->stored),
						i ? NULL : &other, NULL),
				 0);
		f->cached.packed = ccfc_buf_view(&packed);
		assert_false(has_part(f, 1));
		assert_false(has_part(f, f->parts.n - 1));
	}
	ccfc_buf_release(&packed);
}

/* Flips a bit in the frame of a part. */
static void damage_part(struct fixture *f, uint32_t part)
{
	struct ccfc_slice packed = ccfc_buf_view(&f->packed);
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;

	assert_true(ccfc_blob_read_header(&header, packed));
	assert_true(ccfc_blob_read_table(&table, &header, packed));
	f->packed.ptr[header.size + table.frame_ends[part] - 1] ^= 1;
}

/* Does the part stay, if that one is damaged? */
static bool stays(const struct fixture *f, uint32_t part, uint32_t damaged)
{
	return damaged && part != damaged && part != f->parts.n - 1;
}

/* The same parts are lost, whether the last part or the first is read first. */
static void test_damaged_part(void **state)
{
	struct fixture *f = *state;
	uint32_t n = f->parts.n;

	for (uint32_t damaged = 0; damaged < n; damaged++) {
		damage_part(f, damaged);
		start_again(f);
		for (uint32_t i = 0; i < 2 * n; i++)
			assert_int_equal(has_part(f, i % n),
					 stays(f, i % n, damaged));
		start_again(f);
		for (uint32_t i = 2 * n; i-- > 0;)
			assert_int_equal(has_part(f, i % n),
					 stays(f, i % n, damaged));
		damage_part(f, damaged);
	}
	start_again(f);
	test_all_parts(state);
}

/* Another content in the same parts, with a table that leads out of it. */
static void test_other_table(void **state)
{
	struct fixture *f = *state;
	struct ccfc_buf packed = CCFC_BUF_INIT;
	char was[4];

	assert_true(has_part(f, 0));
	/* The place of the first run. */
	memcpy(was, f->stored.ptr + 8, sizeof(was));
	memset(f->stored.ptr + 8, 0x7f, sizeof(was));
	assert_int_equal(ccfc_blob_pack(&packed, f->blobs,
					ccfc_buf_view(&f->stored), &f->parts,
					NULL),
			 0);
	memcpy(f->stored.ptr + 8, was, sizeof(was));
	f->cached.packed = ccfc_buf_view(&packed);
	assert_false(has_part(f, f->parts.n - 1));
	assert_true(has_part(f, 0));
	ccfc_buf_release(&packed);
}

/* The same content, with the session's id replaced or as it is. */
static void test_id_or_none(void **state)
{
	const struct ccfc_slice session =
		CCFC_SLICE_LIT("5e550000-0000-4000-8000-000000000001");
	struct fixture *f = *state;
	struct ccfc_buf lines = CCFC_BUF_INIT, packed = CCFC_BUF_INIT;
	char to[36];

	ccfc_buf_slice(&lines, session);
	ccfc_cut_blank(lines.ptr, lines.len, session);
	assert_int_equal(ccfc_blob_pack(&packed, f->blobs,
					ccfc_buf_view(&lines), NULL, NULL),
			 0);
	f->cached = (struct ccfc_cached){
		.segment = { .len = (uint32_t)lines.len },
		.packed = ccfc_buf_view(&packed),
	};
	for (int i = 0; i < 4; i++) {
		f->cached.segment.flags = i % 2 ? 0 : CCFC_SEGMENT_PLAIN;
		assert_int_equal(ccfc_segment_cache_read(f->cache, to,
							 &f->cached, session, 0,
							 sizeof(to), true),
				 sizeof(to));
		assert_memory_equal(to, i % 2 ? lines.ptr : session.ptr,
				    sizeof(to));
	}
	ccfc_buf_release(&lines);
	ccfc_buf_release(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_all_parts),   T(test_packed_again), T(test_damaged_part),
		T(test_other_table), T(test_id_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
