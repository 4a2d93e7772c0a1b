/*
 * The archive, or one project of it, as a directory that another machine can
 * import (daemon/archive/export_read.c has its form). The daemon lists the
 * files, and this copies them: only the caller's own directory is written.
 */
#ifndef CCFC_CLI_STATE_STATE_EXPORT_H
#define CCFC_CLI_STATE_STATE_EXPORT_H

#include "cli/frame/cli.h"

struct ccfc_state_export {
	int64_t transcripts, missing, files, bytes;
};

/*
 * `dir` is absolute; it is made, with mode 0700, or empty. `query` has the
 * project, if it is one. CCFC_EDENIED: it is not empty. On failure an
 * incomplete directory is left, which cannot be imported.
 */
int ccfc_state_export(struct ccfc_state_export *out, struct ccfc_cli *cli,
		      const char *dir, const struct ccfc_query *query,
		      struct ccfc_err *err);

/* Names and tags that an imported directory has, for sessions without. */
int ccfc_state_labels(struct ccfc_cli *cli, const char *dir,
		      struct ccfc_err *err);

#endif
