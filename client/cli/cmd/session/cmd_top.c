/*
 * ccfc top: what is happening now, on the whole screen. Plain escape sequences
 * on the alternate screen; whatever ends the command, the terminal is as it was
 * before. Changes come as events, sessions are asked for every second.
 */
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/report/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define HOURS_MS   (INT64_C(6) * 3600 * 1000) /* sessions up to this long ago */
#define SESSIONS   50
#define REFRESH_MS 1000
#define ROWS_MIN   8
#define ROWS_ONCE  24
#define WIDTH	   80

enum { OPT_PROJECT, OPT_ONCE };

static const struct ccfc_opt options[] = {
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ONCE] = { "once", 0, CCFC_OPT_FLAG,
		       .help = "print one frame, and end" },
	{ 0 },
};

struct top {
	struct ccfc_cli *cli;
	struct ccfc_question q;
	struct ccfc_top screen;
	struct termios before;
	bool raw;
};

/* Set by signals: the window has another size; the command must end. */
static volatile sig_atomic_t resized, ended;

static void on_signal(int signal)
{
	if (signal == SIGWINCH)
		resized = 1;
	else
		ended = 1;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGWINCH, SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };

	/* Without SA_RESTART, so that poll returns. */
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &action, NULL);
}

static void leave_screen(struct top *t)
{
	struct ccfc_out *out = &t->cli->out;

	if (!t->raw)
		return;
	ccfc_buf_puts(&out->buf, "\033[?25h\033[?1049l");
	ccfc_out_flush(out);
	tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	t->raw = false;
}

/* Reads keys one by one without echo; Ctrl-C still sends a signal. */
static int enter_screen(struct top *t, struct ccfc_err *err)
{
	struct termios raw;

	if (!t->cli->out.tty || tcgetattr(STDIN_FILENO, &t->before) < 0) {
		ccfc_err_set(err, CCFC_EINVAL, "top: not a terminal");
		ccfc_err_hint(err, "ccfc top --once, or ccfc sessions "
				   "--status=active");
		return CCFC_EINVAL;
	}
	raw = t->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	catch_signals();
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	t->raw = true;
	ccfc_buf_puts(&t->cli->out.buf, "\033[?1049h\033[?25l");
	return 0;
}

static void read_window_size(struct ccfc_out *out)
{
	struct winsize ws;

	if (ioctl(out->fd, TIOCGWINSZ, &ws) < 0)
		return;
	if (ws.ws_col)
		out->width = ws.ws_col;
	if (ws.ws_row)
		out->rows = ws.ws_row;
}

static void draw_screen(struct top *t)
{
	struct ccfc_out *out = &t->cli->out;
	unsigned rows = out->rows > ROWS_MIN ? out->rows : ROWS_MIN;

	/* The last line stays empty, or the screen would scroll. */
	ccfc_buf_puts(&out->buf, "\033[H");
	ccfc_top_frame(out, &t->screen, rows - 1,
		       out->width ? out->width : WIDTH, ccfc_time_now(),
		       "\033[K\r\n");
	ccfc_buf_puts(&out->buf, "\033[J");
	ccfc_out_flush(out);
}

/* An older daemon does not know the method: then no conflicts are shown. */
static void poll_conflicts(struct top *t)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_obj rows = { 0 };
	struct ccfc_reply *reply = NULL;

	query.project_path = t->q.query.project_path;
	query.limit = CCFC_TOP_CONFLICTS;
	if (!ccfc_conflict_list(&reply, t->cli->client, true, &query, NULL))
		rows = ccfc_obj_get(ccfc_cli_value(reply), "conflicts");
	ccfc_top_conflicts(&t->screen, rows);
	ccfc_reply_free(reply);
}

static int poll_sessions(struct top *t, struct ccfc_err *err)
{
	poll_conflicts(t);
	return ccfc_busy_poll(&t->screen.live, t->cli->client, &t->q.query,
			      ccfc_time_now() - HOURS_MS, SESSIONS, err);
}

