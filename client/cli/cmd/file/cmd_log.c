/*
 * ccfc log: what happened, newest first: to a file, to the files of a glob or
 * a directory, or in a session.
 *
 * The kind of the argument is found by trying: a file's history first, since it
 * has the steps outside of sessions too, then a session, then a pattern.
 */
#include "cli/frame/listing.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/log_print.h"

#include <stdlib.h>

#define DEFAULT_LIMIT 50
#define MAX_LIMIT     100000

enum {
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_FROM,
	OPT_TO,
	OPT_PROJECT,
	OPT_ALL,
	OPT_STATE,
	OPT_TOOL,
	OPT_EVIDENCE,
	OPT_PATCH,
	OPT_STAT,
	OPT_ONELINE,
	OPT_FORMAT,
	OPT_GIT,
};

static const struct ccfc_opt options[] = {
	[OPT_LIMIT] = CCFC_SCOPE_LIMIT("steps"),
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_FROM] = CCFC_SCOPE_FROM("changes"),
	[OPT_TO] = CCFC_SCOPE_TO("changes"),
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_ALL] = CCFC_SCOPE_ALL,
	[OPT_STATE] = CCFC_LISTING_STATE,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	[OPT_PATCH] = { "patch", 'p', CCFC_OPT_FLAG,
			.help = "with the diff of each change" },
	[OPT_STAT] = { "stat", 0, CCFC_OPT_FLAG,
		       .help = "with the lines of each change as a bar" },
	[OPT_ONELINE] = { "oneline", 0, CCFC_OPT_FLAG,
			  .help = "a line for each change" },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), json or jsonl",
			 .choices = "table|json|jsonl" },
	[OPT_GIT] = { "git", 0, CCFC_OPT_FLAG,
		      .help = "the commits that have the lines of a session" },
	{ 0 },
};

/* The subject of the log, for messages. */
static const char *name_subject(const struct ccfc_question *q)
{
	return q->given ? q->given : "this project";
}

static bool is_transcript(const char *text)
{
	return ccfc_slice_ends(ccfc_slice_str(text), ".jsonl");
}

/* Is a period given? Then more than the page must be read. */
static bool is_narrowed(const struct ccfc_question *q)
{
	return q->query.from_date || q->query.to_date;
}

/*
 * file.log has only changes that took effect, in all projects. With --state or
 * --project, ccfc asks for the file's sessions.
 */
static int ask_file(struct ccfc_reply **reply, struct ccfc_question *q,
		    const char *given, struct ccfc_err *err)
{
	struct ccfc_query query;
	int code = ccfc_question_name(q, given, err);

	query = q->query;
	query.offset = 0;
	query.limit = MAX_LIMIT;
	if (!code && (query.states || query.project_path)) {
		query.prompts = q->format == CCFC_FORMAT_TABLE;
		return ccfc_file_sessions(reply, q->cli->client, q->path,
					  &query, err);
	}
	query.from_date = query.to_date = NULL;
	if (!is_narrowed(q) && q->query.limit < MAX_LIMIT - q->query.offset)
		query.limit = q->query.limit + q->query.offset;
	if (!code)
		code = ccfc_file_log(reply, q->cli->client, q->path, &query,
				     err);
	return code;
}

/* The filters of changes. --limit is left out, since it counts files there. */
static struct ccfc_query query_of_kinds(const struct ccfc_question *q)
{
	struct ccfc_query query = CCFC_QUERY_INIT;

	query.tools = q->query.tools;
	query.evidence = q->query.evidence;
	query.states = q->query.states;
	query.prompts = q->format == CCFC_FORMAT_TABLE;
	return query;
}

static int ask_session(struct ccfc_reply **reply, struct ccfc_question *q,
		       const char *given, struct ccfc_err *err)
{
	struct ccfc_query query = query_of_kinds(q);
	int code = ccfc_question_session(q, given, err);

	if (!code)
		code = ccfc_session_files(reply, q->cli->client, q->session,
					  &query, err);
	return code;
}

/*
 * The N latest changes are in the N files changed last; one more shows whether
 * there are more.
 */
static struct ccfc_query query_of_files(const struct ccfc_question *q)
{
	struct ccfc_query query = query_of_kinds(q);
	int64_t limit = q->query.limit;

	query.from_date = q->query.from_date;
	query.to_date = q->query.to_date;
	query.project_path = q->query.project_path;
	query.limit = limit < MAX_LIMIT - q->query.offset
			      ? limit + q->query.offset + 1
			      : MAX_LIMIT;
	return query;
}

static int ask_glob(struct ccfc_reply **reply, struct ccfc_question *q,
		    const char *pattern, struct ccfc_err *err)
{
	struct ccfc_query query = query_of_files(q);

	return ccfc_listing_match(reply, q->cli->client, pattern, &query,
				  &q->where, err);
}

/* Everything in the current project, or everywhere. */
static int ask_project(struct ccfc_reply **reply, struct ccfc_question *q,
		       struct ccfc_err *err)
{
	struct ccfc_query query = query_of_files(q);
	int code;

	query.here = q->query.here;
	code = ccfc_file_match(reply, q->cli->client, "**", &query, err);
	/* The user did not type that pattern. */
	if (code == CCFC_ENOTFOUND)
		ccfc_err_set(err, code, "log: no matching changes");
	return code;
}

/* Asks for everything below a directory, whatever characters its name has. */
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

