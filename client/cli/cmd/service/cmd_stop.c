/* ccfc stop: ends the daemon, and waits until it has ended. */
#include "cli/setup/stop.h"

#include "base/time.h"
#include "cli/frame/connect.h"

#define WAIT_MS 30000

/* The daemon closes its connections when it ends. */
static int wait_gone(struct ccfc_client *client, struct ccfc_err *err)
{
	struct ccfc_reply *event;
	int code;

	do {
		code = ccfc_client_next_event(&event, client,
					      ccfc_time_patience(WAIT_MS), err);
		if (code > 0)
			ccfc_reply_free(event);
	} while (code > 0);
	if (!code)
		return ccfc_err_set(err, CCFC_EAGAIN,
				    "stop: the daemon has not ended yet");
	return code == CCFC_EUNREACHABLE ? 0 : code;
}

int ccfc_stop(struct ccfc_cli *cli, struct ccfc_err *err)
{
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, err);

	if (!code)
		code = ccfc_server_stop(cli->client, err);
	/* After this, a missing daemon is success. */
	return code ? code : wait_gone(cli->client, err);
}

static int run_stop(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_err err;
	int code = ccfc_stop(cli, &err);

	(void)opts;
	if (code == CCFC_EUNREACHABLE)
		ccfc_err_set(&err, CCFC_ENOTFOUND, "stop: not running");
	if (code < 0)
		return ccfc_cli_fail(&err);
	ccfc_buf_puts(&cli->out.buf, "stopped\n");
	return 0;
}

const struct ccfc_command ccfc_cmd_stop = {
	.name = "stop",
	.usage = "stop",
	.summary = "stop the daemon",
	.about = "Stops the daemon and waits until it has ended. Nothing is "
		 "lost: the next daemon\n"
		 "continues where this one ended. Exits with 1 if no daemon "
		 "is running.",
	.args_max = 0,
	.writes = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_stop,
};
