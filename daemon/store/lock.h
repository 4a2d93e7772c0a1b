/*
 * One daemon per state directory: an flock on <dir>/ccfcd.lock, held for as
 * long as the descriptor lives. The file stays; it holds the owner's pid for
 * people to read.
 */
#ifndef CCFC_STORE_LOCK_H
#define CCFC_STORE_LOCK_H

#include "base/err.h"

/*
 * The descriptor of the lock; CCFC_EBUSY when another daemon has it (its pid
 * in *pid, 0 if unknown). Makes the directory (0700) if there is none.
 */
int ccfc_lock_take(const char *dir, long *pid, struct ccfc_err *err);

#endif
