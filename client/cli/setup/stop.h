/* Ends the daemon, for several commands. */
#ifndef CCFC_CLI_SETUP_STOP_H
#define CCFC_CLI_SETUP_STOP_H

#include "cli/frame/cli.h"

/*
 * Asks the daemon to end, and waits until it has. CCFC_EUNREACHABLE: none is
 * running. The connection is closed then.
 */
int ccfc_stop(struct ccfc_cli *cli, struct ccfc_err *err);

#endif
