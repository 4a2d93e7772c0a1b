/* Paths that the index knows, for completions. */
#ifndef CCFC_CLI_COMPLETE_COMPLETE_PATH_H
#define CCFC_CLI_COMPLETE_COMPLETE_PATH_H

#include "cli/complete/complete.h"
#include "cli/frame/cwd.h"

#include <ccfc/client.h>

/*
 * Adds paths that continue the prefix by one component, as shells list files:
 * files, and directories with a "/". Paths on disk are left to the shell.
 */
void ccfc_complete_paths(struct ccfc_candidates *to, struct ccfc_client *client,
			 const struct ccfc_cwd *where);

#endif
