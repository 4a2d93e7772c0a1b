/*
 * A scratch directory that the environment points into, so that a test sees
 * nothing of the user's daemon.
 */
#ifndef CCFC_TEST_LIB_SCRATCH_H
#define CCFC_TEST_LIB_SCRATCH_H

#include <ftw.h>
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

static char scratch_dir[64];
static char scratch_socket[96];

static inline int scratch_make(void **state)
{
	(void)state;
	strcpy(scratch_dir, "/tmp/ccfc-lib-XXXXXX");
	assert_non_null(mkdtemp(scratch_dir));
	snprintf(scratch_socket, sizeof(scratch_socket), "%s/run/ccfc.sock",
		 scratch_dir);
	setenv("CCFC_STATE_DIR", scratch_dir, 1);
	setenv("CCFC_SOCKET", scratch_socket, 1);
	unsetenv("CCFC_NO_SPAWN");
	unsetenv("CCFC_DAEMON");
	return 0;
}

static inline int scratch_remove_one(const char *path, const struct stat *st,
				     int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int scratch_drop(void **state)
{
	(void)state;
	return nftw(scratch_dir, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
