/*
 * ccfc status: the daemon's process, paths and totals. Never starts a daemon.
 */
#include "cli/frame/answer.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "cli/report/totals_print.h"

enum { OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default) or json",
			 .choices = "table|json" },
	{ 0 },
};

static void line_str(struct ccfc_out *out, const char *label,
		     struct ccfc_obj info, const char *key)
{
	ccfc_render_line(out, label, CCFC_STATS_COLUMN,
			 ccfc_obj_get_str(info, key));
}

static void print_daemon(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_slice version = ccfc_obj_get_str(info, "version");
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_printf(&text, "running, pid %lld, version ",
			(long long)ccfc_obj_get_int(info, "pid", 0));
	ccfc_buf_slice(&text, version);
	ccfc_buf_printf(&text, " (protocol %lld), since ",
			(long long)ccfc_obj_get_int(info, "protocol", 0));
	ccfc_render_time(&text, ccfc_obj_get(info, "startedAt"),
			 CCFC_RENDER_SECOND);
	ccfc_render_line(out, "Daemon", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void print_roots(struct ccfc_out *out, struct ccfc_obj roots)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(roots); i++) {
		struct ccfc_obj root = ccfc_obj_at(roots, i);

		ccfc_buf_clear(&text);
		ccfc_buf_slice(&text, ccfc_obj_get_str(root, "path"));
		if (!ccfc_obj_get_bool(root, "exists", true))
			ccfc_buf_puts(&text, " (does not exist)");
		ccfc_render_line(out, "Root", CCFC_STATS_COLUMN,
				 ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

static void print_watch(struct ccfc_out *out, struct ccfc_obj watch)
{
	long long polled = ccfc_obj_get_int(watch, "polled", 0);
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_count(&text, ccfc_obj_get_int(watch, "overflows", 0),
			  "overflow");
	ccfc_buf_puts(&text, ", ");
	ccfc_render_count(&text, ccfc_obj_get_int(watch, "rescans", 0),
			  "rescan");
	ccfc_stats_line(out, "Watching", "%lld directories, %s",
			(long long)ccfc_obj_get_int(watch, "dirs", 0),
			text.ptr);
	if (polled)
		ccfc_stats_line(out, "Polling",
				"%lld of the directories: they have symlinks "
				"to transcripts, or no watch is left "
				"(fs.inotify.max_user_watches)",
				polled);
	ccfc_buf_release(&text);
}

static void print_project(struct ccfc_out *out, struct ccfc_obj project)
{
	struct ccfc_slice problem = ccfc_obj_get_str(project, "problem");
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_buf_slice(&text, ccfc_obj_get_str(project, "path"));
	ccfc_buf_puts(&text, ": ");
	if (problem.len) {
		ccfc_buf_puts(&text, "not watched: ");
		ccfc_buf_slice(&text, problem);
	} else {
		ccfc_render_count(&text, ccfc_obj_get_int(project, "files", 0),
				  "file");
		ccfc_buf_puts(&text, " of ");
		ccfc_render_count(&text,
				  ccfc_obj_get_int(project, "sessions", 0),
				  "live session");
	}
	if (ccfc_obj_get_bool(project, "cut", false))
		ccfc_buf_puts(&text, ", and more that is not watched: a bound "
				     "is hit (observe-dirs, observe-files, or "
				     "fs.inotify.max_user_watches)");
	if (ccfc_obj_get_bool(project, "silent", false))
		ccfc_buf_puts(&text, ", but for directories on filesystems "
				     "that do not report all changes");
	ccfc_render_line(out, "Observing", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* The projects of live sessions; nothing if there are none. */
static void print_observed(struct ccfc_out *out, struct ccfc_obj observe)
{
	struct ccfc_obj projects = ccfc_obj_get(observe, "projects");
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(projects); i++)
		print_project(out, ccfc_obj_at(projects, i));
	if (ccfc_obj_get_bool(observe, "cut", false))
		ccfc_stats_line(out, "Observing",
				"some files will have no content before their "
				"first change: a bound is hit "
				"(observe-bytes)");
	if (ccfc_obj_get_int(observe, "kept", 0)) {
		ccfc_render_count(&text, ccfc_obj_get_int(observe, "kept", 0),
				  "content");
		ccfc_buf_puts(&text, " of changed files, ");
		ccfc_render_bytes(&text,
				  ccfc_obj_get_int(observe, "keptBytes", 0));
		ccfc_render_line(out, "Kept", CCFC_STATS_COLUMN,
				 ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

static void print_archive(struct ccfc_out *out, struct ccfc_obj archive)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!ccfc_obj_get_str(archive, "mode").len)
		return;
	ccfc_render_archive(&text, archive);
	ccfc_render_line(out, "Archive", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* Paths that cannot be read now; answers lack their content. */
static void print_unread(struct ccfc_out *out, struct ccfc_obj unread)
{
	struct ccfc_obj paths = ccfc_obj_get(unread, "paths");
	long long more = ccfc_obj_get_int(unread, "total", 0) -
			 (long long)ccfc_obj_len(paths);
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(paths); i++) {
		ccfc_buf_clear(&text);
		ccfc_render_unread(&text, ccfc_obj_at(paths, i));
		ccfc_render_line(out, "Unread", CCFC_STATS_COLUMN,
				 ccfc_buf_view(&text));
	}
	if (more > 0)
		ccfc_stats_line(out, "Unread", "and %lld more", more);
	ccfc_buf_release(&text);
}

static void print_indexing(struct ccfc_out *out, struct ccfc_obj indexing)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!ccfc_obj_get_bool(indexing, "running", false))
		return;
	ccfc_buf_printf(&text, "%lld of %lld transcripts, ",
			(long long)ccfc_obj_get_int(indexing, "filesDone", 0),
			(long long)ccfc_obj_get_int(indexing, "filesTotal", 0));
	ccfc_render_bytes(&text, ccfc_obj_get_int(indexing, "bytesDone", 0));
	ccfc_buf_puts(&text, " of ");
	ccfc_render_bytes(&text, ccfc_obj_get_int(indexing, "bytesTotal", 0));
	ccfc_render_line(out, "Indexing", CCFC_STATS_COLUMN,
			 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* The state directory: what was removed, and why it cannot be written. */
static void print_state(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_slice problem = ccfc_obj_get_str(info, "stateProblem");
	struct ccfc_buf text = CCFC_BUF_INIT;

	line_str(out, "State", info, "stateDir");
	if (problem.len) {
		ccfc_buf_puts(&text, "nothing is stored since ");
		ccfc_render_time(&text, ccfc_obj_get(info, "stateLost"),
				 CCFC_RENDER_SECOND);
		ccfc_buf_puts(&text, ": ");
		ccfc_buf_slice(&text, problem);
	} else if (ccfc_obj_get_str(info, "stateRestored").len) {
		ccfc_buf_puts(&text, "files of it were removed; written again "
				     "from memory at ");
		ccfc_render_time(&text, ccfc_obj_get(info, "stateRestored"),
				 CCFC_RENDER_SECOND);
	}
	if (text.len)
		ccfc_render_line(out, "State lost", CCFC_STATS_COLUMN,
				 ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void print_store(struct ccfc_out *out, struct ccfc_obj info)
{
	struct ccfc_obj store = ccfc_obj_get(info, "store");
	struct ccfc_buf text = CCFC_BUF_INIT;

	/* A lost state directory causes the store's error: prints only one. */
	if (ccfc_obj_get_str(store, "error").len &&
	    !ccfc_obj_get_str(info, "stateProblem").len)
		ccfc_render_line(out, "Not stored", CCFC_STATS_COLUMN,
				 ccfc_obj_get_str(store, "error"));
	if (ccfc_obj_get_str(store, "damagedAt").len) {
		ccfc_buf_puts(&text, "found on ");
		ccfc_render_time(&text, ccfc_obj_get(store, "damagedAt"),
				 CCFC_RENDER_SECOND);
		ccfc_buf_printf(
			&text, ", %lld rows and %lld texts of it lost",
			(long long)ccfc_obj_get_int(store, "lostRows", 0),
			(long long)ccfc_obj_get_int(store, "lostTexts", 0));
		ccfc_render_line(out, "Damage", CCFC_STATS_COLUMN,
				 ccfc_buf_view(&text));
	}
	ccfc_buf_release(&text);
}

static void print_web(struct ccfc_out *out, int64_t port)
{
	if (port >= 0)
		ccfc_stats_line(out, "Web",
				"http://127.0.0.1:%lld/ ('ccfc web' has the "
				"address with the token)",
				(long long)port);
}

/* Stored data of projects that are excluded now. */
static void print_excluded(struct ccfc_out *out, struct ccfc_obj projects)
{
	for (uint32_t i = 0; i < ccfc_obj_len(projects); i++) {
		struct ccfc_obj row = ccfc_obj_at(projects, i);
		struct ccfc_buf path = CCFC_BUF_INIT, count = CCFC_BUF_INIT;

		ccfc_safe_append(&path, ccfc_obj_get_str(row, "projectPath"),
				 false);
		ccfc_render_count(&count, ccfc_obj_get_int(row, "sessions", 0),
				  "session");
		ccfc_stats_line(out, "Excluded",
				"%s is still kept of %s: 'ccfc forget %s' "
				"removes it",
				count.ptr, path.ptr, path.ptr);
		ccfc_buf_release(&path);
		ccfc_buf_release(&count);
	}
}

static int print_status(struct ccfc_question *q, struct ccfc_obj info)
{
	struct ccfc_out *out = &q->cli->out;

	print_daemon(out, info);
	line_str(out, "Socket", info, "socket");
	print_web(out, ccfc_obj_get_int(info, "webPort", -1));
	print_state(out, info);
	print_roots(out, ccfc_obj_get(info, "roots"));
	print_excluded(out, ccfc_obj_get(info, "excluded"));
	print_watch(out, ccfc_obj_get(info, "watch"));
	print_observed(out, ccfc_obj_get(info, "observe"));
	print_archive(out, ccfc_obj_get(info, "archive"));
	print_unread(out, ccfc_obj_get(info, "unread"));
	print_store(out, info);
	print_indexing(out, ccfc_obj_get(info, "indexing"));
	ccfc_stats_line(out, "Clients", "%lld, %lld of them subscribed",
			(long long)ccfc_obj_get_int(info, "clients", 0),
			(long long)ccfc_obj_get_int(info, "subscribers", 0));
	ccfc_stats_print(out, info);
	return CCFC_EXIT_FOUND;
}

static int ask_status(struct ccfc_reply **reply, struct ccfc_question *q,
		      struct ccfc_err *err)
{
	return ccfc_server_info(reply, q->cli->client, err);
}

static int run_status(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.running = true,
		.ask = ask_status,
		.print = print_status,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_status = {
	.name = "status",
	.usage = "status [options]",
	.summary = "the daemon's process, paths and totals",
	.about = "Shows the daemon's process, paths, watches and totals. It "
		 "starts no\n"
		 "daemon: if none runs, it says so and exits with 3.",
	.examples = "  ccfc status\n"
		    "  ccfc status --format=json | jq .clock\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_status,
};
