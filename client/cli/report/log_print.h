/*
 * The parts of `ccfc log`: rows of a timeline, from several kinds of replies,
 * and the commits with a session's lines.
 */
#ifndef CCFC_CLI_REPORT_LOG_PRINT_H
#define CCFC_CLI_REPORT_LOG_PRINT_H

#include "cli/frame/answer.h"
#include "cli/words/change_id.h"

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
	bool ordered;  /* by the daemon */
};

/*
 * Adds all steps of a reply of file.log, session.files, file.sessions or
 * file.match.
 */
void ccfc_log_take(struct ccfc_log_rows *rows, struct ccfc_obj root);
void ccfc_log_release(struct ccfc_log_rows *rows);

/* Keeps the rows between these times, inclusive. */
void ccfc_log_keep(struct ccfc_log_rows *rows, int64_t from, int64_t to);

/*
 * Sorts them, newest first, drops `offset` and keeps `limit`. True: there were
 * more.
 */
bool ccfc_log_order(struct ccfc_log_rows *rows, int64_t offset, int64_t limit);

/* Is it a change, and not another step of a file's history? */
bool ccfc_log_is_change(const struct ccfc_log_row *row);

/* Sets the length of ids on a terminal, so that those of all rows differ. */
void ccfc_log_short_ids(struct ccfc_change_ids *ids,
			const struct ccfc_log_rows *rows);
/*
 * Appends the short id of a change, or of the change that a step returned to.
 */
void ccfc_log_put_id(struct ccfc_buf *text, const struct ccfc_change_ids *ids,
		     struct ccfc_obj o);

void ccfc_log_table(struct ccfc_out *out, const struct ccfc_log_rows *rows,
		    const struct ccfc_cwd *where);

enum ccfc_log_style { CCFC_LOG_ONELINE, CCFC_LOG_STAT, CCFC_LOG_PATCH };

/*
 * Each in a line, with its lines as a bar below it, or with its diff, for
 * which the daemon is asked (log_entries.c). Returns the exit status.
 */
int ccfc_log_entries(struct ccfc_cli *cli, const struct ccfc_log_rows *rows,
		     const struct ccfc_cwd *where, enum ccfc_log_style style);

/* "returned to …", "$ make", the prompt: why, or what came of it. */
void ccfc_log_put_why(struct ccfc_buf *text, struct ccfc_obj o);

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
