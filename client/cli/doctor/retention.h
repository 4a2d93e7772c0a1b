/*
 * For how long Claude Code keeps its transcripts: the setting
 * cleanupPeriodDays, from the file that wins. At its start it deletes those
 * that were not written to for so many days.
 */
#ifndef CCFC_CLI_DOCTOR_RETENTION_H
#define CCFC_CLI_DOCTOR_RETENTION_H

#include "base/buf.h"
#include "cli/doctor/settings.h"

#define CCFC_RETENTION_KEY     "cleanupPeriodDays"
#define CCFC_RETENTION_DEFAULT 30
#define CCFC_RETENTION_LONG    3650 /* what we propose */

#ifdef __APPLE__
#define CCFC_RETENTION_MANAGED                                                 \
	"/Library/Application Support/ClaudeCode/managed-settings.json"
#else
#define CCFC_RETENTION_MANAGED "/etc/claude-code/managed-settings.json"
#endif

struct ccfc_retention {
	int64_t days;
	bool is_default;      /* no file says it */
	bool managed;	      /* an administrator said it */
	struct ccfc_buf file; /* that says it, or that one could say it in */
	bool exists;	      /* that file */
	struct ccfc_setting setting; /* in that file */
	struct ccfc_buf trouble;     /* a file that was not understood, why */
	struct ccfc_buf trouble_file;
};

/*
 * For a directory of Claude Code's; `managed` is CCFC_RETENTION_MANAGED but in
 * tests. Release it after use.
 */
void ccfc_retention_init(struct ccfc_retention *r, const char *root,
			 const char *managed);
void ccfc_retention_release(struct ccfc_retention *r);

/* Appends a command that makes it `days`. */
void ccfc_retention_fix(struct ccfc_buf *out, const struct ccfc_retention *r,
			int64_t days);

#endif
