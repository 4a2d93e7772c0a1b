/*
 * A notebook while one of its cells is edited. notebook.c edits,
 * notebook_cells.c finds the cell.
 */
#ifndef CCFC_HISTORY_STEP_NOTEBOOK_CELLS_H
#define CCFC_HISTORY_STEP_NOTEBOOK_CELLS_H

#include "history/step/js_json.h"
#include "history/step/notebook.h"

struct ccfc_notebook {
	struct ccfc_js_doc doc;
	struct ccfc_js_members root;
	struct ccfc_js_members edited; /* the replaced or new cell */
	struct ccfc_buf print;
	const struct ccfc_cell *cell;
	uint32_t cells; /* the token of the array of cells */
	uint32_t ncells;
	uint32_t at;	 /* the position of the replaced, deleted or new cell */
	int64_t version; /* of the client; 0: not known */
};

/* `nb` is all zeros except `cell`. False: the text is not a notebook. */
bool ccfc_notebook_read(struct ccfc_notebook *nb, struct ccfc_slice text);
void ccfc_notebook_release(struct ccfc_notebook *nb);

/* Is the client one that counts cells, or one of the first with ids? */
bool ccfc_notebook_early(const struct ccfc_notebook *nb);
/* Does the client set execution_count and outputs in code cells only? */
bool ccfc_notebook_late(const struct ccfc_notebook *nb);

/* Sets `at` to the cell that the client means by an id. */
bool ccfc_notebook_find(struct ccfc_notebook *nb, struct ccfc_slice id);
/* May the id be a number: "cell-7"? */
bool ccfc_notebook_takes_numbers(const struct ccfc_notebook *nb,
				 struct ccfc_slice id);

/*
 * A text of the evidence as JSON, valid as long as the notebook. False when its
 * JSON form is not certain (ccfc_js_text).
 */
bool ccfc_notebook_quote(struct ccfc_slice *out, struct ccfc_notebook *nb,
			 struct ccfc_slice text);
/* Is the member (may be NULL) a string printed as that? */
bool ccfc_notebook_is(struct ccfc_notebook *nb,
		      const struct ccfc_js_member *member,
		      struct ccfc_slice printed);

/*
 * Clients up to CCFC_CLIENT_EARLY are early, from CCFC_CLIENT_LATE on late; see
 * notebook.c.
 */
#define CCFC_VERSION_NUMBER(a, b, c) ((((a)*1000ll + (b)) * 1000ll) + (c))
#define CCFC_CLIENT_EARLY	     CCFC_VERSION_NUMBER(1, 0, 35)
#define CCFC_CLIENT_LATE	     CCFC_VERSION_NUMBER(1, 0, 128)

#endif
