/* A scratch directory of files for the tests that change some. */
#ifndef CCFC_TESTS_TREE_H
#define CCFC_TESTS_TREE_H

#include "cli_test.h"

#include "cli/system/file_io.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree_top[32];

static inline int tree_setup(void **state)
{
	(void)state;
	umask(022);
	strcpy(tree_top, "/tmp/ccfc-tree-XXXXXX");
	return mkdtemp(tree_top) ? 0 : -1;
}

static inline int tree_remove(const char *path, const struct stat *st, int type,
			      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int tree_teardown(void **state)
{
	(void)state;
	return nftw(tree_top, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path in the scratch directory; valid for the next 15 calls. */
static inline const char *in_tree(const char *name)
{
	static char paths[16][128];
	static unsigned turn;
	char *path = paths[turn++ % 16];

	snprintf(path, sizeof(paths[0]), "%s/%s", tree_top, name);
	return path;
}

static inline void put_file(const char *name, const char *text)
{
	int fd = open(in_tree(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ccfc_write_all(fd, ccfc_slice_str(text)), 0);
	close(fd);
}

/* NULL: there is no such file. */
static inline void check_file(const char *name, const char *text)
{
	int fd = open(in_tree(name), O_RDONLY | O_NOFOLLOW);
	struct ccfc_buf got = CCFC_BUF_INIT;

	if (!text) {
		assert_true(fd < 0);
		return;
	}
	assert_true(fd >= 0);
	ccfc_buf_puts(&got, "");
	assert_int_equal(ccfc_read_all(&got, fd), 0);
	assert_string_equal(got.ptr, text);
	ccfc_buf_release(&got);
	close(fd);
}

/* How many names are in a directory. */
static inline int count_in(const char *name)
{
	DIR *dir = opendir(in_tree(name));
	int n = -2; /* "." and ".." */

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

#endif
