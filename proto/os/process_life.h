/*
 * Whether another process is alive: the same process, not a later one with its
 * number.
 */
#ifndef CCFC_OS_PROCESS_LIFE_H
#define CCFC_OS_PROCESS_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct ccfc_process_start {
	uint64_t ticks; /* since the system started; 0: not known */
	int64_t time;	/* in ms since 1970, about; 0: not known */
};

/*
 * False if there is no such process, or if it has ended and its parent has not
 * waited.
 */
bool ccfc_process_started(struct ccfc_process_start *out, long pid);

/*
 * A descriptor that becomes readable when the process ends; -1 if the system
 * has none.
 */
int ccfc_process_fd(long pid);
/* Is that descriptor readable? False for -1. */
bool ccfc_process_is_over(int fd);

#endif
