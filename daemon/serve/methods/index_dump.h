/* index.dump: what index_dump.c and index_dump_messages.c share. */
#ifndef CCFC_SERVE_METHODS_INDEX_DUMP_H
#define CCFC_SERVE_METHODS_INDEX_DUMP_H

#include "index/totals.h"
#include "serve/rpc/reply.h"

/* Entries for all messages of models, calls and looks. */
void ccfc_dump_said(struct ccfc_request *rq);
/* A session's title, state and sums, into an open map. */
void ccfc_dump_tally(struct ccfc_pack *p, const struct ccfc_index *index,
		     uint32_t session, const struct ccfc_tally *tally);

#endif
