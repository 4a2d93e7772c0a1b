/*
 * In which order the lines of a segment are stored. Calls of tools that can
 * change files, results that show such changes, Reads of the same files, and
 * prompts come first: questions about changes read few others, so that a reader
 * mostly decompresses only the first part of a segment.
 *
 * A segment with `runs` is stored as a table of its runs (consecutive lines
 * that come first), the bytes of the runs, and the other bytes, both in the
 * order of the transcript. Without runs it is stored as it is. The order
 * follows from the bytes of the segment alone, so that the same lines of two
 * transcripts are stored once.
 */
#ifndef CCFC_ARCHIVE_LINE_ORDER_H
#define CCFC_ARCHIVE_LINE_ORDER_H

#include "base/buf.h"

#include <stdint.h>

/* The bytes of a run in the table: where it is in the segment, and where it
 * ends among the runs. */
#define CCFC_LINE_ORDER_RUN 8u

/* A segment as it is stored. */
struct ccfc_ordered {
	const char *bytes;
	size_t len; /* of the segment, without the table */
	uint32_t runs;
};

/* A part of the segment that is in one piece in the stored bytes. */
struct ccfc_ordered_piece {
	size_t from; /* in the stored bytes */
	size_t len;
};

static inline size_t ccfc_ordered_table(uint32_t runs)
{
	return (size_t)runs * CCFC_LINE_ORDER_RUN;
}

/*
 * Appends the bytes as they are to be stored, and returns how many runs there
 * are. *first: where the runs end in the stored bytes; without runs, 0.
 */
uint32_t ccfc_order_lines(struct ccfc_buf *out, size_t *first,
			  struct ccfc_slice segment);

/* Is the table one that ccfc_order_lines can have made? Reads only the table.
 */
bool ccfc_ordered_is_valid(const struct ccfc_ordered *stored);

/* What is stored of the segment from `at` < len on. Reads only the table. */
struct ccfc_ordered_piece ccfc_ordered_find(const struct ccfc_ordered *stored,
					    size_t at);

/* Writes the segment in the order of the transcript. */
void ccfc_ordered_undo(char *to, const struct ccfc_ordered *stored);

#endif
