/*
 * A text as lines without their newlines. The client's patches show lines
 * differently in one way: each leading tab is folded into two spaces.
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

/* Reuses the memory of `lines`, which may be zeroed. */
void ccfc_text_lines_read(struct ccfc_text_lines *lines,
			  struct ccfc_slice text);
void ccfc_text_lines_release(struct ccfc_text_lines *lines);

/* Does a patch show `line` as `shown` (without the sign)? */
bool ccfc_line_shows(struct ccfc_slice shown, struct ccfc_slice line);

/* Do both lines look alike in a patch? One may have tabs for spaces. */
bool ccfc_line_shown_alike(struct ccfc_slice a, struct ccfc_slice b);

#endif
