/*
 * A transcript read in large pieces of whole lines. Opened read-only and never
 * blocking, read with pread, never mapped. One thread at a time.
 */
#ifndef CCFC_SEARCH_LINE_BLOCKS_H
#define CCFC_SEARCH_LINE_BLOCKS_H

#include "base/slice.h"
#include "source/input.h"

#include <stdint.h>

/* Readable bytes after every piece, which the parser may read. */
#define CCFC_PIECES_PADDING 64u

struct ccfc_line_blocks {
	struct ccfc_input in;
	uint64_t next; /* offset in the file of mem[end] */
	uint64_t stop; /* read up to here */
	size_t max_line;
	char *block, *mem; /* mem: the first page boundary of the block */
	size_t cap, pos, end;
	bool lost; /* something could not be read, or a line was too long */
};

void ccfc_line_blocks_init(struct ccfc_line_blocks *pieces, size_t max_line);
void ccfc_line_blocks_release(struct ccfc_line_blocks *pieces);

/*
 * Reads `path` up to `stop`, where a line or a record ends. False: there is no
 * such file, nor is it in the attic (may be NULL), or (pieces->lost) it cannot
 * be read.
 */
bool ccfc_line_blocks_open(struct ccfc_line_blocks *pieces,
			   const struct ccfc_attic *attic, const char *path,
			   uint64_t stop);
void ccfc_line_blocks_close(struct ccfc_line_blocks *pieces);

/* The next lines and where they begin in the file; false at the end. */
bool ccfc_line_blocks_next(struct ccfc_line_blocks *pieces,
			   struct ccfc_slice *lines, uint64_t *offset);

#endif
