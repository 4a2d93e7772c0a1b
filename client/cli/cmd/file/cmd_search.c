/*
 * ccfc search: the sessions that changed a file, or the files of a glob; or the
 * sessions that read it. A file's name may have glob characters ("[id].tsx" is
 * common), so the argument is tried as a name first; it is a pattern only if no
 * session changed a file of that name.
 */
#include "base/time.h"
#include "cli/frame/listing.h"
#include "cli/frame/scope.h"
#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/report/sessions_print.h"
#include "wire/to_json.h"

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
	OPT_TOOL,
	OPT_EVIDENCE,
	OPT_STATE,
	OPT_READS,
};

static const struct ccfc_opt options[] = {
	[OPT_SHOW_CHANGES] = CCFC_LISTING_SHOW_CHANGES,
	[OPT_WHY] = { "why", 0, CCFC_OPT_FLAG,
		      .help = "show what the user asked each session for",
		      CCFC_ASKS(prompts) },
	[OPT_FORMAT] = CCFC_LISTING_FORMAT,
	[OPT_NULL] = CCFC_LISTING_NULL,
	[OPT_PROJECT] = CCFC_SCOPE_PROJECT,
	[OPT_FROM] = CCFC_SCOPE_FROM("changes"),
	[OPT_TO] = CCFC_SCOPE_TO("changes"),
	[OPT_LIMIT] = { "limit", 'n', CCFC_OPT_INT, "N",
			.help = "at most N sessions, or N files of a glob; "
				"default 50",
			.min = 1, .max = 100000, CCFC_ASKS(limit) },
	[OPT_OFFSET] = CCFC_SCOPE_OFFSET,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	[OPT_STATE] = CCFC_LISTING_STATE,
	[OPT_READS] = { "reads", 0, CCFC_OPT_FLAG,
			.help = "sessions that read the file, changed or not" },
	{ 0 },
};

/* The prompts of a session's changes, each once. */
static void note_prompts(struct ccfc_table *table, struct ccfc_obj session)
{
	struct ccfc_obj changes = ccfc_obj_get(session, "changes");
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

static const struct ccfc_column columns[] = {
	{ "SESSION ID", "sessionId", .kind = CCFC_CELL_PREFIX, .gap = 4 },
	{ "PROJECT", "projectPath", .kind = CCFC_CELL_PATH, .gap = 3,
	  .elastic = true },
	{ "BRANCH", "gitBranch", .kind = CCFC_CELL_TEXT, .gap = 3,
	  .elastic = true },
	{ "CHANGES", "changeCount", .kind = CCFC_CELL_COUNT },
	{ "LAST MODIFIED", "lastChange", .kind = CCFC_CELL_MINUTE },
};

static void print_sessions(struct ccfc_out *out, struct ccfc_obj sessions)
{
	struct ccfc_cells cells = {
		.out = out,
		.id_length = ccfc_render_id_length(out, sessions),
		.now = ccfc_time_now(),
		.note = note_prompts,
	};

	ccfc_columns_print(out, columns, CCFC_NCOLUMNS(columns), &cells,
			   sessions);
}

static void print_total_search(struct ccfc_out *out, struct ccfc_obj history,
			       int64_t offset)
{
	uint32_t shown = ccfc_obj_len(ccfc_obj_get(history, "sessions"));
	int64_t total = ccfc_obj_get_int(history, "totalSessions", 0);

	ccfc_buf_puts(&out->buf, "\nTotal: ");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(history, "totalChanges", 0),
			  "change");
	ccfc_buf_puts(&out->buf, " across ");
	ccfc_render_count(&out->buf, total, "session");
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_answer_more(out, offset, shown, total);
}

/* Prints the changes under each session's head. */
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
			       ccfc_slice_cut(ccfc_obj_get_str(s, "sessionId"),
					      id_length));
		ccfc_render_changes(out, ccfc_buf_view(&title),
				    ccfc_obj_get(s, "changes"));
	}
	ccfc_buf_release(&title);
}

void ccfc_search_print(struct ccfc_out *out, struct ccfc_obj history,
		       struct ccfc_slice name, int64_t offset,
		       bool show_changes)
{
	struct ccfc_obj sessions = ccfc_obj_get(history, "sessions");

	ccfc_human_file(out, name);
	ccfc_buf_puts(&out->buf, "Modified by ");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(history, "totalSessions", 0),
			  "session");
	ccfc_buf_puts(&out->buf, ":\n\n");
	print_sessions(out, sessions);
	print_total_search(out, history, offset);
	if (show_changes)
		print_changes(out, sessions, name);
}

/* A FileSessionMatch, with its file's path added in front. */
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

