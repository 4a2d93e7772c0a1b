/* ccfc help: what --help says, by name. */
#include "cli/frame/cli.h"

static int run_help(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	const struct ccfc_command *command = NULL;
	struct ccfc_err err;

	if (opts->nargs) {
		command = ccfc_cli_find(opts->args[0], &err);
		if (!command)
			return ccfc_cli_fail(&err);
	}
	ccfc_help_print(&cli->out, command);
	return 0;
}

const struct ccfc_command ccfc_cmd_help = {
	.name = "help",
	.usage = "help [COMMAND]",
	.summary = "help on a command",
	.about = "Shows the help of a command, or the list of commands.",
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_help,
};
