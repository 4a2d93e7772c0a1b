/*
 * The call's strings applied to a text as the client does it: one edit after
 * the other, each at its only place, or everywhere.
 */
#ifndef CCFC_HISTORY_STEP_STRINGS_H
#define CCFC_HISTORY_STEP_STRINGS_H

#include "base/buf.h"
#include "transcript/content/evidence.h"

/* The quotes of a new text whose old text was found with other quotes. */
enum ccfc_quotes {
	CCFC_QUOTES_AS_GIVEN,
	CCFC_QUOTES_AS_FILE, /* curly where the file has curly ones */
};

/*
 * Replaces the content of `out`. False when an edit's old text is not there, or
 * occurs more than once although one place is meant. *loose is set when an old
 * text was found only with its quotes taken as equal.
 */
bool ccfc_strings_apply(struct ccfc_buf *out,
			const struct ccfc_evidence *evidence,
			struct ccfc_slice before, enum ccfc_quotes quotes,
			bool *loose);

/*
 * The reverse: each new text, which must occur exactly once, becomes the old
 * one. False if the reverse is not certain.
 */
bool ccfc_strings_unapply(struct ccfc_buf *out,
			  const struct ccfc_evidence *evidence,
			  struct ccfc_slice after);

#endif
