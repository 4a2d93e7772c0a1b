/*
 * Carrying over what a damaged store knows into a new one; see import.h for
 * what is saved. Within store/ only. Core thread, while the store is closed.
 */
#ifndef CCFC_STORE_SALVAGE_SALVAGE_H
#define CCFC_STORE_SALVAGE_SALVAGE_H

#include "store/store.h"

/*
 * Makes a new store out of the damaged one and lets them change places. The
 * new one is whole before the other is moved: whenever we are killed,
 * ccfc_salvage_finish at the next start has one of the two, and never none.
 */
int ccfc_salvage(const char *dir, const char *home, struct ccfc_err *err);

/* Ends what a salvage that was cut off began, either way. */
int ccfc_salvage_finish(const char *dir, struct ccfc_err *err);

/*
 * Takes over what stores know that were put aside and never saved, as older
 * versions did: sources that are nowhere else. *some: there was such a store.
 */
int ccfc_salvage_old(struct ccfc_store *store, struct ccfc_index *index,
		     bool *some, struct ccfc_err *err);

#endif
