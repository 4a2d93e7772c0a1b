/*
 * A request that the core thread answers in slices: some steps, then others are
 * served, then some more. A slice ends after a number of steps, after some
 * milliseconds, or as soon as somebody waits.
 *
 * The work goes by the index as it is, so it starts over when something was
 * applied to the index in between, and the answer is that of one moment. The
 * fourth start is not given up, so that the work always ends. What follows then
 * is the method's choice (`goes_on`): the rest in one piece, or slice by slice
 * as before, where each row counts as it stands when its turn comes.
 *
 * The method fills in its own struct that begins with a struct ccfc_sliced, and
 * returns the result of ccfc_slice_up. If the peer is gone, the request is
 * dropped.
 *
 * Four requests are under way at a time, one of each connection; they take
 * turns. The others have gathered nothing yet. Core thread.
 */
#ifndef CCFC_SERVE_RPC_SLICES_H
#define CCFC_SERVE_RPC_SLICES_H

#include "serve/rpc/defer.h"

struct ccfc_sliced {
	/* `finish` packs the result, `release` frees the struct. */
	struct ccfc_deferred d;
	/*
	 * A little of the work, some tenths of a millisecond. CCFC_DEFERRED:
	 * there is more; 0: `finish` may come; or an error.
	 */
	int (*step)(struct ccfc_sliced *s, const struct ccfc_index *index,
		    struct ccfc_err *err);
	/*
	 * The work starts over: drops the results of the steps. `memory` is
	 * already empty.
	 */
	void (*reset)(struct ccfc_sliced *s);
	/*
	 * The fourth start lives with a changing index: rows are added to its
	 * tables and change, none is removed, and arrays move. Strings stay
	 * where they are. Otherwise the fourth start is one piece.
	 */
	bool goes_on;
	struct ccfc_arena memory; /* what steps gather */
	/* When the work was started last. */
	struct ccfc_clock clock;
	struct ccfc_scan_progress progress;
	/* slices.c's own: */
	uint64_t revision; /* the index's that was gathered from */
	uint32_t starts;   /* 0: not begun */
	bool held;	   /* not to be begun: its peer does not read */
	struct ccfc_sliced *next;
};

/*
 * Takes `s` over, and returns CCFC_DEFERRED. `s` was zeroed; step, reset,
 * d.finish and d.release are set, and d.arena may be in use. Does the first
 * slice, and sends the reply if that was all.
 */
int ccfc_slice_up(struct ccfc_request *rq, struct ccfc_sliced *s);

/*
 * For steps: the request again, as of the last start. Its arena is `d.arena`,
 * which stays when the work starts over: for what the options say. What is
 * packed into `pack` is the reply if there is no `finish`, and gone when the
 * work starts over. All that was known by the time of its clock
 * (ccfc_reply_asked) is in the answer.
 */
void ccfc_sliced_request(struct ccfc_request *out, struct ccfc_pack *pack,
			 struct ccfc_sliced *s);

/* How many are under way, and how many wait to begin. */
void ccfc_slices_count(const struct ccfc_methods *m, uint32_t *running,
		       uint32_t *waiting);
/* The peer went away. */
void ccfc_slices_closed(struct ccfc_methods *m, uint64_t conn);
/* Holds back (true) or releases the requests of a connection. */
void ccfc_slices_hold(struct ccfc_methods *m, uint64_t conn, bool hold);
void ccfc_slices_release(struct ccfc_methods *m);

#endif
