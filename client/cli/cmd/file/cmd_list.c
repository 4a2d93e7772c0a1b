/* ccfc list: the files that a session changed. */
#include "base/path.h"
#include "base/time.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/frame/scope.h"
#include "cli/out/columns.h"
#include "cli/out/human.h"
#include "cli/out/render.h"
#include "cli/patch/patch.h"

#define COMMANDS_SHOWN 10

enum {
	OPT_SHOW_CHANGES,
	OPT_FORMAT,
	OPT_NULL,
	OPT_EXT,
	OPT_DIR,
	OPT_TOOL,
	OPT_EVIDENCE,
	OPT_STATE,
};

static const struct ccfc_opt options[] = {
	[OPT_SHOW_CHANGES] = CCFC_LISTING_SHOW_CHANGES,
	[OPT_FORMAT] = CCFC_LISTING_FORMAT_DIFF,
	[OPT_NULL] = CCFC_LISTING_NULL,
	[OPT_EXT] = CCFC_LISTING_EXT,
	[OPT_DIR] = CCFC_LISTING_DIR,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_EVIDENCE] = CCFC_LISTING_EVIDENCE,
	[OPT_STATE] = CCFC_LISTING_STATE,
	{ 0 },
};

static void print_head_list(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_line(out, "Session", 9,
			 ccfc_obj_get_str(root, "sessionId"));
	ccfc_human_path(&text, out, ccfc_obj_get_str(root, "projectPath"));
	ccfc_render_line(out, "Project", 9, ccfc_buf_view(&text));
	ccfc_buf_clear(&text);
	ccfc_render_line(out, "Branch", 9, ccfc_obj_get_str(root, "gitBranch"));
	ccfc_render_time(&text, ccfc_obj_get(root, "sessionStart"),
			 CCFC_RENDER_MINUTE);
	ccfc_buf_puts(&text, " - ");
	ccfc_render_time(&text, ccfc_obj_get(root, "sessionEnd"),
			 CCFC_RENDER_MINUTE);
	ccfc_render_line(out, "Period", 9, ccfc_buf_view(&text));
	if (ccfc_slice_is(ccfc_obj_get_str(root, "source"), "gone"))
		ccfc_render_line(out, "Source", 9,
				 CCFC_SLICE_LIT("the transcript is gone"));
	ccfc_buf_release(&text);
}

/* Did the session's last change delete or rename the file? */
static bool is_moved(struct ccfc_obj file)
{
	struct ccfc_slice op = ccfc_obj_get_str(file, "operation");

	return ccfc_slice_is(op, "deleted") || ccfc_slice_is(op, "renamed");
}

static const struct ccfc_column columns[] = {
	{ "PATH", "path", .kind = CCFC_CELL_BELOW, .min = 28, .elastic = true },
	{ "CHANGES", "changeCount", .kind = CCFC_CELL_COUNT },
	{ "FIRST CHANGE", "firstModified", .kind = CCFC_CELL_SECOND, .gap = 3 },
	{ "TOOLS", "toolsUsed", .kind = CCFC_CELL_JOIN },
	/* Shown only if some file was deleted or renamed. */
	{ "OPERATION", "operation", .kind = CCFC_CELL_TEXT },
};

/* "2 denied, 1 applied": the states of the changes of one file. */
static void put_states(struct ccfc_buf *text, const struct ccfc_cells *cells,
		       struct ccfc_obj file)
{
	struct ccfc_obj changes = ccfc_obj_get(file, "changes");
	uint32_t n = ccfc_obj_len(changes);
	bool several = false;

	(void)cells;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_slice state =
			ccfc_obj_get_str(ccfc_obj_at(changes, i), "state");
		uint32_t same = 0;
		bool first = true;

		for (uint32_t k = 0; k < n; k++) {
			bool eq = ccfc_slice_eq(
				state, ccfc_obj_get_str(ccfc_obj_at(changes, k),
							"state"));

			same += eq;
			first &= !eq || k >= i;
		}
		if (!first)
			continue;
		ccfc_buf_puts(text, several ? ", " : "");
		if (same < n)
			ccfc_buf_printf(text, "%u ", same);
		ccfc_buf_slice(text, state);
		several = true;
	}
}

