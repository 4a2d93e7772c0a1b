/*
 * ccfc grep: the messages of all sessions that have a text. The daemon
 * searches what was said, not the lines of the files, so that no escape stands
 * between a pattern and its text.
 */
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/grep_print.h"

#include <limits.h>
#include <stdlib.h>

enum {
	OPT_IGNORE_CASE,
	OPT_CASE,
	OPT_REGEX,
	OPT_ROLE,
	OPT_SESSION,
	OPT_PROJECT,
	OPT_FROM,
	OPT_TO,
	OPT_IN,
	OPT_SORT,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
};

static const struct ccfc_opt options[] = {
	[OPT_IGNORE_CASE] = { "ignore-case", 'i', CCFC_OPT_FLAG, NULL,
			      "a and A are the same (default)", NULL, 0, 0 },
	[OPT_CASE] = { "case-sensitive", 's', CCFC_OPT_FLAG, NULL,
		       "a and A differ", NULL, 0, 0 },
	[OPT_REGEX] = { "regex", 'e', CCFC_OPT_FLAG, NULL,
			"PATTERN is a regular expression (PCRE2)", NULL, 0, 0 },
	[OPT_ROLE] = { "role", 0, CCFC_OPT_CHOICE, "ROLE",
		       "only what this one said: user or assistant",
		       "user|assistant", 0, 0 },
	[OPT_SESSION] = { "session", 0, CCFC_OPT_TEXT, "SESSION",
			  "only in this session", NULL, 0, 0 },
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_FROM] = CCFC_SCOPE_FROM("messages"),
	[OPT_TO] = CCFC_SCOPE_TO("messages"),
	[OPT_IN] = { "in", 0, CCFC_OPT_LIST, "LIST",
		     "text (default), thinking, tool, result",
		     "text|thinking|tool|result", 0, 0 },
	[OPT_SORT] = { "sort", 0, CCFC_OPT_CHOICE, "BY",
		       "recent (default) or rank", "recent|rank", 0, 0 },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("matches"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "text (default), json or jsonl", "text|json|jsonl", 0,
			 0 },
	{ 0 },
};

enum format { TEXT, JSON, JSONL };

static int check(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	if (opts->nargs > 1) {
		ccfc_err_set(err, CCFC_EINVAL,
			     "grep: one argument too many: '%s'",
			     opts->args[1]);
		ccfc_err_hint(err, "several words are one pattern: quote them");
		return CCFC_EINVAL;
	}
	if (!*opts->args[0])
		return ccfc_err_set(err, CCFC_EINVAL,
				    "grep: the pattern is empty");
	if (ccfc_opts_own(opts, OPT_IGNORE_CASE)->set &&
	    ccfc_opts_own(opts, OPT_CASE)->set)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "grep: -i and -s: one of them");
	return 0;
}

static int ask_grep(struct ccfc_reply **reply, struct ccfc_cli *cli,
		    const struct ccfc_opts *opts,
		    const struct ccfc_scope *scope, struct ccfc_err *err)
{
	const struct ccfc_opt_value *given = ccfc_opts_own(opts, OPT_SESSION);
	struct ccfc_query query = CCFC_QUERY_INIT;
	char *session = NULL;
	int code = 0;

	if (given->set)
		code = ccfc_cwd_session(&session, given->text, err);
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	query.regex = ccfc_opts_own(opts, OPT_REGEX)->set;
	query.case_sensitive = ccfc_opts_own(opts, OPT_CASE)->set;
	query.limit = ccfc_opts_own(opts, OPT_LIMIT)->num;
	query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	query.role = ccfc_opts_own(opts, OPT_ROLE)->text;
	query.session = session;
	query.project_path = scope->project;
	query.cwd = scope->where.cwd;
	query.from_date = scope->from_date;
	query.to_date = scope->to_date;
	query.in = ccfc_opts_own(opts, OPT_IN)->list.items;
	query.sort = ccfc_opts_own(opts, OPT_SORT)->text;
	if (!code)
		code = ccfc_text_search(reply, cli->client, opts->args[0],
					&query, err);
	free(session);
	return code;
}

static void print_grep(struct ccfc_out *out, struct ccfc_obj root,
		       const struct ccfc_opts *opts)
{
	struct ccfc_obj matches = ccfc_obj_get(root, "matches");

	switch ((enum format)ccfc_opts_own(opts, OPT_FORMAT)->num) {
	case JSON:
		ccfc_render_json(out, root, 2);
		return;
	case JSONL:
		for (uint32_t i = 0; i < ccfc_obj_len(matches); i++)
			ccfc_render_json(out, ccfc_obj_at(matches, i), 0);
		/* The lines have no place for it. */
		if (ccfc_obj_get_bool(root, "truncated", false))
			ccfc_cli_note("the search is incomplete");
		return;
	case TEXT:
		ccfc_grep_print(out, root,
				ccfc_opts_own(opts, OPT_OFFSET)->num);
		return;
	}
}

static int run_grep(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_scoped scoped = {
		OPT_PROJECT, OPT_FROM, OPT_TO, ask_grep, print_grep,
	};
	struct ccfc_err err;

	if (check(opts, &err) < 0)
		return ccfc_cli_fail(&err);
	return ccfc_scope_answer(&scoped, cli, opts);
}

const struct ccfc_command ccfc_cmd_grep = {
	.name = "grep",
	.usage = "grep PATTERN [options]",
	.summary = "messages that have a text",
	.about = "Searches what was said in all sessions, the latest first, "
		 "and shows the text\n"
		 "around the first match of each message and how to open it; "
		 "with --sort=rank\n"
		 "prompts, short messages and those with many matches come "
		 "first.\n\n"
		 "PATTERN is plain text, whatever its characters; with -e a "
		 "regular expression\n"
		 "as Perl has them. Several words are one pattern: quote them. "
		 "Case does not\n"
		 "matter but with -s. --in says what is searched: the text of "
		 "messages, the\n"
		 "model's thinking, what tools were given (tool) and what they "
		 "said (result).",
	.examples = "  ccfc grep 'rate limit'\n"
		    "  ccfc grep -e 'E[A-Z]+: .*denied' --in=result "
		    "--project=.\n"
		    "  ccfc grep TODO -s --role=user --from=2025-12-01\n"
		    "  ccfc grep migrate --in=text,tool --format=jsonl | jq "
		    "-r .sessionId\n",
	.options = options,
	.args_min = 1,
	.args_max = INT_MAX,
	.paged = true,
	.run = run_grep,
};
