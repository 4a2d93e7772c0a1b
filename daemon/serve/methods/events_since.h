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

/* A subscription that begins where the answer ends. */
struct ccfc_follower {
	struct ccfc_subscription *subscription;
	const struct ccfc_wish *wish; /* the subscription's */
	int64_t id;		      /* named in each event */
	/*
	 * Called in the turn in which all events are in the answer. Takes
	 * `subscription` over and sets it to NULL, or returns an error, which
	 * is the answer then.
	 */
	int (*follow)(struct ccfc_request *rq, struct ccfc_follower *follower,
		      struct ccfc_err *err);
	/* Frees a subscription that `follow` did not take. */
	void (*release)(struct ccfc_subscription *subscription);
};

/*
 * Answers with the events after opt.clock, at most opt.limit, in slices: the
 * keys fresh, events and clock. The clock is that of the last event, or of the
 * answer if it has all events. Without a follower (NULL) the filter is that of
 * the options. Returns the method's result.
 */
int ccfc_events_since(struct ccfc_request *rq,
		      const struct ccfc_follower *follower);

#endif
