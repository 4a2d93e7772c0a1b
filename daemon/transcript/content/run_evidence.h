/*
 * What the lines of a shell's command say of one file that it changed: the
 * text of the command, and the lines that the client saw change while the
 * command ran (bashEditDiff). What the text means is for others to find.
 */
#ifndef CCFC_TRANSCRIPT_CONTENT_RUN_EVIDENCE_H
#define CCFC_TRANSCRIPT_CONTENT_RUN_EVIDENCE_H

#include "transcript/content/evidence.h"

struct ccfc_run_call {
	struct ccfc_slice command;
	struct ccfc_slice cwd; /* empty: not known */
	bool cut;	       /* `command` is not all of it */
	bool foreign;	       /* of a shell whose language is not read */
};

/*
 * The call `id` of a shell, in a line that is padded as for ccfc_record_parse.
 * Everything is copied to `arena`. False when the line has no such call.
 */
bool ccfc_run_call_read(struct ccfc_parser *parser, struct ccfc_run_call *out,
			struct ccfc_slice id, struct ccfc_slice line,
			struct ccfc_arena *arena);

/*
 * Adds to `out` what the result of the call says of the file, which has a
 * normal path. A created or deleted file has its whole text besides. False
 * when the result does not say which lines of the file changed; `out` is as it
 * was.
 */
bool ccfc_run_result_read(struct ccfc_parser *parser, struct ccfc_evidence *out,
			  struct ccfc_slice id, struct ccfc_slice path,
			  struct ccfc_slice line, struct ccfc_arena *arena);

#endif
