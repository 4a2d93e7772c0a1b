/*
 * The FileHistory of a reply: the sessions that changed a file, and their
 * changes. A file may have many, so it is packed piece by piece. On the core
 * thread and on workers; nothing here fails.
 */
#ifndef CCFC_SERVE_METHODS_FILE_HISTORY_H
#define CCFC_SERVE_METHODS_FILE_HISTORY_H

#include "serve/rpc/reply.h"

struct ccfc_file_history {
	struct ccfc_slice path;
	const struct ccfc_groups *groups; /* sessions, at least one */
	uint64_t offset, limit;		  /* the page of sessions */
	/* Progress: */
	bool is_open;
	uint64_t session; /* the next session */
	uint32_t change;  /* the next change of that session */
};

/* Packs about `left` sessions and changes; true: there are more. */
bool ccfc_file_history_some(struct ccfc_request *rq,
			    struct ccfc_file_history *h, uint32_t left);
/* Packs everything. */
void ccfc_file_history_pack(struct ccfc_request *rq, struct ccfc_slice path,
			    const struct ccfc_groups *sessions, uint64_t offset,
			    uint64_t limit);

#endif
