/*
 * Claude Code's directories, as named by the environment and the config file.
 * The daemon reads them; nothing ever writes below one.
 */
#ifndef CCFC_OS_CLAUDE_DIR_H
#define CCFC_OS_CLAUDE_DIR_H

#include <stdbool.h>
#include <stdint.h>

struct ccfc_claude_roots {
	char **items; /* absolute and normal, each once */
	uint32_t n, cap;
};

void ccfc_claude_roots_release(struct ccfc_claude_roots *roots);

/*
 * Adds one directory; a relative path is relative to the working directory,
 * "~/x" to the user's home. False: nothing was added, since the path is empty
 * or has no base.
 */
bool ccfc_claude_roots_add(struct ccfc_claude_roots *roots, const char *path);

/*
 * $CLAUDE_CONFIG_DIR, which may be a list separated by colons; else ~/.claude,
 * or nothing if HOME is not set.
 */
void ccfc_claude_roots_add_default(struct ccfc_claude_roots *roots);

/* The same, and all valid directories of the user's config file. */
void ccfc_claude_roots_add_all(struct ccfc_claude_roots *roots);

#endif
