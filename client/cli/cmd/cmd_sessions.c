/*
 * ccfc sessions: the sessions there are. What the options are worth is the
 * daemon's business; here is asked and shown.
 */
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/sessions_print.h"

enum {
	OPT_PROJECT,
	OPT_FROM,
	OPT_TO,
	OPT_BRANCH,
	OPT_MODEL,
	OPT_STATUS,
	OPT_TOUCHED,
	OPT_SORT,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
	OPT_NULL,
};

static const struct ccfc_opt options[] = {
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_FROM] = CCFC_SCOPE_FROM("sessions"),
	[OPT_TO] = CCFC_SCOPE_TO("sessions"),
	[OPT_BRANCH] = { "branch", 0, CCFC_OPT_TEXT, "BRANCH",
			 "only sessions that were on this branch", NULL, 0, 0 },
	[OPT_MODEL] = { "model", 0, CCFC_OPT_TEXT, "MODEL",
			"only with this model, or a part of its name", NULL, 0,
			0 },
	[OPT_STATUS] = { "status", 0, CCFC_OPT_CHOICE, "STATUS",
			 "waiting, active, failed or completed",
			 "waiting|active|failed|completed", 0, 0 },
	[OPT_TOUCHED] = { "touched", 0, CCFC_OPT_TEXT, "GLOB",
			  "only sessions that changed such a file", NULL, 0,
			  0 },
	[OPT_SORT] = { "sort", 0, CCFC_OPT_CHOICE, "BY",
		       "recent (default), changes, tokens or duration",
		       "recent|changes|tokens|duration", 0, 0 },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("sessions"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default), json, jsonl, ids or paths",
			 "table|json|jsonl|ids|paths", 0, 0 },
	[OPT_NULL] = { "null", '0', CCFC_OPT_FLAG, NULL,
		       "paths (or ids), each ended by a NUL byte", NULL, 0, 0 },
	{ 0 },
};

enum format { TABLE, JSON, JSONL, IDS, PATHS };

static const char *text_of(const struct ccfc_opts *opts, int row)
{
	return ccfc_opts_own(opts, row)->text;
}

static int ask_sessions(struct ccfc_reply **reply, struct ccfc_cli *cli,
			const struct ccfc_opts *opts,
			const struct ccfc_scope *scope, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	const struct ccfc_cwd *where = &scope->where;
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);

	query.limit = ccfc_opts_own(opts, OPT_LIMIT)->num;
	query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	query.project_path = scope->project;
	query.from_date = scope->from_date;
	query.to_date = scope->to_date;
	query.branch = text_of(opts, OPT_BRANCH);
	query.model = text_of(opts, OPT_MODEL);
	query.status = text_of(opts, OPT_STATUS);
	query.touched = text_of(opts, OPT_TOUCHED);
	query.sort = text_of(opts, OPT_SORT);
	query.cwd = where->cwd;
	if (!code)
		code = ccfc_session_list(reply, cli->client, &query, err);
	if (code != CCFC_ENOTFOUND || !query.touched ||
	    !strcmp(where->cwd, where->physical))
		return code;
	/* As with search: by the name without symbolic links, then. */
	query.cwd = where->physical;
	return ccfc_session_list(reply, cli->client, &query, err);
}

static enum format format_of(const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *f = ccfc_opts_own(opts, OPT_FORMAT);

	if (ccfc_opts_own(opts, OPT_NULL)->set && !f->set)
		return PATHS;
	return (enum format)f->num;
}

static void print_sessions(struct ccfc_out *out, struct ccfc_obj root,
			   const struct ccfc_opts *opts)
{
	enum format format = format_of(opts);
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	char end = ccfc_opts_own(opts, OPT_NULL)->set ? '\0' : '\n';

	if (format == JSON) {
		ccfc_render_json(out, root, 2);
		return;
	}
	if (format == TABLE) {
		ccfc_sessions_print(out, root,
				    ccfc_opts_own(opts, OPT_OFFSET)->num,
				    ccfc_time_now());
		return;
	}
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj s = ccfc_obj_at(sessions, i);
		struct ccfc_slice text = ccfc_obj_get_str(
			s, format == IDS ? "sessionId" : "filePath");

		if (format == JSONL)
			ccfc_render_json(out, s, 0);
		else if (text.len)
			ccfc_render_path(out, text, end);
	}
}

static int check(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	enum format format = format_of(opts);

	if (!ccfc_opts_own(opts, OPT_NULL)->set || format == PATHS ||
	    format == IDS)
		return 0;
	return ccfc_err_set(err, CCFC_EINVAL,
			    "sessions: -0: goes with --format=paths or ids");
}

static int run_sessions(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_scoped scoped = {
		OPT_PROJECT, OPT_FROM, OPT_TO, ask_sessions, print_sessions,
	};
	struct ccfc_err err;

	if (check(opts, &err) < 0)
		return ccfc_cli_fail(&err);
	return ccfc_scope_answer(&scoped, cli, opts);
}

const struct ccfc_command ccfc_cmd_sessions = {
	.name = "sessions",
	.usage = "sessions [options]",
	.summary = "which sessions there are",
	.about = "Lists sessions, the latest first: title, project, branch, "
		 "when it ended and how\n"
		 "long it took, messages, tool calls, files that it modified "
		 "and read, changes,\n"
		 "tokens (with its subagents'), model and status. A narrow "
		 "terminal gets fewer\n"
		 "columns; --format=json has all.\n\n"
		 "A session is active until nothing was written for five "
		 "minutes, failed if the\n"
		 "last thing that it did was, and waiting if it asks the "
		 "user. --from and --to\n"
		 "take those that were at work in between. GLOB is a path, "
		 "or as in ccfc search;\n--format=paths are the transcripts.",
	.examples = "  ccfc sessions\n"
		    "  ccfc sessions --project=. --branch=main --limit=10\n"
		    "  ccfc sessions --touched='src/**/*.ts' "
		    "--from=2025-12-01\n"
		    "  ccfc sessions --sort=tokens --model=opus\n"
		    "  ccfc sessions -0 --project=. | xargs -0 wc -l\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.run = run_sessions,
};
