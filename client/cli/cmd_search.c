/*
 * ccfc search: the sessions that changed a file, or the files of a glob.
 *
 * A name with glob characters may be a file's name all the same ("[id].tsx"
 * is common), so that is asked first; only if no session changed a file of
 * that name it is taken for a pattern.
 */
#include "base/time.h"
#include "cli/ask.h"
#include "cli/listing.h"
#include "cli/render.h"
#include "cli/table.h"
#include "cli/where.h"
#include "text/json.h"

#include <stdlib.h>

enum {
	OPT_SHOW_CHANGES,
	OPT_WHY,
	OPT_FORMAT,
	OPT_NULL,
	OPT_PROJECT,
	OPT_FROM,
	OPT_TO,
	OPT_LIMIT,
	OPT_OFFSET,
	OPT_STATE,
};

static const struct ccfc_opt options[] = {
	[OPT_SHOW_CHANGES] = CCFC_LISTING_SHOW_CHANGES,
	[OPT_WHY] = { "why", 0, CCFC_OPT_FLAG, NULL,
		      "show what the user asked each session for", NULL, 0, 0 },
	[OPT_FORMAT] = CCFC_LISTING_FORMAT,
	[OPT_NULL] = CCFC_LISTING_NULL,
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_TEXT, "DIR",
			  "only sessions of this project", NULL, 0, 0 },
	[OPT_FROM] = { "from", 0, CCFC_OPT_FROM, "DATE",
		       "only changes since then: 2025-12-31, or RFC 3339", NULL,
		       0, 0 },
	[OPT_TO] = { "to", 0, CCFC_OPT_TO, "DATE",
		     "only changes until then; a day is meant to its end", NULL,
		     0, 0 },
	[OPT_LIMIT] = { "limit", 0, CCFC_OPT_INT, "N",
			"at most N sessions, or N files of a glob; default 50",
			NULL, 1, 100000 },
	[OPT_OFFSET] = { "offset", 0, CCFC_OPT_INT, "N",
			 "leave out the first N", NULL, 0, INT32_MAX },
	[OPT_STATE] = CCFC_LISTING_STATE,
	{ 0 },
};

static struct ccfc_slice first_bytes(struct ccfc_slice s, size_t max)
{
	return ccfc_slice(s.ptr, s.len < max ? s.len : max);
}

static struct ccfc_slice or_dash(struct ccfc_slice s)
{
	return s.len ? s : CCFC_SLICE_LIT("-");
}

/* What a session's changes were made for, each prompt once. */
static void note_prompts(struct ccfc_table *table, struct ccfc_obj changes)
{
	struct ccfc_slice last = CCFC_SLICE_NONE;

	for (uint32_t i = 0; i < ccfc_obj_len(changes); i++) {
		struct ccfc_slice prompt =
			ccfc_obj_get_str(ccfc_obj_at(changes, i), "prompt");

		if (prompt.len && !ccfc_slice_eq(prompt, last))
			ccfc_table_note(table, prompt);
		if (prompt.len)
			last = prompt;
	}
}

static void print_sessions(struct ccfc_out *out, struct ccfc_obj sessions)
{
	static const struct ccfc_table_col cols[] = {
		{ "SESSION ID", 0, 4, false },	  { "PROJECT", 0, 3, true },
		{ "BRANCH", 0, 3, true },	  { "CHANGES", 0, 2, false },
		{ "LAST MODIFIED", 0, 0, false },
	};
	size_t id_length = ccfc_render_id_length(out, sessions);
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_table table;

	ccfc_table_init(&table, cols, 5);
	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj s = ccfc_obj_at(sessions, i);

		ccfc_table_cell(&table,
				first_bytes(ccfc_obj_get_str(s, "sessionId"),
					    id_length));
		ccfc_table_cell(&table,
				or_dash(ccfc_obj_get_str(s, "projectPath")));
		ccfc_table_cell(&table,
				or_dash(ccfc_obj_get_str(s, "gitBranch")));
		ccfc_table_printf(
			&table, "%lld",
			(long long)ccfc_obj_get_int(s, "changeCount", 0));
		ccfc_buf_clear(&text);
		ccfc_render_time(&text, ccfc_obj_get(s, "lastChange"),
				 CCFC_RENDER_MINUTE);
		ccfc_table_cell(&table, ccfc_buf_view(&text));
		note_prompts(&table, ccfc_obj_get(s, "changes"));
	}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
	ccfc_buf_release(&text);
}

