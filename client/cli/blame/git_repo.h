/*
 * The git work tree of a file: the next directory above the file that has a
 * `.git`. A directory that only looks like a repository (HEAD, objects, refs,
 * as a clone may carry one among its files) does not count. core.worktree is
 * ignored.
 */
#ifndef CCFC_CLI_BLAME_GIT_REPO_H
#define CCFC_CLI_BLAME_GIT_REPO_H

#include "base/buf.h"
#include "base/err.h"

struct ccfc_repo {
	char *top;     /* the work tree */
	char *path;    /* the file, without symbolic links */
	char *name;    /* the path from `top` on; a part of `path` */
	char *git_dir; /* of this work tree */
	char *common;  /* the directory of objects and configuration */
	char head[65]; /* the commit, in hex; empty: there is none yet */
};

/*
 * `path` is absolute; the file need not exist. CCFC_ENOTFOUND: the file is in
 * no work tree. CCFC_EDENIED: git refuses the repository (it belongs to another
 * user, or is invalid); CCFC_EIO as ccfc_git_run. Always release `repo`.
 */
int ccfc_repo_find(struct ccfc_repo *repo, const char *path,
		   struct ccfc_err *err);
void ccfc_repo_release(struct ccfc_repo *repo);

#endif
