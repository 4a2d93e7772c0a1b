/*
 * Finds, by raw bytes, the lines of a transcript that may match a pattern:
 * never too few, and seldom too many.
 */
#ifndef CCFC_SEARCH_RAW_LINES_H
#define CCFC_SEARCH_RAW_LINES_H

#include "search/byte_scan.h"
#include "search/match.h"

#include <stdint.h>

struct ccfc_raw_lines {
	struct ccfc_byte_scan scan;
	bool all;   /* the bytes do not help: every line may match */
	bool whole; /* the run is the whole pattern */
};

void ccfc_raw_lines_init(struct ccfc_raw_lines *raw,
			 const struct ccfc_pattern_want *want);

/*
 * A walk over `lines`: whole lines, the last with its newline too, and
 * CCFC_SCAN_SLACK readable bytes after them.
 */
struct ccfc_raw_lines_walk {
	const struct ccfc_raw_lines *raw;
	struct ccfc_slice lines;
	size_t at;
	/* ccfc_raw_lines_count is exact for strings of the current line */
	bool plain;
};

void ccfc_raw_lines_begin(struct ccfc_raw_lines_walk *walk,
			  const struct ccfc_raw_lines *raw,
			  struct ccfc_slice lines);
/* The next line that may match, without its newline; false at the end. */
bool ccfc_raw_lines_next(struct ccfc_raw_lines_walk *walk,
			 struct ccfc_slice *line);

/*
 * How often the pattern occurs in the text of a raw JSON string of a plain
 * line, at most `max`.
 */
uint32_t ccfc_raw_lines_count(const struct ccfc_raw_lines *raw,
			      struct ccfc_slice string, uint32_t max);

#endif
