/*
 * Shared by `list`, `search`, `diff`, `log` and others: rows of options, globs,
 * and the printed tables (declared here for the tests).
 */
#ifndef CCFC_CLI_FRAME_LISTING_H
#define CCFC_CLI_FRAME_LISTING_H

#include "cli/frame/answer.h"

#define CCFC_LISTING_SHOW_CHANGES                                              \
	{                                                                      \
		"show-changes", 0, CCFC_OPT_FLAG,                              \
			.help = "show the lines that each change removed and " \
				"added"                                        \
	}
#define CCFC_LISTING_FORMAT                                                    \
	{                                                                      \
		"format", 0, CCFC_OPT_CHOICE, "FORMAT",                        \
			.help = "table (default), json, jsonl or paths",       \
			.choices = "table|json|jsonl|paths"                    \
	}
#define CCFC_LISTING_FORMAT_DIFF                                               \
	{                                                                      \
		"format", 0, CCFC_OPT_CHOICE, "FORMAT",                        \
			.help = "table (default), json, jsonl, paths or diff", \
			.choices = "table|json|jsonl|paths|diff"               \
	}
#define CCFC_LISTING_NULL                                                      \
	{                                                                      \
		"null", '0', CCFC_OPT_FLAG,                                    \
			.help = "--format=paths, each ended by a NUL byte"     \
	}
#define CCFC_LISTING_STATE                                                     \
	{                                                                      \
		"state", 0, CCFC_OPT_STATES, "LIST",                           \
			.help = "in these states, or all; default applied",    \
			CCFC_ASKS(states)                                      \
	}

/* For the help of `list` and `search`. */
#define CCFC_LISTING_ABOUT_STATES                                              \
	"Only changes that took effect are shown. --state selects others: "    \
	"applied,\n"                                                           \
	"failed, denied, staged, interrupted, pending."

/* Rows of `list` and `diff`; the last two also of `search`, `log`, `watch`. */
#define CCFC_LISTING_EXT                                                       \
	{                                                                      \
		"ext", 0, CCFC_OPT_EXTS, "LIST",                               \
			.help = "only files with these extensions: .ts,.tsx",  \
			CCFC_ASKS(extensions)                                  \
	}
#define CCFC_LISTING_DIR                                                       \
	{                                                                      \
		"dir", 0, CCFC_OPT_LIST, "DIRS",                               \
			.help = "only files below these directories: src/",    \
			CCFC_ASKS(directories)                                 \
	}
#define CCFC_LISTING_TOOL                                                      \
	{                                                                      \
		"tool", 0, CCFC_OPT_LIST, "TOOLS",                             \
			.help = "only changes by these tools: Edit,Bash",      \
			CCFC_ASKS(tools)                                       \
	}
#define CCFC_LISTING_KIND(sym, num, text) "|" text
#define CCFC_LISTING_EVIDENCE                                                  \
	{                                                                      \
		"evidence", 0, CCFC_OPT_LIST, "KINDS",                         \
			.help = "only changes with this evidence",             \
			.choices = &(CCFC_PROOF_LIST(CCFC_LISTING_KIND))[1],   \
			CCFC_ASKS(evidence)                                    \
	}

/* Help of `list` and `search` about shell commands. */
#define CCFC_LISTING_ABOUT_SHELL                                               \
	"Changes by shell commands show their evidence: recorded (the client " \
	"saw the file\n"                                                       \
	"change while the command ran), parsed (the command's text names the " \
	"file),\n"                                                             \
	"inferred (the contents show it) or ambiguous (another call may have " \
	"made\n"                                                               \
	"the change). --tool=Bash selects them all, --evidence=KINDS some of " \
	"them."

/*
 * The query of `list` and `search`: how much of the changes the format shows.
 * CCFC_EINVAL: options that do not go together.
 */
int ccfc_listing_prepare(struct ccfc_question *q, bool show_changes,
			 struct ccfc_err *err);

/* Appends `text` with the characters of globs escaped. */
void ccfc_listing_escape(struct ccfc_buf *pattern, struct ccfc_slice text);

/* Does `text` have glob characters? It may still be the name of a file. */
bool ccfc_listing_is_glob(const char *text);

/*
 * Asks file.match with the pattern relative to the shell's current directory,
 * then, if nothing matches, to the real one. Sets the query's cwd.
 */
int ccfc_listing_match(struct ccfc_reply **reply, struct ccfc_client *client,
		       const char *pattern, struct ccfc_query *query,
		       const struct ccfc_cwd *where, struct ccfc_err *err);

/*
 * The table of `list`, of a ChangedFilesSummary; `states`: some changes may not
 * have taken effect.
 */
void ccfc_list_print(struct ccfc_out *out, struct ccfc_obj root,
		     bool show_changes, bool states);

/* The table of `search`, of a FileHistory whose file is shown as `name`. */
void ccfc_search_print(struct ccfc_out *out, struct ccfc_obj history,
		       struct ccfc_slice name, int64_t offset,
		       bool show_changes);

#endif
