/*
 * Which part of the history a question is about, as several commands let one
 * say it: --project, --from and --to, and which page of the answer.
 */
#ifndef CCFC_CLI_FRAME_SCOPE_H
#define CCFC_CLI_FRAME_SCOPE_H

#include "base/time.h"
#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"
#include "wire/obj.h"

/* Rows of the tables of options; `what` is "sessions", "changes" … */
#define CCFC_SCOPE_PROJECT                                                     \
	{                                                                      \
		"project", 0, CCFC_OPT_TEXT, "DIR",                            \
			"only sessions of this project", NULL, 0, 0            \
	}
#define CCFC_SCOPE_FROM(what)                                                  \
	{                                                                      \
		"from", 0, CCFC_OPT_FROM, "DATE",                              \
			"only " what " since then: 2025-12-31, or RFC 3339",   \
			NULL, 0, 0                                             \
	}
#define CCFC_SCOPE_TO(what)                                                    \
	{                                                                      \
		"to", 0, CCFC_OPT_TO, "DATE",                                  \
			"only " what " until then; a day is meant to its end", \
			NULL, 0, 0                                             \
	}
#define CCFC_SCOPE_LIMIT(what)                                                 \
	{                                                                      \
		"limit", 0, CCFC_OPT_INT, "N",                                 \
			"at most N " what "; default 50", NULL, 1, 100000      \
	}
#define CCFC_SCOPE_OFFSET                                                      \
	{                                                                      \
		"offset", 0, CCFC_OPT_INT, "N", "leave out the first N", NULL, \
			0, INT32_MAX                                           \
	}

struct ccfc_reply;

struct ccfc_scope {
	struct ccfc_cwd where;
	char *project;	       /* NULL: all */
	const char *from_date; /* RFC 3339, or NULL */
	const char *to_date;
	char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];
};

/*
 * Takes them from the rows with these numbers. CCFC_EINVAL, CCFC_EIO. To be
 * released also after a failure; must not be moved.
 */
int ccfc_scope_init(struct ccfc_scope *scope, const struct ccfc_opts *opts,
		    int project, int from, int to, struct ccfc_err *err);
void ccfc_scope_release(struct ccfc_scope *scope);

/* A command whose question has a scope: asking it, and showing the reply. */
struct ccfc_scoped {
	int project, from, to; /* rows of the options */
	int (*ask)(struct ccfc_reply **reply, struct ccfc_cli *cli,
		   const struct ccfc_opts *opts, const struct ccfc_scope *scope,
		   struct ccfc_err *err);
	void (*print)(struct ccfc_out *out, struct ccfc_obj root,
		      const struct ccfc_opts *opts);
};

/* Does all of it, errors included; returns the exit status. */
int ccfc_scope_answer(const struct ccfc_scoped *command, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts);

/* "more: --offset=50" if there is more behind the `shown` after `offset`. */
void ccfc_scope_more(struct ccfc_out *out, int64_t offset, int64_t shown,
		     int64_t total);

#endif
