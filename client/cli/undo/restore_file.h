/*
 * The old content of one file, checked and ready to be written back. `restore`
 * makes one for each of its files and writes all of them, or none.
 */
#ifndef CCFC_CLI_UNDO_RESTORE_FILE_H
#define CCFC_CLI_UNDO_RESTORE_FILE_H

#include "cli/frame/answer.h"
#include "cli/undo/write_back.h"

struct ccfc_restore {
	/* Set by the caller, borrowed: */
	const char *given; /* the file, as the caller named it */
	bool dry_run, force;
	const struct ccfc_opt_value *outside_given;
	/* The result: */
	bool done; /* it has that content already: nothing to write */
	struct ccfc_file_edit edit;
	/* restore_file.c's own: */
	struct ccfc_question q;
	struct ccfc_outside outside;
	struct ccfc_target present;
	struct ccfc_reply *answer;
	struct ccfc_obj reply;
	char *path;
	char sha256[CCFC_SHA256_HEX + 1];
};

/*
 * Asks for the file's content at --at, and plans `edit`; with `dry_run` prints
 * its diff. CCFC_ENOTFOUND: nothing is known of the file then. CCFC_EDENIED: it
 * must not be written. Release it also after an error; it must not be moved.
 */
int ccfc_restore_plan(struct ccfc_restore *w, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts, struct ccfc_err *err);
void ccfc_restore_release(struct ccfc_restore *w);

/* "restored FILE: as before …" */
void ccfc_restore_print(const struct ccfc_restore *w, struct ccfc_out *out);

#endif