static void print_total(struct ccfc_out *out, struct ccfc_obj history)
{
	uint32_t shown = ccfc_obj_len(ccfc_obj_get(history, "sessions"));
	int64_t total = ccfc_obj_get_int(history, "totalSessions", 0);

	ccfc_buf_puts(&out->buf, "\nTotal: ");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(history, "totalChanges", 0),
			  "change");
	ccfc_buf_puts(&out->buf, " across ");
	ccfc_render_count(&out->buf, total, "session");
	if (shown < total)
		ccfc_buf_printf(&out->buf, " (%u shown)", shown);
	ccfc_buf_putc(&out->buf, '\n');
}

/* Under each session's head: what it did to the file. */
static void print_changes(struct ccfc_out *out, struct ccfc_obj sessions,
			  struct ccfc_slice name)
{
	size_t id_length = ccfc_render_id_length(out, sessions);
	struct ccfc_buf title = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++) {
		struct ccfc_obj s = ccfc_obj_at(sessions, i);

		ccfc_buf_clear(&title);
		ccfc_buf_slice(&title, name);
		ccfc_buf_puts(&title, ", session ");
		ccfc_buf_slice(&title,
			       first_bytes(ccfc_obj_get_str(s, "sessionId"),
					   id_length));
		ccfc_render_changes(out, ccfc_buf_view(&title),
				    ccfc_obj_get(s, "changes"));
	}
	ccfc_buf_release(&title);
}

void ccfc_search_print(struct ccfc_out *out, struct ccfc_obj history,
		       struct ccfc_slice name, bool show_changes)
{
	struct ccfc_obj sessions = ccfc_obj_get(history, "sessions");

	ccfc_render_line(out, "File", 0, name);
	ccfc_buf_puts(&out->buf, "Modified by ");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(history, "totalSessions", 0),
			  "session");
	ccfc_buf_puts(&out->buf, ":\n\n");
	print_sessions(out, sessions);
	print_total(out, history);
	if (show_changes)
		print_changes(out, sessions, name);
}

/* A FileSessionMatch with the path of its file in front. */
static void print_match(struct ccfc_out *out, struct ccfc_slice path,
			struct ccfc_obj match)
{
	struct ccfc_buf json = CCFC_BUF_INIT;

	ccfc_json_write(&json, match, 0);
	ccfc_buf_puts(&out->buf, "{\"path\":");
	ccfc_json_string(&out->buf, path);
	if (ccfc_obj_len(match)) {
		ccfc_buf_putc(&out->buf, ',');
		ccfc_buf_append(&out->buf, json.ptr + 1, json.len - 1);
	} else {
		ccfc_buf_putc(&out->buf, '}');
	}
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
	ccfc_buf_release(&json);
}

static void print_history(struct ccfc_out *out, struct ccfc_obj history,
			  const struct ccfc_listing *listing,
			  const struct ccfc_where *where)
{
	struct ccfc_obj sessions = ccfc_obj_get(history, "sessions");
	struct ccfc_slice path = ccfc_obj_get_str(history, "path");

	switch (listing->format) {
	case CCFC_FORMAT_JSONL:
		for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++)
			print_match(out, path, ccfc_obj_at(sessions, i));
		return;
	case CCFC_FORMAT_PATHS:
		ccfc_render_path(out, path, listing->end);
		return;
	default:
		ccfc_search_print(out, history, ccfc_where_short(where, path),
				  listing->show_changes);
	}
}

/* `root` is a FileHistory, or an array of them for a glob. */
static void print(struct ccfc_out *out, struct ccfc_obj root,
		  const struct ccfc_listing *listing,
		  const struct ccfc_where *where)
{
	if (listing->format == CCFC_FORMAT_JSON) {
		ccfc_render_json(out, root, 2);
		return;
	}
	if (ccfc_obj_type(root) != CCFC_OBJ_ARRAY) {
		print_history(out, root, listing, where);
		return;
	}
	for (uint32_t i = 0; i < ccfc_obj_len(root); i++) {
		if (i && listing->format == CCFC_FORMAT_TABLE)
			ccfc_buf_putc(&out->buf, '\n');
		print_history(out, ccfc_obj_at(root, i), listing, where);
	}
}

static int ask_file(struct ccfc_reply **reply, struct ccfc_client *client,
		    const char *given, struct ccfc_query *query,
		    struct ccfc_where *where, struct ccfc_err *err)
{
	char *path = ccfc_where_absolute(where, given);
	int code;

