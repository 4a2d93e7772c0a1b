/*
 * Looks that fail: a transcript that cannot be opened, or that cannot be read
 * on from some line, is said, tried again, and then has all of its lines, once.
 */
#include "source/tail.h"

static enum ccfc_tail_status open_or_fail(struct ccfc_tail *tail,
					  const char *path,
					  struct ccfc_cursor *cursor,
					  struct ccfc_err *err);
static int next_or_fail(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
			struct ccfc_line *line, struct ccfc_err *err);
#define ccfc_tail_open open_or_fail
#define ccfc_tail_next next_or_fail
#include "ingest/ingest.c"
#include "ingest/source_open.c"
#include "ingest/source_read.c"
#undef ccfc_tail_open
#undef ccfc_tail_next

#include "fixture.h"

#include <errno.h>

static int open_errno; /* fails with this; 0: does not */
static int lines_left; /* fails behind so many lines; -1: does not */

static enum ccfc_tail_status open_or_fail(struct ccfc_tail *tail,
					  const char *path,
					  struct ccfc_cursor *cursor,
					  struct ccfc_err *err)
{
	if (!open_errno)
		return ccfc_tail_open(tail, path, cursor, err);
	ccfc_err_errno(err, open_errno, "%s", path);
	return CCFC_TAIL_ERROR;
}

static int next_or_fail(struct ccfc_tail *tail, struct ccfc_cursor *cursor,
			struct ccfc_line *line, struct ccfc_err *err)
{
	if (!lines_left)
		return ccfc_err_errno(err, EIO, "cannot read at byte %llu",
				      (unsigned long long)cursor->offset);
	if (lines_left > 0)
		lines_left--;
	return ccfc_tail_next(tail, cursor, line, err);
}

static void put_lines(const struct fixture *f, const char *name, int n)
{
	static unsigned id;
	FILE *file = fopen(at(f, name), "a");

	assert_non_null(file);
	while (n--)
		fprintf(file,
			"{\"type\":\"user\",\"sessionId\":\"s\",\"cwd\":\"/p\","
			"\"uuid\":\"00000000-0000-4000-8000-%012u\","
			"\"timestamp\":\"2025-01-01T00:00:00Z\",\"message\":"
			"{\"content\":\"x\"}}\n",
			++id);
	fclose(file);
}

static uint64_t lines(const struct fixture *f)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < f->index->sources.n; i++)
		n += f->index->sources.items[i].lines[CCFC_RECORD_USER];
	return n;
}

/* As the loop does it for a question, or by the clock. */
static void ask(struct fixture *f)
{
	ccfc_ingest_retry(f->ingest, true);
	ccfc_ingest_hot(f->ingest);
}

static void expect_failed(struct fixture *f, const char *name, const char *why)
{
	const struct ccfc_failed *failed = ccfc_ingest_failures(f->ingest);

	assert_int_equal(failed->n, 1);
	assert_string_equal(failed->items[0].path, at(f, name));
	assert_string_equal(failed->items[0].why, why);
	assert_int_not_equal(ccfc_failed_timeout_ms(failed), -1);
}

static void expect_fine(struct fixture *f, uint64_t n)
{
	const struct ccfc_failed *failed = ccfc_ingest_failures(f->ingest);

	assert_int_equal(lines(f), n);
	assert_int_equal(failed->n, 0);
	/* Nothing failed: nothing wakes us. */
	assert_int_equal(ccfc_failed_timeout_ms(failed), -1);
}

static void begin(struct fixture *f)
{
	open_errno = 0;
	lines_left = -1;
	start(f);
}

static void test_open(void **state)
{
	struct fixture f = { .dir = *state };

	begin(&f);
	open_errno = EMFILE;
	put_lines(&f, "p", 2);
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	expect_failed(&f, "p", strerror(EMFILE));
	open_errno = EACCES;
	ask(&f);
	expect_failed(&f, "p", strerror(EACCES));
	assert_false(f.index->sources.items[0].gone);
	open_errno = 0;
	ask(&f);
	expect_fine(&f, 2);
	stop(&f);
}

static void test_read(void **state)
{
	struct fixture f = { .dir = *state };

	begin(&f);
	put_lines(&f, "p", 5);
	look(&f, "p");
	for (int i = 0; i < 4; i++) {
		lines_left = 1;
		ask(&f);
		assert_int_equal(lines(&f), i + 1);
		assert_int_equal(ccfc_ingest_failures(f.ingest)->n, 1);
	}
	/* Not read yet when we end: the next start goes on. */
	stop(&f);
	begin(&f);
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	expect_fine(&f, 5);
	stop(&f);
}

/* The first scan, and a rebuild. */
static void test_cold(void **state)
{
	struct fixture f = { .dir = *state };
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION,
					.session = CCFC_SLICE_LIT("s") };
	struct ccfc_scan_progress progress;

	begin(&f);
	open_errno = EIO;
	put_lines(&f, "p", 2);
	ccfc_ingest_look(f.ingest, at(&f, "p"), &name, false);
	ccfc_ingest_scanned(f.ingest);
	while (ccfc_ingest_cold(f.ingest))
		;
	expect_failed(&f, "p", strerror(EIO));
	ccfc_ingest_progress(f.ingest, &progress);
	assert_false(progress.running);
	open_errno = 0;
	ask(&f);
	expect_fine(&f, 2);
	open_errno = EIO;
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_NONE);
	while (ccfc_ingest_cold(f.ingest))
		;
	expect_failed(&f, "p", strerror(EIO));
	open_errno = 0;
	ask(&f);
	expect_fine(&f, 2);
	stop(&f);
}

static void test_gone(void **state)
{
	struct fixture f = { .dir = *state };

	begin(&f);
	put_lines(&f, "p", 2);
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	open_errno = EMFILE;
	put_lines(&f, "p", 1);
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	expect_failed(&f, "p", strerror(EMFILE));
	assert_int_equal(unlink(at(&f, "p")), 0);
	ask(&f);
	expect_fine(&f, 2);
	assert_true(f.index->sources.items[0].gone);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cold, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
