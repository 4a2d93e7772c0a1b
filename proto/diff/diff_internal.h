/*
 * The inside of ccfc_diff, for the diff*.c files only: each stage works on
 * one flag a line, "is not in the other text".
 */
#ifndef CCFC_DIFF_DIFF_INTERNAL_H
#define CCFC_DIFF_DIFF_INTERNAL_H

#include "base/arena.h"

#include <stdint.h>

/* changed[-1] and changed[n] are there too, and always false. */
struct ccfc_diff_text {
	const struct ccfc_slice *lines;
	uint32_t n;
	bool *changed;
};

/* Lines as numbers: equal lines have equal ids. `at` is where each stood. */
struct ccfc_diff_ids {
	uint32_t *ids;
	uint32_t *at;
	uint32_t n;
	bool *changed; /* by `at` */
};

/*
 * Flags what is not part of a longest common subsequence (of a long one, when
 * the bound on the work was reached).
 */
void ccfc_diff_myers(const struct ccfc_diff_ids *a,
		     const struct ccfc_diff_ids *b);

/* Moves the flags of `text` to where a reader expects them. */
void ccfc_diff_slide(const struct ccfc_diff_text *text,
		     const struct ccfc_diff_text *other);

#endif
