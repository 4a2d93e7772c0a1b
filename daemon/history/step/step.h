/*
 * One step of history: from the text before a change to the text after it,
 * and back, by the change's evidence. Pure functions over texts.
 *
 * A step is `verified` when its result agrees with the change's own patch,
 * which shows what the client really wrote. The patch folds each leading tab
 * into two spaces, so it is compared with folded texts. Lines that both have
 * are taken from the texts and strings, not from the patch.
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

/* The rule that computed the text after a step. */
enum ccfc_step_rule {
	CCFC_RULE_OTHER, /* the only rule for this kind of change */
	CCFC_RULE_STRINGS,
	/* the strings as given, found with other quotes */
	CCFC_RULE_LOOSE,
	CCFC_RULE_QUOTES, /* the strings with the file's quotes */
	CCFC_RULE_PATCH,
	CCFC_RULE_SAME, /* nothing: the text already contains the change */
};

/* Replaces the content of `out`. `before` must not lie in `out`. */
enum ccfc_step ccfc_step_forward(struct ccfc_buf *out,
				 const struct ccfc_evidence *evidence,
				 struct ccfc_slice before);
/* The same; also returns the rule. */
enum ccfc_step ccfc_step_find(struct ccfc_buf *out, enum ccfc_step_rule *rule,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice before);

/*
 * Repeats a step by the rule that ccfc_step_find returned. Does not check the
 * result.
 */
bool ccfc_step_repeat(struct ccfc_buf *out, enum ccfc_step_rule rule,
		      const struct ccfc_evidence *evidence,
		      struct ccfc_slice before);

/*
 * Is `before` the only text from which the change's step leads to `after`?
 * Without line numbers, the change may have been at another place.
 */
bool ccfc_step_is_only(const struct ccfc_evidence *evidence,
		       struct ccfc_slice before, struct ccfc_slice after);

/*
 * The client records lines that change while a command runs. Does the text have
 * the new lines, and not the old ones?
 */
bool ccfc_step_is_done(const struct ccfc_evidence *evidence,
		       struct ccfc_slice text);

/* Is the effect of the shell command on the file unknown? */
bool ccfc_step_is_hidden(const struct ccfc_evidence *evidence);

enum ccfc_step ccfc_step_back(struct ccfc_buf *out,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice after);

#endif