static void print_history(struct ccfc_question *q, struct ccfc_obj history)
{
	struct ccfc_obj sessions = ccfc_obj_get(history, "sessions");
	struct ccfc_slice path = ccfc_obj_get_str(history, "path");
	struct ccfc_out *out = &q->cli->out;

	switch (q->format) {
	case CCFC_FORMAT_JSONL:
		for (uint32_t i = 0; i < ccfc_obj_len(sessions); i++)
			print_match(out, path, ccfc_obj_at(sessions, i));
		return;
	case CCFC_FORMAT_PATHS:
		ccfc_render_path(out, path, q->end);
		return;
	default:
		ccfc_search_print(
			out, history, ccfc_cwd_short(&q->where, path),
			ccfc_listing_is_glob(q->given) ? 0 : q->query.offset,
			ccfc_opts_own(q->opts, OPT_SHOW_CHANGES)->set);
	}
}

/* `root` is a FileHistory, an array of them for a glob, or FileReaders. */
static int print_search(struct ccfc_question *q, struct ccfc_obj root)
{
	bool table = q->format == CCFC_FORMAT_TABLE;
	struct ccfc_out *out = &q->cli->out;

	if (table && ccfc_opts_own(q->opts, OPT_READS)->set)
		ccfc_readers_print(
			out, root,
			ccfc_cwd_short(&q->where,
				       ccfc_obj_get_str(root, "path")),
			q->query.offset, ccfc_time_now());
	else if (ccfc_obj_type(root) != CCFC_OBJ_ARRAY)
		print_history(q, root);
	for (uint32_t i = 0; i < ccfc_obj_len(root); i++) {
		if (ccfc_obj_type(root) != CCFC_OBJ_ARRAY)
			break;
		if (i && table)
			ccfc_buf_putc(&out->buf, '\n');
		print_history(q, ccfc_obj_at(root, i));
	}
	return CCFC_EXIT_FOUND;
}

static int ask_search(struct ccfc_reply **reply, struct ccfc_question *q,
		      struct ccfc_err *err)
{
	struct ccfc_client *client = q->cli->client;
	int code;

	if (ccfc_opts_own(q->opts, OPT_READS)->set)
		return ccfc_file_readers(reply, client, q->path, &q->query,
					 err);
	code = ccfc_file_sessions(reply, client, q->path, &q->query, err);
	if (code != CCFC_ENOTFOUND || !ccfc_listing_is_glob(q->given))
		return code;
	q->query.alternatives = NULL;
	return ccfc_listing_match(reply, client, q->given, &q->query, &q->where,
				  err);
}

/* Refuses options that have no meaning for reads. */
static int check_reads(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	static const int rows[] = { OPT_SHOW_CHANGES, OPT_WHY, OPT_TOOL,
				    OPT_EVIDENCE, OPT_STATE };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (ccfc_opts_own(opts, rows[i])->set)
			return ccfc_err_set(err, CCFC_EINVAL,
					    "search: --%s: cannot be "
					    "combined with --reads",
					    options[rows[i]].name);
	return 0;
}

static int prepare_search(struct ccfc_question *q, struct ccfc_err *err)
{
	bool reads = ccfc_opts_own(q->opts, OPT_READS)->set;
	int code = reads ? check_reads(q->opts, err) : 0;

	if (!code)
		code = ccfc_listing_prepare(
			q, ccfc_opts_own(q->opts, OPT_SHOW_CHANGES)->set, err);
	if (reads || q->query.prompts)
		q->query.changes = CCFC_CONTENT_DEFAULT;
	return code;
}

static int run_search(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_FILE,
		.own = CCFC_FORMAT_BIT(JSONL) | CCFC_FORMAT_BIT(PATHS),
		.prepare = prepare_search,
		.ask = ask_search,
		.print = print_search,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_search = {
	.name = "search",
	.usage = "search PATH|GLOB [options]",
	.summary = "sessions that changed a file",
	.about = "Lists the sessions that changed a file, the latest first.\n"
		 "\n"
		 "PATH is absolute or relative to the current directory; the "
		 "file may have been\n"
		 "deleted. A GLOB (* ? [a-z] ** {a,b}) gives all files that "
		 "match, one block\n"
		 "each; quote it. A file whose own name looks like a glob is "
		 "found by that name.\n"
		 "\n"
		 "With --reads it lists the sessions that read a file (no "
		 "glob), whether they\n"
		 "changed it or not. --from and --to then select reads.\n"
		 "\n" CCFC_LISTING_ABOUT_STATES "\n"
		 "\n" CCFC_LISTING_ABOUT_SHELL,
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
