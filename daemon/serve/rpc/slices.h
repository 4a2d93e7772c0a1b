/*
 * A request that the core thread answers in slices: some steps, then others are
 * served, then some more. A slice ends after a number of steps, after some
 * milliseconds, or as soon as somebody waits.
 *
 * The answer is that of one moment: if the index changes between two slices,
 * the work starts over. The fourth start is kept, so that the work always ends.
 * The method chooses how the fourth start goes on (`goes_on`): the rest in one
 * piece, or in slices, where each row is read as it is at that time.
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
	 * Does a part of the work, some tenths of a millisecond. CCFC_DEFERRED:
	 * there is more; 0: `finish` is next; or an error.
	 */
	int (*step)(struct ccfc_sliced *s, const struct ccfc_index *index,
		    struct ccfc_err *err);
	/*
	 * Called when the work starts over: drops the results of all steps.
	 * `memory` is already empty.
	 */
	void (*reset)(struct ccfc_sliced *s);
	/*
	 * The fourth start accepts that the index changes: rows are added and
	 * changed, none is removed, arrays move, strings stay. If false, the
	 * fourth start is done without a pause.
	 */
	bool goes_on;
	struct ccfc_arena memory; /* for what the steps gather */
	/* As of the last start. */
	struct ccfc_clock clock;
	struct ccfc_scan_progress progress;
	/* Used by slices.c: */
	uint64_t revision; /* of the index at the last start */
	uint32_t starts;   /* 0: not started */
	bool held;	   /* not to be started: its peer does not read */
	struct ccfc_sliced *next;
};

/*
 * Takes ownership of `s` and returns CCFC_DEFERRED. The caller has zeroed `s`
 * and set step, reset, d.finish and d.release; d.arena may be in use. Does the
 * first slice, and sends the reply if that completes the work.
 */
int ccfc_slice_up(struct ccfc_request *rq, struct ccfc_sliced *s);

/*
 * For steps: the request, as of the last start. Its arena is `d.arena`, which
 * is kept when the work starts over: use it for what depends on the options
 * only. Without `finish`, the bytes in `pack` are the reply; they are dropped
 * when the work starts over. The answer has everything known at its clock
 * (ccfc_reply_asked).
 */
void ccfc_sliced_request(struct ccfc_request *out, struct ccfc_pack *pack,
			 struct ccfc_sliced *s);

/* The numbers of started requests and of waiting ones. */
void ccfc_slices_count(const struct ccfc_methods *m, uint32_t *running,
		       uint32_t *waiting);
/* The peer disconnected. */
void ccfc_slices_closed(struct ccfc_methods *m, uint64_t conn);
/* Holds back (true) or releases the requests of a connection. */
void ccfc_slices_hold(struct ccfc_methods *m, uint64_t conn, bool hold);
void ccfc_slices_release(struct ccfc_methods *m);

#endif
