/*
 * git's lists of ignore patterns besides .gitignore files: the file named by
 * core.excludesFile, and info/exclude of the repository. Both are read as text;
 * no program is run. Included files are read, up to a bound. Of the conditions
 * only "gitdir:" and "gitdir/i:" are supported; others count as not met.
 */
#ifndef CCFC_OBSERVE_GIT_CONFIG_H
#define CCFC_OBSERVE_GIT_CONFIG_H

#include <limits.h>
#include <stdbool.h>

/*
 * The user's list for a work tree; `root` ends with a slash, `home` may be
 * NULL. The repository's own configuration comes first, then ~/.gitconfig, then
 * git/config of the XDG directory, then the default, git/ignore of the XDG
 * directory. False: there is none.
 */
bool ccfc_git_excludes_file(char out[PATH_MAX], const char *root,
			    const char *home);

/* The repository's own list, also of a linked work tree. False: none. */
bool ccfc_git_info_exclude(char out[PATH_MAX], const char *root);

#endif
