/*
 * The rows of conflicts. A row stays when the conflict turns out to be none, so
 * that subscribers who know it can be notified. For conflict/ only.
 */
#ifndef CCFC_INDEX_CONFLICT_CONFLICT_ROWS_H
#define CCFC_INDEX_CONFLICT_CONFLICT_ROWS_H

#include "index/index_internal.h"

/* Are they of the same two sessions? */
bool ccfc_conflict_is_same_pair(const struct ccfc_conflict *a,
				const struct ccfc_conflict *b);

/* The row with the same subject as `like`, or CCFC_ID_NONE. */
uint32_t ccfc_conflict_find(const struct ccfc_index *index,
			    const struct ccfc_conflict *like);
/* CCFC_ID_NONE: the change has no conflict of its own. */
uint32_t ccfc_conflict_find_own(const struct ccfc_index *index,
				uint32_t change);
/* One of the file's rows, the others follow by `next`; or CCFC_ID_NONE. */
uint32_t ccfc_conflict_rows(const struct ccfc_index *index, uint32_t file);

uint32_t ccfc_conflict_add(struct ccfc_index *index,
			   const struct ccfc_conflict *row);
/*
 * Sets the current state of a conflict. Subscribers that were sent the conflict
 * are notified if its kind has changed or if it is no longer a conflict.
 */
void ccfc_conflict_set(struct ccfc_index *index, uint32_t row,
		       const struct ccfc_conflict *now);
/* As ccfc_conflict_set, for the existing row or a new one. */
uint32_t ccfc_conflict_put(struct ccfc_index *index,
			   const struct ccfc_conflict *now);
void ccfc_conflict_end(struct ccfc_index *index, uint32_t row);
/* If it waits for a line of a session, registers it with the session. */
void ccfc_conflict_wait(struct ccfc_index *index, uint32_t row);

#endif
