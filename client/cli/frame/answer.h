/*
 * The frame of the commands that answer from one reply. The frame makes a
 * question from the options of the command line, asks the daemon, and prints
 * the answer in the chosen format, with notes, errors and the exit status. A
 * command only defines what to ask, and how its text looks.
 */
#ifndef CCFC_CLI_FRAME_ANSWER_H
#define CCFC_CLI_FRAME_ANSWER_H

#include "base/arena.h"
#include "cli/frame/cli.h"
#include "cli/frame/cwd.h"
#include "wire/obj.h"

#include <ccfc/client.h>

/*
 * The values of --format. Commands offer some of them; the first is the
 * default.
 */
#define CCFC_FORMAT_LIST(X)                                                    \
	X(TABLE, "table")                                                      \
	X(TEXT, "text")                                                        \
	X(RAW, "raw")                                                          \
	X(DIFF, "diff")                                                        \
	X(JSON, "json")                                                        \
	X(JSONL, "jsonl")                                                      \
	X(PATHS, "paths")                                                      \
	X(IDS, "ids")                                                          \
	X(CSV, "csv")                                                          \
	X(TSV, "tsv")                                                          \
	X(PORCELAIN, "porcelain")                                              \
	X(TRACE, "agent-trace")

enum ccfc_format {
#define X(symbol, word) CCFC_FORMAT_##symbol,
	CCFC_FORMAT_LIST(X)
#undef X
};
#define CCFC_FORMAT_BIT(symbol) (1u << CCFC_FORMAT_##symbol)

/* A question; everything in it lives until it is released. */
struct ccfc_question {
	struct ccfc_cli *cli;
	const struct ccfc_opts *opts;
	struct ccfc_query query; /* from the rows that have a `field` */
	enum ccfc_format format; /* from --format and -0 */
	char end;		 /* ends a path: a newline, or NUL for -0 */
	struct ccfc_cwd where;	 /* zero until ccfc_question_here */
	const char *given;	 /* the first argument, or NULL */
	const char *session;	 /* `given` as a session … */
	const char *path;	 /* … or as an absolute path */
	int64_t line;		 /* of "FILE:17"; 0: none */
	struct ccfc_arena texts;
	void *own; /* the command's */
};

/*
 * Takes format and query from the options. CCFC_EINVAL, CCFC_EIO. Release it
 * also after a failure; it must not be moved.
 */
int ccfc_question_init(struct ccfc_question *q, struct ccfc_cli *cli,
		       const struct ccfc_opts *opts, struct ccfc_err *err);
void ccfc_question_release(struct ccfc_question *q);

/* Finds the current directory, unless that is already known. CCFC_EIO. */
int ccfc_question_here(struct ccfc_question *q, struct ccfc_err *err);

/*
 * Makes the question about the session, or the file, `given`. For a file the
 * query has all its names, and the current directory.
 */
int ccfc_question_session(struct ccfc_question *q, const char *given,
			  struct ccfc_err *err);
int ccfc_question_file(struct ccfc_question *q, const char *given,
		       struct ccfc_err *err);

/*
 * Like ccfc_question_file, for what may be no path: "FILE:17" (sets `line`), or
 * the end of a path. The daemon finds the file; then ccfc_question_found puts
 * that file into `given` and `path`.
 */
int ccfc_question_name(struct ccfc_question *q, const char *given,
		       struct ccfc_err *err);
void ccfc_question_found(struct ccfc_question *q, struct ccfc_obj root);

/*
 * For a command with several files: *out is the file that `given` means, as one
 * types it here; the caller frees it. NULL: `given` itself will do.
 */
int ccfc_question_resolve(char **out, struct ccfc_cli *cli,
			  const struct ccfc_opts *opts, const char *given,
			  struct ccfc_err *err);

/* Prints a note with the project used, if the caller named none. */
void ccfc_question_note_scope(const struct ccfc_question *q,
			      struct ccfc_obj root);

/* The meaning of a command's first argument. */
enum ccfc_subject { CCFC_ABOUT_NOTHING, CCFC_ABOUT_SESSION, CCFC_ABOUT_FILE };

/* A command that answers from one reply. `prepare` and `status` may be NULL. */
struct ccfc_answer {
	enum ccfc_subject subject; /* of the first argument, if there is one */
	bool here;		   /* the query has the current directory */
	bool running;	  /* never start a daemon, and print no note about
			   * indexing */
	const char *rows; /* the array for jsonl, paths and ids */
	const char *path; /* the field of a row that paths prints */
	unsigned own;	  /* CCFC_FORMAT_BITs that `print` handles itself */

	/*
	 * Checks options, and sets the parts of the query that are not plain
	 * values.
	 */
	int (*prepare)(struct ccfc_question *q, struct ccfc_err *err);
	int (*ask)(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err);
	/*
	 * Prints all formats except the frame's (json, jsonl, paths and ids,
	 * unless they are `own`). Returns the exit status.
	 */
	int (*print)(struct ccfc_question *q, struct ccfc_obj root);
	/* The exit status after a format of the frame. NULL: always found. */
	int (*status)(struct ccfc_question *q, struct ccfc_obj root);
};

/* Asks and prints; returns the exit status. */
int ccfc_answer_run(const struct ccfc_answer *answer, struct ccfc_cli *cli,
		    const struct ccfc_opts *opts, void *own);

/* "more: --offset=50" if more follows after the `shown` from `offset` on. */
void ccfc_answer_more(struct ccfc_out *out, int64_t offset, int64_t shown,
		      int64_t total);

#endif
