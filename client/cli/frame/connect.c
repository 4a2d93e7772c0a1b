/* Asking the daemon; see connect.h. */
#include "cli/frame/connect.h"

#include "base/time.h"
#include "cli/out/progress.h"
#include "lib/lib.h"
#include "os/claude_dir.h"

#include <ccfc/protocol.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_MS 50
/* A daemon that is silent for this long hangs. */
#define SILENCE_MS 30000

static bool daemon_reads_root(struct ccfc_obj roots, const char *root)
{
	for (uint32_t i = 0; i < ccfc_obj_len(roots); i++)
		if (ccfc_slice_is(
			    ccfc_obj_get_str(ccfc_obj_at(roots, i), "path"),
			    root))
			return true;
	return !ccfc_obj_len(roots);
}

static int check_roots(void *data, const struct ccfc_reply *reply,
		       struct ccfc_err *err)
{
	struct ccfc_claude_roots wanted = { 0 };
	int code = 0;

	(void)data;
	ccfc_claude_roots_add_default(&wanted);
	for (uint32_t i = 0; !code && i < wanted.n; i++) {
		if (daemon_reads_root(ccfc_cli_value(reply), wanted.items[i]))
			continue;
		code = ccfc_err_set(err, CCFC_EDENIED,
				    "CLAUDE_CONFIG_DIR: the daemon that runs "
				    "does not read %s",
				    wanted.items[i]);
		ccfc_err_hint(err, "ccfc stop, and ask again; or set "
				   "CCFC_STATE_DIR for a daemon of its own, or "
				   "'root' in the config file for one that "
				   "reads both");
	}
	ccfc_claude_roots_release(&wanted);
	return code;
}

/*
 * A daemon answers about the directories it was started with. A caller with
 * another CLAUDE_CONFIG_DIR must not get such an answer. Only such a caller
 * asks the daemon what it reads, together with the command's request.
 */
static int ask_roots(struct ccfc_cli *cli, struct ccfc_err *err)
{
	const char *set = getenv("CLAUDE_CONFIG_DIR");

	if (!set || !*set)
		return 0;
	return ccfc_lib_ask_ahead(cli->client, CCFC_M_SERVER_ROOTS, check_roots,
				  NULL, err);
}

/* How far the daemon is; false: the daemon has read everything. */
static bool is_reading(struct ccfc_progress *out, struct ccfc_cli *cli)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj at = { 0 };
	bool running = false;

	if (!ccfc_server_info(&reply, cli->client, NULL)) {
		at = ccfc_obj_get(ccfc_cli_value(reply), "indexing");
		running = ccfc_obj_get_bool(at, "running", false);
	}
	*out = (struct ccfc_progress){
		.files_done = ccfc_obj_get_int(at, "filesDone", 0),
		.files_total = ccfc_obj_get_int(at, "filesTotal", 0),
		.bytes_done = ccfc_obj_get_int(at, "bytesDone", 0),
		.bytes_total = ccfc_obj_get_int(at, "bytesTotal", 0),
	};
	ccfc_reply_free(reply);
	return running;
}

/*
 * A caller at a terminal who started the daemon sees the progress, and gets the
 * complete answer. Other callers get an answer after some seconds, with a note.
 */
static void watch_reading(struct ccfc_cli *cli)
{
	struct ccfc_progress_bar bar;
	struct ccfc_progress at;

	ccfc_progress_init(&bar);
	if (!cli->client->spawned || !bar.tty)
		return;
	while (is_reading(&at, cli)) {
		if (!bar.drawn)
			ccfc_cli_note("the daemon starts, and reads Claude "
				      "Code's transcripts");
		ccfc_progress_draw(&bar, &at);
		poll(NULL, 0, LOOK_MS);
	}
	ccfc_progress_end(&bar);
}

int ccfc_cli_connect(struct ccfc_cli *cli, enum ccfc_spawn spawn,
		     struct ccfc_err *err)
{
	struct ccfc_client_options options = CCFC_CLIENT_OPTIONS_INIT;
	int code;

	if (cli->client)
		return 0;
	options.spawn = spawn;
	options.timeout_ms = cli->silence_ms;
	code = ccfc_client_new(&cli->client, &options, err);
	/* status, stop and the like are about the daemon that runs. */
	if (code < 0 || spawn != CCFC_SPAWN_DEFAULT)
		return code;
	watch_reading(cli);
	return ask_roots(cli, err);
}

void ccfc_cli_explain_nothing(struct ccfc_err *err)
{
	struct ccfc_claude_roots roots = { 0 };
	struct ccfc_buf path = CCFC_BUF_INIT;
	bool exists = false;

	if (err->code != CCFC_ENOTFOUND)
		return;
	ccfc_claude_roots_add_all(&roots);
	for (uint32_t i = 0; i < roots.n && !exists; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s/projects", roots.items[i]);
		exists = !access(path.ptr, F_OK);
	}
	if (path.len && !exists)
		ccfc_err_hint(err,
			      "%s does not exist: Claude Code has not run "
			      "here, or CLAUDE_CONFIG_DIR names another "
			      "directory",
			      path.ptr);
	ccfc_buf_release(&path);
	ccfc_claude_roots_release(&roots);
}

void ccfc_cli_disconnect(struct ccfc_cli *cli)
{
	ccfc_client_free(cli->client);
	cli->client = NULL;
}

int ccfc_cli_call(struct ccfc_reply **reply, struct ccfc_cli *cli,
		  const char *method, struct ccfc_slice params,
		  struct ccfc_err *err)
{
	bool again = cli->client;
	int code;

	*reply = NULL;
	cli->silence_ms = ccfc_time_patience(SILENCE_MS);
	code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (code < 0) {
		ccfc_cli_disconnect(cli);
		return code;
	}
	code = ccfc_client_call(reply, cli->client, method, params.ptr,
				params.len, err);
	if (code == 0 ||
	    (code != CCFC_EAGAIN && ccfc_client_fd(cli->client) >= 0))
		return code;
	/* Closes the connection: a late answer would have no request. */
	ccfc_cli_disconnect(cli);
	if (code == CCFC_EAGAIN)
		return code;
	/* NOLINTNEXTLINE(misc-no-recursion): not connected now, so only once */
	return again ? ccfc_cli_call(reply, cli, method, params, err) : code;
}

struct ccfc_obj ccfc_cli_value(const struct ccfc_reply *reply)
{
	/* The library's values are wire objects under a public name. */
	return (struct ccfc_obj){ ccfc_reply_value(reply).opaque };
}

void ccfc_cli_note_indexing(struct ccfc_obj value)
{
	struct ccfc_obj indexing;

	/* In a list each element has `indexing`. */
	if (ccfc_obj_type(value) == CCFC_OBJ_ARRAY)
		value = ccfc_obj_at(value, 0);
	indexing = ccfc_obj_get(value, "indexing");
	if (!ccfc_obj_get_bool(indexing, "running", false))
		return;
	ccfc_cli_note("still indexing (%lld of %lld transcripts); "
		      "the answer may be incomplete",
		      (long long)ccfc_obj_get_int(indexing, "filesDone", 0),
		      (long long)ccfc_obj_get_int(indexing, "filesTotal", 0));
}
