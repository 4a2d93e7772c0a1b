/*
 * One new file that somebody named, written bit by bit: it appears complete
 * and durable, or not at all. Only its owner may read it. Nothing that exists
 * is replaced unless that was asked for, and then a regular file only.
 */
#ifndef CCFC_CLI_WRITE_NEW_FILE_H
#define CCFC_CLI_WRITE_NEW_FILE_H

#include "base/err.h"
#include "cli/write/whole_file.h"

#include <stdbool.h>

struct ccfc_new_file {
	int fd; /* to write to */
	/* Its own. */
	char *path;
	const char *name;
	int dir;
	char temp[CCFC_TEMP_MAX]; /* "": there is none */
};

/*
 * `path` is absolute and normal; its directory exists. CCFC_EDENIED: the file
 * exists and `force` is not set, or it is no regular file. CCFC_EIO. Release
 * it also after an error.
 */
int ccfc_new_file_init(struct ccfc_new_file *save, const char *path, bool force,
		       struct ccfc_err *err);

/* Puts it in its place, as ccfc_new_file_init was asked to. */
int ccfc_new_file_commit(struct ccfc_new_file *save, bool force,
			 struct ccfc_err *err);

/* Removes what is not in its place. */
void ccfc_new_file_release(struct ccfc_new_file *save);

#endif
