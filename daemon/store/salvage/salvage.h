/*
 * Copies the readable rows of a damaged store into a new one; see import.h.
 * Within store/ only. Core thread, while the store is closed.
 */
#ifndef CCFC_STORE_SALVAGE_SALVAGE_H
#define CCFC_STORE_SALVAGE_SALVAGE_H

#include "store/store.h"

/*
 * Makes a new store from the damaged one and exchanges them. The new store is
 * complete before the old one is moved: after a kill at any time,
 * ccfc_salvage_finish at the next start finds one of the two.
 */
int ccfc_salvage(const char *dir, const char *home, struct ccfc_err *err);

/* Completes or undoes an interrupted salvage. */
int ccfc_salvage_finish(const char *dir, struct ccfc_err *err);

/*
 * Copies sources that no other store has, from stores that were moved aside and
 * not copied yet. *some: there were such sources.
 */
int ccfc_salvage_old(struct ccfc_store *store, struct ccfc_index *index,
		     bool *some, struct ccfc_err *err);

#endif
