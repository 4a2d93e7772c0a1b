/*
 * Files that other programs run or trust without asking: a forged transcript
 * could plant code there. The table is in sensitive.c.
 */
#ifndef CCFC_CLI_WRITE_SENSITIVE_H
#define CCFC_CLI_WRITE_SENSITIVE_H

#include "base/slice.h"

/*
 * The purpose of the file with that absolute, normal path, in a few words ("a
 * start-up file of a shell"); NULL: not sensitive. By its name alone, ignoring
 * case, as some file systems do.
 */
const char *ccfc_sensitive(const char *path);

/*
 * The same for user-dependent places: programs on $PATH, hidden files of the
 * home directory, ccfc's own state. `root` is the project of the file, "" for
 * none: hidden directories above it do not count. All paths are real ones.
 */
const char *ccfc_sensitive_here(const char *path, const char *root);

#endif
