/*
 * The content of a file after a shell command: from the lines that the client
 * recorded, else from the command's text.
 */
#ifndef CCFC_HISTORY_CHAIN_SHELL_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_SHELL_EVIDENCE_H

#include "history/history.h"

struct ccfc_shell_lines {
	struct ccfc_slice call, result; /* empty if it is gone */
};

/* The evidence of a shell change, in `arena`. False: the lines have changed. */
bool ccfc_shell_evidence(struct ccfc_evidence *out,
			 const struct ccfc_history_env *env,
			 const struct ccfc_change *change,
			 const struct ccfc_shell_lines *lines,
			 struct ccfc_arena *arena);

#endif
