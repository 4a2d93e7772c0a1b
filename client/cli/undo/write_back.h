/*
 * Shared by `restore`, `restore --undo` and `revert`: the preview of changes,
 * and writing them.
 */
#ifndef CCFC_CLI_UNDO_WRITE_BACK_H
#define CCFC_CLI_UNDO_WRITE_BACK_H

#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"
#include "cli/undo/undo.h"
#include "cli/write/outside.h"

#define CCFC_APPLY_DRY_RUN                                                     \
	{                                                                      \
		"dry-run", 0, CCFC_OPT_FLAG,                                   \
			.help = "only show what would be done, as a diff"      \
	}
#define CCFC_APPLY_FORCE(what)                                                 \
	{                                                                      \
		"force", 0, CCFC_OPT_FLAG, .help = what                        \
	}

/* `what` is "restore or revert", the command's own name first. */
#define CCFC_APPLY_UNDO(what)                                                  \
	{                                                                      \
		"undo", 0, CCFC_OPT_FLAG,                                      \
			.help = "undo the last " what ", or the one with ID"   \
	}

/* For the help of both. */
#define CCFC_APPLY_ABOUT                                                       \
	"A file is replaced whole or not at all. Several files are changed "   \
	"all or none.\n"                                                       \
	"Mode, owner, ACL and user attributes stay. Symbolic links are not "   \
	"followed. The\n"                                                      \
	"old content is kept for 30 days; ccfc restore --undo brings it "      \
	"back, for a\n"                                                        \
	"removed file with its mode and owner only."

/*
 * Rolls back a killed command, if there was one. Call it first, so that the
 * daemon sees the right files.
 */
int ccfc_write_back_recover(struct ccfc_err *err);

/* Is the present content from the last restore of the file? See undo.h. */
bool ccfc_write_back_restored(const struct ccfc_target *present);

/* Appends the diff from the present to the new content. */
void ccfc_write_back_preview(struct ccfc_out *out, const struct ccfc_cwd *where,
			     const struct ccfc_target *present,
			     const struct ccfc_file_edit *edit);

/*
 * CCFC_EDENIED: one of the files is below a Claude directory. The client is
 * connected; `command` is for messages.
 */
int ccfc_write_back_check(const struct ccfc_cli *cli, const char *command,
			  const struct ccfc_cwd *where,
			  const struct ccfc_file_edit *edits, uint32_t n,
			  struct ccfc_err *err);

/* Does the checked changes; see ccfc_undo_apply. */
int ccfc_write_back(char id[CCFC_UNDO_ID_MAX],
		    const struct ccfc_file_edits *edits, struct ccfc_err *err);

/* "undo with: …" */
void ccfc_write_back_print_id(struct ccfc_out *out, const char *id);

/* `ccfc restore --undo [ID]` and `--list`; the exit status. */
int ccfc_restore_undo(struct ccfc_cli *cli, const char *id, bool dry_run,
		      bool force);
int ccfc_restore_list(struct ccfc_cli *cli);

#endif
