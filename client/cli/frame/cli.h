/*
 * The frame of the `ccfc` command: one row and one file cmd_*.c for each
 * command, and their shared parts. A command gets parsed options and appends
 * its answer to cli->out; it returns its exit status.
 */
#ifndef CCFC_CLI_FRAME_CLI_H
#define CCFC_CLI_FRAME_CLI_H

#include "cli/frame/opt.h"
#include "cli/out/out.h"

/* Exit status. */
enum {
	CCFC_EXIT_FOUND = 0,
	CCFC_EXIT_NOTHING = 1,
	CCFC_EXIT_ERROR = 2,
	CCFC_EXIT_UNREACHABLE = 3,
};

struct ccfc_cli {
	struct ccfc_out out;
	struct ccfc_client *client; /* see connect.h; NULL: not connected */
	int silence_ms; /* the daemon's longest silence in a call; 0: any */
};

/* The subject of a command, for the list of commands. */
enum ccfc_topic {
	CCFC_TOPIC_FILES,
	CCFC_TOPIC_SESSIONS,
	CCFC_TOPIC_UNDO,
	CCFC_TOPIC_DAEMON,
	CCFC_TOPICS,
};

struct ccfc_command {
	const char *name;
	const char *usage;   /* "list SESSION [options]" */
	const char *summary; /* one line, for the list of commands */
	const char *about;   /* paragraphs, for the command's own help */
	const char *examples;
	const struct ccfc_opt *options;
	int args_min, args_max;
	const char *instead; /* "undo|list": options that replace the argument;
			      * without one a terminal asks for it */
	bool paged;	     /* its answer may go through a pager */
	bool writes; /* writes files, or stops something: no hint suggests it */
	enum ccfc_topic topic;
	int (*run)(struct ccfc_cli *cli, const struct ccfc_opts *opts);
};

/* Rows of the table of commands, in the order of the help; ends with NULL. */
extern const struct ccfc_command *const ccfc_commands[];

#define COMMAND(name) extern const struct ccfc_command ccfc_cmd_##name;
#include "cli/commands.def"
#undef COMMAND

/* Options of every command. */
extern const struct ccfc_opt ccfc_cli_common[];
enum {
	CCFC_COMMON_COLOR,
	CCFC_COMMON_HYPERLINK,
	CCFC_COMMON_NO_PAGER,
	CCFC_COMMON_HELP
};

/* Options that are allowed only before the command. */
extern const struct ccfc_opt ccfc_cli_global[];

/* The whole program; returns main()'s status. */
int ccfc_cli_main(int argc, char **argv);

/* The command of that name, or NULL and an error with a suggestion. */
const struct ccfc_command *ccfc_cli_find(const char *name,
					 struct ccfc_err *err);

/* May `name` follow "files"? */
bool ccfc_files_has(const char *name);

/* Prints the error to stderr; returns its exit status. */
int ccfc_cli_fail(const struct ccfc_err *err);

/* "ccfc: note: …" on stderr. */
void ccfc_cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * "ccfc __complete", for shells (cmd/service/cmd_complete.c). The table does
 * not have this word: no help shows it. `argv` follows the word. Always 0.
 */
int ccfc_complete_run(struct ccfc_cli *cli, int argc, char **argv);

/* Prints help on one command; NULL: on all. */
void ccfc_help_print(struct ccfc_out *out, const struct ccfc_command *command);

#endif
