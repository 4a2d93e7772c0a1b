/* Reading and writing all of it, through a pipe that takes little at a time. */
#include "os/whole_io.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG ((size_t)1 << 20) /* more than a pipe holds */

static void *write_long(void *arg)
{
	const int *fd = arg;
	char *bytes = malloc(LONG);
	int r;

	assert_non_null(bytes);
	for (size_t i = 0; i < LONG; i++)
		bytes[i] = (char)(i * 31 >> 7);
	r = ccfc_write_all(*fd, ccfc_slice(bytes, LONG));
	free(bytes);
	close(*fd);
	return r ? arg : NULL;
}

static void test_pipe(void **state)
{
	struct ccfc_buf out = CCFC_BUF_INIT;
	pthread_t thread;
	void *failed;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_long, &fds[1]), 0);
	ccfc_buf_puts(&out, "head");
	assert_int_equal(ccfc_read_bytes(&out, fds[0], LONG), 0);
	assert_int_equal(out.len, 4 + LONG);
	for (size_t i = 0; i < LONG; i++)
		assert_int_equal(out.ptr[4 + i], (char)(i * 31 >> 7));
	/* The end: no error number, and nothing more. */
	assert_int_equal(ccfc_read_bytes(&out, fds[0], 1), -1);
	assert_int_equal(errno, 0);
	assert_int_equal(out.len, 4 + LONG);
	pthread_join(thread, &failed);
	assert_null(failed);
	close(fds[0]);
	ccfc_buf_release(&out);
}

static void test_places(void **state)
{
	FILE *file = tmpfile();
	char got[16] = "";

	(void)state;
	assert_non_null(file);
	assert_int_equal(
		ccfc_write_all_at(fileno(file), ccfc_slice_str("world"), 6), 0);
	assert_int_equal(
		ccfc_write_all_at(fileno(file), ccfc_slice_str("hello "), 0),
		0);
	assert_int_equal(ccfc_read_at(fileno(file), got, sizeof(got), 0), 11);
	assert_string_equal(got, "hello world");
	assert_int_equal(ccfc_read_at(fileno(file), got, 2, 9), 2);
	assert_memory_equal(got, "ld", 2);
	assert_int_equal(ccfc_read_at(fileno(file), got, 2, 11), 0);
	fclose(file);
	assert_int_equal(ccfc_read_at(-1, got, 1, 0), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(ccfc_write_all(-1, ccfc_slice_str("x")), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
