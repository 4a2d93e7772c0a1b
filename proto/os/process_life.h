/*
 * Whether another process lives: the one that is meant, and not a later one
 * that has got its number.
 */
#ifndef CCFC_OS_PROCESS_LIFE_H
#define CCFC_OS_PROCESS_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct ccfc_process_start {
	uint64_t ticks; /* since the system started; 0: not known */
	int64_t time;	/* in ms since 1970, about; 0: not known */
};

/* False when there is no such process, or it has ended and nobody waited. */
bool ccfc_process_started(struct ccfc_process_start *out, long pid);

/*
 * A descriptor that becomes readable when the process ends; -1 where the
 * system has none.
 */
int ccfc_process_fd(long pid);
/* Is that descriptor readable? False of -1. */
bool ccfc_process_is_over(int fd);

#endif
