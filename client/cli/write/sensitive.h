/*
 * Files that other programs run or trust without asking: what is written
 * there by what a transcript says would be code of whoever wrote that. The
 * table is in sensitive.c.
 */
#ifndef CCFC_CLI_WRITE_SENSITIVE_H
#define CCFC_CLI_WRITE_SENSITIVE_H

#include "base/slice.h"

/*
 * What the file of that absolute, normal path is for, in a few words ("a start-
 * up file of the shell"); NULL: nothing of that kind. By its name alone;
 * letters count in either case, as some file systems have it.
 */
const char *ccfc_sensitive(const char *path);

/*
 * The same for what depends on the user: programs on $PATH, hidden files of the
 * home directory, ccfc's own state. `root` is the directory that the file is
 * worked on in, "" for none: what is hidden above it does not count. All paths
 * are real ones.
 */
const char *ccfc_sensitive_here(const char *path, const char *root);

#endif
