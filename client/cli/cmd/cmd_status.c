/* ccfc status: what the daemon is doing. Never starts one. */
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/report/totals_print.h"

enum { OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default) or json", "table|json", 0, 0 },
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

static void print_status(struct ccfc_out *out, struct ccfc_obj info)
{
	print_daemon(out, info);
	line_str(out, "Socket", info, "socket");
	line_str(out, "State", info, "stateDir");
	print_roots(out, ccfc_obj_get(info, "roots"));
	print_watch(out, ccfc_obj_get(info, "watch"));
	print_indexing(out, ccfc_obj_get(info, "indexing"));
	ccfc_stats_line(out, "Clients", "%lld, %lld of them subscribed",
			(long long)ccfc_obj_get_int(info, "clients", 0),
			(long long)ccfc_obj_get_int(info, "subscribers", 0));
	ccfc_stats_print(out, info);
}

static int run_status(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;

	if (ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, &err) < 0 ||
	    ccfc_server_info(&reply, cli->client, &err) < 0)
		return ccfc_cli_fail(&err);
	if (ccfc_opts_own(opts, OPT_FORMAT)->num)
		ccfc_render_json(&cli->out, ccfc_cli_value(reply), 2);
	else
		print_status(&cli->out, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	return 0;
}

const struct ccfc_command ccfc_cmd_status = {
	.name = "status",
	.usage = "status [options]",
	.summary = "what the daemon is doing",
	.about = "Shows the daemon's process, paths, watches and totals. It "
		 "does not start one: if\nnone runs, it says so and exits "
		 "with 3.",
	.examples = "  ccfc status\n"
		    "  ccfc status --format=json | jq .clock\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.run = run_status,
};
