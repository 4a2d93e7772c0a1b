/*
 * One daemon per state directory: an flock on <dir>/ccfcd.lock, held for as
 * long as the descriptor lives. The file stays; what it says is in
 * base/holder.h.
 */
#ifndef CCFC_STORE_LOCK_H
#define CCFC_STORE_LOCK_H

#include "base/err.h"

#include <stdbool.h>

/*
 * The descriptor of the lock; CCFC_EBUSY when another daemon has it (its pid
 * in *pid, 0 if unknown). Makes the directory (0700) if there is none.
 */
int ccfc_lock_take(const char *dir, long *pid, struct ccfc_err *err);

/*
 * Is the lock still that of the directory? Not when the directory or the file
 * was removed, moved or replaced: then others can take another one.
 */
bool ccfc_lock_is_there(int fd, const char *dir);

#endif
