/*
 * What is known of the content of a file that a shell's command changed: the
 * lines that the client saw change, else what the text of the command says.
 */
#ifndef CCFC_HISTORY_CHAIN_SHELL_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_SHELL_EVIDENCE_H

#include "history/history.h"

struct ccfc_shell_lines {
	struct ccfc_slice call, result; /* either may be empty: gone */
};

/*
 * The evidence of a shell change, in `arena`. False when the lines are not
 * what they were.
 */
bool ccfc_shell_evidence(struct ccfc_evidence *out,
			 const struct ccfc_history_env *env,
			 const struct ccfc_change *change,
			 const struct ccfc_shell_lines *lines,
			 struct ccfc_arena *arena);

#endif
