/*
 * A request that a worker answers. The method fills in a struct of its own that
 * begins with a struct ccfc_deferred, hands it over, and returns what
 * ccfc_defer returned. `work` runs on a worker and sees only that struct.
 * `finish` runs on the core thread and packs the result; it may use the index.
 * If the peer has gone, the reply is dropped.
 */
#ifndef CCFC_SERVE_RPC_DEFER_H
#define CCFC_SERVE_RPC_DEFER_H

#include "serve/rpc/request.h"
#include "serve/rpc/worker.h"

struct ccfc_deferred {
	struct ccfc_job job;
	/* 0 or an error in `err`, which is then the reply. */
	int (*work)(struct ccfc_deferred *d, struct ccfc_err *err);
	/*
	 * Packs one value, as a method does; may be NULL, see `result`. May
	 * defer again and return the result of ccfc_defer.
	 */
	int (*finish)(struct ccfc_deferred *d, struct ccfc_request *rq,
		      struct ccfc_err *err);
	/* Frees `d` and its own members, on the core thread. `arena` and
	 * `result` are already released. */
	void (*release)(struct ccfc_deferred *d);
	struct ccfc_methods *methods;
	const char *method;
	uint32_t id;
	struct ccfc_options opt; /* slices live in `arena` */
	struct ccfc_arena arena; /* for the job */
	struct ccfc_buf result;	 /* without `finish`: the value, packed */
	size_t content_left, reading_left; /* copied from the request */
	/* copied from the request, in `arena` */
	ccfc_method_fn answered_by;
	const struct ccfc_period *spans;
	uint32_t nspans, anew;
	struct ccfc_err err;
	int r;
};

/*
 * Takes ownership of `d`, also on failure. Returns CCFC_DEFERRED or an error.
 * The caller has zeroed `d` and set work, finish and release; `arena` may be in
 * use. The other fields of struct ccfc_deferred are set here.
 */
int ccfc_defer(struct ccfc_request *rq, struct ccfc_deferred *d,
	       struct ccfc_err *err);

/*
 * The request as a worker may see it: without methods, service and index. The
 * caller adds them if it may use them. `pack` is not initialized.
 */
struct ccfc_request ccfc_deferred_request(struct ccfc_deferred *d,
					  struct ccfc_pack *pack);

/* --- for other executors (slices.c) --- */

/* Sets the fields that ccfc_defer sets. */
void ccfc_deferred_init(struct ccfc_deferred *d, const struct ccfc_request *rq);
/*
 * Sends the reply, or the error `r`. The server counts the reply as outstanding
 * until then.
 */
void ccfc_deferred_reply(struct ccfc_deferred *d);
void ccfc_deferred_release(struct ccfc_deferred *d);

#endif
