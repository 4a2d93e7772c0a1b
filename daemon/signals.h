/*
 * The signals of ccfcd as bytes in a pipe: SIGTERM and SIGINT end it, SIGHUP
 * makes it look at everything again, its own socket first.
 *
 * They are blocked in every thread and taken by one that does nothing else, so
 * no handler ever runs: nothing is interrupted at a bad moment, and no signal
 * falls between a test and a poll().
 */
#ifndef CCFC_SIGNALS_H
#define CCFC_SIGNALS_H

#include "base/err.h"

/*
 * Blocks the signals and starts the thread that waits for them; call it
 * before anything else starts threads. Returns the descriptor to poll, or an
 * error. The thread stays for the life of the process. SIGPIPE is ignored.
 */
int ccfc_signals_start(struct ccfc_err *err);

/* The next signal that has come, or 0. Never blocks. */
int ccfc_signals_next(int fd);

#endif
