/*
 * ccfc log: what happened, newest first: to a file, to the files of a glob or
 * a directory, or in a session.
 *
 * The kind of the argument is found by trying: a file's history first, since it
 * has the steps outside of sessions too, then a session, then a pattern.
 */
#include "cli/frame/listing.h"
#include "cli/out/render.h"
#include "cli/report/log.h"

#include <stdlib.h>

#define DEFAULT_LIMIT 50
#define MAX_LIMIT     100000

enum { OPT_TOOL, OPT_EVIDENCE, OPT_LIMIT, OPT_FORMAT, OPT_GIT };

static const struct ccfc_opt options[] = {
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	[OPT_LIMIT] = { "limit", 'n', CCFC_OPT_INT, "N",
			.help = "at most N steps; default 50", .min = 1,
			.max = MAX_LIMIT, CCFC_ASKS(limit) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), json or jsonl",
			 .choices = "table|json|jsonl" },
	[OPT_GIT] = { "git", 0, CCFC_OPT_FLAG,
		      .help = "the commits that have the lines of a session" },
	{ 0 },
};

static const char *given_or_here(const struct ccfc_question *q)
{
	return q->given ? q->given : ".";
}

static bool is_transcript(const char *text)
{
	return ccfc_slice_ends(ccfc_slice_str(text), ".jsonl");
}

static int ask_file(struct ccfc_reply **reply, struct ccfc_question *q,
		    const char *given, struct ccfc_err *err)
{
	int code = ccfc_question_name(q, given, err);

	if (!code)
		code = ccfc_file_log(reply, q->cli->client, q->path, &q->query,
				     err);
	q->query.alternatives = NULL;
	return code;
}

/* Which changes are asked for, without --limit, which counts files there. */
static struct ccfc_query kinds_of(const struct ccfc_question *q)
{
	struct ccfc_query query = CCFC_QUERY_INIT;

	query.tools = q->query.tools;
	query.evidence = q->query.evidence;
	return query;
}

static int ask_session(struct ccfc_reply **reply, struct ccfc_question *q,
		       const char *given, struct ccfc_err *err)
{
	struct ccfc_query query = kinds_of(q);
	int code = ccfc_question_session(q, given, err);

	if (!code)
		code = ccfc_session_files(reply, q->cli->client, q->session,
					  &query, err);
	return code;
}

/*
 * The N latest changes are in the N files that were changed last; one more
 * tells whether there is more.
 */
static int ask_glob(struct ccfc_reply **reply, struct ccfc_question *q,
		    const char *pattern, struct ccfc_err *err)
{
	struct ccfc_query query = kinds_of(q);
	int64_t limit = q->query.limit;

	query.limit = limit < MAX_LIMIT ? limit + 1 : MAX_LIMIT;
	return ccfc_listing_match(reply, q->cli->client, pattern, &query,
				  &q->where, err);
}

/* All below a directory, whatever characters are in its name. */
static int ask_below(struct ccfc_reply **reply, struct ccfc_question *q,
		     const char *directory, struct ccfc_err *err)
{
	struct ccfc_buf pattern = CCFC_BUF_INIT;
	int code;

	ccfc_listing_escape(&pattern, ccfc_slice_str(directory));
	ccfc_buf_puts(&pattern, "/**");
	code = ask_glob(reply, q, pattern.ptr, err);
	ccfc_buf_release(&pattern);
	return code;
}

/* By the name that was given, then by the one without symbolic links. */
static int ask_directory(struct ccfc_reply **reply, struct ccfc_question *q,
			 const char *given, struct ccfc_err *err)
{
	char *path = ccfc_cwd_absolute(&q->where, given);
	char *real = ccfc_cwd_real(&q->where, given);
	int code = ask_below(reply, q, strcmp(path, "/") ? path : "", err);

	if (code == CCFC_ENOTFOUND && strcmp(path, real) != 0)
		code = ask_below(reply, q, real, err);
	free(path);
	free(real);
	return code;
}

/* A transcript is a session; any other file of such a name is a file. */
static int ask_transcript(struct ccfc_reply **reply, struct ccfc_question *q,
			  const char *given, struct ccfc_err *err)
{
	struct ccfc_err second;
	int code = ask_session(reply, q, given, err);

	if (code != CCFC_ENOTFOUND)
		return code;
	code = ask_file(reply, q, given, &second);
	if (code < 0 && code != CCFC_ENOTFOUND)
		*err = second;
	return code;
}

static int ask_log(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	const char *given = given_or_here(q);
	struct ccfc_err second;
	int code;

	if (is_transcript(given) && !ccfc_listing_is_glob(given))
		return ask_transcript(reply, q, given, err);
	if (ccfc_cwd_is_directory(given))
		return ask_directory(reply, q, given, err);
	code = ask_file(reply, q, given, err);
	if (code != CCFC_ENOTFOUND)
		return code;
	if (ccfc_listing_is_glob(given))
		return ask_glob(reply, q, given, err);
	if (strchr(given, '/'))
		return code;
	code = ask_session(reply, q, given, &second);
	/* What is neither was meant to be a file. */
	if (code < 0 && code != CCFC_ENOTFOUND)
		*err = second;
	return code;
}

