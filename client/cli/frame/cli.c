/* The frame of the `ccfc` command: options, dispatch, errors; see cli.h. */
#include "cli/frame/cli.h"

#include "cli/frame/connect.h"
#include "cli/frame/spelling.h"
#include "cli/frame/unclear.h"
#include "cli/frame/version_skew.h"
#include "cli/out/safe.h"
#include "cli/words/command_alias.h"
#include "cli/words/suggest.h"

#include <ccfc/protocol.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

const struct ccfc_opt ccfc_cli_common[] = {
	[CCFC_COMMON_COLOR] = { "color", 0, CCFC_OPT_CHOICE, "WHEN",
				.help = "auto (default), always or never",
				.choices = "auto|always|never" },
	[CCFC_COMMON_HYPERLINK] = { "hyperlink", 0, CCFC_OPT_CHOICE, "WHEN",
				    .help = "links to files: auto (default), "
					    "always or never",
				    .choices = "auto|always|never" },
	[CCFC_COMMON_NO_PAGER] = { "no-pager", 0, CCFC_OPT_FLAG,
				   .help = "never start a pager" },
	[CCFC_COMMON_HELP] = { "help", 'h', CCFC_OPT_FLAG,
			       .help = "show this help" },
	{ 0 },
};

enum { OPT_VERSION };
const struct ccfc_opt ccfc_cli_global[] = {
	[OPT_VERSION] = { "version", 'V', CCFC_OPT_FLAG,
			  .help = "show the version" },
	{ 0 },
};

static void write_stderr(const struct ccfc_buf *buf)
{
	size_t done = 0;

	while (done < buf->len) {
		ssize_t n =
			write(STDERR_FILENO, buf->ptr + done, buf->len - done);

		if (n < 0 && errno != EINTR)
			return; /* nobody reads stderr */
		done += n < 0 ? 0 : (size_t)n;
	}
}

/*
 * An ambiguous name is not an error yet: the caller may choose (run_clearly). A
 * process has one command line, so one variable is enough.
 */
static struct ccfc_err unclear;

/* The command line that runs; errors of the daemon are put in its words. */
static struct ccfc_spelling running;

static void append_spelled(struct ccfc_buf *line, const char *text)
{
	struct ccfc_buf words = CCFC_BUF_INIT;

	ccfc_spelling_append(&words, &running, ccfc_slice_str(text));
	ccfc_safe_append(line, ccfc_buf_view(&words), false);
	ccfc_buf_putc(line, '\n');
	ccfc_buf_release(&words);
}

static int print_error(const struct ccfc_err *err)
{
	struct ccfc_err shown = *err;
	struct ccfc_buf line = CCFC_BUF_INIT;

	ccfc_version_skew_explain(&shown);
	ccfc_cli_explain_nothing(&shown);
	/* Errors about options before the command already begin so. */
	if (!ccfc_slice_starts(ccfc_slice_str(shown.what), "ccfc: "))
		ccfc_buf_puts(&line, "ccfc: ");
	append_spelled(&line, shown.what);
	if (*shown.hint) {
		ccfc_buf_puts(&line, "hint: ");
		append_spelled(&line, shown.hint);
	}
	write_stderr(&line);
	ccfc_buf_release(&line);
	switch (shown.code) {
	case CCFC_ENOTFOUND:
		return CCFC_EXIT_NOTHING;
	case CCFC_EUNREACHABLE:
		return CCFC_EXIT_UNREACHABLE;
	default:
		return CCFC_EXIT_ERROR;
	}
}

int ccfc_cli_fail(const struct ccfc_err *err)
{
	if (err->code != CCFC_EAMBIGUOUS)
		return print_error(err);
	unclear = *err;
	return CCFC_EXIT_ERROR;
}

void ccfc_cli_note(const char *fmt, ...)
{
	struct ccfc_buf text = CCFC_BUF_INIT, line = CCFC_BUF_INIT;
	struct ccfc_buf local = CCFC_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ccfc_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	ccfc_spelling_times(&local, &running, ccfc_buf_view(&text));
	ccfc_buf_puts(&line, "ccfc: note: ");
	ccfc_safe_append(&line, ccfc_buf_view(&local), false);
	ccfc_buf_putc(&line, '\n');
	write_stderr(&line);
	ccfc_buf_release(&line);
	ccfc_buf_release(&local);
	ccfc_buf_release(&text);
}

