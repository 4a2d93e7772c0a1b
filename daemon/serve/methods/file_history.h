/*
 * The FileHistory of a reply: the sessions that changed a file, and their
 * changes. It is packed piece by piece, as a file may have many. On the core
 * thread and on workers; nothing here fails.
 */
#ifndef CCFC_SERVE_METHODS_FILE_HISTORY_H
#define CCFC_SERVE_METHODS_FILE_HISTORY_H

#include "serve/rpc/reply.h"

struct ccfc_file_history {
	struct ccfc_slice path;
	const struct ccfc_groups *groups; /* sessions, one at least */
	uint64_t offset, limit;		  /* of them: those that are shown */
	/* How far it is: */
	bool is_open;
	uint64_t session; /* the next one */
	uint32_t change;  /* of the session, the next one */
};

/* About `left` sessions and changes; true: there are more. */
bool ccfc_file_history_some(struct ccfc_request *rq,
			    struct ccfc_file_history *h, uint32_t left);
/* All at once. */
void ccfc_file_history_pack(struct ccfc_request *rq, struct ccfc_slice path,
			    const struct ccfc_groups *sessions, uint64_t offset,
			    uint64_t limit);

#endif
