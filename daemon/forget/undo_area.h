/*
 * The undo area of `ccfc restore` and `revert`, <state>/undo, with old contents
 * of files. The command writes it; the daemon only removes entries.
 */
#ifndef CCFC_FORGET_UNDO_AREA_H
#define CCFC_FORGET_UNDO_AREA_H

#include "base/slice.h"

#include <stdint.h>

struct ccfc_undo_area_wish {
	/* Is an entry with this file to be removed? */
	bool (*goes)(void *ctx, struct ccfc_slice path);
	void *ctx;
	int64_t before; /* older entries go; CCFC_TIME_NONE: age is ignored */
	bool dry;	/* only count them */
};

/*
 * Removes entries and returns their number. An entry that was begun and not
 * finished stays: the next restore needs it to put the user's files back.
 */
uint32_t ccfc_undo_area_forget(const char *state_dir,
			       const struct ccfc_undo_area_wish *wish);

#endif
