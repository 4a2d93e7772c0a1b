/*
 * Candidates for the end of a command line, for completions in shells. The
 * tables of commands and options say what belongs where: a word in capitals of
 * a command's usage ("SESSION|CHANGE [PATH…]") or an option's `arg` names a
 * kind of value; words in small letters stand for themselves.
 *
 * ccfc_complete_read finds out what is being completed. Candidates come from
 * the tables (_tables), files (_disk) and the daemon (_ask). Nothing here
 * fails; on errors there are no candidates.
 */
#ifndef CCFC_CLI_COMPLETE_COMPLETE_H
#define CCFC_CLI_COMPLETE_COMPLETE_H

#include "cli/frame/cli.h"

#define CCFC_COMPLETE_MAX 50 /* candidates from the daemon */

/* The meaning of a place in a command line; a set. */
enum ccfc_kind {
	CCFC_KIND_SESSION = 1 << 0,
	CCFC_KIND_CHANGE = 1 << 1,
	CCFC_KIND_PATH = 1 << 2, /* a file on disk or in the index */
	CCFC_KIND_FILE = 1 << 3, /* a file on disk */
	CCFC_KIND_DIR = 1 << 4,
	CCFC_KIND_COMMAND = 1 << 5,
	CCFC_KIND_WHEN = 1 << 6, /* "before:", a session, a change */
	CCFC_KIND_AGENT = 1 << 7,
	CCFC_KIND_BRANCH = 1 << 8,
	CCFC_KIND_MODEL = 1 << 9,
	CCFC_KIND_TOOL = 1 << 10,
};

/* Everything but the arrays is borrowed from the tables and the words. */
struct ccfc_complete {
	const struct ccfc_command *command; /* NULL: not named yet */
	const struct ccfc_opt *tables[2];
	const struct ccfc_opt *option; /* the option whose value is completed,
					* or NULL */
	bool options;		       /* an option is completed */
	bool nothing;		       /* the line is wrong: no candidates */
	struct {
		const struct ccfc_opt **items;
		uint32_t n, cap;
	} given;	   /* options so far */
	const char **args; /* arguments so far */
	int nargs;
	/* The last word: the part that stays, and the part to complete. */
	struct ccfc_slice stem, prefix;
	/* the placeholder in the usage, or the option's `arg` */
	struct ccfc_slice place;
	unsigned kinds;
};

/*
 * `words` follow "ccfc"; the last is the one to complete (maybe empty); n > 0.
 * They must outlive `c`.
 */
void ccfc_complete_read(struct ccfc_complete *c, int n,
			const char *const *words);
void ccfc_complete_release(struct ccfc_complete *c);

/* Does the shell add files of its own, or directories only? */
bool ccfc_complete_wants_files(const struct ccfc_complete *c);
bool ccfc_complete_wants_dirs(const struct ccfc_complete *c);

/*
 * The word of a usage for argument `i` (from 0): without brackets and "…".
 * Empty: there is no such argument.
 */
struct ccfc_slice ccfc_complete_place(const char *usage, int i);

/* A set of enum ccfc_kind for "SESSION|CHANGE"; `option`: an option's value. */
unsigned ccfc_complete_kinds(struct ccfc_slice place, bool option);

/* ---- the output for shells ---- */

/* A line of bash up to the cursor, taken apart. */
struct ccfc_bash {
	char **words; /* without quotes; the last is the one to complete */
	int n;
	/*
	 * readline replaces only the end of the last word, after the last of
	 * COMP_WORDBREAKS or an open quote. `kept` is the part that it keeps,
	 * without quotes.
	 */
	char *kept;
	char quote; /* the open quote, or 0 */
};

void ccfc_bash_init(struct ccfc_bash *bash, const char *line,
		    const char *breaks);
void ccfc_bash_release(struct ccfc_bash *bash);

/* Appends `text` quoted for bash, inside of `quote` or not. */
void ccfc_bash_quote(struct ccfc_buf *out, struct ccfc_slice text, char quote);

/* The output: one candidate on each line, its value, a tab, its description. */
struct ccfc_candidates {
	struct ccfc_buf *out;
	struct ccfc_slice stem, prefix;
	const struct ccfc_bash *bash; /* for bash: no tab, quoted; or NULL */
	struct {
		char **items; /* candidates added so far */
		uint32_t n, cap;
	} seen;
};

/*
 * Adds a candidate if it continues the prefix, is new, and has no characters
 * that a terminal would not show as they are. `about` may be empty.
 */
void ccfc_candidates_add(struct ccfc_candidates *to, struct ccfc_slice value,
			 struct ccfc_slice about);
void ccfc_candidates_release(struct ccfc_candidates *to);

/* Adds candidates from the tables. */
void ccfc_complete_tables(struct ccfc_candidates *to,
			  const struct ccfc_complete *c);

/* Files that continue the prefix; directories with a "/". */
void ccfc_complete_disk(struct ccfc_candidates *to, bool dirs_only);

/* Must the daemon be asked? _ask adds the candidates from its answers. */
bool ccfc_complete_must_ask(const struct ccfc_complete *c);
void ccfc_complete_ask(struct ccfc_candidates *to,
		       const struct ccfc_complete *c, struct ccfc_cli *cli);

#endif
