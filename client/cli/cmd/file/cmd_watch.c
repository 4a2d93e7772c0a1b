/*
 * ccfc watch: changes as they happen.
 *
 * watch subscribes first and then asks for missed events, so there is no gap;
 * an event that arrives both ways is printed once (event_clock.h). If the
 * daemon dropped events because this reader was too slow, the same question
 * fills the gap, invisible in the output.
 */
#include "base/path.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/out/width.h"
#include "cli/report/busy_sessions.h"
#include "cli/words/event_clock.h"
#include "wire/to_json.h"

#include <errno.h>
#include <poll.h>

#define SINCE_LIMIT 10000 /* events a question */
#define ID_SHOWN    8
#define ASK_MS	    1000
#define RECENT_MS   (INT64_C(6) * 3600 * 1000)
#define SESSIONS    50
/* Widths in columns, on a terminal. */
#define PROJECT_WIDTH 12
#define STATE_WIDTH   7
#define TEXT_AT	      (sizeof("12:30:01") + 5 + PROJECT_WIDTH + STATE_WIDTH)
#define TEXT_LEAST    20 /* a narrower terminal breaks the line */
#define TOOL_WIDTH    5

enum {
	OPT_PATH,
	OPT_PROJECT,
	OPT_SESSION,
	OPT_SINCE,
	OPT_TOOL,
	OPT_EVIDENCE,
	OPT_STATE,
	OPT_FORMAT,
	OPT_PROMPTS,
	OPT_COMMANDS,
	OPT_STATUS,
};

static const struct ccfc_opt options[] = {
	[OPT_PATH] = { "path", 0, CCFC_OPT_TEXT, "GLOB",
		       .help = "only files that match", CCFC_ASKS(path) },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_DIR, "NAME|DIR",
			  .help = "only sessions of this project",
			  CCFC_ASKS(project_path) },
	[OPT_SESSION] = { "session", 0, CCFC_OPT_TEXT, "SESSION",
			  .help = "only this session", CCFC_ASKS(session) },
	[OPT_SINCE] = { "since", 0, CCFC_OPT_TEXT, "CLOCK",
			.help = "first print the events after this clock" },
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	[OPT_STATE] = { "state", 0, CCFC_OPT_STATES, "LIST",
			.help = "only changes in these states; default all but "
				"pending",
			CCFC_ASKS(states) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default) or jsonl (one object on each "
				 "line)",
			 .choices = "text|jsonl" },
	[OPT_PROMPTS] = { "prompts", 0, CCFC_OPT_FLAG,
			  .help = "also what sessions are asked" },
	[OPT_COMMANDS] = { "commands", 0, CCFC_OPT_FLAG,
			   .help = "also shell commands that sessions run" },
	[OPT_STATUS] = { "status", 0, CCFC_OPT_FLAG,
			 .help = "also when a session waits, works or ends" },
	{ 0 },
};

struct watch {
	struct ccfc_cli *cli;
	struct ccfc_question q;
	struct ccfc_event_clock last; /* of the last printed event */
	bool json;
	/* Other activity of sessions, requested every second: */
	bool asks, prompts, commands, status;
	struct ccfc_busy busy;
	int64_t next; /* time of the next request, monotonic */
	bool asked;   /* requested before; the first answer is not news */
};

static void print_lines(struct ccfc_buf *buf, struct ccfc_obj event)
{
	int64_t added = ccfc_obj_get_int(event, "linesAdded", -1);
	int64_t removed = ccfc_obj_get_int(event, "linesRemoved", -1);

	if (added < 0 || removed < 0)
		ccfc_buf_puts(buf, "-");
	else
		ccfc_buf_printf(buf, "+%lld -%lld", (long long)added,
				(long long)removed);
}

static void print_session(struct ccfc_out *out, struct ccfc_obj event)
{
	struct ccfc_slice id = ccfc_obj_get_str(event, "sessionId");
	struct ccfc_slice agent = ccfc_obj_get_str(event, "agentId");

	if (out->tty && id.len > ID_SHOWN)
		id.len = ID_SHOWN;
	ccfc_out_field(out, id);
	if (agent.len) {
		ccfc_buf_puts(&out->buf, " (agent ");
		ccfc_out_field(out, agent);
		ccfc_buf_putc(&out->buf, ')');
	}
	if (ccfc_obj_get_str(event, "previousSessionId").len)
		ccfc_buf_puts(&out->buf, " (moved)");
}

