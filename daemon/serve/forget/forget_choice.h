/*
 * The items that a request to forget selects: sessions, transcripts, files.
 * Core thread.
 */
#ifndef CCFC_SERVE_FORGET_FORGET_CHOICE_H
#define CCFC_SERVE_FORGET_FORGET_CHOICE_H

#include "serve/rpc/request.h"

struct ccfc_forget_choice {
	struct ccfc_ids sessions;
	struct ccfc_ids files;
	struct ccfc_ids sources; /* sources that are not read any more */
	struct ccfc_slice below; /* a project; in the request's arena */
	int64_t before;		 /* CCFC_TIME_NONE: no limit */
	uint64_t changes;
	uint64_t bytes; /* that were read of the sources */
};

/*
 * CCFC_EINVAL: not exactly one thing was given; CCFC_ENOTFOUND: no such
 * session, or nothing to forget. The caller releases it in any case.
 */
int ccfc_forget_choose(struct ccfc_forget_choice *out, struct ccfc_request *rq,
		       struct ccfc_err *err);
void ccfc_forget_choice_release(struct ccfc_forget_choice *choice);

#endif
