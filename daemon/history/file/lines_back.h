/*
 * The lines of a transcript from some place on backwards, the last one first.
 */
#ifndef CCFC_HISTORY_FILE_LINES_BACK_H
#define CCFC_HISTORY_FILE_LINES_BACK_H

#include "base/buf.h"
#include "source/tail.h"

struct ccfc_lines_back {
	struct ccfc_tail *tail;
	const char *path;
	uint32_t gen;	/* as for ccfc_tail_read_gen; the last at first */
	uint64_t floor; /* nothing in front of it is read */
	uint64_t start; /* of `bytes`, in the file */
	uint64_t read;	/* how much was, in all */
	size_t end;	/* of what was not given out yet, in `bytes` */
	size_t window;	/* how much to read at once */
	struct ccfc_buf bytes;
	bool cut; /* the floor lies within a line */
};

/*
 * From the line in front of `end`, where a line begins, to `floor`. `cut`: a
 * line that begins before the floor and ends after it is left out. `tail` and
 * `path` are borrowed.
 */
void ccfc_lines_back_init(struct ccfc_lines_back *back, struct ccfc_tail *tail,
			  const char *path, uint64_t end, uint64_t floor,
			  bool cut);
void ccfc_lines_back_release(struct ccfc_lines_back *back);

/*
 * The next line (without its newline, padded as the parser needs it), valid
 * until the next call, and where it begins. False: at the floor, the file
 * cannot be read, or a line is longer than half of the tail's limit.
 */
bool ccfc_lines_back_next(struct ccfc_lines_back *back, struct ccfc_slice *line,
			  uint64_t *offset);

#endif