const struct ccfc_command *ccfc_cli_find(const char *name, struct ccfc_err *err)
{
	struct ccfc_suggest near;

	for (int i = 0; ccfc_commands[i]; i++)
		if (!strcmp(ccfc_commands[i]->name, name))
			return ccfc_commands[i];
	ccfc_suggest_init(&near, name);
	for (int i = 0; ccfc_commands[i]; i++)
		if (!ccfc_commands[i]->writes)
			ccfc_suggest_try(&near, ccfc_commands[i]->name);
	ccfc_err_set(err, CCFC_EINVAL, "unknown command '%s'", name);
	if (ccfc_alias_hint(name))
		ccfc_err_hint(err, "%s", ccfc_alias_hint(name));
	else if (near.best)
		ccfc_err_hint(err, "did you mean 'ccfc %s'?", near.best);
	else
		ccfc_err_hint(err, "ccfc --help lists the commands");
	return NULL;
}

static void use_common(struct ccfc_out *out, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *color =
		ccfc_opts_common(opts, CCFC_COMMON_COLOR);
	const struct ccfc_opt_value *links =
		ccfc_opts_common(opts, CCFC_COMMON_HYPERLINK);

	if (color->set)
		ccfc_out_set_color(out, (enum ccfc_color)color->num);
	if (links->set)
		ccfc_out_set_links(out, (enum ccfc_color)links->num);
	if (ccfc_opts_common(opts, CCFC_COMMON_NO_PAGER)->set)
		out->paged = false;
}

static int check_args(const struct ccfc_command *command,
		      const struct ccfc_opts *opts, struct ccfc_err *err)
{
	const char *kind;
	int len;

	if (opts->nargs >= command->args_min &&
	    opts->nargs <= command->args_max)
		return 0;
	kind = ccfc_unclear_argument(command, &len);
	if (opts->nargs < command->args_min)
		ccfc_err_set(err, CCFC_EINVAL, "%s: %.*s is missing",
			     command->name, len, kind);
	else
		ccfc_err_set(err, CCFC_EINVAL,
			     "%s: one argument too many: '%s'", command->name,
			     opts->args[command->args_max]);
	/* A hint is one line: the first form. */
	ccfc_err_hint(err, "usage: ccfc %.*s",
		      (int)strcspn(command->usage, "\n"), command->usage);
	return CCFC_EINVAL;
}

/* Runs the command, and again with the caller's choice. */
static int run_clearly(struct ccfc_cli *cli, const struct ccfc_command *command,
		       struct ccfc_opts *opts)
{
	int status = command->run(cli, opts);
	char *chosen = NULL;
	bool listed;

	if (!unclear.code)
		return status;
	if (ccfc_unclear_choose(cli, &unclear, opts, &chosen, &listed)) {
		unclear.code = 0;
		status = command->run(cli, opts);
	}
	if (unclear.code) {
		if (listed)
			unclear.hint[0] = '\0';
		status = print_error(&unclear);
	}
	free(chosen);
	return status;
}

/* May a missing argument be chosen? */
static bool wants_argument(const struct ccfc_command *command,
			   const struct ccfc_opts *opts)
{
	const char *p = command->instead;
	struct ccfc_slice word;

	if (!p || opts->nargs)
		return opts->nargs < command->args_min;
	while (ccfc_opt_next_part(&word, &p, '|'))
		for (int i = 0; command->options[i].name; i++)
			if (ccfc_slice_is(word, command->options[i].name) &&
			    ccfc_opts_own(opts, i)->set)
				return false;
	return true;
}

static int run_parsed(struct ccfc_cli *cli, const struct ccfc_command *command,
		      struct ccfc_opts *opts)
{
	struct ccfc_err err;
	char *filled = NULL;
	int status;

