/*
 * Other programs as judges: a scratch directory, which is the current one
 * during the test, files in it, and commands. Every failure fails the test; a
 * program that is not installed skips it.
 */
#ifndef CCFC_UNIT_DIFF_TOOLS_H
#define CCFC_UNIT_DIFF_TOOLS_H

#include "base/buf.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TOOLS_UNUSED __attribute__((unused))

static char tools_dir[64];

static TOOLS_UNUSED int tools_setup(void **state)
{
	(void)state;
	strcpy(tools_dir, "/tmp/ccfc-text-XXXXXX");
	assert_non_null(mkdtemp(tools_dir));
	assert_int_equal(chdir(tools_dir), 0);
	/* The user's own settings must not matter. */
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("GIT_CEILING_DIRECTORIES", "/tmp", 1);
	unsetenv("GIT_DIR");
	unsetenv("POSIXLY_CORRECT");
	return 0;
}

static int tools_remove_one(const char *path, const struct stat *st, int type,
			    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static TOOLS_UNUSED void tools_remove(const char *path)
{
	assert_int_equal(nftw(path, tools_remove_one, 16, FTW_DEPTH | FTW_PHYS),
			 0);
}

static TOOLS_UNUSED int tools_teardown(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	tools_remove(tools_dir);
	return 0;
}

/* Runs a shell command; returns how it exited. */
static TOOLS_UNUSED int tools_run(const char *fmt, ...)
{
	char command[512];
	va_list ap;
	int status;

	va_start(ap, fmt);
	assert_true(vsnprintf(command, sizeof(command), fmt, ap) <
		    (int)sizeof(command));
	va_end(ap);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static TOOLS_UNUSED void tools_need(const char *program)
{
	if (tools_run("command -v %s >/dev/null", program) == 0)
		return;
	fprintf(stderr, "%s is not installed\n", program);
	skip();
}

/* Writes the file, and makes all directories above it. */
static TOOLS_UNUSED void tools_write(const char *path, struct ccfc_slice text)
{
	char dir[512];
	FILE *f;

	assert_true(strlen(path) < sizeof(dir));
	strcpy(dir, path);
	for (char *p = dir; (p = strchr(p + 1, '/'));) {
		*p = '\0';
		mkdir(dir, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text.ptr ? text.ptr : "", 1, text.len, f),
			 text.len);
	assert_int_equal(fclose(f), 0);
}

/* False when there is no such file. */
static TOOLS_UNUSED bool tools_read(struct ccfc_buf *out, const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n;

	ccfc_buf_clear(out);
	if (!f)
		return false;
	while ((n = fread(ccfc_buf_reserve(out, 4096), 1, 4096, f)))
		out->len += n;
	fclose(f);
	return true;
}

#endif
