/*
 * ccfc mark: says when a shell command began or ended, for hooks of Claude Code
 * that run before and after it (PreToolUse, PostToolUse, PostToolUseFailure).
 * The client waits for its hooks, so this one must be quick and must never be
 * in the way: whatever fails, and whatever takes longer than TIME_LIMIT, it
 * prints nothing and ends well. It does not start the daemon.
 *
 * The beginning is read from the coarse clock that gives files their times: no
 * change of the command is earlier. The end is read from the finer clock: no
 * change is later.
 */
#include "cli/frame/connect.h"
#include "cli/jsonrpc/beside.h"

#include <string.h>
#include <time.h>

#define TIME_LIMIT 50 /* ms */
/* After the command the input includes the command's output. */
#define INPUT_MAX (16u << 20)

static const struct ccfc_opt options[] = { { 0 } };

static int64_t read_ms(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The start of this process, by the coarse and the finer clock. */
struct moments {
	int64_t before, after;
};

static bool is_shell(struct ccfc_slice tool)
{
	return ccfc_slice_is(tool, "Bash") || ccfc_slice_is(tool, "PowerShell");
}

/* `text` with a NUL at its end; NULL: no id has such bytes. */
static const char *terminated_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	ccfc_buf_clear(out);
	ccfc_buf_slice(out, text);
	ccfc_buf_putc(out, '\0');
	return text.len && strlen(out->ptr) == text.len ? out->ptr : NULL;
}

static void send_mark(struct ccfc_cli *cli, struct ccfc_obj hook,
		      const struct moments *now)
{
	struct ccfc_slice event = ccfc_obj_get_str(hook, "hook_event_name");
	bool begins = ccfc_slice_is(event, "PreToolUse");
	struct ccfc_buf texts[3] = { CCFC_BUF_INIT, CCFC_BUF_INIT,
				     CCFC_BUF_INIT };
	const char *session = terminated_text(
		&texts[0], ccfc_obj_get_str(hook, "session_id"));
	const char *call = terminated_text(
		&texts[1], ccfc_obj_get_str(hook, "tool_use_id"));
	struct ccfc_reply *reply = NULL;

	if (session && call && is_shell(ccfc_obj_get_str(hook, "tool_name")) &&
	    (begins || ccfc_slice_is(event, "PostToolUse") ||
	     ccfc_slice_is(event, "PostToolUseFailure")) &&
	    !ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, NULL))
		ccfc_command_mark(
			&reply, cli->client, session, call,
			terminated_text(&texts[2],
					ccfc_obj_get_str(hook, "cwd")),
			begins ? now->before : 0, begins ? 0 : now->after,
			NULL);
	ccfc_reply_free(reply);
	for (int i = 0; i < 3; i++)
		ccfc_buf_release(&texts[i]);
}

static int run_mark(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct moments now = { read_ms(CLOCK_REALTIME_COARSE),
			       read_ms(CLOCK_REALTIME) };
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;

	(void)opts;
	ccfc_beside_limit_time(TIME_LIMIT);
	/* To the client, a hook that exits with 2 forbids the call. */
	cli->out.dispensable = true;
	if (ccfc_beside_read(&packed, &doc, INPUT_MAX))
		send_mark(cli, ccfc_doc_root(doc), &now);
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	return CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_mark = {
	.name = "mark",
	.usage = "mark",
	.summary = "when a command began and ended, for hooks",
	.about =

		"For hooks of Claude Code that run before and after a shell "
		"command. Reads the\n"
		"hook's input on standard input and reports to the daemon that "
		"the command begins\n"
		"now, or has ended. Changes on disk in between belong to the "
		"command; without\n"
		"marks the times of its lines are used, and 100 ms more. It "
		"prints nothing and\n"
		"exits with 0, whatever happens, after 50 ms at the latest. It "
		"does not start the\n"
		"daemon. The plugin for Claude Code has these hooks; in its "
		"settings they are:\n"
		"\n"
		"  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", "
		"\"hooks\":\n"
		"    [{\"type\": \"command\", \"command\": \"ccfc mark\"}]}]}\n"
		"\n"
		"and the same for PostToolUse and PostToolUseFailure.",
	.options = options,
	.args_max = 0,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_mark,
};