	if (ccfc_opts_common(opts, CCFC_COMMON_HELP)->set) {
		use_common(&cli->out, opts);
		ccfc_help_print(&cli->out, command);
		return 0;
	}
	if (wants_argument(command, opts))
		ccfc_unclear_fill(cli, command, opts, &filled);
	if (check_args(command, opts, &err) < 0)
		return ccfc_cli_fail(&err);
	use_common(&cli->out, opts);
	if (!command->paged)
		cli->out.paged = false;
	status = run_clearly(cli, command, opts);
	free(filled);
	return status;
}

/* argv[0] is the command's name. */
static int run_command(struct ccfc_cli *cli, int argc, char **argv)
{
	const struct ccfc_command *command;
	const char *name = argv[0];
	struct ccfc_opts opts;
	struct ccfc_err err;
	int status, words;

	if (!strcmp(argv[0], "__complete"))
		return ccfc_complete_run(cli, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[0], "files") && ccfc_files_has(argv[1])) {
		argc--;
		argv++;
		name = argv[0];
	}
	words = ccfc_alias_find(&name, argc, argv);
	if (words) {
		argc -= words - 1;
		argv += words - 1;
	}
	command = ccfc_cli_find(name, &err);
	if (!command)
		return ccfc_cli_fail(&err);
	running = (struct ccfc_spelling){ command, argc, argv };
	ccfc_opts_init(&opts, command->name, command->options, ccfc_cli_common);
	if (ccfc_opts_parse(&opts, argc - 1, argv + 1, false, &err) < 0)
		status = ccfc_cli_fail(&err);
	else
		status = run_parsed(cli, command, &opts);
	ccfc_opts_release(&opts);
	return status;
}

/* "ccfc --help", "ccfc --help search". */
static int print_help(struct ccfc_cli *cli, int argc, char **argv)
{
	const struct ccfc_command *command = NULL;
	const char *name = argc ? argv[0] : NULL;
	struct ccfc_err err;

	if (argc) {
		ccfc_alias_find(&name, argc, argv);
		command = ccfc_cli_find(name, &err);
	}
	if (argc && !command)
		return ccfc_cli_fail(&err);
	ccfc_help_print(&cli->out, command);
	return 0;
}

/* Options before the command, and requests without a command. */
static int run_main(struct ccfc_cli *cli, int argc, char **argv)
{
	struct ccfc_opts opts;
	struct ccfc_err err;
	int status;

	ccfc_opts_init(&opts, "ccfc", ccfc_cli_global, ccfc_cli_common);
	if (ccfc_opts_parse(&opts, argc, argv, true, &err) < 0) {
		status = ccfc_cli_fail(&err);
	} else if (ccfc_opts_own(&opts, OPT_VERSION)->set ||
		   (opts.used < argc && !strcmp(argv[opts.used], "version"))) {
		ccfc_buf_printf(&cli->out.buf, "ccfc %s (protocol %d)\n",
				CCFC_VERSION, CCFC_PROTOCOL_VERSION);
		status = 0;
	} else if (ccfc_opts_common(&opts, CCFC_COMMON_HELP)->set) {
		use_common(&cli->out, &opts);
		status = print_help(cli, argc - opts.used, argv + opts.used);
	} else if (opts.used == argc) {
		use_common(&cli->out, &opts);
		ccfc_help_print(&cli->out, NULL);
		status = 0;
	} else {
		use_common(&cli->out, &opts);
		status = run_command(cli, argc - opts.used, argv + opts.used);
	}
	ccfc_opts_release(&opts);
	return status;
}

int ccfc_cli_main(int argc, char **argv)
{
	struct ccfc_cli cli = { 0 };
	struct ccfc_err err;
	int status;

	/* A closed pipe is handled where EPIPE is returned. */
	signal(SIGPIPE, SIG_IGN);
	ccfc_out_init(&cli.out, STDOUT_FILENO);
	cli.out.paged = cli.out.tty;
	status = run_main(&cli, argc > 0 ? argc - 1 : 0, argv + (argc > 0));
	ccfc_cli_disconnect(&cli);
	if (ccfc_out_finish(&cli.out, &err) < 0)
		return ccfc_cli_fail(&err);
	return status;
}