/* Tries the given name, then the name without symbolic links. */
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

/* A transcript names a session; another file with such a name is a file. */
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
	const char *given = q->given, *here = q->query.here;
	struct ccfc_err second;
	int code;

	if (!given)
		return ask_project(reply, q, err);
	/* A named file may be anywhere. */
	q->query.here = q->query.project_path ? here : NULL;
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
	/* An argument that is neither was probably a file. */
	if (code < 0 && code != CCFC_ENOTFOUND)
		*err = second;
	return code;
}

static int fail_nothing(const struct ccfc_question *q, struct ccfc_slice hint)
{
	bool some = q->query.tools || q->query.evidence || q->query.states ||
		    is_narrowed(q) || q->query.offset;
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "log: nothing found: %s has no %schanges%s",
		     name_subject(q), some ? "such " : "",
		     some ? "" : " that took effect");
	if (hint.len)
		ccfc_err_hint(&err, "%s", hint.ptr);
	return ccfc_cli_fail(&err);
}

/* Applies --from and --to to replies that ignore them. */
static void drop_rows_outside_period(struct ccfc_log_rows *rows,
				     const struct ccfc_question *q)
{
	const struct ccfc_opt_value *from = ccfc_opts_own(q->opts, OPT_FROM);
	const struct ccfc_opt_value *to = ccfc_opts_own(q->opts, OPT_TO);

	if (is_narrowed(q))
		ccfc_log_keep(rows, from->set ? from->num : INT64_MIN + 1,
			      to->set ? to->num : INT64_MAX);
}

static int print_rows(struct ccfc_question *q, struct ccfc_obj root,
		      const struct ccfc_log_rows *rows)
{
	struct ccfc_out *out = &q->cli->out;
	const struct ccfc_opts *opts = q->opts;

	if (q->format == CCFC_FORMAT_JSON && rows->ordered && !is_narrowed(q) &&
	    !q->query.offset)
		ccfc_render_json(out, root, 2);
	else if (q->format != CCFC_FORMAT_TABLE)
		ccfc_log_json(out, rows, q->format == CCFC_FORMAT_JSON);
	else if (ccfc_opts_own(opts, OPT_PATCH)->set)
		return ccfc_log_entries(q->cli, rows, &q->where,
					CCFC_LOG_PATCH);
	else if (ccfc_opts_own(opts, OPT_STAT)->set)
		return ccfc_log_entries(q->cli, rows, &q->where, CCFC_LOG_STAT);
	else if (ccfc_opts_own(opts, OPT_ONELINE)->set)
		return ccfc_log_entries(q->cli, rows, &q->where,
					CCFC_LOG_ONELINE);
	else if (rows->n)
		ccfc_log_table(out, rows, &q->where);
	return CCFC_EXIT_FOUND;
}

static int print_log(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_log_rows rows = { 0 };
	bool more, table = q->format == CCFC_FORMAT_TABLE;
	struct ccfc_buf unknown = CCFC_BUF_INIT;
	int status;

	ccfc_log_take(&rows, root);
	drop_rows_outside_period(&rows, q);
	more = ccfc_log_order(&rows, q->query.offset, q->query.limit) ||
	       ccfc_obj_get_bool(root, "truncated", false);
	status = print_rows(q, root, &rows);
	if (more && table && rows.n && !ccfc_opts_own(q->opts, OPT_PATCH)->set)
		ccfc_answer_more(&q->cli->out, q->query.offset, rows.n,
				 INT64_MAX);
	/* A session's commands may have unknown effects. */
	if (ccfc_render_unknown(&unknown, root) && rows.n && table)
		ccfc_cli_note("%s", unknown.ptr);
	if (!rows.n)
		status = fail_nothing(q, ccfc_buf_view(&unknown));
	ccfc_buf_release(&unknown);
	ccfc_log_release(&rows);
	return status;
}

static int prepare_git(struct ccfc_question *q, struct ccfc_err *err)
{
	return q->given ? 0 : ccfc_question_session(q, "@", err);
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
		 "those of a file, of the files below a directory or of a "
		 "glob, of a session, or\n"
		 "without an argument of the current project. For one file it "
		 "also lists steps\n"
		 "that no session made: \"outside\" (somebody else changed it "
		 "after that time) and\n"
		 "\"unknown\". \"Bash, inferred\" is a command that no line "
		 "connects with the file;\n"
		 "the lines that came, or came back, do. CHANGE is what diff "
		 "and --at take; a\n"
		 "terminal shows the start of what is behind toolu_01. With "
		 "--tool or --evidence\n"
		 "it lists only such changes; ccfc help list has the kinds of "
		 "evidence.\n"
		 "\n"
		 "With --git it lists the commits that have lines of a "
		 "session, as the files are\n"
		 "now, and how many of its lines are not committed yet. It "
		 "only reads.",
	.examples = "  ccfc log\n"
		    "  ccfc log src/auth/login.ts -p\n"
		    "  ccfc log --since=yesterday --oneline -n 20\n"
		    "  ccfc log 'src/**/*.ts' --stat\n"
		    "  ccfc log 3f2a --format=jsonl | jq .path\n"
		    "  ccfc log --tool=Bash --evidence=recorded,parsed\n"
		    "  ccfc log --git 3f2a\n",
	.options = options,
	.args_min = 0,
	.args_max = 1,
	.paged = true,
	.run = run_log,
};
