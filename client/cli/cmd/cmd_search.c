/*
 * ccfc search: the sessions that changed a file, or the files of a glob; or
 * those that read it.
 *
 * A name with glob characters may be a file's name all the same ("[id].tsx"
 * is common), so that is asked first; only if no session changed a file of
 * that name it is taken for a pattern.
 */
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/out/table.h"
#include "cli/report/sessions_print.h"
#include "wire/to_json.h"

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
	OPT_READS,
};

static const struct ccfc_opt options[] = {
	[OPT_SHOW_CHANGES] = CCFC_LISTING_SHOW_CHANGES,
	[OPT_WHY] = { "why", 0, CCFC_OPT_FLAG, NULL,
		      "show what the user asked each session for", NULL, 0, 0 },
	[OPT_FORMAT] = CCFC_LISTING_FORMAT,
	[OPT_NULL] = CCFC_LISTING_NULL,
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_FROM] = CCFC_SCOPE_FROM("changes"),
	[OPT_TO] = CCFC_SCOPE_TO("changes"),
	[OPT_LIMIT] = { "limit", 0, CCFC_OPT_INT, "N",
			"at most N sessions, or N files of a glob; default 50",
			NULL, 1, 100000 },
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_STATE] = CCFC_LISTING_STATE,
	[OPT_READS] = { "reads", 0, CCFC_OPT_FLAG, NULL,
			"sessions that read the file, changed or not", NULL, 0,
			0 },
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

static void print_total_search(struct ccfc_out *out, struct ccfc_obj history)
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
	print_total_search(out, history);
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

static void print_readers(struct ccfc_out *out, struct ccfc_obj root,
			  int64_t offset, const struct ccfc_cwd *where)
{
	struct ccfc_slice path = ccfc_obj_get_str(root, "path");

	ccfc_readers_print(out, root, ccfc_cwd_short(where, path), offset,
			   ccfc_time_now());
}

static void print_history(struct ccfc_out *out, struct ccfc_obj history,
			  const struct ccfc_listing *listing,
			  const struct ccfc_cwd *where)
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
		ccfc_search_print(out, history, ccfc_cwd_short(where, path),
				  listing->show_changes);
	}
}

/* `root` is a FileHistory, or an array of them for a glob. */
static void print_search(struct ccfc_out *out, struct ccfc_obj root,
			 const struct ccfc_listing *listing,
			 const struct ccfc_cwd *where)
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

/* Asks about a file by all of its names. */
typedef int (*file_fn)(struct ccfc_reply **reply, struct ccfc_client *client,
		       const char *path, const struct ccfc_query *query,
		       struct ccfc_err *err);

static int ask_file(struct ccfc_reply **reply, struct ccfc_client *client,
		    file_fn fn, const char *given, struct ccfc_query *query,
		    struct ccfc_cwd *where, struct ccfc_err *err)
{
	char *path = ccfc_cwd_absolute(where, given);
	int code;

	query->alternatives = ccfc_cwd_names(where, path, given);
	if (!query->alternatives[0])
		query->alternatives = NULL;
	code = fn(reply, client, path, query, err);
	query->alternatives = NULL;
	free(path);
	return code;
}

static int ask_search(struct ccfc_reply **reply, struct ccfc_cli *cli,
		      bool reads, const char *given, struct ccfc_query *query,
		      struct ccfc_cwd *where, struct ccfc_err *err)
{
	int code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);

	if (code < 0)
		return code;
	query->cwd = where->cwd;
	code = ask_file(reply, cli->client,
			reads ? ccfc_file_readers : ccfc_file_sessions, given,
			query, where, err);
	if (code == CCFC_ENOTFOUND && !reads && ccfc_listing_is_glob(given))
		code = ccfc_listing_match(reply, cli->client, given, query,
					  where, err);
	if (code == CCFC_ENOTFOUND)
		ccfc_cwd_hint(err, given);
	return code;
}

static int search(struct ccfc_cli *cli, const struct ccfc_opts *opts,
		  const struct ccfc_listing *listing, struct ccfc_scope *scope,
		  struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	bool reads = ccfc_opts_own(opts, OPT_READS)->set;
	struct ccfc_reply *reply = NULL;
	int code;

	ccfc_listing_query(&query, listing);
	query.project_path = scope->project;
	query.from_date = scope->from_date;
	query.to_date = scope->to_date;
	query.prompts = ccfc_opts_own(opts, OPT_WHY)->set;
	query.limit = ccfc_opts_own(opts, OPT_LIMIT)->num;
	query.offset = ccfc_opts_own(opts, OPT_OFFSET)->num;
	code = ask_search(&reply, cli, reads, opts->args[0], &query,
			  &scope->where, err);
	if (!code) {
		struct ccfc_obj root = ccfc_cli_value(reply);

		ccfc_cli_note_indexing(root);
		if (reads && listing->format == CCFC_FORMAT_TABLE)
			print_readers(&cli->out, root, query.offset,
				      &scope->where);
		else
			print_search(&cli->out, root, listing, &scope->where);
	}
	ccfc_reply_free(reply);
	return code;
}

/* What there is nothing of where a file was only read. */
static int check_reads(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	static const int rows[] = { OPT_SHOW_CHANGES, OPT_WHY, OPT_STATE };

	if (!ccfc_opts_own(opts, OPT_READS)->set)
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (ccfc_opts_own(opts, rows[i])->set)
			return ccfc_err_set(err, CCFC_EINVAL,
					    "search: --%s: is about changes, "
					    "--reads is not",
					    options[rows[i]].name);
	return 0;
}

static int run_search(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_listing listing;
	struct ccfc_scope scope;
	struct ccfc_err err;
	int code;

	if (!*opts->args[0]) {
		ccfc_err_set(&err, CCFC_EINVAL, "search: the path is empty");
		return ccfc_cli_fail(&err);
	}
	if (check_reads(opts, &err) < 0 ||
	    ccfc_listing_read(&listing, opts, OPT_SHOW_CHANGES, OPT_FORMAT,
			      OPT_NULL, OPT_STATE, &err) < 0)
		return ccfc_cli_fail(&err);
	code = ccfc_scope_init(&scope, opts, OPT_PROJECT, OPT_FROM, OPT_TO,
			       &err);
	if (!code)
		code = search(cli, opts, &listing, &scope, &err);
	ccfc_scope_release(&scope);
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
		 "name.\n\n"
		 "With --reads it lists the sessions that read a file (no "
		 "glob), whether they\nchanged it or not; dates are those of "
		 "reading then.\n\n" CCFC_LISTING_ABOUT_STATES,
	.examples = "  ccfc search src/auth/login.ts\n"
		    "  ccfc search 'src/**/*.ts' --from=2025-01-01 "
		    "--to=2025-12-31\n"
		    "  ccfc search login.ts --show-changes --project=.\n"
		    "  ccfc search login.ts --why\n"
		    "  ccfc search login.ts --reads\n"
		    "  ccfc search '**/*.md' -0 | xargs -0 wc -l\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_search,
};
