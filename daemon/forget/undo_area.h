/*
 * The undo area of `ccfc restore` and `revert`, <state>/undo: it has old bytes
 * of files. The command writes it; here entries are only removed.
 */
#ifndef CCFC_FORGET_UNDO_AREA_H
#define CCFC_FORGET_UNDO_AREA_H

#include "base/slice.h"

#include <stdint.h>

struct ccfc_undo_area_wish {
	/* Does an entry with this file go? */
	bool (*goes)(void *ctx, struct ccfc_slice path);
	void *ctx;
	int64_t before; /* older entries go; CCFC_TIME_NONE: none for that */
	bool dry;	/* only count them */
};

/*
 * Removes entries; returns how many. An entry that was begun and not ended
 * stays: the next restore puts the user's files back with it, and ends it.
 */
uint32_t ccfc_undo_area_forget(const char *state_dir,
			       const struct ccfc_undo_area_wish *wish);

#endif
