/* ccfc list: the files that a session changed. */
#include "base/path.h"
#include "cli/frame/connect.h"
#include "cli/frame/cwd.h"
#include "cli/frame/listing.h"
#include "cli/out/render.h"
#include "cli/out/table.h"
#include "cli/patch/patch.h"

#include <stdlib.h>

enum {
	OPT_SHOW_CHANGES,
	OPT_FORMAT,
	OPT_NULL,
	OPT_EXT,
	OPT_DIR,
	OPT_TOOL,
	OPT_STATE,
};

static const struct ccfc_opt options[] = {
	[OPT_SHOW_CHANGES] = CCFC_LISTING_SHOW_CHANGES,
	[OPT_FORMAT] = CCFC_LISTING_FORMAT_DIFF,
	[OPT_NULL] = CCFC_LISTING_NULL,
	[OPT_EXT] = CCFC_LISTING_EXT,
	[OPT_DIR] = CCFC_LISTING_DIR,
	[OPT_TOOL] = CCFC_LISTING_TOOL,
	[OPT_STATE] = CCFC_LISTING_STATE,
	{ 0 },
};

static void print_head_list(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_render_line(out, "Session", 9,
			 ccfc_obj_get_str(root, "sessionId"));
	ccfc_render_line(out, "Project", 9,
			 ccfc_obj_get_str(root, "projectPath"));
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

static void print_files(struct ccfc_out *out, struct ccfc_obj root)
{
	static const struct ccfc_table_col cols[] = {
		{ "PATH", 28, 2, true },
		{ "CHANGES", 0, 2, false },
		{ "FIRST CHANGE", 0, 3, false },
		{ "TOOLS", 0, 0, false },
	};
	struct ccfc_slice project = ccfc_obj_get_str(root, "projectPath");
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_table table;

	ccfc_table_init(&table, cols, 4);
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);

		ccfc_table_cell(&table, ccfc_path_relative(
						ccfc_obj_get_str(file, "path"),
						project));
		ccfc_table_printf(
			&table, "%lld",
			(long long)ccfc_obj_get_int(file, "changeCount", 0));
		ccfc_buf_clear(&text);
		ccfc_render_time(&text, ccfc_obj_get(file, "firstModified"),
				 CCFC_RENDER_SECOND);
		ccfc_table_cell(&table, ccfc_buf_view(&text));
		ccfc_buf_clear(&text);
		ccfc_render_join(&text, ccfc_obj_get(file, "toolsUsed"));
		ccfc_table_cell(&table, ccfc_buf_view(&text));
	}
	ccfc_table_print(&table, out);
	ccfc_table_release(&table);
	ccfc_buf_release(&text);
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

void ccfc_list_print(struct ccfc_out *out, struct ccfc_obj root,
		     bool show_changes)
{
	print_head_list(out, root);
	ccfc_buf_puts(&out->buf, "\nChanged Files (");
	ccfc_render_count(&out->buf,
			  ccfc_obj_get_int(root, "totalFilesChanged", 0),
			  "file");
	ccfc_buf_puts(&out->buf, ", ");
	ccfc_render_count(&out->buf, ccfc_obj_get_int(root, "totalChanges", 0),
			  "change");
	ccfc_buf_puts(&out->buf, "):\n\n");
	print_files(out, root);
	ccfc_buf_putc(&out->buf, '\n');
	print_tally(out, "By Extension", ccfc_obj_get(root, "byExtension"),
		    NULL);
	/* Files of the project's root are in no directory of it. */
	print_tally(out, "By Directory", ccfc_obj_get(root, "byDirectory"),
		    "./");
	if (show_changes)
		print_changes(out, root);
}

static void print_list(struct ccfc_out *out, struct ccfc_obj root,
		       const struct ccfc_listing *listing)
{
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	uint32_t n = ccfc_obj_len(files);

	switch (listing->format) {
	case CCFC_FORMAT_JSON:
		ccfc_render_json(out, root, 2);
		return;
	case CCFC_FORMAT_JSONL:
		for (uint32_t i = 0; i < n; i++)
			ccfc_render_json(out, ccfc_obj_at(files, i), 0);
		return;
	case CCFC_FORMAT_PATHS:
		for (uint32_t i = 0; i < n; i++)
			ccfc_render_path(
				out,
				ccfc_obj_get_str(ccfc_obj_at(files, i), "path"),
				listing->end);
		return;
	case CCFC_FORMAT_TABLE:
		if (n)
			ccfc_list_print(out, root, listing->show_changes);
		return;
	case CCFC_FORMAT_DIFF: /* not of this reply */
		return;
	}
}

static int answer(struct ccfc_cli *cli, struct ccfc_obj root,
		  const struct ccfc_listing *listing)
{
	struct ccfc_slice id = ccfc_obj_get_str(root, "sessionId");
	struct ccfc_err err;

	ccfc_cli_note_indexing(root);
	print_list(&cli->out, root, listing);
	if (ccfc_obj_len(ccfc_obj_get(root, "files")))
		return CCFC_EXIT_FOUND;
	ccfc_err_set(&err, CCFC_ENOTFOUND,
		     "list: nothing found: session %.*s has no such changes",
		     (int)(id.len < 64 ? id.len : 64), id.ptr ? id.ptr : "");
	return ccfc_cli_fail(&err);
}

static int ask_list(struct ccfc_reply **reply, struct ccfc_cli *cli,
		    const struct ccfc_opts *opts,
		    const struct ccfc_listing *listing, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	char *session;
	int code = ccfc_cwd_session(&session, opts->args[0], err);

	ccfc_listing_query(&query, listing);
	query.extensions = ccfc_opts_own(opts, OPT_EXT)->list.items;
	query.directories = ccfc_opts_own(opts, OPT_DIR)->list.items;
	query.tools = ccfc_opts_own(opts, OPT_TOOL)->list.items;
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (!code && listing->format == CCFC_FORMAT_DIFF)
		code = ccfc_session_diff(reply, cli->client, session, NULL,
					 false, &query, err);
	else if (!code)
		code = ccfc_session_files(reply, cli->client, session, &query,
					  err);
	free(session);
	return code;
}

static int run_list(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_listing listing;
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int status;

	if (ccfc_listing_read(&listing, opts, OPT_SHOW_CHANGES, OPT_FORMAT,
			      OPT_NULL, OPT_STATE, &err) < 0 ||
	    ask_list(&reply, cli, opts, &listing, &err) < 0)
		return ccfc_cli_fail(&err);
	if (listing.format == CCFC_FORMAT_DIFF)
		status = ccfc_patch_answer(cli, ccfc_cli_value(reply),
					   CCFC_PATCH_DIFF, opts->command);
	else
		status = answer(cli, ccfc_cli_value(reply), &listing);
	ccfc_reply_free(reply);
	return status;
}

const struct ccfc_command ccfc_cmd_list = {
	.name = "list",
	.usage = "list SESSION [options]",
	.summary = "files that a session changed",
	.about = "Lists the files that a session changed, in the order of "
		 "their first change.\n\n"
		 "SESSION is the session's id, any start of it that no other "
		 "session has, or\nthe path of its transcript. Changes of its "
		 "subagents belong to it.\n\n" CCFC_LISTING_ABOUT_STATES
		 "\n--format=diff is what ccfc diff shows.",
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