static int fail_nothing(const struct ccfc_question *q, struct ccfc_slice hint)
{
	bool some = q->query.tools || q->query.evidence;
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "log: nothing found: %s has no %schanges that took effect",
		     given_or_here(q), some ? "such " : "");
	if (hint.len)
		ccfc_err_hint(&err, "%s", hint.ptr);
	return ccfc_cli_fail(&err);
}

static int print_log(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_log_rows rows = { 0 };
	struct ccfc_out *out = &q->cli->out;
	bool more, found, table = q->format == CCFC_FORMAT_TABLE;
	struct ccfc_buf unknown = CCFC_BUF_INIT;
	int status = CCFC_EXIT_FOUND;

	ccfc_log_take(&rows, root);
	more = ccfc_log_order(&rows, q->query.limit) ||
	       ccfc_obj_get_bool(root, "truncated", false);
	found = rows.n;
	if (q->format == CCFC_FORMAT_JSON && rows.one_file)
		ccfc_render_json(out, root, 2);
	else if (!table)
		ccfc_log_json(out, &rows, q->format == CCFC_FORMAT_JSON);
	else if (found)
		ccfc_log_table(out, &rows, &q->where);
	if (more && table)
		ccfc_cli_note("there is more; --limit=%lld shows it",
			      (long long)q->query.limit * 2);
	/* A session's commands may have changed what nobody knows. */
	if (ccfc_render_unknown(&unknown, root) && found && table)
		ccfc_cli_note("%s", unknown.ptr);
	if (!found)
		status = fail_nothing(q, ccfc_buf_view(&unknown));
	ccfc_buf_release(&unknown);
	ccfc_log_release(&rows);
	return status;
}

static int prepare_git(struct ccfc_question *q, struct ccfc_err *err)
{
	if (q->given)
		return 0;
	ccfc_err_set(err, CCFC_EINVAL, "log: --git: of which session?");
	ccfc_err_hint(err, "usage: ccfc log --git SESSION");
	return CCFC_EINVAL;
}

static int ask_git(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	return ccfc_session_files(reply, q->cli->client, q->session, NULL, err);
}

static int print_git(struct ccfc_question *q, struct ccfc_obj root)
{
	return ccfc_log_git(q->cli, root, q->format);
}

static int prepare_log(struct ccfc_question *q, struct ccfc_err *err)
{
	(void)err;
	if (!q->query.limit)
		q->query.limit = DEFAULT_LIMIT;
	return 0;
}

static int run_log(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	const unsigned own = CCFC_FORMAT_BIT(JSON) | CCFC_FORMAT_BIT(JSONL);
	const struct ccfc_answer git = {
		.subject = CCFC_ABOUT_SESSION,
		.own = own,
		.prepare = prepare_git,
		.ask = ask_git,
		.print = print_git,
	};
	const struct ccfc_answer log = {
		.here = true,
		.own = own,
		.prepare = prepare_log,
		.ask = ask_log,
		.print = print_log,
	};
	struct ccfc_err err;

	if (ccfc_opts_own(opts, OPT_GIT)->set)
		return ccfc_answer_run(&git, cli, opts, NULL);
	if (opts->nargs && !*opts->args[0]) {
		ccfc_err_set(&err, CCFC_EINVAL, "log: the path is empty");
		return ccfc_cli_fail(&err);
	}
	return ccfc_answer_run(&log, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_log = {
	.name = "log",
	.usage = "log [PATH|GLOB|SESSION] [options]",
	.summary = "what happened, newest first",
	.about = "Lists changes with their time, session, model, tool and "
		 "lines, the latest first:\n"
		 "those of a file, of the files below a directory (default: "
		 "the current one) or\n"
		 "of a glob, or those of a session. For one file it also lists "
		 "steps that no\n"
		 "session made: \"outside\" (somebody else changed it after "
		 "the time shown) and\n"
		 "\"unknown\". \"Bash, inferred\" is a command that no line "
		 "connects with the file;\n"
		 "the lines that came, or came back, do. CHANGE is what diff "
		 "and --at take; a\n"
		 "terminal of less than 100 columns does not show it. With "
		 "--tool or --evidence\n"
		 "it lists only such changes; ccfc help list has the kinds of "
		 "evidence.\n"
		 "\n"
		 "With --git it lists the commits that have lines of a "
		 "session, as the files are\n"
		 "now, and how many of its lines are not committed yet. It "
		 "only reads.",
	.examples = "  ccfc log\n"
		    "  ccfc log src/auth/login.ts\n"
		    "  ccfc log 'src/**/*.ts' --limit=20\n"
		    "  ccfc log 3f2a --format=jsonl | jq .path\n"
		    "  ccfc log --tool=Bash --evidence=recorded,parsed\n"
		    "  ccfc log --git 3f2a\n",
	.options = options,
	.args_min = 0,
	.args_max = 1,
	.paged = true,
	.run = run_log,
};
