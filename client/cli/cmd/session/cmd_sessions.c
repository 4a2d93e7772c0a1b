/*
 * ccfc sessions: lists sessions. The daemon checks the values of the options.
 */
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/frame/scope.h"
#include "cli/report/sessions_print.h"

enum {
	OPT_PROJECT,
	OPT_ALL,
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
	OPT_TAG,
};

static const struct ccfc_opt options[] = {
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_FROM] = CCFC_SCOPE_FROM("sessions"),
	[OPT_TO] = CCFC_SCOPE_TO("sessions"),
	[OPT_BRANCH] = { "branch", 0, CCFC_OPT_TEXT, "BRANCH",
			 .help = "only sessions that were on this branch",
			 CCFC_ASKS(branch) },
	[OPT_MODEL] = { "model", 0, CCFC_OPT_TEXT, "MODEL",
			.help = "only with this model, or a part of its name",
			CCFC_ASKS(model) },
	[OPT_STATUS] = { "status", 0, CCFC_OPT_CHOICE, "STATUS",
			 .help = "waiting, active, failed or completed",
			 .choices = "waiting|active|failed|completed",
			 CCFC_ASKS(status) },
	[OPT_TOUCHED] = { "touched", 0, CCFC_OPT_TEXT, "GLOB",
			  .help = "only sessions that changed a matching file",
			  CCFC_ASKS(touched) },
	[OPT_SORT] = { "sort", 0, CCFC_OPT_CHOICE, "BY",
		       .help = "recent (default), changes, tokens or duration",
		       .choices = "recent|changes|tokens|duration",
		       CCFC_ASKS(sort) },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("sessions"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), json, jsonl, ids, paths or "
				 "tsv",
			 .choices = "table|json|jsonl|ids|paths|tsv" },
	[OPT_NULL] = { "null", '0', CCFC_OPT_FLAG,
		       .help = "paths (or ids), each ended by a NUL byte" },
	[OPT_TAG] = { "tag", 0, CCFC_OPT_TEXT, "WORD",
		      .help = "only sessions with this tag (see ccfc tag)",
		      CCFC_ASKS(tag) },
	{ 0 },
};

static int ask_sessions(struct ccfc_reply **reply, struct ccfc_question *q,
			struct ccfc_err *err)
{
	struct ccfc_client *client = q->cli->client;
	int code = ccfc_session_list(reply, client, &q->query, err);

	if (code != CCFC_ENOTFOUND || !q->query.touched ||
	    !strcmp(q->where.cwd, q->where.physical))
		return code;
	/* As search does: tries the name without symbolic links. */
	q->query.cwd = q->where.physical;
	return ccfc_session_list(reply, client, &q->query, err);
}

static int print_sessions(struct ccfc_question *q, struct ccfc_obj root)
{
	if (q->format == CCFC_FORMAT_TSV)
		ccfc_sessions_tsv(&q->cli->out, root);
	else
		ccfc_sessions_print(&q->cli->out, root, q->query.offset,
				    ccfc_time_now());
	return CCFC_EXIT_FOUND;
}

static int run_sessions(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.here = true,
		.rows = "sessions",
		.path = "filePath",
		.ask = ask_sessions,
		.print = print_sessions,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_sessions = {
	.name = "sessions",
	.usage = "sessions [options]",
	.summary = "all sessions",
	.about = "Lists sessions, the latest first: title, project, branch, "
		 "end, duration,\n"
		 "messages, tool calls, files modified and read, changes, "
		 "tokens (subagents\n"
		 "included), model and status. A narrow terminal gets fewer "
		 "columns;\n"
		 "--format=json has all.\n"
		 "\n"
		 "A session is active if something was written in the last "
		 "five minutes, failed\n"
		 "if its last action failed, waiting if it is asking the user "
		 "something and no\n"
		 "session was active more than a day later. --from and --to "
		 "select sessions that\n"
		 "were active in between. GLOB is a path, or a glob as in "
		 "ccfc search.\n"
		 "--format=paths prints the transcripts, tsv lines for fzf and "
		 "the like.",
	.examples = "  ccfc sessions\n"
		    "  ccfc sessions --project=. --branch=main --limit=10\n"
		    "  ccfc sessions --touched='src/**/*.ts' "
		    "--from=2025-12-01\n"
		    "  ccfc sessions --sort=tokens --model=opus\n"
		    "  ccfc sessions -0 --project=. | xargs -0 wc -l\n",
	.options = options,
	.args_max = 0,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_sessions,
};
