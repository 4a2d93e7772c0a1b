/*
 * Counting lines: how many a text has, and how many a change adds and
 * removes. A last line without a newline counts; the empty text has none.
 */
#ifndef CCFC_TRANSCRIPT_LINE_COUNT_H
#define CCFC_TRANSCRIPT_LINE_COUNT_H

#include "base/arena.h"

#include <stdint.h>

/* Lines of a text, and of a text that is still escaped as in JSON. */
int32_t ccfc_line_count(struct ccfc_slice text);
int32_t ccfc_line_count_raw(struct ccfc_slice raw);

/*
 * How many lines the smallest line diff from `old_text` to `new_text` adds
 * and removes. Texts whose differing middles are too big to compare (their
 * numbers of lines multiply to more than CCFC_LINES_PRODUCT) count as
 * rewritten between their common beginning and end. `arena` is for scratch.
 *
 * The product is taken off *budget, and without budget nothing is compared
 * either: a record begins with CCFC_LINES_BUDGET, so that thousands of edits
 * in one line cannot hold up the reader.
 */
void ccfc_line_count_diff(struct ccfc_arena *arena, uint64_t *budget,
			  struct ccfc_slice old_text,
			  struct ccfc_slice new_text, int32_t *added,
			  int32_t *removed);

#define CCFC_LINES_PRODUCT (4u << 20)
#define CCFC_LINES_BUDGET  (UINT64_C(8) * CCFC_LINES_PRODUCT)

#endif
