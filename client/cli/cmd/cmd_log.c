/*
 * ccfc log: what happened, newest first: to a file, to the files of a glob or
 * a directory, or in a session.
 *
 * What the argument is, is found out by asking: a file's history first, since
 * that has the steps outside of sessions too, then a session, then a pattern.
 */
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/out/render.h"
#include "cli/report/log.h"

#include <stdlib.h>

#define DEFAULT_LIMIT 50
#define MAX_LIMIT     100000

enum { OPT_LIMIT, OPT_FORMAT, OPT_GIT };

static const struct ccfc_opt options[] = {
	[OPT_LIMIT] = { "limit", 0, CCFC_OPT_INT, "N",
			"at most N steps; default 50", NULL, 1, MAX_LIMIT },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default), json or jsonl", "table|json|jsonl",
			 0, 0 },
	[OPT_GIT] = { "git", 0, CCFC_OPT_FLAG, NULL,
		      "the commits that carry the lines of a session", NULL, 0,
		      0 },
	{ 0 },
};

struct question {
	struct ccfc_cli *cli;
	const char *given;
	struct ccfc_cwd where;
	int64_t limit;
};

static bool is_transcript(const char *text)
{
	return ccfc_slice_ends(ccfc_slice_str(text), ".jsonl");
}

static int ask_file(struct ccfc_reply **reply, struct question *q,
		    struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	char *path = ccfc_cwd_absolute(&q->where, q->given);
	int code;

	query.cwd = q->where.cwd;
	query.limit = q->limit;
	query.alternatives = ccfc_cwd_names(&q->where, path, q->given);
	if (!query.alternatives[0])
		query.alternatives = NULL;
	code = ccfc_file_log(reply, q->cli->client, path, &query, err);
	free(path);
	return code;
}

static int ask_session(struct ccfc_reply **reply, const struct question *q,
		       struct ccfc_err *err)
{
	char *session;
	int code = ccfc_cwd_session(&session, q->given, err);

	if (!code)
		code = ccfc_session_files(reply, q->cli->client, session, NULL,
					  err);
	free(session);
	return code;
}

/*
 * The N latest changes are in the N files that were changed last; one more
 * tells whether there is more.
 */
static int ask_glob(struct ccfc_reply **reply, const struct question *q,
		    const char *pattern, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;

	query.limit = q->limit < MAX_LIMIT ? q->limit + 1 : MAX_LIMIT;
	return ccfc_listing_match(reply, q->cli->client, pattern, &query,
				  &q->where, err);
}

/* All below a directory, whatever characters are in its name. */
static int ask_below(struct ccfc_reply **reply, const struct question *q,
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
static int ask_directory(struct ccfc_reply **reply, const struct question *q,
			 struct ccfc_err *err)
{
	char *path = ccfc_cwd_absolute(&q->where, q->given);
	char *real = ccfc_cwd_real(&q->where, q->given);
	int code = ask_below(reply, q, strcmp(path, "/") ? path : "", err);

	if (code == CCFC_ENOTFOUND && strcmp(path, real) != 0)
		code = ask_below(reply, q, real, err);
	free(path);
	free(real);
	return code;
}

static int ask_log(struct ccfc_reply **reply, struct question *q,
		   struct ccfc_err *err)
{
	struct ccfc_err second;
	int code;

	if (is_transcript(q->given))
		return ask_session(reply, q, err);
	if (ccfc_cwd_is_directory(q->given))
		return ask_directory(reply, q, err);
	code = ask_file(reply, q, err);
	if (code != CCFC_ENOTFOUND)
		return code;
	if (ccfc_listing_is_glob(q->given))
		return ask_glob(reply, q, q->given, err);
	if (strchr(q->given, '/'))
		return code;
	code = ask_session(reply, q, &second);
	/* What is neither was meant to be a file. */
	if (code < 0 && code != CCFC_ENOTFOUND)
		*err = second;
	return code;
}

static int answer(struct question *q, struct ccfc_obj root, int64_t format)
{
	struct ccfc_log_rows rows = { 0 };
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_err err;
	bool more, found;

	ccfc_cli_note_indexing(root);
	ccfc_log_take(&rows, root);
	more = ccfc_log_order(&rows, q->limit) ||
	       ccfc_obj_get_bool(root, "truncated", false);
	found = rows.n;
	if (format == CCFC_LOG_JSON && rows.one_file)
		ccfc_render_json(out, root, 2);
	else if (format != CCFC_LOG_TABLE)
		ccfc_log_json(out, &rows, format == CCFC_LOG_JSON);
	else if (found)
		ccfc_log_table(out, &rows, &q->where);
	if (more && format == CCFC_LOG_TABLE)
		ccfc_cli_note("there is more; --limit=%lld shows it",
			      (long long)q->limit * 2);
	ccfc_log_release(&rows);
	if (found)
		return CCFC_EXIT_FOUND;
	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "log: nothing found: %s has no changes that took effect",
		     q->given);
	return ccfc_cli_fail(&err);
}

