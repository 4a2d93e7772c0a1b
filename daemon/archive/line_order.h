/*
 * In which order the lines of a segment are stored. Calls of tools that can
 * change files, results that show such changes, Reads of the same files, and
 * prompts come first, those of one file side by side: a question about a file
 * reads few others. The segment is stored in parts (blobs/blobs.h), so that a
 * reader decompresses little else.
 *
 * A segment with `runs` is stored as a table of its runs (consecutive lines of
 * one file), the bytes of the runs, and the other bytes in the order of the
 * transcript. The table and the prompts are in the first part, without prompts
 * the table and lines of changes; the other bytes are the last part. Without
 * runs a segment is stored as it is. The order follows from the bytes of the
 * segment alone, so that the same lines of two transcripts are stored once.
 */
#ifndef CCFC_ARCHIVE_LINE_ORDER_H
#define CCFC_ARCHIVE_LINE_ORDER_H

#include "base/buf.h"
#include "blobs/blobs.h"

#include <stdint.h>

/*
 * The bytes of a run in the table: where it is in the segment, the length of
 * all runs up to its end, and where it is among the stored runs. Earlier
 * versions stored the runs in the order of the segment, without the last
 * number.
 */
#define CCFC_LINE_ORDER_RUN	12u
#define CCFC_LINE_ORDER_OLD_RUN 8u

/* A segment as it is stored. */
struct ccfc_ordered {
	const char *bytes;
	size_t len; /* of the segment, without the table */
	uint32_t runs;
	uint32_t run_size; /* in the table */
};

/* A part of the segment that is in one piece in the stored bytes. */
struct ccfc_ordered_piece {
	size_t from; /* in the stored bytes */
	size_t len;
};

static inline size_t ccfc_ordered_table(const struct ccfc_ordered *stored)
{
	return (size_t)stored->runs * stored->run_size;
}

/* A segment with so many runs has at most so many bytes as it is stored. */
static inline size_t ccfc_ordered_max(size_t len, uint32_t runs)
{
	return len + (size_t)runs * CCFC_LINE_ORDER_RUN;
}

/*
 * Sets the size of the runs, from the length of the stored bytes; false: it is
 * not a length that a segment with these runs can have.
 */
bool ccfc_ordered_measure(struct ccfc_ordered *stored, size_t stored_len);

/*
 * Appends the bytes as they are to be stored, in these parts, and returns how
 * many runs there are; without runs there is one part.
 */
uint32_t ccfc_order_lines(struct ccfc_buf *out, struct ccfc_blob_parts *parts,
			  struct ccfc_slice segment);

/* Do these lines have no CCFC_ATTIC_NOTE (source/attic.h)? */
bool ccfc_lines_have_no_note(struct ccfc_slice lines);

/* Is the table one that ccfc_order_lines can have made? Reads only the table.
 */
bool ccfc_ordered_is_valid(const struct ccfc_ordered *stored);

/*
 * What is stored of the segment from `at` < len on: in one part. Reads only the
 * table.
 */
struct ccfc_ordered_piece ccfc_ordered_find(const struct ccfc_ordered *stored,
					    size_t at);

/* Writes the segment in the order of the transcript. */
void ccfc_ordered_undo(char *to, const struct ccfc_ordered *stored);

#endif
