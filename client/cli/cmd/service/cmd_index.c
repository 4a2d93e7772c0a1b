/* ccfc index: rebuilds the index, or prints its totals or all of it. */
#include "cli/frame/answer.h"
#include "cli/out/progress.h"
#include "cli/report/totals_print.h"

enum { OPT_BUILD, OPT_STATS, OPT_DUMP, OPT_PROJECT, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_BUILD] = { "build", 0, CCFC_OPT_FLAG,
			.help = "read all transcripts again, then show the "
				"totals" },
	[OPT_STATS] = { "stats", 0, CCFC_OPT_FLAG, .help = "show the totals" },
	[OPT_DUMP] = { "dump", 0, CCFC_OPT_FLAG,
		       .help = "print the whole index, one JSON object on "
			       "each line" },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_DIR, "NAME|DIR",
			  .help = "with --build: only transcripts of this "
				  "project",
			  CCFC_ASKS(project_path) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default) or json, for the totals",
			 .choices = "table|json" },
	{ 0 },
};

static int build_index(struct ccfc_reply **reply, struct ccfc_question *q,
		       struct ccfc_err *err)
{
	struct ccfc_progress_bar bar;
	int code;

	ccfc_progress_init(&bar);
	code = ccfc_index_build(reply, q->cli->client, q->query.project_path,
				bar.tty ? ccfc_progress_draw : NULL, &bar, err);
	ccfc_progress_end(&bar);
	return code;
}

static int ask_index(struct ccfc_reply **reply, struct ccfc_question *q,
		     struct ccfc_err *err)
{
	if (ccfc_opts_own(q->opts, OPT_BUILD)->set)
		return build_index(reply, q, err);
	if (ccfc_opts_own(q->opts, OPT_DUMP)->set)
		return ccfc_index_dump(reply, q->cli->client, err);
	return ccfc_index_stats(reply, q->cli->client, err);
}

static int print_index(struct ccfc_question *q, struct ccfc_obj root)
{
	ccfc_stats_print(&q->cli->out, root);
	return CCFC_EXIT_FOUND;
}

static int prepare_index(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;
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
				    "index: --project: only with --build");
	if (ccfc_opts_own(opts, OPT_DUMP)->set)
		q->format = CCFC_FORMAT_JSONL;
	return 0;
}

static int run_index(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.prepare = prepare_index,
		.ask = ask_index,
		.print = print_index,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_index = {
	.name = "index",
	.usage = "index --build|--stats|--dump [options]",
	.summary = "rebuild the index, or show its totals",
	.about = "The daemon keeps the index up to date; --build builds it "
		 "again if you suspect an\n"
		 "error. Facts from deleted transcripts are kept.\n"
		 "\n"
		 "The totals count the unusable lines, by kind: malformed, of "
		 "an unknown type, too\n"
		 "long.",
	.examples = "  ccfc index --stats\n"
		    "  ccfc index --build --project=/home/me/project\n"
		    "  ccfc index --dump | jq -r 'select(.kind==\"file\").path'"
		    "\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.topic = CCFC_TOPIC_DAEMON,
	.run = run_index,
};
