/*
 * Claude directories: those that the daemon reads, and that of the caller's
 * environment. Nothing is ever written below one of them.
 */
#ifndef CCFC_CLI_WRITE_CLAUDE_DIRS_H
#define CCFC_CLI_WRITE_CLAUDE_DIRS_H

#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"

struct ccfc_roots {
	char **items; /* as they were named */
	uint32_t n, cap;
};

/*
 * Asks the daemon for them; the client is connected. Release it also after an
 * error.
 */
int ccfc_claude_roots_dirs_init(struct ccfc_roots *roots,
				const struct ccfc_cli *cli,
				struct ccfc_err *err);
void ccfc_claude_roots_dirs_release(struct ccfc_roots *roots);

/*
 * CCFC_EDENIED: the path is one of them or below, through any links; else 0.
 * `command` is for the message.
 */
int ccfc_claude_roots_dirs_refuse(const struct ccfc_roots *roots,
				  const char *command,
				  const struct ccfc_cwd *where,
				  const char *path, struct ccfc_err *err);

/* The same for `n` paths, or the error of the question. */
int ccfc_claude_roots_dirs_check(const struct ccfc_cli *cli,
				 const char *command,
				 const struct ccfc_cwd *where,
				 const char *const *paths, uint32_t n,
				 struct ccfc_err *err);

/* The same for one path and one directory, without asking the daemon. */
int ccfc_claude_roots_dirs_check_one(const char *command,
				     const struct ccfc_cwd *where,
				     const char *path, const char *root,
				     struct ccfc_err *err);

#endif
