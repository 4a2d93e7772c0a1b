/*
 * Asking git. It is called with a fixed list of arguments and no shell, with
 * hooks, the file system monitor and optional locks off, so that nothing is
 * written to a repository; and only the directory says which one is meant,
 * whatever GIT_DIR has been left in the environment.
 */
#ifndef CCFC_CLI_BLAME_GIT_H
#define CCFC_CLI_BLAME_GIT_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends what `git ARGS…` prints when run in `dir`. `args` ends with NULL.
 * CCFC_ENOTFOUND when git says no (its words are in `err`); CCFC_EIO when
 * there is no git, or it could not be run; CCFC_ETOOBIG.
 */
int ccfc_git_run(struct ccfc_buf *out, const char *dir, const char *const *args,
		 struct ccfc_err *err);

/* The directory and the name of an absolute path; the caller frees both. */
void ccfc_git_split(char **dir, char **name, const char *path);

#endif
