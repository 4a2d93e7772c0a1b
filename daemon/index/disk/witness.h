/*
 * Events of clients on a file, and the changes of file tools that they belong
 * to. For disk/ only.
 */
#ifndef CCFC_INDEX_DISK_WITNESS_H
#define CCFC_INDEX_DISK_WITNESS_H

#include "index/index_internal.h"
#include "index/query/query.h"

/*
 * A session has written all lines that are this much older than its last one,
 * in ms.
 */
#define CCFC_WITNESS_GONE_ON (60 * 1000)

/* A change of a file tool, and when it may have written. */
struct ccfc_claim {
	struct ccfc_period when;
	struct ccfc_period sure; /* without what clocks may differ by */
	uint32_t change;
	bool taken;
};

struct ccfc_claims {
	struct ccfc_claim *items; /* ordered by beginning */
	uint32_t n, cap;
};

/* An event of a client, and the change that it is of, or ID_NONE. */
struct ccfc_trace {
	uint32_t event;
	uint32_t change;
};

/* A file that is judged. */
struct ccfc_traced {
	const struct ccfc_index *index;
	uint32_t file;
	struct ccfc_claims applied; /* changes that took effect, by results */
	struct ccfc_claims open;    /* calls without a result */
	struct ccfc_ids was;	    /* calls that had an event before */
	struct {
		struct ccfc_trace *items; /* the last event first */
		uint32_t n, cap;
	} traces;
};

static inline bool ccfc_trace_is(const struct ccfc_disk_event *event)
{
	return event->by && !event->gone;
}

/* The session of an event's client; 0: no line has named it. */
uint32_t ccfc_trace_session(const struct ccfc_index *index,
			    const struct ccfc_disk_event *event);

/* Pairs events with changes in `out`, whose index and file are set. */
void ccfc_traces_pair(struct ccfc_traced *out);
void ccfc_traces_release(struct ccfc_traced *traced);

/*
 * The only call that may have made an event without a result, and has made no
 * other event; CCFC_ID_NONE: there is none.
 */
uint32_t ccfc_traces_open(const struct ccfc_traced *traced, uint32_t trace);

#endif
