/*
 * How long Claude Code keeps its transcripts: the setting cleanupPeriodDays,
 * from the file with the highest priority. At its start Claude Code deletes
 * transcripts that were not written to for so many days.
 */
#ifndef CCFC_CLI_DOCTOR_RETENTION_H
#define CCFC_CLI_DOCTOR_RETENTION_H

#include "base/buf.h"
#include "cli/doctor/settings.h"

#define CCFC_RETENTION_KEY     "cleanupPeriodDays"
#define CCFC_RETENTION_DEFAULT 30
#define CCFC_RETENTION_LONG    3650 /* the value that we suggest */

#ifdef __APPLE__
#define CCFC_RETENTION_MANAGED                                                 \
	"/Library/Application Support/ClaudeCode/managed-settings.json"
#else
#define CCFC_RETENTION_MANAGED "/etc/claude-code/managed-settings.json"
#endif

struct ccfc_retention {
	int64_t days;
	bool is_default;	     /* no file sets the days */
	bool managed;		     /* an administrator set the days */
	struct ccfc_buf file;	     /* sets the days, or could set them */
	bool exists;		     /* `file` exists */
	struct ccfc_setting setting; /* the setting in `file` */
	struct ccfc_buf trouble;     /* why a file was not understood */
	struct ccfc_buf trouble_file;
};

/*
 * Reads the setting for a directory of Claude Code's. `managed` is
 * CCFC_RETENTION_MANAGED, except in tests. Release `r` after use.
 */
void ccfc_retention_init(struct ccfc_retention *r, const char *root,
			 const char *managed);
void ccfc_retention_release(struct ccfc_retention *r);

/* Appends a command that sets the days to `days`. */
void ccfc_retention_fix(struct ccfc_buf *out, const struct ccfc_retention *r,
			int64_t days);

#endif
