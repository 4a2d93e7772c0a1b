/*
 * What could stand at the end of a command line, for completions in shells.
 * All is taken from the tables of commands and options: a word in capitals of
 * a command's usage ("SESSION|CHANGE [PATH…]") or an option's `arg` says what
 * belongs there, small letters there are words as they are.
 *
 * The pieces: ccfc_complete_read finds out what is being completed, _tables
 * gives what the tables know, _ask what the daemon knows. Nothing here fails;
 * where something is wrong there are no candidates.
 */
#ifndef CCFC_CLI_COMPLETE_COMPLETE_H
#define CCFC_CLI_COMPLETE_COMPLETE_H

#include "cli/frame/cli.h"

#define CCFC_COMPLETE_MAX 50 /* candidates from the daemon */

/* What a place in a command line is for; several may be said of one. */
enum ccfc_kind {
	CCFC_KIND_SESSION = 1 << 0,
	CCFC_KIND_CHANGE = 1 << 1,
	CCFC_KIND_PATH = 1 << 2, /* a file, there or known to the index */
	CCFC_KIND_FILE = 1 << 3, /* a file that is there */
	CCFC_KIND_DIR = 1 << 4,
	CCFC_KIND_COMMAND = 1 << 5,
	CCFC_KIND_WHEN = 1 << 6, /* "before:", a session, a change */
	CCFC_KIND_AGENT = 1 << 7,
	CCFC_KIND_BRANCH = 1 << 8,
	CCFC_KIND_MODEL = 1 << 9,
	CCFC_KIND_TOOL = 1 << 10,
};

/* All is borrowed from the tables and from the words, but for the arrays. */
struct ccfc_complete {
	const struct ccfc_command *command; /* NULL: it is to be named yet */
	const struct ccfc_opt *tables[2];
	const struct ccfc_opt *option; /* whose value is meant, or NULL */
	bool options;		       /* an option is meant */
	bool nothing;		       /* the line makes no sense */
	struct {
		const struct ccfc_opt **items;
		uint32_t n, cap;
	} given;	   /* options so far */
	const char **args; /* arguments so far */
	int nargs;
	/* The last word: what stays as it is, and what is completed. */
	struct ccfc_slice stem, prefix;
	struct ccfc_slice place; /* the word of the usage, or the `arg` */
	unsigned kinds;
};

/*
 * `words` are those behind "ccfc", the last is the one to complete (maybe
 * empty); n > 0. They have to live on.
 */
void ccfc_complete_read(struct ccfc_complete *c, int n,
			const char *const *words);
void ccfc_complete_release(struct ccfc_complete *c);

/* Does the shell add files of its own, or directories only? */
bool ccfc_complete_wants_files(const struct ccfc_complete *c);
bool ccfc_complete_wants_dirs(const struct ccfc_complete *c);

/*
 * The word of a usage that says what argument `i` (from 0) is: without
 * brackets and "…". Empty: there is no such argument.
 */
struct ccfc_slice ccfc_complete_place(const char *usage, int i);

/* A set of enum ccfc_kind for "SESSION|CHANGE"; of an option's value or not. */
unsigned ccfc_complete_kinds(struct ccfc_slice place, bool option);

/* ---- what the shells are told ---- */

/* A line of bash up to the cursor, taken apart. */
struct ccfc_bash {
	char **words; /* without quotes; the last is the one to complete */
	int n;
	/*
	 * readline replaces the end of the last word only, from behind the
	 * last of COMP_WORDBREAKS or an open quote. This is what it keeps,
	 * without quotes.
	 */
	char *kept;
	char quote; /* the one that is open, or 0 */
};

void ccfc_bash_init(struct ccfc_bash *bash, const char *line,
		    const char *breaks);
void ccfc_bash_release(struct ccfc_bash *bash);

/* Appends `text` such that bash reads it back, inside of `quote` or not. */
void ccfc_bash_quote(struct ccfc_buf *out, struct ccfc_slice text, char quote);

/* Where candidates go: one a line, the value, a tab, what it is. */
struct ccfc_candidates {
	struct ccfc_buf *out;
	struct ccfc_slice stem, prefix;
	const struct ccfc_bash *bash; /* for bash: no tab, quoted; or NULL */
	struct {
		char **items; /* those that are there already */
		uint32_t n, cap;
	} seen;
};

/*
 * Adds a candidate if it goes on from the prefix, is not there yet, and has
 * nothing in it that a terminal would not show as it is. `about` may be empty.
 */
void ccfc_candidates_add(struct ccfc_candidates *to, struct ccfc_slice value,
			 struct ccfc_slice about);
void ccfc_candidates_release(struct ccfc_candidates *to);

/* What the tables know. */
void ccfc_complete_tables(struct ccfc_candidates *to,
			  const struct ccfc_complete *c);

/* Files that go on from the prefix, directories with a "/". */
void ccfc_complete_disk(struct ccfc_candidates *to, bool dirs_only);

/* Is the daemon to be asked? And its answers. */
bool ccfc_complete_must_ask(const struct ccfc_complete *c);
void ccfc_complete_ask(struct ccfc_candidates *to,
		       const struct ccfc_complete *c, struct ccfc_cli *cli);

#endif
