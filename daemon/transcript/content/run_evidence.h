/*
 * What the lines of a shell command say about one file that it changed: the
 * text of the command, and the lines that changed while it ran (bashEditDiff).
 * Other files interpret the text.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_RUN_EVIDENCE_H
#define CCFC_TRANSCRIPT_CONTENT_RUN_EVIDENCE_H

#include "transcript/content/evidence.h"

struct ccfc_run_call {
	struct ccfc_slice command;
	struct ccfc_slice cwd; /* empty: not known */
	bool cut;	       /* `command` is cut off */
	bool foreign;	       /* of a shell whose language is not supported */
};

/*
 * Reads the shell call `id` from a line that is padded as for
 * ccfc_record_parse. Everything is copied to `arena`. False if the line has no
 * such call.
 */
bool ccfc_run_call_read(struct ccfc_parser *parser, struct ccfc_run_call *out,
			struct ccfc_slice id, struct ccfc_slice line,
			struct ccfc_arena *arena);

/*
 * Adds to `out` what the result of the call says about the file, given by its
 * normal path. A created or deleted file also has its whole text. False if the
 * result does not say which lines of the file changed; then `out` is unchanged.
 */
bool ccfc_run_result_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			  struct ccfc_slice id, struct ccfc_slice path,
			  struct ccfc_slice line, struct ccfc_arena *arena);

#endif
