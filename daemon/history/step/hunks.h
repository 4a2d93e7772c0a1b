/*
 * The client's patches against texts: does a patch lead from one text to the
 * other, and what is on its other side?
 *
 * The built side takes its lines from the known text if the patch shows them
 * unchanged, else from the strings of the call (patch_fit.h), else from the
 * patch itself. If a line from the patch could have a folded tab, the result is
 * a guess.
 */
#ifndef CCFC_HISTORY_STEP_HUNKS_H
#define CCFC_HISTORY_STEP_HUNKS_H

#include "base/buf.h"
#include "history/step/step.h"
#include "transcript/content/evidence.h"

enum ccfc_side { CCFC_SIDE_OLD, CCFC_SIDE_NEW };

/* Do all hunks match that side of `text`, including line numbers? */
bool ccfc_hunks_fit(const struct ccfc_evidence *evidence, enum ccfc_side side,
		    struct ccfc_slice text);

/* Do the hunks alone turn `before` into `after`? */
bool ccfc_hunks_explain(const struct ccfc_evidence *evidence,
			struct ccfc_slice before, struct ccfc_slice after);

/* Builds the other side from `have`, the side whose text is known. */
enum ccfc_step ccfc_hunks_build(struct ccfc_buf *out,
				const struct ccfc_evidence *evidence,
				enum ccfc_side have, struct ccfc_slice text);

#endif
