/*
 * A notebook while a cell of it is edited; shared by notebook.c, which edits,
 * and notebook_cells.c, which finds the cell.
 */
#ifndef CCFC_HISTORY_STEP_NOTEBOOK_CELLS_H
#define CCFC_HISTORY_STEP_NOTEBOOK_CELLS_H

#include "history/step/js_json.h"
#include "history/step/notebook.h"

struct ccfc_notebook {
	struct ccfc_js_doc doc;
	struct ccfc_js_members root;
	struct ccfc_js_members edited; /* the cell that is replaced or new */
	struct ccfc_buf print;
	const struct ccfc_cell *cell;
	uint32_t cells; /* the array's token */
	uint32_t ncells;
	uint32_t at; /* the cell that is replaced or deleted; where the new one
		      * goes */
	int64_t version; /* 0: not known */
};

/* `nb` is all zeros but for `cell`. False: the text is no notebook. */
bool ccfc_notebook_read(struct ccfc_notebook *nb, struct ccfc_slice text);
void ccfc_notebook_release(struct ccfc_notebook *nb);

/* Does the client count cells, or is it one of the first that have ids? */
bool ccfc_notebook_early(const struct ccfc_notebook *nb);
/* Is it one of those that treat code cells alone as code? */
bool ccfc_notebook_late(const struct ccfc_notebook *nb);

/* Sets `at` to the cell that the client means by an id. */
bool ccfc_notebook_find(struct ccfc_notebook *nb, struct ccfc_slice id);
/* Can it mean a cell by its number: "cell-7"? */
bool ccfc_notebook_counts(const struct ccfc_notebook *nb, struct ccfc_slice id);

/*
 * A text of the evidence as JSON, valid as long as the notebook. False when it
 * cannot be told (ccfc_js_text).
 */
bool ccfc_notebook_quote(struct ccfc_slice *out, struct ccfc_notebook *nb,
			 struct ccfc_slice text);
/* Is the member (may be NULL) a string that is printed like that? */
bool ccfc_notebook_is(struct ccfc_notebook *nb,
		      const struct ccfc_js_member *member,
		      struct ccfc_slice printed);

/* Up to here clients are early, from here on late; see notebook.c. */
#define CCFC_VERSION_NUMBER(a, b, c) ((((a)*1000ll + (b)) * 1000ll) + (c))
#define CCFC_CLIENT_EARLY	     CCFC_VERSION_NUMBER(1, 0, 35)
#define CCFC_CLIENT_LATE	     CCFC_VERSION_NUMBER(1, 0, 128)

#endif
