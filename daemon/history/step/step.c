/*
 * One step, forwards and back; see step.h. Strings are tried first, because
 * they have the tabs, and the result is compared with the patch. If they differ
 * (a person changed the edit, a client wrote other quotes), the patch itself is
 * applied.
 */
#include "history/step/step.h"

#include "history/step/hunks.h"
#include "history/step/notebook.h"
#include "history/step/strings.h"

static enum ccfc_step try_strings(struct ccfc_buf *out,
				  const struct ccfc_evidence *ev,
				  struct ccfc_slice before,
				  enum ccfc_quotes quotes, bool *loose)
{
	if (!ccfc_strings_apply(out, ev, before, quotes, loose))
		return CCFC_STEP_NO;
	/*
	 * A result without hunks shows that nothing visible changed: spaces for
	 * tabs, for example.
	 */
	if ((ev->has_patch || ev->from_result) &&
	    ccfc_hunks_explain(ev, before, ccfc_buf_view(out)))
		return CCFC_STEP_VERIFIED;
	return ev->has_patch ? CCFC_STEP_NO : CCFC_STEP_GUESSED;
}

static enum ccfc_step apply_edit(struct ccfc_buf *out,
				 enum ccfc_step_rule *rule,
				 const struct ccfc_evidence *ev,
				 struct ccfc_slice before)
{
	bool loose = false;
	enum ccfc_step step =
		try_strings(out, ev, before, CCFC_QUOTES_AS_GIVEN, &loose);

	*rule = loose ? CCFC_RULE_LOOSE : CCFC_RULE_STRINGS;
	/* The client refuses an edit that changes nothing. */
	if (step == CCFC_STEP_GUESSED && loose &&
	    ccfc_slice_eq(ccfc_buf_view(out), before))
		step = CCFC_STEP_NO;
	if (step == CCFC_STEP_NO && loose) {
		step = try_strings(out, ev, before, CCFC_QUOTES_AS_FILE,
				   &loose);
		*rule = CCFC_RULE_QUOTES;
	}
	if (step == CCFC_STEP_NO && ev->has_patch) {
		step = ccfc_hunks_build(out, ev, CCFC_SIDE_OLD, before);
		*rule = CCFC_RULE_PATCH;
	}
	return step;
}

/* A Write: its content, if its patch fits `before`. */
static enum ccfc_step apply_write(struct ccfc_buf *out,
				  const struct ccfc_evidence *ev,
				  struct ccfc_slice before)
{
	if (ev->has_patch && !ccfc_hunks_fit(ev, CCFC_SIDE_OLD, before))
		return CCFC_STEP_NO;
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, ev->after);
	return ev->has_patch ? CCFC_STEP_VERIFIED : CCFC_STEP_GUESSED;
}

bool ccfc_step_is_hidden(const struct ccfc_evidence *ev)
{
	return ev->is_shell && !ev->has_patch && !ev->has_after &&
	       !ev->has_added && !ev->gone;
}

bool ccfc_step_is_done(const struct ccfc_evidence *ev, struct ccfc_slice text)
{
	if (!ev->is_shell || !ev->has_patch || ev->gone)
		return false;
	if (ev->before != CCFC_BEFORE_ABSENT &&
	    ccfc_hunks_fit(ev, CCFC_SIDE_OLD, text))
		return false;
	return ccfc_hunks_fit(ev, CCFC_SIDE_NEW, text);
}

/* --- a shell's command --- */

static enum ccfc_step apply_shell_patch(struct ccfc_buf *out,
					enum ccfc_step_rule *rule,
					const struct ccfc_evidence *ev,
					struct ccfc_slice before)
{
	if (ev->has_patch) {
		*rule = CCFC_RULE_PATCH;
		return ccfc_hunks_build(out, ev, CCFC_SIDE_OLD, before);
	}
	if (!ev->has_added)
		return CCFC_STEP_NO;
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, before);
	ccfc_buf_slice(out, ev->added);
	return CCFC_STEP_GUESSED;
}

static bool ends_with(struct ccfc_slice text, struct ccfc_slice end)
{
	return text.len >= end.len &&
	       (!end.len ||
		!memcmp(text.ptr + text.len - end.len, end.ptr, end.len));
}

static enum ccfc_step undo_shell_patch(struct ccfc_buf *out,
				       const struct ccfc_evidence *ev,
				       struct ccfc_slice after)
{
	if (ev->gone)
		return CCFC_STEP_NO;
	if (ev->has_patch)
		return ccfc_hunks_build(out, ev, CCFC_SIDE_NEW, after);
	/* If nothing is left, there may have been no file. */
	if (!ev->has_added || after.len <= ev->added.len ||
	    !ends_with(after, ev->added))
		return CCFC_STEP_NO;
	ccfc_buf_clear(out);
	ccfc_buf_append(out, after.ptr, after.len - ev->added.len);
	return CCFC_STEP_GUESSED;
}

