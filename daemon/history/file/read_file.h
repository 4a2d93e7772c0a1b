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
	bool exists;   /* something is there */
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
 * Replaces the content of `out` by the file's. 0 and info->exists false when
 * there is nothing; 0 and info->regular false when it is no file; CCFC_ETOOBIG
 * beyond `max` bytes; CCFC_EIO, CCFC_EDENIED; CCFC_EAGAIN when it is being
 * written. `out` is empty unless the file was read, and may be NULL: only
 * checks. A path that is not absolute (of another system) has no file.
 */
int ccfc_file_read(struct ccfc_buf *out, struct ccfc_file_info *info,
		   const char *path, size_t max, struct ccfc_err *err);

/* The same, but a symbolic link is no file. */
int ccfc_file_read_itself(struct ccfc_buf *out, struct ccfc_file_info *info,
			  const char *path, size_t max, struct ccfc_err *err);

/*
 * The same for a file of the client's that may be gone: then as it is kept in
 * the attic, which may be NULL.
 */
int ccfc_file_read_kept(struct ccfc_buf *out, struct ccfc_file_info *info,
			const struct ccfc_attic *attic, const char *path,
			size_t max);

#endif