	query->alternatives = ccfc_where_names(where, path, given);
	if (!query->alternatives[0])
		query->alternatives = NULL;
	code = ccfc_file_sessions(reply, client, path, query, err);
	query->alternatives = NULL;
	free(path);
	return code;
}

static int ask(struct ccfc_reply **reply, struct ccfc_cli *cli,
	       const char *given, struct ccfc_query *query,
	       struct ccfc_where *where, struct ccfc_err *err)
{
	int code = ccfc_ask_connect(cli, CCFC_SPAWN_DEFAULT, err);

	if (code < 0)
		return code;
	query->cwd = where->cwd;
	code = ask_file(reply, cli->client, given, query, where, err);
	if (code == CCFC_ENOTFOUND && ccfc_listing_is_glob(given))
		code = ccfc_listing_match(reply, cli->client, given, query,
					  where, err);
	if (code == CCFC_ENOTFOUND)
		ccfc_where_hint(err, given);
	return code;
}

static int read_dates(char from[CCFC_TIME_TEXT_MAX],
		      char to[CCFC_TIME_TEXT_MAX], struct ccfc_query *query,
		      const struct ccfc_opts *opts, struct ccfc_err *err)
{
	const struct ccfc_opt_value *f = ccfc_opts_own(opts, OPT_FROM);
	const struct ccfc_opt_value *t = ccfc_opts_own(opts, OPT_TO);

	if (f->set)
		query->from_date = ccfc_time_format(from, f->num);
	if (t->set)
		query->to_date = ccfc_time_format(to, t->num);
	if (f->set && t->set && f->num > t->num)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "search: --from=%s: later than --to=%s",
				    f->text, t->text);
	return 0;
}

static int search(struct ccfc_cli *cli, const struct ccfc_opts *opts,
		  const struct ccfc_listing *listing, struct ccfc_where *where,
		  struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	const struct ccfc_opt_value *project = ccfc_opts_own(opts, OPT_PROJECT);
	char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];
	char *dir = project->set ? ccfc_where_real(where, project->text) : NULL;
	struct ccfc_reply *reply = NULL;
	int code = read_dates(from, to, &query, opts, err);

	ccfc_listing_query(&query, listing);
	query.project_path = dir;
	query.prompts = ccfc_opts_own(opts, OPT_WHY)->set;
	query.limit = ccfc_opts_own(opts, OPT_LIMIT)->num;
	query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	if (!code)
		code = ask(&reply, cli, opts->args[0], &query, where, err);
	if (!code) {
		ccfc_ask_note_indexing(ccfc_ask_value(reply));
		print(&cli->out, ccfc_ask_value(reply), listing, where);
	}
	ccfc_reply_free(reply);
	free(dir);
	return code;
}

static int run(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_listing listing;
	struct ccfc_where where;
	struct ccfc_err err;
	int code;

	if (!*opts->args[0]) {
		ccfc_err_set(&err, CCFC_EINVAL, "search: the path is empty");
		return ccfc_cli_fail(&err);
	}
	code = ccfc_listing_read(&listing, opts, OPT_SHOW_CHANGES, OPT_FORMAT,
				 OPT_NULL, OPT_STATE, &err);
	if (code < 0)
		return ccfc_cli_fail(&err);
	code = ccfc_where_init(&where, &err);
	if (!code)
		code = search(cli, opts, &listing, &where, &err);
	ccfc_where_release(&where);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_search = {
	.name = "search",
	.usage = "search PATH|GLOB [options]",
	.summary = "sessions that changed a file",
	.about = "Lists the sessions that changed a file, the latest first.\n\n"
		 "PATH is absolute or relative to the current directory; the "
		 "file need not exist\nany more. A GLOB (* ? [a-z] ** {a,b}) "
		 "gives all files that match, one block\neach; quote it. A "
		 "file whose very name looks like a glob is found by its "
		 "name.\n\n" CCFC_LISTING_ABOUT_STATES,
	.examples = "  ccfc search src/auth/login.ts\n"
		    "  ccfc search 'src/**/*.ts' --from=2025-01-01 "
		    "--to=2025-12-31\n"
		    "  ccfc search login.ts --show-changes --project=.\n"
		    "  ccfc search login.ts --why\n"
		    "  ccfc search '**/*.md' -0 | xargs -0 wc -l\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run,
};
