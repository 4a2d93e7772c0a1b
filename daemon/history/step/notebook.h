/*
 * A cell of a notebook replaced, inserted or deleted, and the file written
 * as the client writes it: for clients that show the cell and not the file.
 */
#ifndef CCFC_HISTORY_STEP_NOTEBOOK_H
#define CCFC_HISTORY_STEP_NOTEBOOK_H

#include "base/buf.h"
#include "transcript/content/evidence.h"

/*
 * Replaces the content of `out` by the notebook after the edit. False when
 * `before` is no notebook, has no such cell, or holds something that the
 * client would write in a way that we cannot tell; `out` is empty then. The
 * texts are UTF-8 with "\n", as evidence has them; a "\r" or a byte order mark
 * in `before` is refused.
 *
 * What the client does depends on its version. Where neither cell->version nor
 * the evidence (a cell_number is only said by the oldest clients) tells it,
 * only a delete is done. To insert by id, and to replace a cell that is not
 * code with "code", takes the call (cell->asked).
 */
bool ccfc_notebook_edit(struct ccfc_buf *out, const struct ccfc_cell *cell,
			struct ccfc_slice before);

#endif
