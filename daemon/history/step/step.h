/*
 * One step of history: from the text before a change to the text after it,
 * and back, by the change's evidence. Pure functions over texts.
 *
 * A step is `verified` when the change's own patch, which shows what the
 * client really wrote, says the same as the result. The patch folds each
 * leading tab into two spaces, so it is compared with folded texts, and lines
 * are taken from the texts and strings, not from the patch, where both have
 * them.
 */
#ifndef CCFC_HISTORY_STEP_STEP_H
#define CCFC_HISTORY_STEP_STEP_H

#include "base/buf.h"
#include "transcript/content/evidence.h"

enum ccfc_step {
	CCFC_STEP_NO,	    /* the evidence does not fit this text */
	CCFC_STEP_GUESSED,  /* it fits; something was assumed */
	CCFC_STEP_VERIFIED, /* it fits, and the patch agrees */
};

/* How a step was found to be made. */
enum ccfc_step_rule {
	CCFC_RULE_OTHER, /* there is but one */
	CCFC_RULE_STRINGS,
	CCFC_RULE_LOOSE,  /* the strings as given, in spite of other quotes */
	CCFC_RULE_QUOTES, /* the strings, with the quotes of the file */
	CCFC_RULE_PATCH,
	CCFC_RULE_SAME, /* it changed nothing: the change is in it already */
};

/* Replaces the content of `out`. `before` must not lie in `out`. */
enum ccfc_step ccfc_step_forward(struct ccfc_buf *out,
				 const struct ccfc_evidence *evidence,
				 struct ccfc_slice before);
/* The same, and how. */
enum ccfc_step ccfc_step_find(struct ccfc_buf *out, enum ccfc_step_rule *rule,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice before);

/* A step that was found before, without asking again whether it is right. */
bool ccfc_step_repeat(struct ccfc_buf *out, enum ccfc_step_rule rule,
		      const struct ccfc_evidence *evidence,
		      struct ccfc_slice before);

/*
 * Could the change have made `after` of nothing but `before`, which its step
 * leads from? One that nothing shows the place of may have been elsewhere.
 */
bool ccfc_step_is_only(const struct ccfc_evidence *evidence,
		       struct ccfc_slice before, struct ccfc_slice after);

/*
 * Are the lines that a client saw change while a command ran in the text as
 * they became, and not as they were?
 */
bool ccfc_step_is_done(const struct ccfc_evidence *evidence,
		       struct ccfc_slice text);

/* Is nothing known of what a shell's command made of the file? */
bool ccfc_step_is_hidden(const struct ccfc_evidence *evidence);

enum ccfc_step ccfc_step_back(struct ccfc_buf *out,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice after);

#endif
