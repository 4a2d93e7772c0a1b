/*
 * One daemon per state directory: an flock on <dir>/ccfcd.lock, held for as
 * long as the descriptor lives. The file stays; its content is described in
 * os/holder.h.
 */
#ifndef CCFC_STORE_LOCK_H
#define CCFC_STORE_LOCK_H

#include "base/err.h"

#include <stdbool.h>

/*
 * The descriptor of the lock; CCFC_EBUSY: another daemon has it (its pid in
 * *pid, 0 if unknown). Makes the directory (0700) if necessary.
 */
int ccfc_lock_take(const char *dir, long *pid, struct ccfc_err *err);

/*
 * Is the lock still that of the directory? Not if the directory or the file was
 * removed, moved or replaced: then others can take a new lock.
 */
bool ccfc_lock_is_there(int fd, const char *dir);

#endif
