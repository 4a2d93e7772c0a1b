/*
 * The core: one thread that owns the index. It sleeps in poll() until the
 * watcher, a client or a signal needs it. An idle daemon only wakes up to poll
 * directories that cannot be watched, and to try failed reads again.
 */
#ifndef CCFC_LOOP_H
#define CCFC_LOOP_H

#include "base/err.h"
#include "config.h"

/*
 * Runs the daemon until it must stop. The caller holds the lock of the state
 * directory; if that is removed, *lock becomes the descriptor of a new lock.
 * Blocks its signals (signals.h) in all threads.
 */
int ccfc_loop_run(const struct ccfc_config *config, int *lock,
		  struct ccfc_err *err);

#endif
