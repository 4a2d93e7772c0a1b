/*
 * Who holds a state directory: the file ccfcd.lock in it, as the daemon writes
 * it and as its clients and a second daemon read it. Four lines: the daemon's
 * pid, its socket (empty: it does not listen yet, or not any more), how often
 * it has checked its socket, and why it cannot listen (empty: it can).
 *
 * The text is informative only. The kernel says which process is the daemon:
 * besides the flock that keeps others out (store/lock.h), the daemon has a
 * record lock on the file, and F_GETLK names its owner. Where the two kinds of
 * lock are one (BSD, macOS) no owner is named and no process is signalled.
 */
#ifndef CCFC_OS_HOLDER_H
#define CCFC_OS_HOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define CCFC_HOLDER_FILE "ccfcd.lock"

struct ccfc_holder {
	long pid; /* the process that holds the directory; 0: none, or not known
		   */
	uint64_t looks;
	char socket[128]; /* more than any socket's path */
	char why[CCFC_ERR_WHAT_MAX];
};

/* For the daemon: takes the record lock, after the first write. */
void ccfc_holder_claim(int fd);
/* Writes all four lines. `socket` and `why` may be NULL. */
void ccfc_holder_write(int fd, const char *socket, uint64_t looks,
		       const char *why);
/* The pid in the file, whoever wrote it; 0: none. */
long ccfc_holder_written(int fd);

/* Who holds the state directory `dir`; has no side effects. */
void ccfc_holder_read(struct ccfc_holder *out, const char *dir);

/*
 * Asks the holder of `dir` to check its socket: SIGHUP. False: `pid` does not
 * hold `dir` and got no signal.
 */
bool ccfc_holder_poke(const char *dir, long pid);

#endif
