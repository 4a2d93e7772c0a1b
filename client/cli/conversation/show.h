/*
 * The sections of `ccfc show`, one file for each kind: the facts about the
 * session (show_sections.c), one line for each event or node (show_lines.c),
 * and everything as JSON (show_json.c). message_stream.c prints messages.
 */
#ifndef CCFC_CLI_CONVERSATION_SHOW_H
#define CCFC_CLI_CONVERSATION_SHOW_H

#include "cli/conversation/pages.h"
#include "cli/frame/cli.h"
#include "wire/obj.h"

enum ccfc_show_format {
	CCFC_SHOW_TEXT,
	CCFC_SHOW_JSON,
	CCFC_SHOW_JSONL,
	CCFC_SHOW_MARKDOWN,
};

/* ---- show_sections.c: `info` is a reply of session.get ---- */

void ccfc_show_head(struct ccfc_out *out, struct ccfc_obj info);
void ccfc_show_head_md(struct ccfc_out *out, struct ccfc_obj info);

/* Each prints a title and its rows, or nothing without rows. */
void ccfc_show_tasks(struct ccfc_out *out, struct ccfc_obj info);
void ccfc_show_tasks_md(struct ccfc_out *out, struct ccfc_obj info);
void ccfc_show_tools(struct ccfc_out *out, struct ccfc_obj info);
void ccfc_show_tools_md(struct ccfc_out *out, struct ccfc_obj info);

/*
 * Replies of session.files and session.reads, either of which may be NONE.
 * Paths are shown relative to `project`.
 */
void ccfc_show_files(struct ccfc_out *out, struct ccfc_obj modified,
		     struct ccfc_obj reads, struct ccfc_slice project);
void ccfc_show_files_md(struct ccfc_out *out, struct ccfc_obj modified,
			struct ccfc_obj reads, struct ccfc_slice project);

/* ---- show_lines.c ---- */

/* All events, one on each line; returns their number, or an error. */
int64_t ccfc_show_timeline(struct ccfc_out *out, struct ccfc_pages *pages,
			   struct ccfc_slice project, bool markdown,
			   struct ccfc_err *err);

/* All nodes, drawn as a tree. */
int64_t ccfc_show_tree(struct ccfc_out *out, struct ccfc_pages *pages,
		       bool markdown, struct ccfc_err *err);

/* ---- show_json.c ---- */

/*
 * One object: the fields of the first page, with the items of all pages, one on
 * each line. Returns the number of items, or an error.
 */
int64_t ccfc_show_json(struct ccfc_out *out, struct ccfc_pages *pages,
		       struct ccfc_err *err);
/* The items only, one a line. */
int64_t ccfc_show_jsonl(struct ccfc_out *out, struct ccfc_pages *pages,
			struct ccfc_err *err);

#endif