/* "  recorded, deleted: $ rm main.c", of a shell's command. */
static void print_shell(struct ccfc_out *out, struct ccfc_obj event)
{
	struct ccfc_slice command = ccfc_obj_get_str(event, "command");
	struct ccfc_slice evidence = ccfc_obj_get_str(event, "evidence");
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!evidence.len || ccfc_slice_is(evidence, "result"))
		return;
	ccfc_render_operation(&text, event,
			      ccfc_obj_get_str(event, "projectPath"));
	ccfc_buf_puts(&out->buf, "  ");
	ccfc_out_field(out, evidence);
	ccfc_buf_puts(&out->buf, text.len ? ", " : "");
	ccfc_out_field(out, ccfc_buf_view(&text));
	ccfc_buf_puts(&out->buf, command.len ? ": $ " : "");
	ccfc_out_field(out, command);
	ccfc_buf_release(&text);
}

/* A field of a line; on a terminal fields are aligned. */
static void put_column(struct ccfc_out *out, struct ccfc_slice text,
		       size_t width)
{
	struct ccfc_buf safe = CCFC_BUF_INIT, cut = CCFC_BUF_INIT;

	if (!out->tty) {
		ccfc_out_field(out, text);
		ccfc_buf_puts(&out->buf, "  ");
		return;
	}
	ccfc_safe_append(&safe, text, false);
	ccfc_width_cut(&cut, ccfc_buf_view(&safe), width);
	ccfc_buf_slice(&out->buf, ccfc_buf_view(&cut));
	for (size_t n = ccfc_width(ccfc_buf_view(&cut)); n < width + 2; n++)
		ccfc_buf_putc(&out->buf, ' ');
	ccfc_buf_release(&safe);
	ccfc_buf_release(&cut);
}

/* "12:30:01 ", followed by the project on a terminal. */
static void print_begin(struct ccfc_out *out, struct ccfc_obj event,
			const char *time)
{
	ccfc_render_time(&out->buf, ccfc_obj_get(event, time), "%H:%M:%S");
	ccfc_buf_puts(&out->buf, "  ");
	if (out->tty)
		put_column(out,
			   ccfc_path_basename(
				   ccfc_obj_get_str(event, "projectPath")),
			   PROJECT_WIDTH);
}

static void print_path(struct ccfc_out *out, struct ccfc_obj event)
{
	ccfc_out_field(out, ccfc_path_relative(
				    ccfc_obj_get_str(event, "path"),
				    ccfc_obj_get_str(event, "projectPath")));
	ccfc_buf_puts(&out->buf, "  ");
}

/*
 * "12:30:01  applied  Edit  src/main.c  +3 -1  abc12345 (agent x)"
 */
static void print_text(struct ccfc_out *out, struct ccfc_obj event)
{
	struct ccfc_slice state = ccfc_obj_get_str(event, "state");
	bool applied;

	if (ccfc_obj_get_bool(event, "withdrawn", false))
		state = CCFC_SLICE_LIT("withdrawn");
	applied = ccfc_slice_is(state, "applied");
	print_begin(out, event, "timestamp");
	ccfc_buf_puts(&out->buf,
		      applied ? "" : ccfc_out_on(out, CCFC_STYLE_ALERT));
	/* Longer states are rare and are printed in full. */
	put_column(out, state,
		   state.len > STATE_WIDTH ? state.len : STATE_WIDTH);
	ccfc_buf_puts(&out->buf, applied ? "" : ccfc_out_off(out));
	put_column(out,
		   out->tty && !ccfc_obj_get_str(event, "tool").len
			   ? CCFC_SLICE_LIT("-")
			   : ccfc_render_tool(event),
		   TOOL_WIDTH);
	print_path(out, event);
	print_lines(&out->buf, event);
	ccfc_buf_puts(&out->buf, "  ");
	print_session(out, event);
	print_shell(out, event);
	ccfc_buf_putc(&out->buf, '\n');
}

/* "12:30:01  early  created  src/main.c  abc12345" */
static void print_early(struct ccfc_out *out, struct ccfc_obj event)
{
	print_begin(out, event, "seenAt");
	put_column(out, CCFC_SLICE_LIT("early"), STATE_WIDTH);
	ccfc_out_field(out, ccfc_obj_get_str(event, "operation"));
	ccfc_buf_puts(&out->buf, "  ");
	print_path(out, event);
	print_session(out, event);
	ccfc_buf_putc(&out->buf, '\n');
}

