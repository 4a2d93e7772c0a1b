/* What revert prints about a plan: each file, and what is not undone. */
#ifndef CCFC_CLI_UNDO_REVERT_PRINT_H
#define CCFC_CLI_UNDO_REVERT_PRINT_H

#include "cli/out/out.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/* The action for a file; from CONFLICT on, revert does nothing by itself. */
enum ccfc_revert_action {
	CCFC_REVERT_NONE,
	CCFC_REVERT_WRITE,
	CCFC_REVERT_CREATE,
	CCFC_REVERT_REMOVE,
	CCFC_REVERT_CONFLICT,
	CCFC_REVERT_STUCK,
};

enum ccfc_revert_action ccfc_revert_action(struct ccfc_obj file);

/* Did only commands change the file? The others can be reverted without it. */
bool ccfc_revert_is_left(struct ccfc_obj file);

/* "write     src/a.c  +1 -2: why"; refused: why it must not be written. */
void ccfc_revert_print_file(struct ccfc_out *out, struct ccfc_obj file,
			    const char *refused);

/* Only the diffs go to stdout, for `patch`; everything else goes to stderr. */
void ccfc_revert_preview_file(struct ccfc_out *out, struct ccfc_obj file,
			      const char *refused);

/*
 * What is not undone: files that commands changed from unknown states, and
 * commands with unknown effects.
 */
struct ccfc_revert_left {
	uint32_t files;
	int64_t commands;
};

/* One line about all of it, as a note and as the last line of the answer. */
void ccfc_revert_note_left(const struct ccfc_revert_left *left);
void ccfc_revert_print_left(struct ccfc_out *out,
			    const struct ccfc_revert_left *left);

/* Lists these commands; `given` is the session as the caller named it. */
void ccfc_revert_note_commands(const struct ccfc_revert_left *left,
			       const char *given, struct ccfc_obj commands);

/* Lists these files, before anything is written. */
void ccfc_revert_note_files(struct ccfc_obj files);

/* Fails: there is nothing else to do. */
int ccfc_revert_fail_left(const struct ccfc_revert_left *left,
			  struct ccfc_err *err);

#endif
