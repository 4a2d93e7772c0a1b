/*
 * Where git keeps lists of patterns beside .gitignore files: what
 * core.excludesFile names, and info/exclude of the repository. Read as text; no
 * program is run. Files that a configuration includes are read, up to a bound;
 * of conditions only "gitdir:" and "gitdir/i:" are known, others are not met.
 */
#ifndef CCFC_OBSERVE_GIT_CONFIG_H
#define CCFC_OBSERVE_GIT_CONFIG_H

#include <limits.h>
#include <stdbool.h>

/*
 * The user's list for a work tree; `root` ends with a slash, `home` may be
 * NULL. The repository's own configuration counts most, then ~/.gitconfig, then
 * git/config of the XDG directory; else it is git/ignore there. False: none.
 */
bool ccfc_git_excludes_file(char out[PATH_MAX], const char *root,
			    const char *home);

/* The repository's own list, also of a linked work tree. False: none. */
bool ccfc_git_info_exclude(char out[PATH_MAX], const char *root);

#endif
