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
	uint32_t at;	 /* offset of the line in the text */
	uint32_t owner;	 /* chosen by the caller */
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
	struct ccfc_owned_lines spare; /* memory of the previous step, reused */
	struct ccfc_arena arena;       /* for one step */
};

void ccfc_line_owners_release(struct ccfc_line_owners *carry);
/* `out` is zeroed. */
void ccfc_line_owners_copy(struct ccfc_line_owners *out,
			   const struct ccfc_line_owners *from);

/* The offset of line i; for i = number of lines, the end of the text. */
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
 * The steps. Each swaps the texts: afterwards `text` has the old one. With
 * `space`, lines that differ in white space only are equal.
 */

/* Steps to any later text. */
void ccfc_line_owners_diff(struct ccfc_line_owners *carry,
			   struct ccfc_buf *text, uint32_t owner, bool space);

/*
 * Steps to the text after one change. Blocks that the change moved keep their
 * owner.
 */
void ccfc_line_owners_change(struct ccfc_line_owners *carry,
			     struct ccfc_buf *text, uint32_t owner, bool space);

/* The same, by the change's own patch if that leads to the text. */
void ccfc_line_owners_patch(struct ccfc_line_owners *carry,
			    struct ccfc_buf *text,
			    const struct ccfc_evidence *evidence,
			    uint32_t owner, bool space);

#endif
