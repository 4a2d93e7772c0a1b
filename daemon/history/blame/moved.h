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
	struct ccfc_map map; /* → the first removed line with that text */
	const struct ccfc_line_owners *carry;
	uint32_t from;	/* the first removed line */
	uint32_t *same; /* the next line with the same text, or ID_NONE */
	bool *gone;	/* removed, and not found elsewhere so far */
	uint32_t n;	/* length of `same` and `gone` */
};

/*
 * Notes the lines that the blocks remove. All but the map is in the carry's
 * arena.
 */
void ccfc_moved_init(struct ccfc_moved *moved, struct ccfc_line_owners *carry,
		     const struct ccfc_block *blocks, uint32_t n);
void ccfc_moved_release(struct ccfc_moved *moved);

/*
 * The number of leading `lines` that were removed as a block elsewhere, from
 * line *at on. They are not found a second time. 0: too few to decide.
 */
uint32_t ccfc_moved_take(struct ccfc_moved *moved,
			 const struct ccfc_slice *lines, uint32_t n,
			 uint32_t *at);

#endif
