/*
 * The archive, or one project of it, as a directory that another machine can
 * import (daemon/archive/transfer/export_read.c has its format). The daemon
 * lists the files, and this copies them: only the caller's own directory is
 * written.
 */
#ifndef CCFC_CLI_STATE_STATE_EXPORT_H
#define CCFC_CLI_STATE_STATE_EXPORT_H

#include "cli/frame/cli.h"

struct ccfc_state_export {
	int64_t transcripts, missing, files, bytes;
};

/*
 * `dir` is absolute; it is created with mode 0700, or must be empty
 * (CCFC_EDENIED). `query` has the project, if there is one. On failure an
 * incomplete directory is left, which cannot be imported.
 */
int ccfc_state_export(struct ccfc_state_export *out, struct ccfc_cli *cli,
		      const char *dir, const struct ccfc_query *query,
		      struct ccfc_err *err);

/*
 * Sets the names and tags of an imported directory, for sessions without any.
 */
int ccfc_state_labels(struct ccfc_cli *cli, const char *dir,
		      struct ccfc_err *err);

#endif
