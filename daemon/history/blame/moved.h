/*
 * Blocks of lines that one change removes in one place and adds in another:
 * they were moved, not written.
 */
#ifndef CCFC_HISTORY_BLAME_MOVED_H
#define CCFC_HISTORY_BLAME_MOVED_H

#include "base/map.h"
#include "diff/diff.h"
#include "history/blame/line_owners.h"

struct ccfc_moved {
	struct ccfc_map map; /* → the first removed line like it */
	const struct ccfc_line_owners *carry;
	uint32_t from;	/* the first line that was removed */
	uint32_t *same; /* the next one that is like it, or ID_NONE */
	bool *gone;	/* removed, and not yet found again */
	uint32_t n;	/* of both */
};

/* Notes the lines that the blocks remove. In the carry's arena, but the map. */
void ccfc_moved_init(struct ccfc_moved *moved, struct ccfc_line_owners *carry,
		     const struct ccfc_block *blocks, uint32_t n);
void ccfc_moved_release(struct ccfc_moved *moved);

/*
 * How many of `lines`, from the first on, were removed together elsewhere, and
 * *at from where; they are not found again. 0: too few to decide.
 */
uint32_t ccfc_moved_take(struct ccfc_moved *moved,
			 const struct ccfc_slice *lines, uint32_t n,
			 uint32_t *at);

#endif
