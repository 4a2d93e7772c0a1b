/* ccfc start: starts the daemon unless it runs. */
#include "cli/frame/connect.h"

static int start_start(struct ccfc_cli *cli, const char **said,
		       struct ccfc_err *err)
{
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, err);

	*said = "already running";
	if (code != CCFC_EUNREACHABLE)
		return code;
	*said = "started";
	return ccfc_cli_connect(cli, CCFC_SPAWN_ALWAYS, err);
}

static int run_start(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	const char *said;

	(void)opts;
	if (start_start(cli, &said, &err) < 0 ||
	    ccfc_server_info(&reply, cli->client, &err) < 0)
		return ccfc_cli_fail(&err);
	ccfc_buf_printf(
		&cli->out.buf, "%s (pid %lld)\n", said,
		(long long)ccfc_obj_get_int(ccfc_cli_value(reply), "pid", 0));
	ccfc_reply_free(reply);
	return 0;
}

const struct ccfc_command ccfc_cmd_start = {
	.name = "start",
	.usage = "start",
	.summary = "start the daemon",
	.about = "Starts the daemon if none runs, also if CCFC_NO_SPAWN is "
		 "set. This is seldom\n"
		 "needed: every command that asks the daemon starts it.",
	.args_max = 0,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_start,
};
