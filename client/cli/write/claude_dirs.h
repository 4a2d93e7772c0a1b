/*
 * The directories of Claude Code that the daemon reads: nothing is ever
 * written below one of them.
 */
#ifndef CCFC_CLI_WRITE_CLAUDE_DIRS_H
#define CCFC_CLI_WRITE_CLAUDE_DIRS_H

#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"

/*
 * CCFC_EDENIED if one of `n` paths is one of them or below, by whatever links;
 * else 0, or the error of asking. `command` is for the message. The client is
 * connected.
 */
int ccfc_claude_roots_dirs_check(const struct ccfc_cli *cli,
				 const char *command,
				 const struct ccfc_cwd *where,
				 const char *const *paths, uint32_t n,
				 struct ccfc_err *err);

/* The same for one path and one directory; nobody is asked. */
int ccfc_claude_roots_dirs_check_one(const char *command,
				     const struct ccfc_cwd *where,
				     const char *path, const char *root,
				     struct ccfc_err *err);

#endif
