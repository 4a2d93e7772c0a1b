/*
 * Original lines of a patch: the client shows each leading tab as two spaces.
 * The strings of the call have the tabs, so their lines are looked up by their
 * folded form. One table for each side of a change, made when it is first
 * needed: patches and strings may both be long.
 */
#ifndef CCFC_HISTORY_STEP_PATCH_FIT_H
#define CCFC_HISTORY_STEP_PATCH_FIT_H

#include "base/map.h"
#include "history/step/hunks.h"

struct ccfc_patch_fit {
	const struct ccfc_evidence *evidence; /* borrowed */
	enum ccfc_side side;
	struct {
		struct ccfc_patch_fit_line {
			struct ccfc_slice line;
			bool several; /* several lines have this folded form */
		} * items;
		uint32_t n, cap;
	} lines;
	struct ccfc_map map;
	bool made;
};

void ccfc_patch_fit_init(struct ccfc_patch_fit *unfold,
			 const struct ccfc_evidence *evidence,
			 enum ccfc_side side);
void ccfc_patch_fit_release(struct ccfc_patch_fit *unfold);

/*
 * The line before folding, if the strings on that side of the call have it;
 * else the line of the patch, and *guessed is set if the two might differ. In
 * the memory of the evidence.
 */
struct ccfc_slice ccfc_patch_fit_get(struct ccfc_patch_fit *unfold,
				     struct ccfc_slice shown, bool *guessed);

#endif
