/*
 * Options of several commands: which part of the history a question is about
 * (--project, --from and --to), and which page of the answer.
 */
#ifndef CCFC_CLI_FRAME_SCOPE_H
#define CCFC_CLI_FRAME_SCOPE_H

#include "cli/frame/opt.h"

/* Rows of the tables of options; `what` is "sessions", "changes" … */
#define CCFC_SCOPE_PROJECT                                                     \
	{                                                                      \
		"project", 0, CCFC_OPT_DIR, "DIR",                             \
			.help = "only sessions of this project",               \
			CCFC_ASKS(project_path)                                \
	}
#define CCFC_SCOPE_FROM(what)                                                  \
	{                                                                      \
		"from", 0, CCFC_OPT_FROM, "DATE",                              \
			.help = "only " what                                   \
				" since then: 2025-12-31, or RFC 3339",        \
			CCFC_ASKS(from_date)                                   \
	}
#define CCFC_SCOPE_TO(what)                                                    \
	{                                                                      \
		"to", 0, CCFC_OPT_TO, "DATE",                                  \
			.help = "only " what                                   \
				" until then; a day counts to its end",        \
			CCFC_ASKS(to_date)                                     \
	}
#define CCFC_SCOPE_LIMIT(what)                                                 \
	{                                                                      \
		"limit", 0, CCFC_OPT_INT, "N",                                 \
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
