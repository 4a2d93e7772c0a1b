/*
 * ccfc statusline: one line about the session for Claude Code's status line,
 * which gives the session as JSON on standard input. Claude Code runs this
 * command again and again, so it must be quick and must never be in the way:
 * whatever fails, and whatever takes longer than TIME_LIMIT, it prints nothing
 * and ends well. It does not start the daemon.
 */
#include "cli/frame/connect.h"
#include "cli/jsonrpc/beside.h"
#include "cli/out/render.h"
#include "wire/pack.h"

#include <string.h>

#define TIME_LIMIT 50 /* ms */
#define INPUT_MAX  (1u << 20)

static const struct ccfc_opt options[] = { { 0 } };

/* Calls `method` with the option `key`; NULL: there is no answer. */
static struct ccfc_reply *ask_with_text(struct ccfc_cli *cli,
					const char *method, const char *key,
					struct ccfc_slice value,
					const char *status)
{
	struct ccfc_buf params = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_pack pack;

	ccfc_pack_init(&pack, &params);
	ccfc_pack_map(&pack);
	ccfc_pack_kv_str(&pack, key, value);
	if (status)
		ccfc_pack_kv_cstr(&pack, "status", status);
	else if (!strcmp(method, CCFC_M_SESSION_FILES))
		ccfc_pack_kv_bool(&pack, "includeChanges", false);
	else
		ccfc_pack_kv_bool(&pack, "live", true);
	ccfc_pack_kv_int(&pack, "limit", status ? 100 : 1);
	ccfc_pack_end(&pack);
	if (ccfc_client_call(&reply, cli->client, method, params.ptr,
			     params.len, NULL) < 0)
		reply = NULL;
	ccfc_buf_release(&params);
	return reply;
}

static void put_separator(struct ccfc_buf *out)
{
	if (out->len)
		ccfc_buf_puts(out, ", ");
}

/* The session's own changes. */
static void put_files(struct ccfc_buf *out, struct ccfc_obj root)
{
	int64_t files = ccfc_obj_get_int(root, "totalFilesChanged", 0);
	int64_t unknown = ccfc_obj_get_int(root, "unknownCommands", 0);
	struct ccfc_obj added = ccfc_obj_get(root, "linesAdded");
	struct ccfc_obj removed = ccfc_obj_get(root, "linesRemoved");

	if (files) {
		ccfc_render_count(out, files, "file");
		if (ccfc_obj_type(added) == CCFC_OBJ_INT &&
		    ccfc_obj_type(removed) == CCFC_OBJ_INT)
			ccfc_buf_printf(out, " +%lld -%lld",
					(long long)ccfc_obj_int(added, 0),
					(long long)ccfc_obj_int(removed, 0));
	}
	if (unknown) {
		put_separator(out);
		ccfc_render_count(out, unknown, "command");
		ccfc_buf_puts(out, " of unknown effect");
	}
}

/* Other sessions in the directory that are at work, or wait for the user. */
static int64_t count_others(struct ccfc_cli *cli, struct ccfc_slice directory,
			    struct ccfc_slice own)
{
	static const char *const live[] = { "active", "waiting" };
	int64_t n = 0;

	for (int i = 0; i < 2 && directory.len; i++) {
		struct ccfc_reply *reply = ask_with_text(
			cli, CCFC_M_SESSION_LIST, "here", directory, live[i]);
		struct ccfc_obj rows = { 0 };

		if (reply)
			rows = ccfc_obj_get(ccfc_cli_value(reply), "sessions");
		for (uint32_t k = 0; k < ccfc_obj_len(rows); k++)
			n += !ccfc_slice_eq(
				ccfc_obj_get_str(ccfc_obj_at(rows, k),
						 "sessionId"),
				own);
		ccfc_reply_free(reply);
	}
	return n;
}

static void put_line(struct ccfc_buf *out, struct ccfc_cli *cli,
		     struct ccfc_slice session, struct ccfc_slice directory)
{
	struct ccfc_reply *files = ask_with_text(cli, CCFC_M_SESSION_FILES,
						 "session", session, NULL);
	struct ccfc_reply *conflicts = ask_with_text(cli, CCFC_M_CONFLICT_LIST,
						     "session", session, NULL);
	int64_t n = count_others(cli, directory, session);

	if (files)
		put_files(out, ccfc_cli_value(files));
	if (n) {
		put_separator(out);
		ccfc_render_count(out, n, "other session");
		ccfc_buf_puts(out, " here");
	}
	n = conflicts ? ccfc_obj_get_int(ccfc_cli_value(conflicts),
					 "totalConflicts", 0)
		      : 0;
	if (n) {
		put_separator(out);
		ccfc_render_count(out, n, "conflict");
	}
	if (out->len)
		ccfc_buf_putc(out, '\n');
	ccfc_reply_free(files);
	ccfc_reply_free(conflicts);
}

static int run_statusline(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_obj root;

	(void)opts;
	ccfc_beside_limit_time(TIME_LIMIT);
	cli->out.dispensable = true;
	if (ccfc_beside_read(&packed, &doc, INPUT_MAX) &&
	    !ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, NULL)) {
		root = ccfc_doc_root(doc);
		if (ccfc_obj_get_str(root, "session_id").len)
			put_line(&cli->out.buf, cli,
				 ccfc_obj_get_str(root, "session_id"),
				 ccfc_obj_get_str(
					 ccfc_obj_get(root, "workspace"),
					 "current_dir"));
	}
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	return CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_statusline = {
	.name = "statusline",
	.usage = "statusline",
	.summary = "one line for Claude Code's status line",
	.about = "Reads what Claude Code gives its status line on standard "
		 "input, and prints\n"
		 "one line about the session: files and lines that it changed, "
		 "commands whose\n"
		 "effects are not known, other live sessions in the directory, "
		 "conflicts with\n"
		 "them. It prints nothing if there is nothing to say, if no "
		 "daemon runs, or after\n"
		 "50 ms. In Claude Code's settings:\n"
		 "\n"
		 "  \"statusLine\": {\"type\": \"command\", \"command\": "
		 "\"ccfc statusline\"}",
	.options = options,
	.args_max = 0,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_statusline,
};