static int run_git(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_err err;
	char *session;
	int status;

	if (!opts->nargs) {
		ccfc_err_set(&err, CCFC_EINVAL,
			     "log: --git: of which session?");
		ccfc_err_hint(&err, "usage: ccfc log --git SESSION");
		return ccfc_cli_fail(&err);
	}
	if (ccfc_cwd_session(&session, opts->args[0], &err) < 0)
		return ccfc_cli_fail(&err);
	if (ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err) < 0)
		status = ccfc_cli_fail(&err);
	else
		status = ccfc_log_git(cli, session,
				      ccfc_opts_own(opts, OPT_FORMAT)->num);
	free(session);
	return status;
}

static int run_log(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	const struct ccfc_opt_value *limit = ccfc_opts_own(opts, OPT_LIMIT);
	struct question q = { .cli = cli, .given = "." };
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int code, status;

	if (ccfc_opts_own(opts, OPT_GIT)->set)
		return run_git(cli, opts);
	q.limit = limit->set ? limit->num : DEFAULT_LIMIT;
	if (opts->nargs)
		q.given = opts->args[0];
	if (!*q.given) {
		ccfc_err_set(&err, CCFC_EINVAL, "log: the path is empty");
		return ccfc_cli_fail(&err);
	}
	code = ccfc_cwd_init(&q.where, &err);
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!code)
		code = ask_log(&reply, &q, &err);
	status = code < 0 ? ccfc_cli_fail(&err)
			  : answer(&q, ccfc_cli_value(reply),
				   ccfc_opts_own(opts, OPT_FORMAT)->num);
	ccfc_reply_free(reply);
	ccfc_cwd_release(&q.where);
	return status;
}

const struct ccfc_command ccfc_cmd_log = {
	.name = "log",
	.usage = "log [PATH|GLOB|SESSION] [options]",
	.summary = "what happened, newest first",
	.about = "Lists changes with their time, session, model, tool and "
		 "lines, the latest first:\n"
		 "those of a file, of the files below a directory (the "
		 "current one if none is\n"
		 "given) or of a glob, or those of a session. For one file "
		 "also the steps that no\n"
		 "session made: \"outside\" (somebody else changed it, after "
		 "the time shown) and\n"
		 "\"unknown\". CHANGE is what diff and --at take; a terminal "
		 "of less than 100\n"
		 "columns does not show it.\n\n"
		 "With --git it lists the commits that carry lines of a "
		 "session, as the files are\n"
		 "now, and how many of its lines are not committed yet. It "
		 "only reads.",
	.examples = "  ccfc log\n"
		    "  ccfc log src/auth/login.ts\n"
		    "  ccfc log 'src/**/*.ts' --limit=20\n"
		    "  ccfc log 3f2a --format=jsonl | jq .path\n"
		    "  ccfc log --git 3f2a\n",
	.options = options,
	.args_min = 0,
	.args_max = 1,
	.paged = true,
	.run = run_log,
};
