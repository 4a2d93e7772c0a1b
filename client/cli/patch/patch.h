/*
 * Unified diffs as the commands show them. On a terminal they are made safe and
 * coloured; elsewhere they are the exact bytes, for `patch` and `git apply`.
 * Notes on stderr name inexact and missing diffs.
 */
#ifndef CCFC_CLI_PATCH_PATCH_H
#define CCFC_CLI_PATCH_PATCH_H

#include "cli/frame/cli.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/* Appends one or more diffs. */
void ccfc_patch_print(struct ccfc_out *out, struct ccfc_slice diff);

/* The facts about one diff; slices are borrowed. */
struct ccfc_patch {
	struct ccfc_slice name;
	struct ccfc_slice diff;
	bool shown; /* there is a diff, possibly empty */
	bool binary;
	bool ambiguous;		    /* another call may have made the change */
	struct ccfc_slice fidelity; /* "exact", …; empty: not in the reply */
	struct ccfc_slice why;
	int64_t added, removed; /* lines; -1: not known */
};

/* One of session.diff's `diffs`, or the reply of change.get. */
void ccfc_patch_parse(struct ccfc_patch *patch, struct ccfc_obj o);

/* Prints on stderr why the diff is not exact or not shown, if so. */
void ccfc_patch_note(const struct ccfc_patch *patch);

enum ccfc_patch_format {
	CCFC_PATCH_DIFF,
	CCFC_PATCH_STAT,
	CCFC_PATCH_JSON,
	CCFC_PATCH_JSONL,
};

/*
 * Shows the reply of session.diff or of change.get; returns the exit status. An
 * empty reply counts as nothing found.
 */
int ccfc_patch_answer(struct ccfc_cli *cli, struct ccfc_obj root,
		      enum ccfc_patch_format format, const char *command);

#endif
