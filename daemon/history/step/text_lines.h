/*
 * A text as lines without their newlines, and the one way in which the
 * client's patches show lines differently: each leading tab is folded into
 * two spaces.
 */
#ifndef CCFC_HISTORY_STEP_TEXT_LINES_H
#define CCFC_HISTORY_STEP_TEXT_LINES_H

#include "base/slice.h"

#include <stdint.h>

struct ccfc_text_lines {
	struct ccfc_slice *items; /* into the text */
	uint32_t n, cap;
	bool open; /* the last line has no newline */
};

/* Reuses the memory of `lines`; zeroed is fine at first. */
void ccfc_text_lines_read(struct ccfc_text_lines *lines,
			  struct ccfc_slice text);
void ccfc_text_lines_release(struct ccfc_text_lines *lines);

/* Is `shown`, a line of a patch without its sign, how `line` is shown? */
bool ccfc_line_shows(struct ccfc_slice shown, struct ccfc_slice line);

/* Are two lines shown alike, though one may have tabs for spaces? */
bool ccfc_line_shown_alike(struct ccfc_slice a, struct ccfc_slice b);

#endif
