/*
 * Shared by the formats of `ccfc blame`: the reply, the commits from git, and
 * the facts about one line.
 */
#ifndef CCFC_CLI_BLAME_BLAME_LINE_H
#define CCFC_CLI_BLAME_BLAME_LINE_H

#include "cli/blame/git_blame.h"
#include "cli/out/out.h"
#include "cli/words/change_id.h"
#include "wire/obj.h"

/* Columns that --show picks. */
enum ccfc_blame_col {
	CCFC_BLAME_COL_PROMPT,
	CCFC_BLAME_COL_SESSION,
	CCFC_BLAME_COL_MODEL,
	CCFC_BLAME_COL_AGENT,
	CCFC_BLAME_COL_VERSION,
	CCFC_BLAME_COL_TOOL,
	CCFC_BLAME_COL_COMMAND, /* of a shell */
	CCFC_BLAME_COLS,
};

extern const char *const ccfc_blame_col_names[CCFC_BLAME_COLS];

struct ccfc_blame_view {
	struct ccfc_obj root; /* file.blame's reply */
	struct ccfc_obj lines, blocks;
	struct ccfc_slice name;		  /* the file's path, relative to the
					   * current directory */
	const struct ccfc_git_blame *git; /* NULL: git was not asked */
	enum ccfc_blame_col cols[CCFC_BLAME_COLS];
	unsigned ncols;
	struct ccfc_change_ids ids; /* how much of a change's id is shown */
	size_t session_length;	    /* characters of a session's id */
	bool chosen;		    /* the columns were chosen with --show */
};

/* Sets everything except `git`, with the default columns. */
void ccfc_blame_view_init(struct ccfc_blame_view *view, struct ccfc_obj root,
			  struct ccfc_slice name);

/* Did a session write the line? Else the line is outside or unknown. */
bool ccfc_blame_is_session(struct ccfc_obj line);

/* The commit that added the line; NULL: none, not known, or not asked. */
const struct ccfc_git_commit *
ccfc_blame_commit(const struct ccfc_blame_view *view, struct ccfc_obj line);

/*
 * The time of a line: of its change, or of its commit. For other lines *sign is
 * '>' (added after that time) or '<' (before it), else ' '. CCFC_TIME_NONE:
 * nothing is known.
 */
int64_t ccfc_blame_time(char *sign, const struct ccfc_blame_view *view,
			struct ccfc_obj line);

/*
 * Appends the text of column `col` for a line, not made safe. The first column
 * of a line with a commit is the commit's author.
 */
void ccfc_blame_cell(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		     struct ccfc_obj line, unsigned col);

/* Shortens the change ids for a terminal: no "toolu_01". */
void ccfc_blame_short_ids(struct ccfc_blame_view *view);

/* Appends the line's owner: its change's short id, "outside" or "unknown". */
void ccfc_blame_owner(struct ccfc_buf *out, const struct ccfc_blame_view *view,
		      struct ccfc_obj line);

/* The formats. */
void ccfc_blame_table(struct ccfc_out *out, const struct ccfc_blame_view *view);
void ccfc_blame_blocks(struct ccfc_out *out,
		       const struct ccfc_blame_view *view);
/* As `git blame --porcelain`, or if `each` as --line-porcelain. */
void ccfc_blame_porcelain(struct ccfc_out *out,
			  const struct ccfc_blame_view *view, bool each);
void ccfc_blame_json(struct ccfc_out *out, const struct ccfc_blame_view *view);
/* A line of JSON for each line, or each block. */
void ccfc_blame_jsonl(struct ccfc_out *out, const struct ccfc_blame_view *view,
		      bool blocks);

#endif
