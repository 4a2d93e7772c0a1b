/*
 * Could a shell command with unknown effects have made a change? Decided by its
 * text, never by the mere fact that it ran.
 */
#ifndef CCFC_HISTORY_GAP_COMMAND_FIT_H
#define CCFC_HISTORY_GAP_COMMAND_FIT_H

#include "history/gap/added_lines.h"
#include "shell/shell.h"
#include "transcript/content/run_evidence.h"

/* The possible effects of one command at a time. */
struct ccfc_command_reader {
	struct ccfc_chain *chain; /* borrowed */
	struct ccfc_arena arena;
	struct ccfc_shell_effects effects;
	struct ccfc_run_call call;
};

void ccfc_command_reader_init(struct ccfc_command_reader *reader,
			      struct ccfc_chain *chain);
void ccfc_command_reader_release(struct ccfc_command_reader *reader);

/* Reads a command. False: its lines are gone, or its language is unknown. */
bool ccfc_command_reader_take(struct ccfc_command_reader *reader,
			      const struct ccfc_change *command);

/* Was all of it understood? If not, its possible effects only raise doubt. */
bool ccfc_command_is_plain(const struct ccfc_command_reader *reader);

/* Are all of the lines in texts that it may have written to files? */
bool ccfc_command_has_lines(const struct ccfc_command_reader *reader,
			    const struct ccfc_added_lines *added);

/* Is it a git command that restores states of files, among them this file? */
bool ccfc_command_brings_back(const struct ccfc_command_reader *reader,
			      struct ccfc_slice path);

#endif
