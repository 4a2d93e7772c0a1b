/*
 * Replaces, inserts or deletes a cell of a notebook, and prints the file as the
 * client prints it. Used for clients whose results show the cell but not the
 * file.
 */
#ifndef CCFC_HISTORY_STEP_NOTEBOOK_H
#define CCFC_HISTORY_STEP_NOTEBOOK_H

#include "base/buf.h"
#include "transcript/content/evidence.h"

/*
 * Replaces the content of `out` by the notebook after the edit. False: `before`
 * is not a notebook, has no such cell, or its printed form is not certain;
 * `out` is then empty. The texts are UTF-8 with "\n", as evidence has them; a
 * "\r" or a byte order mark in `before` is refused.
 *
 * What the client does depends on its version. If neither cell->version nor the
 * evidence (only the oldest clients use cell_number) shows the version, only a
 * delete is done. Inserting by id, and replacing a cell that is not code by
 * "code", needs the call (cell->asked).
 */
bool ccfc_notebook_edit(struct ccfc_buf *out, const struct ccfc_cell *cell,
			struct ccfc_slice before);

#endif
