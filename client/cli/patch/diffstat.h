/*
 * The table of `diff --stat`, laid out like git's: a row for each file with its
 * added and removed lines, as a number and as a bar, and the totals.
 */
#ifndef CCFC_CLI_PATCH_DIFFSTAT_H
#define CCFC_CLI_PATCH_DIFFSTAT_H

#include "cli/patch/patch.h"

struct ccfc_diffstat_row {
	struct ccfc_slice name; /* as in the reply */
	int64_t added, removed;
	bool binary;
	bool unknown; /* of at least one change */
};

struct ccfc_diffstat {
	struct {
		struct ccfc_diffstat_row *items;
		uint32_t n, cap;
	} rows;
};

void ccfc_diffstat_init(struct ccfc_diffstat *stat);
void ccfc_diffstat_release(struct ccfc_diffstat *stat);

/* Adds a diff to the row of its name, which is borrowed until the release. */
void ccfc_diffstat_add(struct ccfc_diffstat *stat,
		       const struct ccfc_patch *patch);

void ccfc_diffstat_print(const struct ccfc_diffstat *stat,
			 struct ccfc_out *out);

#endif
