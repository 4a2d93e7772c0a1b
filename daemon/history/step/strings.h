/*
 * The call's own strings applied to a text, as the client does it: each edit
 * in turn, at its one place, or everywhere.
 */
#ifndef CCFC_HISTORY_STEP_STRINGS_H
#define CCFC_HISTORY_STEP_STRINGS_H

#include "base/buf.h"
#include "transcript/content/evidence.h"

/* How an edit whose quotes are not those of the file is written. */
enum ccfc_quotes {
	CCFC_QUOTES_AS_GIVEN,
	CCFC_QUOTES_AS_FILE, /* curly ones where the file has them */
};

/*
 * Replaces the content of `out`. False when an edit's old text is not there,
 * or stands more than once where one place is meant. *loose is set when an
 * old text was only found after its quotes were made equal.
 */
bool ccfc_strings_apply(struct ccfc_buf *out,
			const struct ccfc_evidence *evidence,
			struct ccfc_slice before, enum ccfc_quotes quotes,
			bool *loose);

/*
 * The way back: each new text, which must stand in exactly one place, becomes
 * the old one. False where that cannot be told.
 */
bool ccfc_strings_unapply(struct ccfc_buf *out,
			  const struct ccfc_evidence *evidence,
			  struct ccfc_slice after);

#endif