/* The table of calls that may have changed nothing. */
static const struct ccfc_column state_columns[] = {
	{ "PATH", "path", .kind = CCFC_CELL_BELOW, .min = 28, .elastic = true },
	{ "STATE", "", .kind = CCFC_CELL_OWN, .put = put_states },
	{ "CALLS", "changeCount", .kind = CCFC_CELL_COUNT },
	{ "FIRST CALL", "firstModified", .kind = CCFC_CELL_SECOND, .gap = 3 },
	{ "TOOLS", "toolsUsed", .kind = CCFC_CELL_JOIN },
};

static bool is_any_moved(struct ccfc_obj files)
{
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++)
		if (is_moved(ccfc_obj_at(files, i)))
			return true;
	return false;
}

static void print_files(struct ccfc_out *out, struct ccfc_obj root, bool states)
{
	struct ccfc_cells cells = {
		.out = out,
		.now = ccfc_time_now(),
		.base = ccfc_obj_get_str(root, "projectPath"),
	};

	struct ccfc_obj files = ccfc_obj_get(root, "files");

	if (states) {
		ccfc_columns_print(out, state_columns,
				   CCFC_NCOLUMNS(state_columns), &cells, files);
		return;
	}
	ccfc_columns_print(out, columns,
			   CCFC_NCOLUMNS(columns) - !is_any_moved(files),
			   &cells, files);
}

/* "the effects of 2 commands"; false when all are known. */
static bool put_unknown(struct ccfc_buf *text, struct ccfc_obj root)
{
	int64_t n = ccfc_obj_get_int(root, "unknownCommands", 0);

	if (!n)
		return false;
	ccfc_buf_puts(text, "the effects of ");
	ccfc_render_count(text, n, "command");
	return true;
}

static void print_tally(struct ccfc_out *out, const char *label,
			struct ccfc_obj map, const char *skip)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_tally(&text, map, skip);
	ccfc_render_line(out, label, 0, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

static void print_changes(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_slice project = ccfc_obj_get_str(root, "projectPath");
	struct ccfc_obj files = ccfc_obj_get(root, "files");

	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);
		struct ccfc_slice path = ccfc_obj_get_str(file, "path");

		ccfc_render_changes(out, ccfc_path_relative(path, project),
				    ccfc_obj_get(file, "changes"));
	}
}

/* Commands that may have changed more than is listed. */
static void print_unknown(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (put_unknown(&text, root)) {
		ccfc_render_line(out, "Not Known", 0, ccfc_buf_view(&text));
		ccfc_render_commands(
			out, ccfc_obj_get(root, "commands"),
			ccfc_obj_get_int(root, "unknownCommands", 0),
			COMMANDS_SHOWN);
	}
	ccfc_buf_release(&text);
}

void ccfc_list_print(struct ccfc_out *out, struct ccfc_obj root,
		     bool show_changes, bool states)
{
	print_head_list(out, root);
	ccfc_buf_puts(&out->buf,
		      states ? "\nFiles by State (" : "\nChanged Files (");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(root, "totalFilesChanged", 0),
			  "file");
	ccfc_buf_puts(&out->buf, ", ");
	ccfc_render_count(&out->buf, ccfc_obj_get_int(root, "totalChanges", 0),
			  states ? "call" : "change");
	if (ccfc_obj_get_int(root, "shellChanges", 0))
		ccfc_buf_printf(
			&out->buf, ", %lld of them while commands ran",
			(long long)ccfc_obj_get_int(root, "shellChanges", 0));
	ccfc_buf_puts(&out->buf, "):\n\n");
	print_files(out, root, states);
	ccfc_buf_putc(&out->buf, '\n');
	print_tally(out, "By Extension", ccfc_obj_get(root, "byExtension"),
		    NULL);
	/* Files in the project's root have no directory. */
	print_tally(out, "By Directory", ccfc_obj_get(root, "byDirectory"),
		    "./");
	print_unknown(out, root);
	if (show_changes)
		print_changes(out, root);
}

