/*
 * Arguments that are missing or mean several things: on a terminal the caller
 * chooses, and the command runs with the choice.
 */
#ifndef CCFC_CLI_FRAME_UNCLEAR_H
#define CCFC_CLI_FRAME_UNCLEAR_H

#include "cli/frame/cli.h"

/* The first kind of argument in a usage line: "SESSION", "FILE"; its length. */
const char *ccfc_unclear_argument(const struct ccfc_command *command, int *len);

/*
 * Fills in a missing first argument: "@" for a command about sessions, or one
 * that the caller chooses. False: it stays missing.
 */
bool ccfc_unclear_fill(struct ccfc_cli *cli, const struct ccfc_command *command,
		       struct ccfc_opts *opts, char **owned);

/*
 * After CCFC_EAMBIGUOUS about a session or a file's name: lists the candidates,
 * and replaces the word by the chosen one. `listed`: the error need not name
 * the candidates again.
 */
bool ccfc_unclear_choose(struct ccfc_cli *cli, const struct ccfc_err *err,
			 struct ccfc_opts *opts, char **owned, bool *listed);

#endif
