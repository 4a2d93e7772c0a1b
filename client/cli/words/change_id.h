/*
 * Ids of changes, short enough for a column: "uZ4LCvVh", and "mCrJxPx6#8c7" for
 * one of several files of a call or a command. The daemon takes both.
 */
#ifndef CCFC_CLI_WORDS_CHANGE_ID_H
#define CCFC_CLI_WORDS_CHANGE_ID_H

#include "base/buf.h"
#include "base/slice.h"

#include <stddef.h>

struct ccfc_change_ids {
	size_t call;	  /* characters of the call's id, after "toolu_01" */
	size_t part;	  /* characters after the '#' */
	bool whole_start; /* "toolu_01" is shown, too */
};

/*
 * As long as is needed for the ids of a list to differ, the call's at least
 * `least` characters. Puts the list in order.
 */
void ccfc_change_ids_init(struct ccfc_change_ids *ids, struct ccfc_slice *list,
			  size_t n, size_t least);

/*
 * Appends the short form. The id of an inferred change is shown with all of the
 * part after the '#', which alone identifies the file.
 */
void ccfc_change_ids_put(struct ccfc_buf *out,
			 const struct ccfc_change_ids *ids,
			 struct ccfc_slice id, bool inferred);

#endif