/* --- any change --- */

enum ccfc_step ccfc_step_find(struct ccfc_buf *out, enum ccfc_step_rule *rule,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice before)
{
	*rule = CCFC_RULE_OTHER;
	if (evidence->is_shell)
		return apply_shell_patch(out, rule, evidence, before);
	if (evidence->has_after)
		return apply_write(out, evidence, before);
	if (evidence->has_cell)
		return ccfc_notebook_edit(out, &evidence->cell, before)
			       ? CCFC_STEP_GUESSED
			       : CCFC_STEP_NO;
	if (!evidence->nedits && !evidence->has_patch)
		return CCFC_STEP_NO;
	return apply_edit(out, rule, evidence, before);
}

enum ccfc_step ccfc_step_forward(struct ccfc_buf *out,
				 const struct ccfc_evidence *evidence,
				 struct ccfc_slice before)
{
	enum ccfc_step_rule rule;

	return ccfc_step_find(out, &rule, evidence, before);
}

bool ccfc_step_repeat(struct ccfc_buf *out, enum ccfc_step_rule rule,
		      const struct ccfc_evidence *evidence,
		      struct ccfc_slice before)
{
	bool loose;

	switch (rule) {
	case CCFC_RULE_STRINGS:
	case CCFC_RULE_LOOSE:
		return ccfc_strings_apply(out, evidence, before,
					  CCFC_QUOTES_AS_GIVEN, &loose);
	case CCFC_RULE_QUOTES:
		return ccfc_strings_apply(out, evidence, before,
					  CCFC_QUOTES_AS_FILE, &loose);
	case CCFC_RULE_SAME:
		ccfc_buf_clear(out);
		ccfc_buf_slice(out, before);
		return true;
	case CCFC_RULE_PATCH:
		return ccfc_hunks_build(out, evidence, CCFC_SIDE_OLD, before);
	default:
		return ccfc_step_forward(out, evidence, before);
	}
}

/* Do the change's strings lead from `before` to `after`? */
static bool strings_lead_to(const struct ccfc_evidence *ev,
			    struct ccfc_slice before, struct ccfc_slice after)
{
	struct ccfc_buf again = CCFC_BUF_INIT;
	enum ccfc_step_rule rule;
	bool same = !ev->has_after &&
		    apply_edit(&again, &rule, ev, before) != CCFC_STEP_NO &&
		    rule != CCFC_RULE_PATCH &&
		    ccfc_slice_eq(ccfc_buf_view(&again), after);

	ccfc_buf_release(&again);
	return same;
}

bool ccfc_step_is_only(const struct ccfc_evidence *evidence,
		       struct ccfc_slice before, struct ccfc_slice after)
{
	struct ccfc_buf back = CCFC_BUF_INIT;
	bool only;

	if (evidence->has_patch || evidence->has_added)
		return true;
	if (evidence->has_after || evidence->has_cell)
		return false;
	only = ccfc_strings_unapply(&back, evidence, after) &&
	       ccfc_slice_eq(ccfc_buf_view(&back), before);
	ccfc_buf_release(&back);
	return only;
}

/*
 * Is there an indented line? Its indentation may look like another one in a
 * patch.
 */
static bool has_indented_line(struct ccfc_slice text)
{
	return ccfc_slice_starts(text, "\t") || ccfc_slice_starts(text, "  ") ||
	       ccfc_slice_contains(text, "\n\t") ||
	       ccfc_slice_contains(text, "\n  ");
}

enum ccfc_step ccfc_step_back(struct ccfc_buf *out,
			      const struct ccfc_evidence *evidence,
			      struct ccfc_slice after)
{
	enum ccfc_step step = CCFC_STEP_NO;

	if (evidence->is_shell)
		return undo_shell_patch(out, evidence, after);
	if (evidence->has_patch)
		step = ccfc_hunks_build(out, evidence, CCFC_SIDE_NEW, after);
	else if (evidence->has_after || evidence->has_cell)
		return CCFC_STEP_NO;
	else if (ccfc_strings_unapply(out, evidence, after))
		/* Accepted only if the step leads to `after` again. */
		return strings_lead_to(evidence, ccfc_buf_view(out), after)
			       ? CCFC_STEP_GUESSED
			       : CCFC_STEP_NO;
	/*
	 * The strings decide what the patch leaves open. A patch also leaves
	 * open whether lines that look equal are equal: tabs that became spaces
	 * look the same.
	 */
	if (step == CCFC_STEP_GUESSED ||
	    (step == CCFC_STEP_VERIFIED && has_indented_line(after)))
		step = strings_lead_to(evidence, ccfc_buf_view(out), after)
			       ? CCFC_STEP_VERIFIED
			       : CCFC_STEP_GUESSED;
	return step;
}
