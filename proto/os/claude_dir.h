/*
 * Claude Code's directories, as the environment and the config file name
 * them. The daemon reads them; nobody ever writes below one.
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
 * One more; a relative path is taken from the working directory, "~/x" from
 * the user's home. False, and none added: it is empty, or there is nothing to
 * take it from.
 */
bool ccfc_claude_roots_add(struct ccfc_claude_roots *roots, const char *path);

/*
 * $CLAUDE_CONFIG_DIR, which may be several with colons between; else
 * ~/.claude, or nothing where HOME is not set.
 */
void ccfc_claude_roots_add_default(struct ccfc_claude_roots *roots);

/* The same, and all that the user's config file names as far as it is right. */
void ccfc_claude_roots_add_all(struct ccfc_claude_roots *roots);

#endif
