/*
 * The options of a request: one table of all there are, with their types and
 * what makes sense, and for each method the set of those that it takes. So
 * every method refuses an unknown, mistyped or senseless option in the same
 * words. Nothing here knows the index.
 */
#ifndef CCFC_SERVE_RPC_OPTIONS_H
#define CCFC_SERVE_RPC_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "wire/obj.h"

#include <stdint.h>

#define CCFC_LIMIT_MAX	      100000
#define CCFC_MAX_CONTENT_MAX  (64 << 20)
#define CCFC_ALTERNATIVES_MAX 8
#define CCFC_LIST_MAX	      1024
#define CCFC_CONTEXT_MAX      100000
#define CCFC_DEFAULT_CONTEXT  3
#define CCFC_LINE_MAX	      INT32_MAX

/* X(symbol, name on the wire) */
#define CCFC_OPTION_LIST(X)                                                    \
	X(AGENT, "agentId")                                                    \
	X(ALTERNATIVES, "alternatives")                                        \
	X(AT, "at")                                                            \
	X(BRANCH, "branch")                                                    \
	X(BY, "by")                                                            \
	X(CASE_SENSITIVE, "caseSensitive")                                     \
	X(CHANGE, "change")                                                    \
	X(CLOCK, "clock")                                                      \
	X(CONTEXT, "context")                                                  \
	X(CWD, "cwd")                                                          \
	X(DELETED, "deleted")                                                  \
	X(DIRECTORIES, "directories")                                          \
	X(EXTENSIONS, "extensions")                                            \
	X(FROM, "from")                                                        \
	X(FROM_DATE, "fromDate")                                               \
	X(IGNORE_SPACE, "ignoreSpace")                                         \
	X(IN, "in")                                                            \
	X(INCLUDE_CONTENT, "includeContent")                                   \
	X(INCLUDE_PROMPT, "includePrompt")                                     \
	X(INCLUDE_THINKING, "includeThinking")                                 \
	X(KEYWORDS, "keywords")                                                \
	X(LIMIT, "limit")                                                      \
	X(MAX_CONTENT, "maxContent")                                           \
	X(MESSAGE, "message")                                                  \
	X(MODEL, "model")                                                      \
	X(NET, "net")                                                          \
	X(NOTIFY, "notify")                                                    \
	X(OFFSET, "offset")                                                    \
	X(PATH, "path")                                                        \
	X(PATHS, "paths")                                                      \
	X(PATTERN, "pattern")                                                  \
	X(PROGRESS, "progress")                                                \
	X(PROJECT_PATH, "projectPath")                                         \
	X(QUERY, "query")                                                      \
	X(REGEX, "regex")                                                      \
	X(ROLE, "role")                                                        \
	X(SESSION, "session")                                                  \
	X(SINCE, "since")                                                      \
	X(SORT, "sort")                                                        \
	X(STATES, "states")                                                    \
	X(STATUS, "status")                                                    \
	X(SUBSCRIPTION, "subscription")                                        \
	X(TO, "to")                                                            \
	X(TO_DATE, "toDate")                                                   \
	X(TOOLS, "tools")                                                      \
	X(TOUCHED, "touched")

enum ccfc_option {
#define X(sym, name) CCFC_OPT_##sym,
	CCFC_OPTION_LIST(X)
#undef X
		CCFC_OPTIONS
};

#define CCFC_OPT_BIT(option) ((uint64_t)1 << (option))
#define CCFC_OPT(sym)	     CCFC_OPT_BIT(CCFC_OPT_##sym)
_Static_assert(CCFC_OPTIONS <= 64, "a set of options is 64 bits");

struct ccfc_clock {
	uint64_t epoch, seq;
};

struct ccfc_slices {
	struct ccfc_slice *items;
	uint32_t n;
};

/* Slices borrow from the request, arrays from its arena. */
struct ccfc_options {
	uint64_t given; /* bits of those that were there and not nil */
	struct ccfc_slice session, path, pattern, cwd, project, at, change;
	struct ccfc_slices alternatives, directories, extensions, tools;
	struct ccfc_slice agent, message, branch, model, status, role, touched;
	struct ccfc_slice sort, by, query;
	struct ccfc_slices paths, keywords, in;
	struct ccfc_clock clock; /* clock or since */
	int64_t limit, offset, max_content, subscription, context;
	int64_t from, to;
	int64_t first_line, last_line; /* from, to */
	uint32_t states;	       /* bits */
	bool include_content, include_prompt, progress, net, deleted;
	bool ignore_space, include_thinking, regex, case_sensitive;
	struct ccfc_slice notify_method;
	struct ccfc_obj notify_args; /* an array, or NONE */
};

/*
 * Reads the params of `method`, which takes the options in `allowed` and has
 * to have those in `required`. `out` holds the defaults before. CCFC_EINVAL
 * names the method and the option.
 */
int ccfc_options_read(struct ccfc_options *out, const char *method,
		      struct ccfc_obj params, uint64_t allowed,
		      uint64_t required, struct ccfc_arena *arena,
		      struct ccfc_err *err);

/* The name of an option on the wire. */
const char *ccfc_option_name(enum ccfc_option option);

#endif