/* "12:30:01  conflict  stale  src/main.c  abc12345 with def67890" */
static void print_conflict(struct ccfc_out *out, struct ccfc_obj event)
{
	struct ccfc_slice other = ccfc_obj_get_str(event, "otherSessionId");

	print_begin(out, event, "timestamp");
	ccfc_buf_printf(&out->buf, "%sconflict%s  ",
			ccfc_out_on(out, CCFC_STYLE_ALERT), ccfc_out_off(out));
	if (ccfc_obj_get_bool(event, "withdrawn", false))
		ccfc_buf_puts(&out->buf, "withdrawn");
	else
		ccfc_out_field(out, ccfc_obj_get_str(event, "kind"));
	ccfc_buf_puts(&out->buf, "  ");
	print_path(out, event);
	print_session(out, event);
	ccfc_buf_puts(&out->buf, " with ");
	if (!other.len)
		other = ccfc_obj_get_str(event, "otherParty");
	if (out->tty && other.len > ID_SHOWN)
		other.len = ID_SHOWN;
	ccfc_out_field(out, other);
	ccfc_buf_putc(&out->buf, '\n');
}

/* "forgotten 3 sessions": their printed lines are no longer known. */
static void print_forgotten(struct ccfc_out *out, struct ccfc_obj event)
{
	ccfc_buf_puts(&out->buf, "forgotten  ");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(event, "totalSessions", 0),
			  "session");
	ccfc_buf_putc(&out->buf, '\n');
}

/* Prints an event unless it was printed before. */
static void print_event(struct watch *w, struct ccfc_obj event)
{
	bool early = ccfc_slice_is(ccfc_obj_get_str(event, "type"), "early");
	struct ccfc_event_clock clock;

	if (!early &&
	    ccfc_event_clock_parse(&clock, ccfc_obj_get_str(event, "clock"))) {
		if (!ccfc_event_clock_after(&clock, &w->last))
			return;
		w->last = clock;
	}
	if (w->json)
		ccfc_render_json(&w->cli->out, event, 0);
	else if (ccfc_slice_is(ccfc_obj_get_str(event, "type"), "conflict"))
		print_conflict(&w->cli->out, event);
	else if (early)
		print_early(&w->cli->out, event);
	else if (ccfc_slice_is(ccfc_obj_get_str(event, "type"), "forgotten"))
		print_forgotten(&w->cli->out, event);
	else
		print_text(&w->cli->out, event);
	ccfc_out_check(&w->cli->out);
}

/* "hello" and "fresh": the position of the stream. */
static void print_mark(struct watch *w, const char *type, const char *text,
		       const struct ccfc_event_clock *clock)
{
	struct ccfc_out *out = &w->cli->out;

	if (w->json) {
		ccfc_buf_printf(&out->buf, "{\"type\":\"%s\",\"clock\":", type);
		ccfc_json_string(&out->buf, ccfc_slice_str(clock->text));
		ccfc_buf_puts(&out->buf, "}\n");
	} else {
		ccfc_buf_printf(&out->buf, "%s, clock ", text);
		ccfc_out_field(out, ccfc_slice_str(clock->text));
		ccfc_buf_putc(&out->buf, '\n');
	}
	ccfc_out_flush(out);
}

static int read_clock(struct ccfc_event_clock *clock, struct ccfc_obj reply,
		      struct ccfc_err *err)
{
	if (ccfc_event_clock_parse(clock, ccfc_obj_get_str(reply, "clock")))
		return 0;
	return ccfc_err_set(err, CCFC_EPROTO,
			    "watch: the daemon's answer has no clock");
}

/* Prints one answer to events.since; 1 when there may be more. */
static int print_missed(struct watch *w, struct ccfc_obj answer,
			struct ccfc_err *err)
{
	struct ccfc_obj events = ccfc_obj_get(answer, "events");
	struct ccfc_event_clock before = w->last;
	uint32_t n = ccfc_obj_len(events);
	struct ccfc_event_clock clock;

	if (read_clock(&clock, answer, err) < 0)
		return CCFC_EPROTO;
	if (ccfc_obj_get_bool(answer, "fresh", false))
		print_mark(w, "fresh",
			   "fresh: the history is another one, "
			   "read everything again",
			   &clock);
	for (uint32_t i = 0; i < n; i++)
		print_event(w, ccfc_obj_at(events, i));
	if (n >= SINCE_LIMIT && ccfc_event_clock_after(&w->last, &before))
		return 1;
	w->last = clock;
	return 0;
}

