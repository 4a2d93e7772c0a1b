/*
 * The rows of conflicts. A row stays when the conflict turns out to be none, so
 * that whoever was told of it can be told. For conflict/ only.
 */
#ifndef CCFC_INDEX_CONFLICT_CONFLICT_ROWS_H
#define CCFC_INDEX_CONFLICT_CONFLICT_ROWS_H

#include "index/index_internal.h"

/* Are they of the same two sessions? */
bool ccfc_conflict_is_same_pair(const struct ccfc_conflict *a,
				const struct ccfc_conflict *b);

/* The row that is of the same as `like`, or CCFC_ID_NONE. */
uint32_t ccfc_conflict_find(const struct ccfc_index *index,
			    const struct ccfc_conflict *like);
/* CCFC_ID_NONE: the change has none of its own. */
uint32_t ccfc_conflict_find_own(const struct ccfc_index *index,
				uint32_t change);
/* One of the file's rows, the others follow by `next`; or CCFC_ID_NONE. */
uint32_t ccfc_conflict_rows(const struct ccfc_index *index, uint32_t file);

uint32_t ccfc_conflict_add(struct ccfc_index *index,
			   const struct ccfc_conflict *row);
/*
 * A conflict is this now. Whoever was told of it is told if its kind has
 * changed, or if it is none any more.
 */
void ccfc_conflict_set(struct ccfc_index *index, uint32_t row,
		       const struct ccfc_conflict *now);
/* As ccfc_conflict_set, of the row that there is, or of a new one. */
uint32_t ccfc_conflict_put(struct ccfc_index *index,
			   const struct ccfc_conflict *now);
void ccfc_conflict_end(struct ccfc_index *index, uint32_t row);
/* If it waits for a line of a session, that session knows it from now on. */
void ccfc_conflict_wait(struct ccfc_index *index, uint32_t row);

#endif
