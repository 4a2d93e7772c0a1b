/*
 * A text whose lines have owners, carried over to the next text: unchanged
 * lines keep their owner, new lines get the new owner. Pure functions over
 * texts; a step costs a copy of the text and of the list of lines.
 */
#ifndef CCFC_HISTORY_BLAME_LINE_OWNERS_H
#define CCFC_HISTORY_BLAME_LINE_OWNERS_H

#include "base/arena.h"
#include "base/buf.h"
#include "transcript/content/evidence.h"

struct ccfc_owned {
	uint32_t at;	 /* where the line begins in the text */
	uint32_t owner;	 /* a number of the caller's */
	uint32_t origin; /* the line's number when it was added, from 1 */
};

struct ccfc_owned_lines {
	struct ccfc_owned *items;
	uint32_t n, cap;
};

/* Zeroed, it is an empty text. The text has less than 4 GiB. */
struct ccfc_line_owners {
	struct ccfc_buf text;
	struct ccfc_owned_lines lines;
	struct ccfc_owned_lines spare; /* of the step before, for reuse */
	struct ccfc_arena arena;       /* of one step */
};

void ccfc_line_owners_release(struct ccfc_line_owners *carry);
/* `out` is an empty one. */
void ccfc_line_owners_copy(struct ccfc_line_owners *out,
			   const struct ccfc_line_owners *from);

/* Where line i begins; of the one behind the last, where the text ends. */
static inline uint32_t
ccfc_line_owners_start(const struct ccfc_line_owners *carry, uint32_t i)
{
	return i < carry->lines.n ? carry->lines.items[i].at
				  : (uint32_t)carry->text.len;
}

/* Line i, with its newline. */
struct ccfc_slice ccfc_line_owners_line(const struct ccfc_line_owners *carry,
					uint32_t i);

/*
 * The steps. Each swaps the texts: `text` holds the old one afterwards. With
 * `space`, a line that differs in white space only is the same.
 */

/* To any text that follows it. */
void ccfc_line_owners_diff(struct ccfc_line_owners *carry,
			   struct ccfc_buf *text, uint32_t owner, bool space);

/* To the text after one change; blocks that it moved keep their owner. */
void ccfc_line_owners_change(struct ccfc_line_owners *carry,
			     struct ccfc_buf *text, uint32_t owner, bool space);

/* The same, along the change's own patch if that leads there. */
void ccfc_line_owners_patch(struct ccfc_line_owners *carry,
			    struct ccfc_buf *text,
			    const struct ccfc_evidence *evidence,
			    uint32_t owner, bool space);

#endif
