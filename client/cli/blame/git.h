/*
 * Runs git such that it runs no program that a repository names. A repository's
 * own configuration may name programs for nearly everything, so git is asked in
 * two ways only:
 *
 * - In a repository, `git rev-parse` and `git config --get`, which read
 *   configuration and references and start nothing. git checks the repository's
 *   owner here (safe.directory).
 * - About objects and attributes, with a git directory of ours in place of
 *   the repository's (git_objects.h): its configuration is not read at all.
 *
 * In both, git gets a fixed list of arguments and no shell, hooks, the file
 * system monitor, all transports and optional locks are off, and no environment
 * variable selects a repository. git is searched in absolute directories of
 * PATH only, since it runs in untrusted directories.
 */
#ifndef CCFC_CLI_BLAME_GIT_H
#define CCFC_CLI_BLAME_GIT_H

#include "base/buf.h"
#include "base/err.h"

struct ccfc_git_place {
	const char *dir;       /* where git is run */
	const char *git_dir;   /* NULL: git finds it from `dir` */
	const char *objects;   /* with git_dir: the directory of the objects */
	const char *work_tree; /* NULL: none is needed */
	const char *index;     /* NULL: the index of the git directory */
};

/*
 * Appends the output of `git ARGS…`, run at `place`. `args` ends with NULL.
 * CCFC_EDENIED: git failed (its message is in `err`); CCFC_EIO: there is no
 * git, or it could not be run; CCFC_ETOOBIG.
 */
int ccfc_git_run(struct ccfc_buf *out, const struct ccfc_git_place *place,
		 const char *const *args, struct ccfc_err *err);

/* The next string of a NUL-separated list (-z); false at its end. */
bool ccfc_git_next(struct ccfc_slice *word, struct ccfc_slice *rest);

#endif