/* Are changes requested that did not take effect? */
static bool has_states(const struct ccfc_question *q)
{
	const char *const *states = q->query.states;

	return states && (strcmp(states[0], "applied") != 0 || states[1]);
}

static int prepare_list(struct ccfc_question *q, struct ccfc_err *err)
{
	int r = ccfc_listing_prepare(
		q, ccfc_opts_own(q->opts, OPT_SHOW_CHANGES)->set, err);

	/* The table has the states of the changes. */
	if (!r && q->format == CCFC_FORMAT_TABLE && has_states(q))
		q->query.changes = CCFC_CONTENT_DEFAULT;
	return r;
}

static int ask_list(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	struct ccfc_client *client = q->cli->client;

	if (q->format == CCFC_FORMAT_DIFF)
		return ccfc_session_diff(reply, client, q->session, NULL, false,
					 &q->query, err);
	return ccfc_session_files(reply, client, q->session, &q->query, err);
}

/* Hints at calls that changed nothing, unless the request filters by state. */
static void hint_at_states(struct ccfc_question *q, struct ccfc_err *err)
{
	static const char *const all[] = { "all", NULL };
	struct ccfc_query query = q->query;
	struct ccfc_reply *reply = NULL;
	struct ccfc_err other;
	int64_t calls = 0;

	if (query.states || q->format == CCFC_FORMAT_DIFF)
		return;
	query.states = all;
	if (!ccfc_session_files(&reply, q->cli->client, q->session, &query,
				&other))
		calls = ccfc_obj_get_int(ccfc_cli_value(reply), "totalChanges",
					 0);
	if (calls)
		ccfc_err_hint(err,
			      "no call took effect (%lld): "
			      "ccfc list SESSION --state=all",
			      (long long)calls);
	ccfc_reply_free(reply);
}

static int status_of_list(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_slice id = ccfc_obj_get_str(root, "sessionId");
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_err err;

	if (ccfc_obj_len(ccfc_obj_get(root, "files")))
		return CCFC_EXIT_FOUND;
	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "list: nothing found: session %.*s has no such changes",
		     (int)(id.len < 64 ? id.len : 64), id.ptr ? id.ptr : "");
	if (put_unknown(&text, root))
		ccfc_err_hint(&err, "not known: %s", text.ptr);
	else
		hint_at_states(q, &err);
	ccfc_buf_release(&text);
	return ccfc_cli_fail(&err);
}

static int print_list(struct ccfc_question *q, struct ccfc_obj root)
{
	if (q->format == CCFC_FORMAT_DIFF)
		return ccfc_patch_answer(q->cli, root, CCFC_PATCH_DIFF,
					 q->opts->command);
	if (ccfc_obj_len(ccfc_obj_get(root, "files")))
		ccfc_list_print(&q->cli->out, root,
				ccfc_opts_own(q->opts, OPT_SHOW_CHANGES)->set,
				has_states(q));
	return status_of_list(q, root);
}

static int run_list(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_SESSION,
		.rows = "files",
		.path = "path",
		.prepare = prepare_list,
		.ask = ask_list,
		.print = print_list,
		.status = status_of_list,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_list = {
	.name = "list",
	.usage = "list [SESSION] [options]",
	.summary = "files that a session changed",
	.about = "Lists the files that a session changed, in the order of "
		 "their first change.\n"
		 "\n" CCFC_SCOPE_ABOUT_SESSION
		 "\nChanges by its subagents belong to the session.\n"
		 "\n" CCFC_LISTING_ABOUT_STATES "\n"
		 "\n" CCFC_LISTING_ABOUT_SHELL "\n"
		 "\n"
		 "--format=diff is what ccfc diff shows.",
	.examples = "  ccfc list 3f2a91c4\n"
		    "  ccfc list 3f2a --show-changes --ext=.ts,.tsx\n"
		    "  ccfc list 3f2a -0 | xargs -0 git add\n"
		    "  ccfc list 3f2a --state=all --format=json | jq "
		    ".totalChanges\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_list,
};
