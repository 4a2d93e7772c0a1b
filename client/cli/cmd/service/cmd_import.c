/*
 * ccfc import: adds a directory that another machine exported, or a copied
 * Claude directory. The daemon reads DIR; then names and tags are set again.
 */
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/state/state_export.h"

#include <stdlib.h>
#include <time.h>

static const struct ccfc_opt options[] = {
	{ 0 },
};

/* Waits until the imported transcripts are indexed. */
static int wait_indexed(struct ccfc_cli *cli, struct ccfc_err *err)
{
	const struct timespec nap = { 0, 50000000 };
	bool indexing = true;

	while (indexing) {
		struct ccfc_reply *reply = NULL;
		int r = ccfc_index_stats(&reply, cli->client, err);

		if (r < 0)
			return r;
		indexing = ccfc_obj_len(
			ccfc_obj_get(ccfc_cli_value(reply), "indexing"));
		ccfc_reply_free(reply);
		if (indexing)
			nanosleep(&nap, NULL);
	}
	return 0;
}

static void print_imported(struct ccfc_cli *cli, struct ccfc_obj root)
{
	struct ccfc_buf *out = &cli->out.buf;
	int64_t fresh = ccfc_obj_get_int(root, "transcripts", 0);
	int64_t longer = ccfc_obj_get_int(root, "longer", 0);
	int64_t known = ccfc_obj_get_int(root, "known", 0);
	int64_t forgotten = ccfc_obj_get_int(root, "forgotten", 0);

	ccfc_buf_printf(out, "imported %lld transcript%s", (long long)fresh,
			fresh == 1 ? "" : "s");
	if (longer)
		ccfc_buf_printf(out, ", %lld made longer", (long long)longer);
	if (known)
		ccfc_buf_printf(out, ", %lld known already", (long long)known);
	if (forgotten)
		ccfc_buf_printf(out, ", %lld left out as forgotten",
				(long long)forgotten);
	ccfc_buf_puts(out, " (");
	ccfc_render_bytes(out, ccfc_obj_get_int(root, "bytes", 0));
	ccfc_buf_puts(out, ")\n");
}

static int import_state(struct ccfc_cli *cli, const char *path,
			struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	int r = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);

	if (!r)
		r = ccfc_import_path(&reply, cli->client, path, err);
	if (!r)
		r = wait_indexed(cli, err);
	if (!r)
		r = ccfc_state_labels(cli, path, err);
	if (!r)
		print_imported(cli, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	return r;
}

static int run_import(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_question q = { 0 };
	struct ccfc_err err;
	char *path = NULL;
	int r = ccfc_question_init(&q, cli, opts, &err);

	if (!r)
		r = ccfc_question_here(&q, &err);
	if (!r)
		path = ccfc_cwd_absolute(&q.where, opts->args[0]);
	if (!r)
		r = import_state(cli, path, &err);
	free(path);
	ccfc_question_release(&q);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_import = {
	.name = "import",
	.usage = "import DIR [options]",
	.summary = "add an export of another machine, or a copied Claude "
		   "directory",
	.about = "Imports DIR, which `ccfc export --all DIR` wrote on another "
		 "machine, or a copy\n"
		 "of a Claude directory. All or nothing: if DIR is damaged or "
		 "incomplete, the\n"
		 "error says where. DIR is only read, and not watched.\n"
		 "\n"
		 "Imported sessions are answered from the archive. A known "
		 "transcript is not\n"
		 "added again, whatever its path is. If it is known in part "
		 "and its file is gone,\n"
		 "the missing lines are added. All others are added with their "
		 "old paths; if a\n"
		 "path is in use, the transcript gets one below ccfc-import-… "
		 "instead. Existing\n"
		 "names of sessions stay.",
	.examples = "  ccfc import /media/usb/ccfc-laptop\n"
		    "  ccfc import ~/backup/.claude\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.topic = CCFC_TOPIC_DAEMON,
	.writes = true,
	.run = run_import,
};
