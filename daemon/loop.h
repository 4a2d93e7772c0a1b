/*
 * The core: one thread that owns the index. It sleeps in poll() until the
 * watcher, a client or a signal has something for it; idle means asleep.
 */
#ifndef CCFC_LOOP_H
#define CCFC_LOOP_H

#include "base/err.h"
#include "config.h"

/*
 * Runs the daemon until it is told to stop. The caller holds the lock of the
 * state directory; should that be removed, *lock becomes the descriptor of a
 * new one. Blocks signals for every thread but itself.
 */
int ccfc_loop_run(const struct ccfc_config *config, int *lock,
		  struct ccfc_err *err);

#endif
