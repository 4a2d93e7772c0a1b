/*
 * Writing whole files, shared by all writers of files. Content goes to a
 * temporary file in the target directory, is made durable, and then gets its
 * name by one system call: a partial file is never visible under its name.
 *
 * Directories are open descriptors. All functions return -1 and set errno.
 */
#ifndef CCFC_CLI_WRITE_WHOLE_FILE_H
#define CCFC_CLI_WRITE_WHOLE_FILE_H

#include "base/slice.h"

#include <sys/types.h>

/* ".ccfc-", 16 unguessable hex digits, and maybe a letter. */
#define CCFC_TEMP_MAX 24

/* A new name for a temporary file; nothing is made. */
void ccfc_temp_name(char temp[CCFC_TEMP_MAX]);

/* Makes a new file, open for writing. */
int ccfc_temp_open(int dir, const char *temp, mode_t mode);

/* Makes the content durable and always closes the file. */
int ccfc_temp_close(int fd);

/*
 * Makes a durable file with that content; after an error there is none. For a
 * temporary file, or one in a directory that is still private.
 */
int ccfc_temp_write(int dir, const char *temp, mode_t mode,
		    struct ccfc_slice content);

/* How a temporary file gets its name. */
enum ccfc_placing {
	/* Only if the name is free. On file systems without links, the name is
	 * first taken by an empty file. */
	CCFC_PLACE_NEW,
	/* The same, but on file systems without links by rename(): a kill must
	 * not leave an empty file, and the caller has just checked that the
	 * name is free. */
	CCFC_PLACE_NEW_SEEN,
	CCFC_PLACE_OVER, /* over a file of that name, if there is one */
	/* The two files are exchanged; ENOSYS, EINVAL or EOPNOTSUPP: not
	 * supported. */
	CCFC_PLACE_EXCHANGE,
};

/*
 * Gives the temporary file its name. Afterwards there is no temporary file
 * (except after CCFC_PLACE_EXCHANGE); after an error it still exists. Durable
 * after ccfc_sync_dir.
 */
int ccfc_temp_place(int dir, const char *temp, const char *name,
		    enum ccfc_placing how);

#endif
