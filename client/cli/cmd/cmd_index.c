/* ccfc index: rebuild the index, its totals, all that is in it. */
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
#include "cli/out/progress.h"
#include "cli/out/render.h"
#include "cli/report/totals_print.h"

#include <stdlib.h>

enum { OPT_BUILD, OPT_STATS, OPT_DUMP, OPT_PROJECT, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_BUILD] = { "build", 0, CCFC_OPT_FLAG, NULL,
			"read all transcripts anew, then show the totals", NULL,
			0, 0 },
	[OPT_STATS] = { "stats", 0, CCFC_OPT_FLAG, NULL, "show the totals",
			NULL, 0, 0 },
	[OPT_DUMP] = { "dump", 0, CCFC_OPT_FLAG, NULL,
		       "all that the index knows, a JSON object a line", NULL,
		       0, 0 },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_TEXT, "DIR",
			  "with --build: only transcripts of this project",
			  NULL, 0, 0 },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default) or json, for the totals",
			 "table|json", 0, 0 },
	{ 0 },
};

static int build_index(struct ccfc_reply **reply, struct ccfc_client *client,
		       const char *project, struct ccfc_err *err)
{
	struct ccfc_progress_bar bar;
	struct ccfc_cwd where;
	char *dir = NULL;
	int code = ccfc_cwd_init(&where, err);

	if (!code && project)
		dir = ccfc_cwd_real(&where, project);
	ccfc_progress_init(&bar);
	if (!code)
		code = ccfc_index_build(reply, client, dir,
					bar.tty ? ccfc_progress_draw : NULL,
					&bar, err);
	ccfc_progress_end(&bar);
	ccfc_cwd_release(&where);
	free(dir);
	return code;
}

static int ask_index(struct ccfc_reply **reply, struct ccfc_cli *cli,
		     const struct ccfc_opts *opts, struct ccfc_err *err)
{
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);

	if (code < 0)
		return code;
	if (ccfc_opts_own(opts, OPT_BUILD)->set)
		return build_index(reply, cli->client,
				   ccfc_opts_own(opts, OPT_PROJECT)->text, err);
	if (ccfc_opts_own(opts, OPT_DUMP)->set)
		return ccfc_index_dump(reply, cli->client, err);
	return ccfc_index_stats(reply, cli->client, err);
}

static void print_index(struct ccfc_out *out, struct ccfc_obj root,
			const struct ccfc_opts *opts)
{
	if (ccfc_opts_own(opts, OPT_DUMP)->set)
		for (uint32_t i = 0; i < ccfc_obj_len(root); i++)
			ccfc_render_json(out, ccfc_obj_at(root, i), 0);
	else if (ccfc_opts_own(opts, OPT_FORMAT)->num)
		ccfc_render_json(out, root, 2);
	else
		ccfc_stats_print(out, root);
}

static int check(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	int n = ccfc_opts_own(opts, OPT_BUILD)->set +
		ccfc_opts_own(opts, OPT_STATS)->set +
		ccfc_opts_own(opts, OPT_DUMP)->set;

	if (n != 1) {
		ccfc_err_set(err, CCFC_EINVAL,
			     "index: %s of --build, --stats and --dump",
			     n ? "only one" : "which");
		ccfc_err_hint(err, "ccfc index --help");
		return CCFC_EINVAL;
	}
	if (ccfc_opts_own(opts, OPT_PROJECT)->set &&
	    !ccfc_opts_own(opts, OPT_BUILD)->set)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "index: --project: goes with --build only");
	return 0;
}

static int run_index(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;

	if (check(opts, &err) < 0 || ask_index(&reply, cli, opts, &err) < 0)
		return ccfc_cli_fail(&err);
	ccfc_cli_note_indexing(ccfc_cli_value(reply));
	print_index(&cli->out, ccfc_cli_value(reply), opts);
	ccfc_reply_free(reply);
	return 0;
}

const struct ccfc_command ccfc_cmd_index = {
	.name = "index",
	.usage = "index --build|--stats|--dump [options]",
	.summary = "rebuild the index, or show its totals",
	.about = "The index is kept up to date by the daemon; --build is for "
		 "doubt. What is known\nof transcripts that have been deleted "
		 "survives it.\n\n"
		 "The totals name the lines that could not be used, by kind: "
		 "malformed, of an\nunknown type, too long.",
	.examples = "  ccfc index --stats\n"
		    "  ccfc index --build --project=/home/me/project\n"
		    "  ccfc index --dump | jq -r 'select(.kind==\"file\").path'"
		    "\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.run = run_index,
};
