/*
 * A file written whole, the part that all writers of files share. Content goes
 * to a temporary file in the directory of its place, is made durable, and then
 * gets its name by one system call: there is never part of a file under a name
 * that somebody reads.
 *
 * Directories are open descriptors. All functions return -1 and set errno.
 */
#ifndef CCFC_CLI_WRITE_WHOLE_FILE_H
#define CCFC_CLI_WRITE_WHOLE_FILE_H

#include "base/slice.h"

#include <sys/types.h>

/* ".ccfc-", 16 hex digits that nobody can guess, and maybe a letter. */
#define CCFC_TEMP_MAX 24

/* A new name for a temporary file; nothing is made. */
void ccfc_temp_name(char temp[CCFC_TEMP_MAX]);

/* Makes a file that nobody has made before, open for writing. */
int ccfc_temp_open(int dir, const char *temp, mode_t mode);

/* Makes its content durable and closes it, in any case. */
int ccfc_temp_close(int fd);

/*
 * Makes a file of that content, durable; after an error there is none. For a
 * temporary file, or one in a directory that nobody looks into yet.
 */
int ccfc_temp_write(int dir, const char *temp, mode_t mode,
		    struct ccfc_slice content);

/* How a temporary file gets its name. */
enum ccfc_placing {
	/* Only if the name is free. Where the file system has no links, the
	 * name is taken first with an empty file. */
	CCFC_PLACE_NEW,
	/* The same, but without links by rename(): a kill must not leave an
	 * empty file, and the caller has just seen that the name is free. */
	CCFC_PLACE_NEW_SEEN,
	CCFC_PLACE_OVER, /* over a file of that name, if there is one */
	/* The two files change places; ENOSYS, EINVAL or EOPNOTSUPP where the
	 * system or the file system cannot do that. */
	CCFC_PLACE_EXCHANGE,
};

/*
 * Gives the temporary file its name. But for CCFC_PLACE_EXCHANGE there is no
 * temporary file any more then; after an error there still is. It is durable
 * after ccfc_sync_dir.
 */
int ccfc_temp_place(int dir, const char *temp, const char *name,
		    enum ccfc_placing how);

#endif
