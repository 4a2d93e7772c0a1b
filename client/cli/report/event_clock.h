/*
 * What `watch` has already printed, by the clocks of events, so that each
 * event is printed once although the same one may arrive twice: pushed by the
 * subscription, and in an answer to "since".
 *
 * Everything up to `done` is printed. Our daemon gives each event a clock of
 * its own; nothing is lost or doubled with one that gives a batch the same:
 * events of the clock that is being printed (`current`) are told apart by a
 * hash, and a question after a gap starts from `done`, not from `current`.
 */
#ifndef CCFC_CLI_REPORT_EVENT_CLOCK_H
#define CCFC_CLI_REPORT_EVENT_CLOCK_H

#include "base/map.h"
#include "base/slice.h"

#include <stdint.h>

#define CCFC_CLOCK_MAX 64

/* "epoch:seq", terminated, with its parts. */
struct ccfc_event_clock {
	char text[CCFC_CLOCK_MAX];
	size_t epoch_len;
	uint64_t seq;
};

struct ccfc_seen {
	struct ccfc_event_clock done, current;
	struct {
		uint64_t *items; /* events of `current` that were printed */
		uint32_t n, cap;
	} hashes;
	struct ccfc_map map; /* from a hash to its place in `hashes` */
};

/* False when `s` is no clock. */
bool ccfc_event_clock_parse(struct ccfc_event_clock *clock,
			    struct ccfc_slice s);

void ccfc_seen_init(struct ccfc_seen *seen);
void ccfc_seen_release(struct ccfc_seen *seen);

/* All that came up to `clock` is printed, or need not be. */
void ccfc_seen_complete(struct ccfc_seen *seen,
			const struct ccfc_event_clock *clock);

/* Is an event with this clock and hash new? It counts as printed then. */
bool ccfc_seen_add(struct ccfc_seen *seen, const struct ccfc_event_clock *clock,
		   uint64_t hash);

#endif
