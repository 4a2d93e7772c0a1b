/*
 * The parts of `ccfc log`: rows of a timeline, from several kinds of replies,
 * and the commits with a session's lines.
 */
#ifndef CCFC_CLI_REPORT_LOG_H
#define CCFC_CLI_REPORT_LOG_H

#include "cli/frame/answer.h"

/* A change, or another step; borrowed from a reply. */
struct ccfc_log_row {
	struct ccfc_slice path;
	struct ccfc_obj o; /* a FileChange, or one of file.log's steps */
	int64_t time;	   /* the beginning of a span */
};

struct ccfc_log_rows {
	struct ccfc_log_row *items;
	uint32_t n, cap;
	bool one_file; /* no need to name it in each row */
};

/* Adds all steps of a reply of file.log, session.files or file.match. */
void ccfc_log_take(struct ccfc_log_rows *rows, struct ccfc_obj root);
void ccfc_log_release(struct ccfc_log_rows *rows);

/* Sorts them, newest first, and keeps `limit`. True: some were dropped. */
bool ccfc_log_order(struct ccfc_log_rows *rows, int64_t limit);

void ccfc_log_table(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		    const struct ccfc_cwd *where);

/* Each in a line of JSON, with its path; `array`: as elements of one. */
void ccfc_log_json(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		   bool array);

/*
 * `ccfc log --git SESSION`, for a reply of session.files: asks who wrote the
 * lines of each file, and git. Returns the exit status.
 */
int ccfc_log_git(struct ccfc_cli *cli, struct ccfc_obj root,
		 enum ccfc_format format);

#endif
