/* The lines of a transcript backwards from some place, the last one first. */
#ifndef CCFC_HISTORY_FILE_LINES_BACK_H
#define CCFC_HISTORY_FILE_LINES_BACK_H

#include "base/buf.h"
#include "source/tail.h"

struct ccfc_lines_back {
	struct ccfc_tail *tail;
	const char *path;
	uint32_t gen;	/* as for ccfc_tail_read_gen; initially the last one */
	uint64_t floor; /* bytes before it are not read */
	uint64_t start; /* file offset of `bytes` */
	uint64_t read;	/* bytes read in all */
	size_t end;	/* end, in `bytes`, of what was not returned yet */
	size_t window;	/* bytes to read at once */
	struct ccfc_buf bytes;
	bool cut; /* the floor lies inside a line */
};

/*
 * Reads from the line before `end`, a line's start, down to `floor`. `cut`: a
 * line that begins before the floor and ends after it is skipped. `tail` and
 * `path` are borrowed.
 */
void ccfc_lines_back_init(struct ccfc_lines_back *back, struct ccfc_tail *tail,
			  const char *path, uint64_t end, uint64_t floor,
			  bool cut);
void ccfc_lines_back_release(struct ccfc_lines_back *back);

/*
 * The next line (without its newline, padded for the parser) and its offset,
 * valid until the next call. False: the floor is reached, the file cannot be
 * read, or a line is longer than half of the tail's limit.
 */
bool ccfc_lines_back_next(struct ccfc_lines_back *back, struct ccfc_slice *line,
			  uint64_t *offset);

#endif