/* Handles events that have arrived; lost events do not matter. */
static int handle_events(struct top *t, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	int code;

	while ((code = ccfc_client_next_event(&reply, t->cli->client, 0, err)) >
	       0) {
		struct ccfc_obj event = ccfc_cli_value(reply);

		if (!strcmp(ccfc_reply_method(reply), CCFC_N_EVENT) &&
		    !ccfc_slice_is(ccfc_obj_get_str(event, "type"),
				   "conflict") &&
		    ccfc_obj_get_str(event, "path").len)
			ccfc_top_add(&t->screen, event);
		ccfc_reply_free(reply);
	}
	return code;
}

/* False: to end. */
static bool handle_keys(struct top *t, bool *refresh)
{
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	for (ssize_t i = 0; i < n; i++) {
		if (keys[i] == 'q' || keys[i] == 'Q' || keys[i] == 3)
			return false;
		if (keys[i] == 'p')
			t->screen.paused = !t->screen.paused;
		*refresh |= keys[i] == 'r' || keys[i] == 'p';
	}
	return n != 0 || !(errno == EIO);
}

static int run_event_loop(struct top *t, struct ccfc_err *err)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = ccfc_client_fd(t->cli->client), .events = POLLIN },
	};
	int64_t next = 0;
	int code = 0;

	while (!ended && !t->cli->out.error && code >= 0) {
		int64_t now = ccfc_time_monotonic();
		bool refresh = now >= next;

		if (resized) {
			resized = 0;
			read_window_size(&t->cli->out);
			ccfc_buf_puts(&t->cli->out.buf, "\033[2J");
			refresh = true;
		}
		if (refresh && !t->screen.paused)
			code = poll_sessions(t, err);
		if (!code)
			code = handle_events(t, err);
		if (code < 0)
			break;
		draw_screen(t);
		if (refresh)
			next = now + REFRESH_MS;
		now = ccfc_time_monotonic();
		poll(fds, 2, next > now ? (int)(next - now) : 0);
		refresh = false;
		if ((fds[0].revents & (POLLIN | POLLHUP)) &&
		    !handle_keys(t, &refresh))
			break;
		if (refresh)
			next = 0;
	}
	return code;
}

static int subscribe_and_watch(struct top *t, struct ccfc_err *err)
{
	struct ccfc_reply *reply;
	struct ccfc_query query = CCFC_QUERY_INIT;
	int code;

	query.project_path = t->q.query.project_path;
	code = ccfc_events_subscribe(&reply, t->cli->client, &query, NULL, err);
	if (code < 0)
		return code;
	ccfc_reply_free(reply);
	code = enter_screen(t, err);
	if (!code)
		code = run_event_loop(t, err);
	leave_screen(t);
	return code;
}

static int run_top(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct top t = { .cli = cli };
	struct ccfc_err err;
	int code = ccfc_question_init(&t.q, cli, opts, &err);

	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!code && ccfc_opts_own(opts, OPT_ONCE)->set) {
		code = poll_sessions(&t, &err);
		if (!code)
			ccfc_top_frame(&cli->out, &t.screen, ROWS_ONCE,
				       cli->out.width ? cli->out.width : WIDTH,
				       ccfc_time_now(), "\n");
	} else if (!code) {
		code = subscribe_and_watch(&t, &err);
	}
	ccfc_top_release(&t.screen);
	ccfc_question_release(&t.q);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_top = {
	.name = "top",
	.usage = "top [options]",
	.summary = "sessions at work and files just changed, live",
	.topic = CCFC_TOPIC_SESSIONS,
	.about = "Shows on the whole terminal which sessions are at work, in "
		 "which project, with\n"
		 "their last tool and prompt, who waits for you, sessions in "
		 "conflict with each\n"
		 "other or with a person (outside), and which files sessions "
		 "just changed:\n"
		 "\"writing\" until the change is in the transcript.\n"
		 "\n"
		 "Keys: q quits, p pauses, r refreshes at once.",
	.examples = "  ccfc top\n"
		    "  ccfc top --project=.\n"
		    "  ccfc top --once\n",
	.options = options,
	.args_max = 0,
	.run = run_top,
};
