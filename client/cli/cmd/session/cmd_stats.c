/*
 * ccfc stats: totals of changes, calls and tokens, also by day, project, model,
 * tool, file or extension.
 */
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/local_zone.h"
#include "cli/report/stats_print.h"

enum {
	OPT_PROJECT,
	OPT_ALL,
	OPT_FROM,
	OPT_TO,
	OPT_BY,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
	OPT_TZ,
};

static const struct ccfc_opt options[] = {
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_FROM] = CCFC_SCOPE_FROM("work"),
	[OPT_TO] = CCFC_SCOPE_TO("work"),
	[OPT_BY] = { "by", 0, CCFC_OPT_CHOICE, "WHAT",
		     .help = "day, week, month, hour, block, session …",
		     .choices = "day|week|month|hour|block|session|agent|"
				"project|model|tool|file|ext",
		     CCFC_ASKS(by) },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("rows"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default) or json",
			 .choices = "text|json" },
	[OPT_TZ] = { "tz", 0, CCFC_OPT_TEXT, "ZONE",
		     .help = "days of this time zone; default the local one" },
	{ 0 },
};

static int prepare_stats(struct ccfc_question *q, struct ccfc_err *err)
{
	const char **zone;
	int r = ccfc_local_zone(&zone, ccfc_opts_own(q->opts, OPT_TZ)->text,
				ccfc_time_now(), &q->texts, err);

	if (r < 0)
		return r;
	q->query.zone = zone;
	q->query.session = q->session;
	/* The overview has the models, too. */
	if (!q->query.by && q->format != CCFC_FORMAT_JSON)
		q->query.by = "model";
	return 0;
}

static int ask_stats(struct ccfc_reply **reply, struct ccfc_question *q,
		     struct ccfc_err *err)
{
	return ccfc_stats_get(reply, q->cli->client, &q->query, err);
}

static void print_text(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_out *out = &q->cli->out;

	ccfc_stats_print_totals(out, root);
	if (!ccfc_opts_own(q->opts, OPT_BY)->set) {
		ccfc_stats_print_days(out, ccfc_obj_get(root, "days"));
		ccfc_stats_print_rows(out, root, "Models");
		ccfc_stats_print_tools(out, ccfc_obj_get(root, "tools"));
		ccfc_stats_print_files(out, root);
		return;
	}
	ccfc_stats_print_rows(out, root, NULL);
	ccfc_answer_more(out, q->query.offset,
			 ccfc_obj_len(ccfc_obj_get(root, "rows")),
			 ccfc_obj_get_int(root, "totalRows", 0));
}

static int print_stats(struct ccfc_question *q, struct ccfc_obj root)
{
	if (q->format == CCFC_FORMAT_JSON)
		ccfc_render_json(&q->cli->out, root, 2);
	else
		print_text(q, root);
	return CCFC_EXIT_FOUND;
}

static int run_stats(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_SESSION,
		.here = true,
		.own = CCFC_FORMAT_BIT(JSON),
		.prepare = prepare_stats,
		.ask = ask_stats,
		.print = print_stats,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_stats = {
	.name = "stats",
	.usage = "stats [SESSION] [options]",
	.summary = "what was done and spent",
	.about = "Counts sessions, messages, changes and lines, tool calls and "
		 "their errors, and\n"
		 "tokens: of everything, or of a session, a project, a time. "
		 "Each message of the\n"
		 "model counts once; subagents are included, and also shown "
		 "separately, as are\n"
		 "changes that were made while commands of a shell ran. "
		 "Without --by the answer\n"
		 "also has the last days, the models, the most used tools and "
		 "the most changed\n"
		 "files. On a terminal bars compare the rows.\n"
		 "\n"
		 "Rows are days, weeks (from Monday), months, hours, five-hour "
		 "windows (block),\n"
		 "sessions, agents, projects, models, tools, files or "
		 "extensions. Days are local;\n"
		 "--tz=ZONE means those of another zone.\n"
		 "\n"
		 "Cost is what the transcripts record, and for the rest what "
		 "your file of prices\n"
		 "says, see ccfc.conf(5); \"+\" means that the cost of some "
		 "tokens is not known, \"-\"\n"
		 "that of none is, \"~\" that a client was not sure.",
	.examples = "  ccfc stats\n"
		    "  ccfc stats 3f2a\n"
		    "  ccfc stats --project=. --by=file --limit=20\n"
		    "  ccfc stats --from=2025-12-01 --by=week\n"
		    "  ccfc stats --by=block --tz=UTC\n"
		    "  ccfc stats --by=model --format=json | jq .rows\n",
	.options = options,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_stats,
};