/* Prints the events after the last clock that was printed completely. */
static int print_missed_events(struct watch *w, struct ccfc_err *err)
{
	struct ccfc_query filter = w->q.query;
	struct ccfc_reply *reply;
	int code;

	filter.limit = SINCE_LIMIT;
	do {
		code = ccfc_events_since(&reply, w->cli->client, w->last.text,
					 &filter, err);
		if (code < 0)
			return code;
		code = print_missed(w, ccfc_cli_value(reply), err);
		ccfc_reply_free(reply);
	} while (code > 0);
	ccfc_out_flush(&w->cli->out);
	return code;
}

static int subscribe_events(struct watch *w,
			    const struct ccfc_event_clock *since,
			    struct ccfc_err *err)
{
	struct ccfc_event_clock clock;
	struct ccfc_reply *reply;
	int code = ccfc_events_subscribe(&reply, w->cli->client, &w->q.query,
					 NULL, err);

	if (code < 0)
		return code;
	code = read_clock(&clock, ccfc_cli_value(reply), err);
	ccfc_cli_note_indexing(ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	if (code < 0)
		return code;
	print_mark(w, "hello", "watching", &clock);
	w->last = since ? *since : clock;
	return since ? print_missed_events(w, err) : 0;
}

static int handle_event(struct watch *w, const struct ccfc_reply *reply,
			struct ccfc_err *err)
{
	struct ccfc_obj event = ccfc_cli_value(reply);

	if (strcmp(ccfc_reply_method(reply), CCFC_N_EVENT))
		return 0;
	if (ccfc_slice_is(ccfc_obj_get_str(event, "type"), "resync"))
		return print_missed_events(w, err);
	print_event(w, event);
	ccfc_out_flush(&w->cli->out);
	return 0;
}

/* ---- prompts, commands and status of sessions ---- */

/* "12:30:01  shop  prompt  Make it faster  abc12345" */
static void print_doing(struct watch *w, const struct ccfc_busy_session *s,
			const char *kind, const char *text)
{
	struct ccfc_out *out = &w->cli->out;
	struct ccfc_slice id = ccfc_slice_str(s->id);
	struct ccfc_slice line = ccfc_slice(text, strcspn(text, "\n"));
	size_t used = TEXT_AT + ID_SHOWN + 2, width = ccfc_width(line);
	char time[CCFC_TIME_TEXT_MAX];

	if (w->json) {
		ccfc_buf_printf(&out->buf,
				"{\"type\":\"%s\",\"sessionId\":", kind);
		ccfc_json_string(&out->buf, id);
		ccfc_buf_puts(&out->buf, ",\"text\":");
		ccfc_json_string(&out->buf, ccfc_slice_str(text));
		ccfc_buf_puts(&out->buf, "}\n");
		return;
	}
	if (out->tty && id.len > ID_SHOWN)
		id.len = ID_SHOWN;
	ccfc_buf_printf(
		&out->buf, "%s  ",
		ccfc_time_format_local(time, ccfc_time_now(), "%H:%M:%S"));
	put_column(out, ccfc_slice_str(s->project), PROJECT_WIDTH);
	put_column(out, ccfc_slice_str(kind), STATE_WIDTH);
	/* On a terminal a long line must not wrap. */
	if (out->width > used + TEXT_LEAST && width > out->width - used)
		width = out->width - used;
	put_column(out, line, width);
	ccfc_out_field(out, id);
	ccfc_buf_putc(&out->buf, '\n');
}

static int ask_doing(struct watch *w, struct ccfc_err *err)
{
	int code;

	if (!w->asks || ccfc_time_monotonic() < w->next)
		return 0;
	w->next = ccfc_time_monotonic() + ASK_MS;
	code = ccfc_busy_poll(&w->busy, w->cli->client, &w->q.query,
			      ccfc_time_now() - RECENT_MS, SESSIONS, err);
	for (uint32_t i = 0; w->asked && !code && i < w->busy.all.n; i++) {
		const struct ccfc_busy_session *s = &w->busy.all.items[i];

		if (w->prompts && s->new_prompt)
			print_doing(w, s, "prompt", s->prompt);
		if (w->commands && s->new_tool &&
		    ccfc_slice_starts(ccfc_slice_str(s->tool), "Bash "))
			print_doing(w, s, "command", s->tool + 5);
		if (w->status && s->new_status)
			print_doing(w, s, "status", s->status);
	}
	w->asked = true;
	ccfc_out_flush(&w->cli->out);
	return code;
}

/* Waits for the daemon; false when our reader has gone. */
static bool wait_for_input(struct watch *w)
{
	struct pollfd fds[] = {
		{ .fd = ccfc_client_fd(w->cli->client), .events = POLLIN },
		{ .fd = w->cli->out.fd },
	};

	while (poll(fds, 2, w->asks ? ASK_MS : -1) < 0 && errno == EINTR)
		;
	return !(fds[1].revents & (POLLERR | POLLHUP));
}

/* 0 when our reader has gone, an error when the daemon has. */
static int print_events(struct watch *w, struct ccfc_err *err)
{
	while (!w->cli->out.error) {
		struct ccfc_reply *reply;
		int code =
			ccfc_client_next_event(&reply, w->cli->client, 0, err);

		if (code < 0)
			return code;
		if (!code) {
			code = ask_doing(w, err);
			if (code < 0)
				return code;
			if (!wait_for_input(w))
				return 0;
			continue;
		}
		code = handle_event(w, reply, err);
		ccfc_reply_free(reply);
		if (code < 0)
			return code;
	}
	return 0;
}

static int run_watching(struct watch *w, const struct ccfc_opts *opts,
			struct ccfc_err *err)
{
	const struct ccfc_opt_value *since = ccfc_opts_own(opts, OPT_SINCE);
	struct ccfc_event_clock clock;
	int code;

