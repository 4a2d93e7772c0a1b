/* Long answers and what waits for a peer: in memory, in files, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/net/outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static char dir[64];
static size_t added, taken; /* bytes of the one stream that all tests use */

static char byte(size_t i)
{
	return (char)(i ^ (i >> 8) ^ (i >> 16) * 5);
}

static void fill(struct ccfc_buf *buf, size_t n)
{
	ccfc_buf_reserve(buf, n);
	for (size_t i = 0; i < n; i++)
		buf->ptr[buf->len++] = byte(added++);
}

static void add(struct ccfc_outbox *out, size_t n)
{
	struct ccfc_buf buf = CCFC_BUF_INIT;

	fill(&buf, n);
	ccfc_outbox_add(out, &buf);
	assert_int_equal(buf.len, 0);
	ccfc_buf_release(&buf);
}

static void add_spool(struct ccfc_outbox *out, size_t n)
{
	struct ccfc_spool spool;

	ccfc_spool_init(&spool, dir);
	for (size_t done = 0; done < n; done += 100000) {
		fill(&spool.mem, 100000);
		assert_int_equal(ccfc_spool_settle(&spool, NULL), 0);
		assert_true(spool.mem.len <= MIB);
	}
	ccfc_outbox_add_spool(out, &spool);
	assert_int_equal(ccfc_spool_size(&spool), 0);
	ccfc_spool_release(&spool);
}

/* The next piece, which continues the stream; its length. */
static size_t take(struct ccfc_outbox *out, size_t max)
{
	struct ccfc_buf piece = CCFC_BUF_INIT;
	size_t n, before = out->waiting;

	assert_int_equal(ccfc_outbox_take(out, &piece, max), 0);
	n = piece.len;
	assert_true(n <= max);
	assert_int_equal(out->waiting, before - n);
	for (size_t i = 0; i < n; i++)
		if (piece.ptr[i] != byte(taken++))
			fail_msg("byte %zu differs", taken - 1);
	ccfc_buf_release(&piece);
	return n;
}

static void take_all(struct ccfc_outbox *out)
{
	while (take(out, 70000))
		;
	assert_int_equal(taken, added);
	assert_int_equal(out->waiting, 0);
	assert_int_equal(out->memory, 0);
}

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ccfc-outbox-XXXXXX");
	assert_non_null(mkdtemp(dir));
	added = taken = 0;
	return 0;
}

/* Nothing was left there, or has a name while it is used. */
static int teardown(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void test_order(void **state)
{
	struct ccfc_outbox out = { 0 };

	(void)state;
	for (int i = 0; i < 50; i++) {
		add(&out, 10);
		add(&out, 3000);
		add(&out, 100000);
		if (i % 10 == 0)
			add_spool(&out, 3 * MIB);
		if (i % 7 == 0)
			assert_int_equal(ccfc_outbox_spill(&out, dir), 0);
		if (i % 3 == 0)
			take(&out, 50000);
	}
	take_all(&out);
	ccfc_outbox_release(&out);
}

/* Memory is that of whole parts, until they are gone or in a file. */
static void test_memory(void **state)
{
	struct ccfc_outbox out = { 0 };

	(void)state;
	add(&out, 4 * MIB);
	add(&out, 100);
	assert_int_equal(out.memory, 4 * MIB + 100);
	take(&out, MIB);
	assert_int_equal(out.memory, 4 * MIB + 100);
	assert_int_equal(out.waiting, 3 * MIB + 100);
	assert_int_equal(ccfc_outbox_spill(&out, dir), 0);
	assert_int_equal(out.memory, 100);
	assert_int_equal(out.waiting, 3 * MIB + 100);
	add_spool(&out, 4 * MIB);
	assert_true(out.memory <= 100 + MIB);
	take_all(&out);
	ccfc_outbox_release(&out);
}

/* What could not be moved stays in memory, and is whole. */
static void test_no_room(void **state)
{
	struct ccfc_outbox out = { 0 };
	struct ccfc_spool spool;
	struct ccfc_err err = { 0 };

	(void)state;
	add(&out, MIB);
	assert_int_equal(ccfc_outbox_spill(&out, "/nonexistent"), -1);
	assert_int_equal(out.memory, MIB);
	take_all(&out);
	ccfc_spool_init(&spool, "/nonexistent");
	fill(&spool.mem, MIB);
	assert_int_equal(ccfc_spool_settle(&spool, &err), 0);
	fill(&spool.mem, 1);
	assert_int_not_equal(ccfc_spool_settle(&spool, &err), 0);
	assert_non_null(strstr(err.what, "no room"));
	ccfc_spool_release(&spool);
	ccfc_outbox_release(&out);
}

static void test_release(void **state)
{
	struct ccfc_outbox out = { 0 };

	(void)state;
	add(&out, MIB);
	add_spool(&out, 3 * MIB);
	assert_int_equal(ccfc_outbox_spill(&out, dir), 0);
	add(&out, MIB);
	ccfc_outbox_release(&out);
	assert_int_equal(out.waiting, 0);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order),
		TEST(test_memory),
		TEST(test_no_room),
		TEST(test_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
