/* ccfc web: serves the page and the REST API, and opens the page. */
#include "cli/frame/connect.h"
#include "cli/system/child.h"
#include "cli/write/whole_file.h"
#include "os/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_PORT, OPT_STOP, OPT_NO_OPEN };

static const struct ccfc_opt options[] = {
	[OPT_PORT] = { "port", 0, CCFC_OPT_INT, "N",
		       .help = "the port (default: any free one)", .min = 0,
		       .max = 65535 },
	[OPT_STOP] = { "stop", 0, CCFC_OPT_FLAG, .help = "stop serving" },
	[OPT_NO_OPEN] = { "no-open", 0, CCFC_OPT_FLAG,
			  .help = "only print the address" },
	{ 0 },
};

/* Writes a file of mode 0600 in the state directory, whole or not at all. */
static int write_private(const char *dir_path, const char *name,
			 struct ccfc_slice text)
{
	char temp[CCFC_TEMP_MAX];
	int dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (dir < 0)
		return -1;
	ccfc_temp_name(temp);
	r = ccfc_temp_write(dir, temp, 0600, text);
	if (!r)
		r = ccfc_temp_place(dir, temp, name, CCFC_PLACE_OVER);
	close(dir);
	return r;
}

/*
 * The address has the token in it, and other users can see the arguments of a
 * program. So the browser gets a private file that leads to the address.
 */
static int write_door(struct ccfc_buf *path, struct ccfc_slice url,
		      struct ccfc_err *err)
{
	static const char name[] = "web.html";
	struct ccfc_buf text = CCFC_BUF_INIT;
	int r = ccfc_dirs_state(path, err);

	if (r)
		return r;
	ccfc_buf_puts(&text, "<!DOCTYPE html><title>ccfc</title>"
			     "<meta http-equiv=\"refresh\" content=\"0;url=");
	ccfc_buf_slice(&text, url);
	ccfc_buf_puts(&text, "\">\n");
	if (write_private(path->ptr, name, ccfc_buf_view(&text)) < 0)
		r = ccfc_err_io(err, errno, "%s/%s", path->ptr, name);
	ccfc_buf_printf(path, "/%s", name);
	ccfc_buf_release(&text);
	return r;
}

/* The program that opens a file as a double click would, or NULL. */
static const char *find_opener(void)
{
	static const char *const programs[] = { "xdg-open", "open" };
	struct ccfc_buf path = CCFC_BUF_INIT;
	const char *found = NULL;

	for (int i = 0; i < 2 && !found; i++)
		if (ccfc_child_find(&path, programs[i]))
			found = programs[i];
	ccfc_buf_release(&path);
	return found;
}

/* Without a display, xdg-open runs a browser for the terminal, unseen. */
static bool has_display(void)
{
	static const char *const signs[] = { "DISPLAY", "WAYLAND_DISPLAY",
					     "BROWSER", "WSL_DISTRO_NAME" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (getenv(signs[i]))
			return true;
	return false;
}

static void open_page(struct ccfc_slice url, int port)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	const char *argv[] = { find_opener(), NULL, NULL };
	struct ccfc_child child = { 0 };
	struct ccfc_err err;

	if (!argv[0])
		return;
	if (!strcmp(argv[0], "xdg-open") && !has_display()) {
		ccfc_cli_note("there is no display here; from another "
			      "machine: ssh -L %d:127.0.0.1:%d",
			      port, port);
		return;
	}
	if (write_door(&path, url, &err)) {
		ccfc_cli_note("the page was not opened: %s", err.what);
	} else {
		argv[1] = path.ptr;
		if (ccfc_child_run(&child, argv, NULL, NULL, &err) ||
		    child.code)
			ccfc_cli_note("no browser could be opened; open the "
				      "address by hand");
		ccfc_child_release(&child);
	}
	ccfc_buf_release(&path);
}

static int stop_web(struct ccfc_cli *cli)
{
	struct ccfc_reply *reply;
	struct ccfc_err err;
	bool stopped;

	if (ccfc_cli_connect(cli, CCFC_SPAWN_NEVER, &err) < 0 ||
	    ccfc_web_stop(&reply, cli->client, &err) < 0)
		return ccfc_cli_fail(&err);
	stopped = ccfc_obj_get_bool(ccfc_cli_value(reply), "stopped", false);
	ccfc_buf_puts(&cli->out.buf, stopped ? "stopped\n" : "not served\n");
	ccfc_reply_free(reply);
	return stopped ? CCFC_EXIT_FOUND : CCFC_EXIT_NOTHING;
}

static int run_web(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply;
	struct ccfc_slice url;
	struct ccfc_err err;

	if (ccfc_opts_own(opts, OPT_STOP)->set)
		return stop_web(cli);
	if (ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err) < 0 ||
	    ccfc_web_start(&reply, cli->client,
			   (int)ccfc_opts_own(opts, OPT_PORT)->num, &err) < 0)
		return ccfc_cli_fail(&err);
	url = ccfc_obj_get_str(ccfc_cli_value(reply), "url");
	ccfc_buf_slice(&cli->out.buf, url);
	ccfc_buf_putc(&cli->out.buf, '\n');
	ccfc_out_flush(&cli->out);
	if (cli->out.tty && !ccfc_opts_own(opts, OPT_NO_OPEN)->set)
		open_page(url, (int)ccfc_obj_get_int(ccfc_cli_value(reply),
						     "port", 0));
	ccfc_reply_free(reply);
	return 0;
}

const struct ccfc_command ccfc_cmd_web = {
	.name = "web",
	.usage = "web [--port=N] [--no-open]\n"
		 "       ccfc web --stop",
	.summary = "serve a page and the REST API on 127.0.0.1",
	.topic = CCFC_TOPIC_DAEMON,
	.about =
		"Serves a page and the REST API until the daemon ends, prints "
		"the address and\n"
		"opens it if this is a terminal. The page shows live sessions, "
		"files, diffs,\n"
		"blame, search and statistics; '?' lists its keys. The address "
		"contains a token:\n"
		"whoever has it can read what ccfc knows. 'web = on' or 'web = "
		"PORT' in the\n"
		"config file serves it always. See ccfc-rest(7).",
	.options = options,
	.args_max = 0,
	.run = run_web,
};
