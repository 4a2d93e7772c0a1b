/*
 * A scratch directory for the tests of this folder, and files in it. Paths are
 * relative to the directory; every failure fails the test.
 */
#ifndef CCFC_TEST_SOURCE_TMP_H
#define CCFC_TEST_SOURCE_TMP_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TMP_UNUSED __attribute__((unused))

/* Not root's, so that permissions mean something: see tmp_make. */
#define TMP_PLAIN_USER 65534

static char tmp_dir[64];

static TMP_UNUSED void tmp_make(void)
{
	strcpy(tmp_dir, "/tmp/ccfc-source-XXXXXX");
	assert_non_null(mkdtemp(tmp_dir));
	if (!geteuid()) {
		assert_int_equal(chown(tmp_dir, TMP_PLAIN_USER, TMP_PLAIN_USER),
				 0);
		assert_int_equal(seteuid(TMP_PLAIN_USER), 0);
	}
}

static int tmp_remove_one(const char *path, const struct stat *st, int type,
			  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static TMP_UNUSED void tmp_drop(void)
{
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(
		nftw(tmp_dir, tmp_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The absolute path; four of them can be in use at a time. */
static TMP_UNUSED const char *tmp_path(const char *rel)
{
	static char paths[4][PATH_MAX];
	static unsigned turn;
	char *out = paths[turn++ % 4];

	assert_true(snprintf(out, PATH_MAX, "%s/%s", tmp_dir, rel) < PATH_MAX);
	return out;
}

/* Makes the directory and all directories above it. */
static TMP_UNUSED void tmp_mkdir(const char *rel)
{
	char path[PATH_MAX];
	char *p = path + strlen(tmp_dir) + 1;

	assert_true(snprintf(path, PATH_MAX, "%s/%s", tmp_dir, rel) < PATH_MAX);
	while ((p = strchr(p, '/'))) {
		*p = '\0';
		mkdir(path, 0755);
		*p++ = '/';
	}
	mkdir(path, 0755);
	assert_int_equal(access(path, F_OK), 0);
}

static TMP_UNUSED void tmp_put(const char *rel, const void *ptr, size_t len,
			       int flags)
{
	const char *p = ptr;
	int fd = open(tmp_path(rel), O_WRONLY | O_CREAT | flags, 0644);

	assert_true(fd >= 0);
	while (len) {
		ssize_t n = write(fd, p, len);

		assert_true(n > 0);
		p += n;
		len -= (size_t)n;
	}
	close(fd);
}

static TMP_UNUSED void tmp_append(const char *rel, const char *text)
{
	tmp_put(rel, text, strlen(text), O_APPEND);
}

static TMP_UNUSED void tmp_write(const char *rel, const char *text)
{
	tmp_put(rel, text, strlen(text), O_TRUNC);
}

static TMP_UNUSED void tmp_rename(const char *from, const char *to)
{
	assert_int_equal(rename(tmp_path(from), tmp_path(to)), 0);
}

static TMP_UNUSED void tmp_unlink(const char *rel)
{
	assert_int_equal(unlink(tmp_path(rel)), 0);
}

static TMP_UNUSED int tmp_setup(void **state)
{
	(void)state;
	tmp_make();
	return 0;
}

static TMP_UNUSED int tmp_teardown(void **state)
{
	(void)state;
	tmp_drop();
	return 0;
}

/* Reads memory; the sanitizer says if it is not ours. */
static TMP_UNUSED void tmp_touch(const char *ptr, size_t len)
{
	volatile char sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = (char)(sum + ptr[i]);
}

/* xorshift: seeded, the same everywhere. */
static uint64_t tmp_random_state;

static TMP_UNUSED uint64_t tmp_random(uint64_t below)
{
	uint64_t x = tmp_random_state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	tmp_random_state = x;
	return (x * 0x2545f4914f6cdd1dULL >> 11) % below;
}

static TMP_UNUSED void tmp_seed(uint64_t seed)
{
	tmp_random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (int i = 0; i < 8; i++)
		tmp_random(2);
}

#endif
