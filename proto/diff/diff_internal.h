/*
 * The inside of ccfc_diff, for the diff*.c files only. Each stage works on one
 * flag for each line: "is not in the other text".
 */
#ifndef CCFC_DIFF_DIFF_INTERNAL_H
#define CCFC_DIFF_DIFF_INTERNAL_H

#include "base/arena.h"

#include <stdint.h>

/* changed[-1] and changed[n] exist too, and are always false. */
struct ccfc_diff_text {
	const struct ccfc_slice *lines;
	uint32_t n;
	bool *changed;
};

/*
 * Lines as numbers: equal lines have equal ids. `at` is the original position.
 */
struct ccfc_diff_ids {
	uint32_t *ids;
	uint32_t *at;
	uint32_t n;
	bool *changed; /* by `at` */
};

/*
 * Flags the lines outside of a longest common subsequence (or, at the work
 * limit, of a long one).
 */
void ccfc_diff_myers(const struct ccfc_diff_ids *a,
		     const struct ccfc_diff_ids *b);

/* Moves the flags of `text` to the places that a reader expects. */
void ccfc_diff_slide(const struct ccfc_diff_text *text,
		     const struct ccfc_diff_text *other);

#endif
