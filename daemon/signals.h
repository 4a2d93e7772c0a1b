/*
 * The signals of ccfcd as bytes in a pipe: SIGTERM and SIGINT end the daemon,
 * SIGHUP makes it check everything again, its own files first.
 *
 * The signals are blocked in every thread and received by a dedicated thread,
 * so no handler ever runs: nothing is interrupted, and no signal is lost
 * between a test and a poll().
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

/* The next pending signal, or 0. Never blocks. */
int ccfc_signals_next(int fd);

#endif
