/*
 * The origin of a session: its directories, and whether its transcripts are the
 * user's own. Clients that write files need both. On a worker, with an excerpt
 * that has all transcripts of its sessions; nothing here fails.
 */
#ifndef CCFC_SERVE_HISTORY_TRANSCRIPT_ORIGIN_H
#define CCFC_SERVE_HISTORY_TRANSCRIPT_ORIGIN_H

#include "history/history.h"
#include "serve/rpc/request.h"

/* Results for sessions, kept during one request. */
struct ccfc_origins {
	struct ccfc_request *rq;
	const char **found; /* by session; NULL: not checked yet */
};

void ccfc_origins_init(struct ccfc_origins *o, struct ccfc_request *rq);

/*
 * Packs `origin` of a session into an open map: {directories, own, why}. `own`
 * is nil if it is no longer known.
 */
void ccfc_reply_origin(struct ccfc_origins *o, uint32_t session);

/*
 * `foreign`: why one of the sessions behind a chain's states is not the user's;
 * nil: none is known to be foreign.
 */
void ccfc_reply_foreign(struct ccfc_origins *o, const struct ccfc_chain *chain);

#endif
