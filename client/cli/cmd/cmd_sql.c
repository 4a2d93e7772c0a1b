/*
 * ccfc sql: the user's own question, in SQL over the views. The daemon runs
 * it, so that it sees what was written a moment ago, and bounds what it costs.
 */
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/report/sql_print.h"

#include <errno.h>
#include <unistd.h>

#define QUERY_MAX (1u << 20) /* more is no request */

#define LIMIT_DEFAULT 1000 /* the daemon's */

enum { OPT_SCHEMA, OPT_LIMIT, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_SCHEMA] = { "schema", 0, CCFC_OPT_FLAG, NULL,
			 "list the views and their columns", NULL, 0, 0 },
	[OPT_LIMIT] = { "limit", 0, CCFC_OPT_INT, "N",
			"at most N rows; default 1000", NULL, 1, 100000 },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 "table (default), csv, json or jsonl",
			 "table|csv|json|jsonl", 0, 0 },
	{ 0 },
};

enum format { TABLE, CSV, JSON, JSONL };

static enum format format_of(const struct ccfc_opts *opts)
{
	return (enum format)ccfc_opts_own(opts, OPT_FORMAT)->num;
}

static int check_sql(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	bool schema = ccfc_opts_own(opts, OPT_SCHEMA)->set;

	if (schema && opts->nargs)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "sql: --schema takes no query");
	if (schema && format_of(opts) == CSV)
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
				    "sql: the query has a NUL in it");
	return 0;
}

static int ask_sql(struct ccfc_reply **reply, struct ccfc_cli *cli,
		   const struct ccfc_opts *opts, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	int code = 0;

	if (opts->nargs && !strcmp(opts->args[0], "-"))
		code = read_stdin(&text, err);
	else if (opts->nargs)
		ccfc_buf_puts(&text, opts->args[0]);
	ccfc_buf_puts(&text, "");
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (!code && !opts->nargs)
		code = ccfc_sql_schema(reply, cli->client, err);
	else if (!code)
		code = ccfc_sql_query(reply, cli->client, text.ptr,
				      ccfc_opts_own(opts, OPT_LIMIT)->num, err);
	ccfc_buf_release(&text);
	return code;
}

static void print_schema(struct ccfc_out *out, struct ccfc_obj root,
			 enum format format)
{
	struct ccfc_obj views = ccfc_obj_get(root, "views");

	if (format == JSON)
		ccfc_render_json(out, root, 2);
	else if (format == JSONL)
		for (uint32_t i = 0; i < ccfc_obj_len(views); i++)
			ccfc_render_json(out, ccfc_obj_at(views, i), 0);
	else
		ccfc_sql_views(out, root);
}

/* Not all rows were wanted, or they are too much for one answer. */
static void note_more(uint32_t n, int64_t limit)
{
	if (n < (limit ? limit : LIMIT_DEFAULT))
		ccfc_cli_note("there are more than these %u rows, but not in "
			      "one answer: ask for less, or for LIMIT and "
			      "OFFSET",
			      (unsigned)n);
	else
		ccfc_cli_note("there are more than these %u rows: --limit=N "
			      "says how many are wanted",
			      (unsigned)n);
}

static int print_rows(struct ccfc_out *out, struct ccfc_obj root,
		      enum format format, int64_t limit)
{
	uint32_t n = ccfc_obj_len(ccfc_obj_get(root, "rows"));

	switch (format) {
	case TABLE:
		ccfc_sql_table(out, root);
		break;
	case CSV:
		ccfc_sql_csv(out, root);
		break;
	case JSON:
		ccfc_render_json(out, root, 2);
		break;
	case JSONL:
		ccfc_sql_jsonl(out, root);
		break;
	}
	if (format != JSON && ccfc_obj_get_bool(root, "truncated", false))
		note_more(n, limit);
	return n ? CCFC_EXIT_FOUND : CCFC_EXIT_NOTHING;
}

static int run_sql(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_reply *reply = NULL;
	int code, status = CCFC_EXIT_FOUND;
	struct ccfc_err err;

	code = check_sql(opts, &err);
	if (!code)
		code = ask_sql(&reply, cli, opts, &err);
	if (!code && opts->nargs) {
		ccfc_cli_note_indexing(ccfc_cli_value(reply));
		status = print_rows(&cli->out, ccfc_cli_value(reply),
				    format_of(opts),
				    ccfc_opts_own(opts, OPT_LIMIT)->num);
	} else if (!code) {
		print_schema(&cli->out, ccfc_cli_value(reply), format_of(opts));
	}
	ccfc_reply_free(reply);
	return code < 0 ? ccfc_cli_fail(&err) : status;
}

const struct ccfc_command ccfc_cmd_sql = {
	.name = "sql",
	.usage = "sql QUERY|- [options]",
	.summary = "your own question, in SQL",
	.about =
		"Runs one SELECT over the views sessions, files, changes, "
		"usage, tools and reads,\n"
		"which --schema describes; - reads it from standard input. The "
		"SQL is SQLite's.\n"
		"Nothing can be written, and a query ends after 30 seconds.\n\n"
		"Times are milliseconds since 1970; columns whose name ends in "
		"_utc have them as\n"
		"text. NULL is an empty cell, null in JSON. CSV is that of RFC "
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
	.run = run_sql,
};
