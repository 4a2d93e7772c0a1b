/* The fields of a conflict, for replies and events. */
#ifndef CCFC_SERVE_METHODS_CONFLICT_LIST_H
#define CCFC_SERVE_METHODS_CONFLICT_LIST_H

#include "index/index.h"
#include "wire/pack.h"

/* Packs these fields into an open map. */
void ccfc_reply_conflict(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_conflict *conflict);

#endif
