/*
 * Reads a whole file safely: regular files only, never blocking (a FIFO is
 * refused), with pread, limited in size.
 */
#ifndef CCFC_HISTORY_FILE_READ_FILE_H
#define CCFC_HISTORY_FILE_READ_FILE_H

#include "base/buf.h"
#include "base/err.h"
#include "source/attic.h"

#include <stdint.h>

struct ccfc_file_info {
	bool exists;   /* the path exists */
	bool regular;  /* and it is a regular file (a link to one counts) */
	bool link;     /* the name itself is a symbolic link */
	int64_t mtime; /* milliseconds */
	int64_t ctime;
	uint64_t size;
	uint64_t stamp; /* see ccfc_file_stamp */
};

struct stat;

/* A number that changes when the file is written or replaced. */
uint64_t ccfc_file_stamp(const struct stat *st);

/*
 * Replaces the content of `out` by the file's. 0 with info->exists false: there
 * is no file. 0 with info->regular false: it is not a regular file.
 * CCFC_ETOOBIG: longer than `max` bytes; CCFC_EIO, CCFC_EDENIED; CCFC_EAGAIN:
 * it is being written. `out` is empty unless the file was read; NULL: the file
 * is only checked. A path that is not absolute (of another system) has no file.
 */
int ccfc_file_read(struct ccfc_buf *out, struct ccfc_file_info *info,
		   const char *path, size_t max, struct ccfc_err *err);

/* The same, but a symbolic link is not followed: it is not a regular file. */
int ccfc_file_read_itself(struct ccfc_buf *out, struct ccfc_file_info *info,
			  const char *path, size_t max, struct ccfc_err *err);

/*
 * The same for a file of the client's that may be gone: then its copy in the
 * attic is read. The attic may be NULL.
 */
int ccfc_file_read_kept(struct ccfc_buf *out, struct ccfc_file_info *info,
			const struct ccfc_attic *attic, const char *path,
			size_t max);

#endif
