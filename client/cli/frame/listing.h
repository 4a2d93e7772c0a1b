/*
 * What `list` and `search` have in common: the options for format, content
 * and states, and the tables that they print (declared here for the tests).
 */
#ifndef CCFC_CLI_FRAME_LISTING_H
#define CCFC_CLI_FRAME_LISTING_H

#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"
#include "wire/obj.h"

#include <ccfc/client.h>

enum ccfc_format {
	CCFC_FORMAT_TABLE,
	CCFC_FORMAT_JSON,
	CCFC_FORMAT_JSONL,
	CCFC_FORMAT_PATHS,
	CCFC_FORMAT_DIFF, /* of list only */
};

#define CCFC_LISTING_SHOW_CHANGES                                              \
	{                                                                      \
		"show-changes", 0, CCFC_OPT_FLAG, NULL,                        \
			"show what each change took away and put there", NULL, \
			0, 0                                                   \
	}
#define CCFC_LISTING_FORMAT                                                    \
	{                                                                      \
		"format", 0, CCFC_OPT_CHOICE, "FORMAT",                        \
			"table (default), json, jsonl or paths",               \
			"table|json|jsonl|paths", 0, 0                         \
	}
#define CCFC_LISTING_FORMAT_DIFF                                               \
	{                                                                      \
		"format", 0, CCFC_OPT_CHOICE, "FORMAT",                        \
			"table (default), json, jsonl, paths or diff",         \
			"table|json|jsonl|paths|diff", 0, 0                    \
	}
#define CCFC_LISTING_NULL                                                      \
	{                                                                      \
		"null", '0', CCFC_OPT_FLAG, NULL,                              \
			"--format=paths, each ended by a NUL byte", NULL, 0, 0 \
	}
#define CCFC_LISTING_STATE                                                     \
	{                                                                      \
		"state", 0, CCFC_OPT_STATES, "LIST",                           \
			"in these states, or all; default applied", NULL, 0, 0 \
	}

struct ccfc_listing {
	enum ccfc_format format;
	bool show_changes;
	char end; /* of a path */
	const char *const *states;
};

/* For the help of both. */
#define CCFC_LISTING_ABOUT_STATES                                              \
	"Only changes that took effect count, unless --state asks for "        \
	"others: applied,\nfailed, denied, staged, interrupted, pending."

/* Rows of `list` and `diff`. */
#define CCFC_LISTING_EXT                                                       \
	{                                                                      \
		"ext", 0, CCFC_OPT_EXTS, "LIST",                               \
			"only files with these extensions: .ts,.tsx", NULL, 0, \
			0                                                      \
	}
#define CCFC_LISTING_DIR                                                       \
	{                                                                      \
		"dir", 0, CCFC_OPT_LIST, "DIRS",                               \
			"only files below these directories: src/", NULL, 0, 0 \
	}
#define CCFC_LISTING_TOOL                                                      \
	{                                                                      \
		"tool", 0, CCFC_OPT_LIST, "TOOLS",                             \
			"only changes by these tools: Edit,Write", NULL, 0, 0  \
	}

/* Takes them from the rows with these numbers. CCFC_EINVAL. */
int ccfc_listing_read(struct ccfc_listing *listing,
		      const struct ccfc_opts *opts, int show_changes,
		      int format, int null, int state, struct ccfc_err *err);

/* Sets what the daemon has to know of them. */
void ccfc_listing_query(struct ccfc_query *query,
			const struct ccfc_listing *listing);

/* Appends `text` such that a pattern has it as it is. */
void ccfc_listing_escape(struct ccfc_buf *pattern, struct ccfc_slice text);

/* Has it glob characters? It may be the name of a file all the same. */
bool ccfc_listing_is_glob(const char *text);

/*
 * file.match of a pattern as seen from where the shell says that we are, then
 * from where we really are. Sets the query's cwd.
 */
int ccfc_listing_match(struct ccfc_reply **reply, struct ccfc_client *client,
		       const char *pattern, struct ccfc_query *query,
		       const struct ccfc_cwd *where, struct ccfc_err *err);

/* The table of `list`, of a ChangedFilesSummary. */
void ccfc_list_print(struct ccfc_out *out, struct ccfc_obj root,
		     bool show_changes);

/* The table of `search`, of a FileHistory whose file is shown as `name`. */
void ccfc_search_print(struct ccfc_out *out, struct ccfc_obj history,
		       struct ccfc_slice name, bool show_changes);

#endif
