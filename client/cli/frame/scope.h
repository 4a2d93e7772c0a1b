/*
 * Options of several commands: which part of the history a question is about
 * (--project, --all, --from and --to), and which page of the answer.
 */
#ifndef CCFC_CLI_FRAME_SCOPE_H
#define CCFC_CLI_FRAME_SCOPE_H

#include "cli/frame/opt.h"

/* For the help of commands about a session. */
#define CCFC_SCOPE_ABOUT_SESSION                                               \
	"SESSION is an id or a unique prefix of it, a transcript's path, @ "   \
	"or last (the\n"                                                       \
	"latest session of the current project, also the default), @-1 (the "  \
	"one before\n"                                                         \
	"it) or @/login/ (a part of its title)."

/* Rows of the tables of options; `what` is "sessions", "changes" … */
#define CCFC_SCOPE_PROJECT                                                     \
	{                                                                      \
		"project", 0, CCFC_OPT_DIR, "NAME|DIR",                        \
			.help = "only sessions of this project",               \
			CCFC_ASKS(project_path)                                \
	}
/* Without this option, a command with this row asks about the project here. */
#define CCFC_SCOPE_ALL                                                         \
	{                                                                      \
		"all", 'a', CCFC_OPT_FLAG,                                     \
			.help = "every project, not only the current one"      \
	}
#define CCFC_SCOPE_FROM(what)                                                  \
	{                                                                      \
		"from", 0, CCFC_OPT_FROM, "DATE",                              \
			.help = "only " what                                   \
				" since then: yesterday, 2d, 2025-12-31",      \
			CCFC_ASKS(from_date), .alias = "since"                 \
	}
#define CCFC_SCOPE_TO(what)                                                    \
	{                                                                      \
		"to", 0, CCFC_OPT_TO, "DATE",                                  \
			.help = "only " what                                   \
				" until then; a day counts to its end",        \
			CCFC_ASKS(to_date), .alias = "until"                   \
	}
#define CCFC_SCOPE_LIMIT(what)                                                 \
	{                                                                      \
		"limit", 'n', CCFC_OPT_INT, "N",                               \
			.help = "at most N " what "; default 50", .min = 1,    \
			.max = 100000, CCFC_ASKS(limit)                        \
	}
#define CCFC_SCOPE_OFFSET                                                      \
	{                                                                      \
		"offset", 0, CCFC_OPT_INT, "N",                                \
			.help = "leave out the first N", .max = INT32_MAX,     \
			CCFC_ASKS(offset)                                      \
	}

#endif
