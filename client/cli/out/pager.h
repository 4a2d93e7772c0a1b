/*
 * The pager: $CCFC_PAGER, else $PAGER, else `less -FRX`. An empty value or
 * "cat" means no pager.
 */
#ifndef CCFC_CLI_OUT_PAGER_H
#define CCFC_CLI_OUT_PAGER_H

#include <sys/types.h>

/*
 * Starts the pager; the descriptor to write to, or -1: no pager. The caller
 * closes the descriptor, then waits.
 */
int ccfc_pager_start(pid_t *pid);
void ccfc_pager_wait(pid_t pid);

#endif
