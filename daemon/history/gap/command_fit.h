/*
 * Could a command of a shell, whose effects are not known, have done that? By
 * what stands in its text, never by the mere fact that it ran.
 */
#ifndef CCFC_HISTORY_GAP_COMMAND_FIT_H
#define CCFC_HISTORY_GAP_COMMAND_FIT_H

#include "history/gap/added_lines.h"
#include "shell/shell.h"
#include "transcript/content/run_evidence.h"

/* One command at a time, taken apart. */
struct ccfc_command_reader {
	struct ccfc_chain *chain; /* borrowed */
	struct ccfc_arena arena;
	struct ccfc_shell_effects effects;
	struct ccfc_run_call call;
};

void ccfc_command_reader_init(struct ccfc_command_reader *reader,
			      struct ccfc_chain *chain);
void ccfc_command_reader_release(struct ccfc_command_reader *reader);

/* False when its lines are gone, or it is in a language that is not read. */
bool ccfc_command_reader_take(struct ccfc_command_reader *reader,
			      const struct ccfc_change *command);

/* Was all of it understood? Else what it could have done only casts doubt. */
bool ccfc_command_is_plain(const struct ccfc_command_reader *reader);

/* Do all of the lines stand in texts that it may have written to files? */
bool ccfc_command_has_lines(const struct ccfc_command_reader *reader,
			    const struct ccfc_added_lines *added);

/* Is it one of git's that bring back states of files, that file's too? */
bool ccfc_command_brings_back(const struct ccfc_command_reader *reader,
			      struct ccfc_slice path);

#endif
