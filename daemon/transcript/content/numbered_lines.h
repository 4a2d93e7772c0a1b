/*
 * The text of a file from the output of Read, in which each line has its number
 * in front. Pure.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_NUMBERED_LINES_H
#define CCFC_TRANSCRIPT_CONTENT_NUMBERED_LINES_H

#include "base/arena.h"

/*
 * The text that `shown` numbers, in `arena`. False when it is not, for sure,
 * all of a file: it does not begin with line 1, a number is missing, the
 * client may have cut a line or the end, or something unknown stands behind.
 */
bool ccfc_numbered_lines_text(struct ccfc_slice *text, struct ccfc_slice shown,
			      struct ccfc_arena *arena);

#endif
