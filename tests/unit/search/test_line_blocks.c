/* Transcripts in large pieces: every line once, whole, with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../seed.h"
#include "base/buf.h"
#include "search/line_blocks.h"

#include <fcntl.h>
#include <sys/stat.h>

static char path[] = "/tmp/ccfc-pieces-XXXXXX";

static void put_file(const struct ccfc_buf *bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->ptr, bytes->len), bytes->len);
	close(fd);
}

/* Reads all again, and compares it with the bytes up to `stop`. */
static void check(struct ccfc_line_blocks *p, const struct ccfc_buf *bytes,
		  uint64_t stop)
{
	struct ccfc_slice lines;
	uint64_t offset, at = 0;

	assert_true(ccfc_line_blocks_open(p, NULL, path, stop));
	while (ccfc_line_blocks_next(p, &lines, &offset)) {
		assert_int_equal(offset, at);
		assert_true(lines.len && lines.ptr[lines.len - 1] == '\n');
		assert_memory_equal(lines.ptr, bytes->ptr + at, lines.len);
		at += lines.len;
	}
	assert_int_equal(at, stop);
	assert_false(p->lost);
	ccfc_line_blocks_close(p);
}

static void test_all_lines(void **state)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_line_blocks p;

	(void)state;
	ccfc_line_blocks_init(&p, (size_t)64 << 20);
	for (int i = 0; i < 12; i++) {
		uint64_t stop = 0;

		ccfc_buf_clear(&bytes);
		for (int k = 0; k < 60; k++) {
			size_t len =
				seed_below(seed_below(10) ? 9000 : 1500000);

			memset(ccfc_buf_reserve(&bytes, len), 'a' + k % 26,
			       len);
			bytes.len += len;
			ccfc_buf_putc(&bytes, '\n');
			if (k == 50)
				stop = bytes.len;
		}
		put_file(&bytes);
		check(&p, &bytes, bytes.len);
		check(&p, &bytes, stop);
	}
	check(&p, &bytes, 0);
	ccfc_line_blocks_release(&p);
	ccfc_buf_release(&bytes);
}

static void test_lost(void **state)
{
	struct ccfc_buf bytes = CCFC_BUF_INIT;
	struct ccfc_slice lines;
	struct ccfc_line_blocks p;
	uint64_t offset;

	(void)state;
	ccfc_line_blocks_init(&p, 1000);
	assert_false(ccfc_line_blocks_open(&p, NULL, "/nonexistent/x", 10));
	assert_false(p.lost);
	assert_false(ccfc_line_blocks_open(&p, NULL, "/tmp", 10));
	assert_true(p.lost);

	/* Shorter than it was. */
	ccfc_buf_puts(&bytes, "one\ntwo\n");
	put_file(&bytes);
	assert_true(ccfc_line_blocks_open(&p, NULL, path, 100));
	assert_true(ccfc_line_blocks_next(&p, &lines, &offset));
	assert_int_equal(lines.len, 8);
	assert_false(ccfc_line_blocks_next(&p, &lines, &offset));
	assert_true(p.lost);
	ccfc_line_blocks_close(&p);

	/* A line that is too long is passed over, but for its end. */
	ccfc_buf_clear(&bytes);
	memset(ccfc_buf_reserve(&bytes, 3000000), 'x', 3000000);
	bytes.len = 3000000;
	ccfc_buf_puts(&bytes, "\nlast\n");
	put_file(&bytes);
	assert_true(ccfc_line_blocks_open(&p, NULL, path, bytes.len));
	while (ccfc_line_blocks_next(&p, &lines, &offset))
		assert_true(lines.len < 2000000);
	assert_true(p.lost);
	ccfc_line_blocks_release(&p);
	ccfc_buf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_lines),
		cmocka_unit_test(test_lost),
	};
	int fd = mkstemp(path), r;

	seed_start();
	if (fd < 0)
		return 1;
	close(fd);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return r;
}
