/*
 * ccfc sql: the user's SQL query over the views. The daemon runs it, so that
 * the rows are up to date and the cost is limited.
 */
#include "cli/frame/answer.h"
#include "cli/out/render.h"
#include "cli/report/sql_print.h"

#include <errno.h>
#include <unistd.h>

#define QUERY_MAX (1u << 20) /* bytes that fit a request */

#define LIMIT_DEFAULT 1000 /* the daemon's */

enum { OPT_SCHEMA, OPT_LIMIT, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_SCHEMA] = { "schema", 0, CCFC_OPT_FLAG,
			 .help = "list the views and their columns" },
	[OPT_LIMIT] = { "limit", 'n', CCFC_OPT_INT, "N",
			.help = "at most N rows; default 1000", .min = 1,
			.max = 100000, CCFC_ASKS(limit) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default), csv, json or jsonl",
			 .choices = "table|csv|json|jsonl" },
	{ 0 },
};

static int check_sql(const struct ccfc_question *q, struct ccfc_err *err)
{
	const struct ccfc_opts *opts = q->opts;
	bool schema = ccfc_opts_own(opts, OPT_SCHEMA)->set;

	if (schema && opts->nargs)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "sql: --schema takes no query");
	if (schema && q->format == CCFC_FORMAT_CSV)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "sql: --schema has no --format=csv");
	if (schema || opts->nargs)
		return 0;
	ccfc_err_set(err, CCFC_EINVAL, "sql: the query is missing");
	ccfc_err_hint(err, "ccfc sql \"SELECT …\", or ccfc sql --schema");
	return CCFC_EINVAL;
}

static int read_stdin(struct ccfc_buf *out, struct ccfc_err *err)
{
	ssize_t n;

	do {
		n = read(STDIN_FILENO, ccfc_buf_reserve(out, 65536), 65536);
		if (n > 0)
			out->len += (size_t)n;
		if (out->len > QUERY_MAX)
			return ccfc_err_set(err, CCFC_ETOOBIG,
					    "sql: the query is too long");
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return ccfc_err_io(err, errno, "sql: cannot read the query");
	if (out->len && memchr(out->ptr, 0, out->len))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "sql: the query contains a NUL byte");
	return 0;
}

/* Puts the text of the query into `own`. */
static int prepare_sql(struct ccfc_question *q, struct ccfc_err *err)
{
	struct ccfc_buf *text = q->own;
	int code = check_sql(q, err);

	if (!code && q->given && !strcmp(q->given, "-"))
		code = read_stdin(text, err);
	else if (!code && q->given)
		ccfc_buf_puts(text, q->given);
	ccfc_buf_puts(text, "");
	return code;
}

static int ask_sql(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	const struct ccfc_buf *text = q->own;

	if (!q->given)
		return ccfc_sql_schema(reply, q->cli->client, err);
	return ccfc_sql_query(reply, q->cli->client, text->ptr, q->query.limit,
			      err);
}

/* Says why rows are missing: the limit, or an answer that is full. */
static void note_more_rows(uint32_t n, int64_t limit)
{
	if (n < (limit ? limit : LIMIT_DEFAULT))
		ccfc_cli_note("there are more than these %u rows, but the "
			      "answer is full: use LIMIT and OFFSET",
			      (unsigned)n);
	else
		ccfc_cli_note("there are more than these %u rows: --limit=N "
			      "shows more",
			      (unsigned)n);
}

static int status_of_rows(struct ccfc_question *q, struct ccfc_obj root)
{
	uint32_t n = ccfc_obj_len(ccfc_obj_get(root, "rows"));

	if (!q->given)
		return CCFC_EXIT_FOUND;
	if (q->format != CCFC_FORMAT_JSON &&
	    ccfc_obj_get_bool(root, "truncated", false))
		note_more_rows(n, q->query.limit);
	return n ? CCFC_EXIT_FOUND : CCFC_EXIT_NOTHING;
}

static int print_sql(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_out *out = &q->cli->out;

	if (q->format == CCFC_FORMAT_JSONL && !q->given)
		ccfc_render_jsonl(out, ccfc_obj_get(root, "views"));
	else if (q->format == CCFC_FORMAT_JSONL)
		ccfc_sql_jsonl(out, root);
	else if (!q->given)
		ccfc_sql_views(out, root);
	else if (q->format == CCFC_FORMAT_CSV)
		ccfc_sql_csv(out, root);
	else
		ccfc_sql_table(out, root);

	return status_of_rows(q, root);
}

static int run_sql(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.own = CCFC_FORMAT_BIT(JSONL),
		.prepare = prepare_sql,
		.ask = ask_sql,
		.print = print_sql,
		.status = status_of_rows,
	};
	struct ccfc_buf text = CCFC_BUF_INIT;
	int status = ccfc_answer_run(&answer, cli, opts, &text);

	ccfc_buf_release(&text);
	return status;
}

const struct ccfc_command ccfc_cmd_sql = {
	.name = "sql",
	.usage = "sql QUERY|- [options]",
	.summary = "an SQL query over the index",
	.about = "Runs one SELECT over the views sessions, files, changes, "
		 "commands, usage, tools\n"
		 "and reads, which --schema describes; - reads the query from "
		 "standard input. The\n"
		 "SQL is SQLite's. A query cannot write, and ends after 30 "
		 "seconds.\n"
		 "\n"
		 "Times are milliseconds since 1970; columns whose name ends "
		 "in _utc have them as\n"
		 "text. NULL is an empty cell, null in JSON. CSV follows RFC "
		 "4180. JSON is the\n"
		 "daemon's answer, with columns and rows; JSON lines are a map "
		 "for each row.",
	.examples =
		"  ccfc sql --schema\n"
		"  ccfc sql \"SELECT path, changes FROM files ORDER BY changes "
		"DESC LIMIT 10\"\n"
		"  ccfc sql --format=csv - <report.sql >report.csv\n"
		"  ccfc sql --format=jsonl \"SELECT title FROM "
		"sessions\" | jq -r .title\n",
	.options = options,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_sql,
};
