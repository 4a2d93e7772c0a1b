/* Tables of sessions: `ccfc sessions`, and `ccfc search --reads`. */
#ifndef CCFC_CLI_REPORT_SESSIONS_PRINT_H
#define CCFC_CLI_REPORT_SESSIONS_PRINT_H

#include "cli/frame/cli.h"
#include "wire/obj.h"

/*
 * A reply of session.list as a table with its totals. Times are relative to
 * `now`; `offset` is the requested one.
 */
void ccfc_sessions_print(struct ccfc_out *out, struct ccfc_obj root,
			 int64_t offset, int64_t now);

/* A reply of file.readers, whose file is shown as `name`. */
void ccfc_readers_print(struct ccfc_out *out, struct ccfc_obj root,
			struct ccfc_slice name, int64_t offset, int64_t now);

/* A line for each session: id, end, status, project, title; for fzf. */
void ccfc_sessions_tsv(struct ccfc_out *out, struct ccfc_obj root);

#endif
