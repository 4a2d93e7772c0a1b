/* Whole files and what is none: nothing blocks, nothing is read in part. */
#include "../source/tmp.h"
#include "history/file/read_file.h"

#include <ccfc/error.h>

#define ROOM 1000

static struct ccfc_buf buf;
static struct ccfc_file_info info;
static struct ccfc_err err;

static int read_path(const char *path, size_t max)
{
	ccfc_buf_clear(&buf);
	ccfc_buf_puts(&buf, "left over");
	memset(&info, 0xff, sizeof(info));
	return ccfc_file_read(&buf, &info, path, max, &err);
}

static int read_tmp(const char *rel, size_t max)
{
	return read_path(tmp_path(rel), max);
}

static void expect_text(const char *want)
{
	assert_true(info.exists && info.regular);
	assert_int_equal(buf.len, strlen(want));
	assert_int_equal(info.size, strlen(want));
	assert_string_equal(buf.ptr, want);
}

static void expect_no_file(bool exists)
{
	assert_int_equal(info.exists, exists);
	assert_false(info.regular);
	assert_int_equal(buf.len, 0);
}

static void test_content(void **state)
{
	struct timespec times[2] = { { 5, 0 }, { 1700000000, 123999999 } };

	(void)state;
	tmp_write("a", "one\ntwo");
	assert_int_equal(
		utimensat(AT_FDCWD, tmp_path("a"), times, AT_SYMLINK_NOFOLLOW),
		0);
	assert_int_equal(read_tmp("a", ROOM), 0);
	expect_text("one\ntwo");
	assert_false(info.link);
	assert_int_equal(info.mtime, 1700000000123);
	tmp_write("empty", "");
	assert_int_equal(read_tmp("empty", ROOM), 0);
	expect_text("");
	tmp_put("nul", "a\0b", 3, O_TRUNC);
	assert_int_equal(read_tmp("nul", ROOM), 0);
	assert_int_equal(buf.len, 3);
	assert_memory_equal(buf.ptr, "a\0b", 3);
}

static void test_size(void **state)
{
	(void)state;
	tmp_write("a", "12345");
	assert_int_equal(read_tmp("a", 5), 0);
	expect_text("12345");
	assert_int_equal(read_tmp("a", 4), CCFC_ETOOBIG);
	assert_int_equal(buf.len, 0);
	assert_non_null(strstr(err.what, "larger than 4 bytes"));
	tmp_write("empty", "");
	assert_int_equal(read_tmp("empty", 0), 0);
	/* Sparse: no memory is taken for it. */
	assert_int_equal(truncate(tmp_path("a"), (off_t)1 << 40), 0);
	assert_int_equal(read_tmp("a", ROOM), CCFC_ETOOBIG);
	assert_true(info.size == (uint64_t)1 << 40);
}

static void test_nothing(void **state)
{
	char name[5000];

	(void)state;
	assert_int_equal(read_tmp("none", ROOM), 0);
	expect_no_file(false);
	tmp_write("file", "x");
	assert_int_equal(read_tmp("file/below", ROOM), 0);
	expect_no_file(false);
	/* Longer than any name, and than any path. */
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[300] = '\0';
	assert_int_equal(read_path(name, ROOM), 0);
	expect_no_file(false);
	name[300] = 'x';
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(read_path(name, ROOM), 0);
	expect_no_file(false);
}

/* A path of Windows must not be looked for in the working directory. */
static void test_not_absolute(void **state)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	tmp_mkdir("C:");
	tmp_write("C:/x", "not yours");
	assert_int_equal(chdir(tmp_dir), 0);
	assert_int_equal(read_path("C:/x", ROOM), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	expect_no_file(false);
	assert_int_equal(read_path("", ROOM), 0);
	expect_no_file(false);
}

/* With nobody at the other end, opening a FIFO would wait forever. */
static void test_no_files(void **state)
{
	(void)state;
	tmp_mkdir("dir");
	assert_int_equal(read_tmp("dir", ROOM), 0);
	expect_no_file(true);
	assert_int_equal(mkfifo(tmp_path("fifo"), 0600), 0);
	assert_int_equal(read_tmp("fifo", ROOM), 0);
	expect_no_file(true);
	assert_int_equal(symlink("fifo", tmp_path("way")), 0);
	assert_int_equal(read_tmp("way", ROOM), 0);
	expect_no_file(true);
	assert_true(info.link);
	assert_int_equal(read_path("/dev/zero", ROOM), 0);
	expect_no_file(true);
}

static void test_links(void **state)
{
	(void)state;
	tmp_write("file", "content");
	assert_int_equal(symlink("file", tmp_path("link")), 0);
	assert_int_equal(symlink("none", tmp_path("dangling")), 0);
	assert_int_equal(symlink("loop", tmp_path("loop")), 0);
	assert_int_equal(read_tmp("link", ROOM), 0);
	expect_text("content");
	assert_true(info.link);
	assert_int_equal(read_tmp("dangling", ROOM), 0);
	expect_no_file(true);
	assert_true(info.link);
	assert_int_equal(read_tmp("loop", ROOM), 0);
	expect_no_file(true);
	assert_int_equal(ccfc_file_read_itself(&buf, &info, tmp_path("link"),
					       ROOM, &err),
			 0);
	expect_no_file(true);
	assert_true(info.link);
	assert_int_equal(ccfc_file_read_itself(&buf, &info, tmp_path("file"),
					       ROOM, &err),
			 0);
	expect_text("content");
}

static void test_denied(void **state)
{
	(void)state;
	tmp_write("file", "secret");
	assert_int_equal(chmod(tmp_path("file"), 0), 0);
	assert_int_equal(read_tmp("file", ROOM), CCFC_EDENIED);
	assert_int_equal(buf.len, 0);
	assert_non_null(strstr(err.what, "/file: cannot be read: Permission"));
	assert_int_equal(
		ccfc_file_read(&buf, &info, tmp_path("file"), ROOM, NULL),
		CCFC_EDENIED);
	tmp_mkdir("dir");
	tmp_write("dir/file", "x");
	assert_int_equal(chmod(tmp_path("dir"), 0), 0);
	assert_int_equal(read_tmp("dir/file", ROOM), CCFC_EDENIED);
	assert_int_equal(chmod(tmp_path("dir"), 0700), 0);
}

static void test_only_looks(void **state)
{
	(void)state;
	tmp_write("file", "12345");
	assert_int_equal(chmod(tmp_path("file"), 0), 0);
	assert_int_equal(ccfc_file_read(NULL, &info, tmp_path("file"), 2, &err),
			 0);
	assert_true(info.exists && info.regular && info.size == 5);
}

/* Its size and its bytes do not agree, however often one looks. */
static void test_never_whole(void **state)
{
	(void)state;
	if (access("/proc/self/status", R_OK))
		skip();
	assert_int_equal(read_path("/proc/self/status", 100000), CCFC_EAGAIN);
	assert_int_equal(buf.len, 0);
	assert_int_equal(read_path("/proc/self/status", 10), CCFC_ETOOBIG);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, tmp_setup, tmp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_content),	TEST(test_size),
		TEST(test_nothing),	TEST(test_not_absolute),
		TEST(test_no_files),	TEST(test_links),
		TEST(test_denied),	TEST(test_only_looks),
		TEST(test_never_whole),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	ccfc_buf_release(&buf);
	return failed;
}
