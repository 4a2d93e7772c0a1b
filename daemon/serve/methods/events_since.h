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
	struct ccfc_filter filter; /* has no session */
	struct ccfc_slice path;
	struct ccfc_glob *glob;
	uint32_t session;
};

int ccfc_wish_init(struct ccfc_wish *wish, struct ccfc_request *rq,
		   struct ccfc_err *err);
void ccfc_wish_release(struct ccfc_wish *wish);
/*
 * A change that moved to another session also matches a filter for its old
 * session.
 */
bool ccfc_wish_accepts(const struct ccfc_wish *wish,
		       const struct ccfc_index *index,
		       const struct ccfc_event *event);
/*
 * The same for a sighting on disk: only the path and the project are checked.
 */
bool ccfc_wish_accepts_file(const struct ccfc_wish *w,
			    const struct ccfc_index *index, uint32_t file,
			    uint32_t session);

/* A conflict matches if its change does, for either of its two sessions. */
bool ccfc_wish_accepts_conflict(const struct ccfc_wish *wish,
				const struct ccfc_index *index,
				const struct ccfc_conflict *conflict);

/*
 * Packs the event as a map. Its last key is `subscription`, whose value the
 * caller packs.
 */
void ccfc_event_pack(struct ccfc_buf *out, const struct ccfc_index *index,
		     const struct ccfc_event *event);

/* A subscription that starts at the end of the answer. */
struct ccfc_follower {
	struct ccfc_subscription *subscription;
	const struct ccfc_wish *wish; /* belongs to the subscription */
	int64_t id;		      /* sent with each event */
	/*
	 * Called when all events up to now are in the answer. Takes ownership
	 * of `subscription` and sets it to NULL, or returns an error, which
	 * becomes the answer.
	 */
	int (*follow)(struct ccfc_request *rq, struct ccfc_follower *follower,
		      struct ccfc_err *err);
	/* Frees a subscription that `follow` did not take. */
	void (*release)(struct ccfc_subscription *subscription);
};

/*
 * Answers, in slices, with at most opt.limit events after opt.clock: the keys
 * fresh, events and clock. The clock is the last event's, or the answer's if it
 * has all events. Without a follower (NULL) the options are the filter. Returns
 * the method's result.
 */
int ccfc_events_since(struct ccfc_request *rq,
		      const struct ccfc_follower *follower);

#endif
