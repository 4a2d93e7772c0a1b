/*
 * One new file, written piece by piece: it appears complete and durable, or not
 * at all. Only its owner may read it. An existing file is replaced only on
 * request, and only if it is a regular file.
 */
#ifndef CCFC_CLI_WRITE_NEW_FILE_H
#define CCFC_CLI_WRITE_NEW_FILE_H

#include "base/err.h"
#include "cli/write/whole_file.h"

#include <stdbool.h>

struct ccfc_new_file {
	int fd; /* to write to */
	/* Private. */
	char *path;
	const char *name;
	int dir;
	char temp[CCFC_TEMP_MAX]; /* "": there is none */
};

/*
 * `path` is absolute and normal; its directory exists. CCFC_EDENIED: the file
 * exists and `force` is not set, or it is not a regular file. CCFC_EIO. Release
 * it also after an error.
 */
int ccfc_new_file_init(struct ccfc_new_file *save, const char *path, bool force,
		       struct ccfc_err *err);

/* Renames it into place, replacing a file only with `force`. */
int ccfc_new_file_commit(struct ccfc_new_file *save, bool force,
			 struct ccfc_err *err);

/* Removes the temporary file unless it was committed. */
void ccfc_new_file_release(struct ccfc_new_file *save);

#endif
