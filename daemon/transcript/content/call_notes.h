/*
 * What newer clients note of a call besides what it did: which model was asked
 * for, the type of the agent that made it, who allowed it, the commit that it
 * made. Read when somebody asks for one change; the index keeps none of it.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_CALL_NOTES_H
#define CCFC_TRANSCRIPT_CONTENT_CALL_NOTES_H

#include "transcript/record.h"

/* In the caller's arena; empty: not said. */
struct ccfc_call_notes {
	struct ccfc_slice requested_model;
	struct ccfc_slice agent_type;
	/* permissionDecision: "accept", "config", "mode". */
	struct ccfc_slice decision, decided_by, reason;
	/* gitOperation.commit: "ad34146", "main", "committed". */
	struct ccfc_slice commit, branch, commit_kind;
};

/*
 * Of the call `id`, out of its line and its result's (either may be empty:
 * gone; both padded as for ccfc_record_parse). A line that has not that call,
 * or that result, says nothing; nor does one with several results of who
 * allowed it, or of commits.
 */
void ccfc_call_notes_read(struct ccfc_parser *parser,
			  struct ccfc_call_notes *out, struct ccfc_slice id,
			  struct ccfc_slice call_line,
			  struct ccfc_slice result_line,
			  struct ccfc_arena *arena);

#endif
