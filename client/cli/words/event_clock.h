/*
 * Clocks of events, "epoch:seq". Each event has its own clock, and within an
 * epoch clocks grow: an event that is not after the last one was already seen.
 */
#ifndef CCFC_CLI_WORDS_EVENT_CLOCK_H
#define CCFC_CLI_WORDS_EVENT_CLOCK_H

#include "base/slice.h"

#include <stdint.h>

#define CCFC_CLOCK_MAX 64

struct ccfc_event_clock {
	char text[CCFC_CLOCK_MAX]; /* terminated */
	size_t epoch_len;
	uint64_t seq;
};

/* False: `s` is not a clock. */
bool ccfc_event_clock_parse(struct ccfc_event_clock *clock,
			    struct ccfc_slice s);

/* Is `clock` after `last`? A clock of another epoch always is. */
bool ccfc_event_clock_after(const struct ccfc_event_clock *clock,
			    const struct ccfc_event_clock *last);

#endif
