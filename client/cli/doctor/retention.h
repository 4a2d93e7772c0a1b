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
	bool is_default;      /* no file sets it */
	bool managed;	      /* an administrator set it */
	struct ccfc_buf file; /* the file that sets it, or could set it */
	bool exists;	      /* that file */
	struct ccfc_setting setting; /* in that file */
	struct ccfc_buf trouble;     /* why a file was not understood */
	struct ccfc_buf trouble_file;
};

/*
 * For a directory of Claude Code's; `managed` is CCFC_RETENTION_MANAGED but in
 * tests. Release it after use.
 */
void ccfc_retention_init(struct ccfc_retention *r, const char *root,
			 const char *managed);
void ccfc_retention_release(struct ccfc_retention *r);

/* Appends a command that sets it to `days`. */
void ccfc_retention_fix(struct ccfc_buf *out, const struct ccfc_retention *r,
			int64_t days);

#endif
