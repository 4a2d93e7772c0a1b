/*
 * ccfc grep: messages that contain a text, in all sessions. The daemon searches
 * unescaped texts, not the lines of the files, so that JSON escapes never hide
 * a match.
 */
#include "cli/frame/answer.h"
#include "cli/frame/scope.h"
#include "cli/report/grep_print.h"

#include <limits.h>

enum {
	OPT_IGNORE_CASE,
	OPT_CASE,
	OPT_REGEX,
	OPT_ROLE,
	OPT_SESSION,
	OPT_PROJECT,
	OPT_ALL,
	OPT_FROM,
	OPT_TO,
	OPT_IN,
	OPT_SORT,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FORMAT,
};

static const struct ccfc_opt options[] = {
	[OPT_IGNORE_CASE] = { "ignore-case", 'i', CCFC_OPT_FLAG,
			      .help = "a and A are the same (default)" },
	[OPT_CASE] = { "case-sensitive", 's', CCFC_OPT_FLAG,
		       .help = "a and A differ", CCFC_ASKS(case_sensitive) },
	[OPT_REGEX] = { "regex", 'e', CCFC_OPT_FLAG,
			.help = "PATTERN is a regular expression (PCRE2)",
			CCFC_ASKS(regex) },
	[OPT_ROLE] = { "role", 0, CCFC_OPT_CHOICE, "ROLE",
		       .help = "only messages of user or assistant",
		       .choices = "user|assistant", CCFC_ASKS(role) },
	[OPT_SESSION] = { "session", 0, CCFC_OPT_SESSION, "SESSION",
			  .help = "only in this session", CCFC_ASKS(session) },
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_FROM] = CCFC_SCOPE_FROM("messages"),
	[OPT_TO] = CCFC_SCOPE_TO("messages"),
	[OPT_IN] = { "in", 0, CCFC_OPT_LIST, "LIST",
		     .help = "text (default), thinking, tool, result",
		     .choices = "text|thinking|tool|result", CCFC_ASKS(in) },
	[OPT_SORT] = { "sort", 0, CCFC_OPT_CHOICE, "BY",
		       .help = "recent (default) or rank",
		       .choices = "recent|rank", CCFC_ASKS(sort) },
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("matches"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default), json or jsonl",
			 .choices = "text|json|jsonl" },
	{ 0 },
};

static int prepare_grep(struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;

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

static int ask_grep(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	return ccfc_text_search(reply, q->cli->client, q->given, &q->query,
				err);
}

static int print_grep(struct ccfc_question *q, struct ccfc_obj root)
{
	ccfc_grep_print(&q->cli->out, root, q->query.offset);
	return CCFC_EXIT_FOUND;
}

static int status_of_lines(struct ccfc_question *q, struct ccfc_obj root)
{
	/* The lines have no place for it. */
	if (q->format == CCFC_FORMAT_JSONL &&
	    ccfc_obj_get_bool(root, "truncated", false))
		ccfc_cli_note("the search is incomplete");
	if (q->format == CCFC_FORMAT_JSONL &&
	    ccfc_obj_get_int(root, "damaged", 0))
		ccfc_cli_note("damaged texts were left out");
	return CCFC_EXIT_FOUND;
}

static int run_grep(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.here = true,
		.rows = "matches",
		.prepare = prepare_grep,
		.ask = ask_grep,
		.print = print_grep,
		.status = status_of_lines,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_grep = {
	.name = "grep",
	.usage = "grep PATTERN [options]",
	.summary = "messages that contain a text",
	.about = "Searches the messages of all sessions, the latest first. It "
		 "shows the text\n"
		 "around the first match of each message, and the command "
		 "that shows the message.\n"
		 "With --sort=rank prompts, short messages and messages with "
		 "many matches come\n"
		 "first.\n"
		 "\n"
		 "PATTERN is plain text, or with -e a Perl-compatible regular "
		 "expression. Several\n"
		 "words are one pattern: quote them. Case only matters with "
		 "-s. --in says what is\n"
		 "searched: the text of messages, the model's thinking, the "
		 "input of tools (tool)\n"
		 "and their results (result).",
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
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_grep,
};