	if (since->set &&
	    !ccfc_event_clock_parse(&clock, ccfc_slice_str(since->text))) {
		ccfc_err_set(err, CCFC_EINVAL, "watch: --since=%s: not a clock",
			     since->text);
		ccfc_err_hint(err, "use the clock of an event");
		return CCFC_EINVAL;
	}
	code = ccfc_cli_connect(w->cli, CCFC_SPAWN_DEFAULT, err);
	if (!code)
		code = subscribe_events(w, since->set ? &clock : NULL, err);
	return code < 0 ? code : print_events(w, err);
}

static int watch_init(struct watch *w, struct ccfc_cli *cli,
		      const struct ccfc_opts *opts, struct ccfc_err *err)
{
	int code;

	*w = (struct watch){ .cli = cli };
	code = ccfc_question_init(&w->q, cli, opts, err);
	if (!code)
		code = ccfc_question_here(&w->q, err);
	w->q.query.cwd = w->q.where.cwd;
	w->json = w->q.format == CCFC_FORMAT_JSONL;
	w->prompts = ccfc_opts_own(opts, OPT_PROMPTS)->set;
	w->commands = ccfc_opts_own(opts, OPT_COMMANDS)->set;
	w->status = ccfc_opts_own(opts, OPT_STATUS)->set;
	w->asks = w->prompts || w->commands || w->status;
	return code;
}

static int run_watch(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_err err;
	struct watch w;
	int code = watch_init(&w, cli, opts, &err);

	if (!code)
		code = run_watching(&w, opts, &err);
	ccfc_busy_release(&w.busy);
	ccfc_question_release(&w.q);
	return code < 0 ? ccfc_cli_fail(&err) : 0;
}

const struct ccfc_command ccfc_cmd_watch = {
	.name = "watch",
	.usage = "watch [options]",
	.summary = "changes as they happen",
	.about = "Prints each change when it happens, one on a line, after a "
		 "first line with the\n"
		 "clock. Conflicts are lines, too (see ccfc help conflicts); "
		 "\"with outside\" means\n"
		 "a conflict with a person. Other edits by persons are not "
		 "shown (see ccfc log).\n"
		 "A line \"early\" says that a session has just written the "
		 "file; its change\n"
		 "follows.\n"
		 "\n"
		 "Every event has a clock (in the jsonl format). With --since "
		 "and a clock, watch\n"
		 "continues from there: no event is missed or repeated. If the "
		 "daemon cannot go\n"
		 "back to that clock, a line says \"fresh\": read everything "
		 "again, then follow.\n"
		 "\n"
		 "--prompts, --commands and --status also show what sessions "
		 "are asked, the shell\n"
		 "commands that they run, and when their status changes; "
		 "sessions are looked at\n"
		 "every second, and of several commands in one the last is "
		 "shown.\n"
		 "\n"
		 "Exits with 0 when its reader closes the pipe, with 3 when "
		 "the daemon ends.",
	.examples = "  ccfc watch --path='src/**'\n"
		    "  ccfc watch --prompts --status\n"
		    "  ccfc watch --project=. --state=applied --format=jsonl\n"
		    "  ccfc watch --since=1794810928728:42 --format=jsonl\n",
	.options = options,
	.args_max = 0,
	.run = run_watch,
};
