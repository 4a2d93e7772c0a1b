/*
 * Which lines differ between two texts. Bytes in, bytes out: a line ends after
 * "\n" (the last line may have none), and two lines are equal if their bytes
 * are. Nothing here knows encodings, files or the wire. The caller limits the
 * texts to 1 GiB each.
 */
#ifndef CCFC_DIFF_DIFF_H
#define CCFC_DIFF_DIFF_H

#include "base/arena.h"

#include <stdint.h>

/* A text cut into lines, each with its newline. Slices of the text. */
struct ccfc_split {
	struct ccfc_slice *lines;
	uint32_t n;
};

void ccfc_split(struct ccfc_split *out, struct ccfc_slice text,
		struct ccfc_arena *arena);

/* Lines [a, a + an) of the old text became [b, b + bn) of the new one. */
struct ccfc_block {
	uint32_t a, an;
	uint32_t b, bn;
};

/* In order, never empty, with at least one equal line between two. */
struct ccfc_diff {
	struct ccfc_block *blocks;
	uint32_t n;
	uint64_t added, removed; /* lines */
};

/*
 * The difference of two texts. Minimal up to a work limit; beyond it (huge
 * texts with little in common) still correct, only larger. The same texts
 * always give the same blocks. If a block fits several places, it goes beside a
 * change of the other side, else to the last place. The blocks live in `arena`.
 */
void ccfc_diff(struct ccfc_diff *out, const struct ccfc_split *old_text,
	       const struct ccfc_split *new_text, struct ccfc_arena *arena);

#endif
