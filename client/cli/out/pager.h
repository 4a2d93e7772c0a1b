/*
 * The pager: $CCFC_PAGER, else $PAGER, else `less -FRX`. An empty one or
 * "cat" means none.
 */
#ifndef CCFC_CLI_OUT_PAGER_H
#define CCFC_CLI_OUT_PAGER_H

#include <sys/types.h>

/*
 * Starts it; the fd to write to, or -1 when there is none to start. The
 * caller closes the fd, then waits.
 */
int ccfc_pager_start(pid_t *pid);
void ccfc_pager_wait(pid_t pid);

#endif
