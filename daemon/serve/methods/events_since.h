/*
 * Events: filters, and packing. For events.since and for subscriptions. Core
 * thread.
 */
#ifndef CCFC_SERVE_METHODS_EVENTS_SINCE_H
#define CCFC_SERVE_METHODS_EVENTS_SINCE_H

#include "serve/rpc/request.h"

/*
 * A filter. Owns its memory, so that it can outlive the request. A path without
 * pattern characters means the file, or everything below a directory.
 */
struct ccfc_wish {
	struct ccfc_arena arena;
	struct ccfc_filter filter; /* without the session */
	struct ccfc_slice path;
	struct ccfc_glob *glob;
	uint32_t session;
};

int ccfc_wish_init(struct ccfc_wish *wish, struct ccfc_request *rq,
		   struct ccfc_err *err);
void ccfc_wish_release(struct ccfc_wish *wish);
/* Subscribers of a session also get a change that left the session. */
bool ccfc_wish_accepts(const struct ccfc_wish *wish,
		       const struct ccfc_index *index,
		       const struct ccfc_event *event);
/* The same of what was seen on disk: of its place only. */
bool ccfc_wish_accepts_file(const struct ccfc_wish *w,
			    const struct ccfc_index *index, uint32_t file,
			    uint32_t session);

/* A conflict counts as its change does, for both of its sessions. */
bool ccfc_wish_accepts_conflict(const struct ccfc_wish *wish,
				const struct ccfc_index *index,
				const struct ccfc_conflict *conflict);

/*
 * The event as a map whose last value, that of the key `subscription`, is
 * packed by the caller.
 */
void ccfc_event_pack(struct ccfc_buf *out, const struct ccfc_index *index,
		     const struct ccfc_event *event);

/*
 * Packs the keys fresh, clock and events: the events after `since`, at most
 * `limit`. The clock is that of the last packed event, or the present one if
 * all were packed. `sub` is the subscription named in each, 0 for nil.
 */
void ccfc_events_since(struct ccfc_request *rq, const struct ccfc_wish *wish,
		       int64_t sub);

#endif
