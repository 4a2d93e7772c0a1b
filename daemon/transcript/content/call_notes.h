/*
 * What newer clients record about a call apart from its effect: the requested
 * model, the type of the agent that made it, who allowed it, and its commit.
 * Read for requests about one change; the index does not keep it.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_CALL_NOTES_H
#define CCFC_TRANSCRIPT_CONTENT_CALL_NOTES_H

#include "transcript/record.h"

/* In the caller's arena; empty: not recorded. */
struct ccfc_call_notes {
	struct ccfc_slice requested_model;
	struct ccfc_slice agent_type;
	/* permissionDecision: "accept", "config", "mode". */
	struct ccfc_slice decision, decided_by, reason;
	/* gitOperation.commit: "ad34146", "main", "committed". */
	struct ccfc_slice commit, branch, commit_kind;
};

/*
 * Reads the notes on call `id` from the call's line and the result's line.
 * Either may be empty (gone); both are padded as for ccfc_record_parse. A line
 * without that call or result gives nothing. A line with several results gives
 * neither who allowed the call nor the commit.
 */
void ccfc_call_notes_read(struct ccfc_parser *parser,
			  struct ccfc_call_notes *out, struct ccfc_slice id,
			  struct ccfc_slice call_line,
			  struct ccfc_slice result_line,
			  struct ccfc_arena *arena);

#endif
