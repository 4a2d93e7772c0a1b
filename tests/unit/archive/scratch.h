/* Directories that a test fills and removes. */
#ifndef CCFC_TEST_ARCHIVE_SCRATCH_H
#define CCFC_TEST_ARCHIVE_SCRATCH_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_one(const char *path, const struct stat *st, int type,
			     struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline int remove_tree(const char *dir)
{
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
