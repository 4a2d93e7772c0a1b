/*
 * Writing files below one directory, and nowhere else. Names are untrusted:
 * they are normalised, so that no ".." is left, and the path is walked one
 * directory at a time without following a symbolic link. An existing file is
 * never touched; a new file appears whole and durable, or not at all.
 */
#ifndef CCFC_CLI_WRITE_NEW_FILES_H
#define CCFC_CLI_WRITE_NEW_FILES_H

#include "base/buf.h"
#include "base/err.h"

struct ccfc_new_files {
	char *path; /* of the directory, for messages */
	char *real; /* the same without links */
	int dir;
};

enum ccfc_new_files_result {
	CCFC_KEPT,
	CCFC_NEW_FILES_EXISTS, /* something of that name exists */
	CCFC_NEW_FILES_FAILED, /* this one cannot be written */
	CCFC_NEW_FILES_FULL,   /* no space: no other file can be written either
				*/
};

/* Makes the directory unless it exists. Release it also after an error. */
int ccfc_new_files_init(struct ccfc_new_files *keep, const char *path,
			struct ccfc_err *err);
void ccfc_new_files_release(struct ccfc_new_files *keep);

/*
 * Appends the normal form of `name`: relative, no empty parts, no "." and "..".
 * False (and nothing appended): nothing is left.
 */
bool ccfc_new_files_name(struct ccfc_buf *out, struct ccfc_slice name);

/*
 * Writes a file whose name is normal, and makes directories that it needs.
 * `err` is filled in unless it is CCFC_KEPT.
 */
enum ccfc_new_files_result ccfc_new_files_write(struct ccfc_new_files *keep,
						const char *name,
						struct ccfc_slice content,
						struct ccfc_err *err);

#endif
