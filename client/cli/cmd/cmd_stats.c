/*
 * ccfc stats: what was done and spent, in total and by day, project, model,
 * tool, file or extension.
 */
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/stats_print.h"

#include <stdlib.h>

enum {
	OPT_PROJECT,
	OPT_FROM,
	OPT_TO,
	OPT_BY,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
};

static const struct ccfc_opt options[] = {
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_FROM] = CCFC_SCOPE_FROM("work"),
	[OPT_TO] = CCFC_SCOPE_TO("work"),
	[OPT_BY] = { "by", 0, CCFC_OPT_CHOICE, "WHAT",
		     "day, project, model, tool, file or ext",
		     "day|project|model|tool|file|ext", 0, 0 },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("rows"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "text (default) or json", "text|json", 0, 0 },
	{ 0 },
};

enum format { TEXT, JSON };

static bool is_json(const struct ccfc_opts *opts)
{
	return ccfc_opts_own(opts, OPT_FORMAT)->num == JSON;
}

static int ask_stats(struct ccfc_reply **reply, struct ccfc_cli *cli,
		     const struct ccfc_opts *opts,
		     const struct ccfc_scope *scope, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	char *session = NULL;
	int code = 0;

	if (opts->nargs)
		code = ccfc_cwd_session(&session, opts->args[0], err);
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	query.limit = ccfc_opts_own(opts, OPT_LIMIT)->num;
	query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	query.session = session;
	query.project_path = scope->project;
	query.cwd = scope->where.cwd;
	query.from_date = scope->from_date;
	query.to_date = scope->to_date;
	query.by = ccfc_opts_own(opts, OPT_BY)->text;
	/* The overview has the models, too. */
	if (!query.by && !is_json(opts))
		query.by = "model";
	if (!code)
		code = ccfc_stats_get(reply, cli->client, &query, err);
	free(session);
	return code;
}

static void print_stats(struct ccfc_out *out, struct ccfc_obj root,
			const struct ccfc_opts *opts)
{
	struct ccfc_obj rows = ccfc_obj_get(root, "rows");

	if (is_json(opts)) {
		ccfc_render_json(out, root, 2);
		return;
	}
	ccfc_stats_print_totals(out, root);
	if (!ccfc_opts_own(opts, OPT_BY)->set) {
		ccfc_stats_print_days(out, ccfc_obj_get(root, "days"));
		ccfc_stats_print_rows(out, root, "Models");
		ccfc_stats_print_tools(out, ccfc_obj_get(root, "tools"));
		ccfc_stats_print_files(out, ccfc_obj_get(root, "files"));
		return;
	}
	ccfc_stats_print_rows(out, root, NULL);
	ccfc_scope_more(out, ccfc_opts_own(opts, OPT_OFFSET)->num,
			ccfc_obj_len(rows),
			ccfc_obj_get_int(root, "totalRows", 0));
}

static int run_stats(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_scoped scoped = {
		OPT_PROJECT, OPT_FROM, OPT_TO, ask_stats, print_stats,
	};

	return ccfc_scope_answer(&scoped, cli, opts);
}

const struct ccfc_command ccfc_cmd_stats = {
	.name = "stats",
	.usage = "stats [SESSION] [options]",
	.summary = "what was done and spent",
	.about = "Counts sessions, messages, changes and lines, tool calls "
		 "and their errors, and\n"
		 "tokens (each message of the model once; those of subagents "
		 "included, and shown\n"
		 "apart): of everything, or of a session, a project, a time. "
		 "Without --by also the\n"
		 "last days, the models, the tools used most and the files "
		 "changed most. Days are\n"
		 "those of UTC. On a terminal bars show what a row is of the "
		 "highest.",
	.examples = "  ccfc stats\n"
		    "  ccfc stats 3f2a\n"
		    "  ccfc stats --project=. --by=file --limit=20\n"
		    "  ccfc stats --from=2025-12-01 --by=day\n"
		    "  ccfc stats --by=model --format=json | jq .rows\n",
	.options = options,
	.args_max = 1,
	.paged = true,
	.run = run_stats,
};
