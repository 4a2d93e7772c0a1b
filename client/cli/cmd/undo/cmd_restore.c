/*
 * ccfc restore: writes the old content of files back, all of them or none; see
 * also restore_file.c and restore_undo.c. A directory means the files below it
 * that a session changed.
 */
#include "base/alloc.h"
#include "cli/frame/connect.h"
#include "cli/frame/listing.h"
#include "cli/frame/moment.h"
#include "cli/out/render.h"
#include "cli/undo/restore_file.h"

#include <stdlib.h>

#define FILES_MAX 10000 /* of one directory */

enum {
	OPT_AT,
	OPT_UNDO,
	OPT_LIST,
	OPT_DRY_RUN,
	OPT_FORCE,
	OPT_OUTSIDE,
};

static const struct ccfc_opt options[] = {
	[OPT_AT] = CCFC_AT_OPTION,
	[OPT_UNDO] = CCFC_APPLY_UNDO("restore or revert"),
	[OPT_LIST] = { "list", 0, CCFC_OPT_FLAG,
		       .help = "show what can be undone, newest first" },
	[OPT_DRY_RUN] = CCFC_APPLY_DRY_RUN,
	[OPT_FORCE] = CCFC_APPLY_FORCE(
		"also inexact content, outside changes, hard links"),
	[OPT_OUTSIDE] = CCFC_OUTSIDE_OPTION,
	{ 0 },
};

#define STAY_NAMED 3 /* files of a directory that are named in a note */

/* The files of one command. */
struct work {
	const char *at;
	struct ccfc_cli *cli;
	const struct ccfc_opts *opts;
	struct ccfc_cwd where;
	struct {
		char **items; /* owned */
		uint32_t n, cap;
	} names;
	struct ccfc_restore *files; /* one for each name */
	uint32_t n, failed;
	bool whole_dir; /* a directory was named: files without a state then
			 * are left out */
};

static void work_release(struct work *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		ccfc_restore_release(&w->files[i]);
	free(w->files);
	for (uint32_t i = 0; i < w->names.n; i++)
		free(w->names.items[i]);
	free(w->names.items);
	ccfc_cwd_release(&w->where);
}

/* ---- which files ---- */

static void add_name(struct work *w, struct ccfc_slice name)
{
	CCFC_VEC_PUSH(w->names, ccfc_strndup(name.ptr, name.len));
}

/* All files below the directory that a session changed, also deleted ones. */
static int add_dir(struct work *w, const char *dir, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_buf pattern = CCFC_BUF_INIT;
	char *path = ccfc_cwd_absolute(&w->where, dir);
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj rows = { 0 };
	int r;

	query.changes = CCFC_CONTENT_NO;
	query.limit = FILES_MAX + 1;
	ccfc_listing_escape(&pattern, ccfc_slice_str(path));
	ccfc_buf_puts(&pattern, strcmp(path, "/") ? "/**" : "**");
	r = ccfc_listing_match(&reply, w->cli->client, pattern.ptr, &query,
			       &w->where, err);
	if (r == CCFC_ENOTFOUND)
		r = ccfc_err_set(err, CCFC_EDENIED,
				 "%s is a directory, and no session changed a "
				 "file below it",
				 dir);
	if (!r)
		rows = ccfc_cli_value(reply);
	if (ccfc_obj_len(rows) > FILES_MAX)
		r = ccfc_err_set(err, CCFC_ETOOBIG,
				 "restore: %s has more than %d files", dir,
				 FILES_MAX);
	for (uint32_t i = 0; !r && i < ccfc_obj_len(rows); i++)
		add_name(w,
			 ccfc_cwd_short(&w->where,
					ccfc_obj_get_str(ccfc_obj_at(rows, i),
							 "path")));
	w->whole_dir = true;
	ccfc_reply_free(reply);
	ccfc_buf_release(&pattern);
	free(path);
	return r;
}

static bool is_dir(const char *given)
{
	size_t len = strlen(given);

	return given[len - 1] == '/' || ccfc_cwd_is_directory(given);
}

static int add_file(struct work *w, const char *given, struct ccfc_err *err)
{
	char *meant;
	int r = ccfc_question_resolve(&meant, w->cli, w->opts, given, err);

	if (!r)
		add_name(w, ccfc_slice_str(meant ? meant : given));
	free(meant);
	return r;
}

static int find_files(struct work *w, struct ccfc_err *err)
{
	int r = ccfc_cwd_init(&w->where, err);

	if (!r)
		r = ccfc_cli_connect(w->cli, CCFC_SPAWN_DEFAULT, err);
	for (int i = 0; !r && i < w->opts->nargs; i++)
		if (is_dir(w->opts->args[i]))
			r = add_dir(w, w->opts->args[i], err);
		else
			r = add_file(w, w->opts->args[i], err);
	return r;
}

/* ---- all of them, or none ---- */

static int write_restored(const struct work *w, struct ccfc_file_edit *edits,
			  uint32_t n, struct ccfc_err *err)
{
	struct ccfc_out *out = &w->cli->out;
	struct ccfc_buf command = CCFC_BUF_INIT;
	struct ccfc_file_edits all = {
		.kind = CCFC_UNDO_RESTORE,
		.force = ccfc_opts_own(w->opts, OPT_FORCE)->set,
		.items = edits,
		.n = n,
	};
	char id[CCFC_UNDO_ID_MAX];
	int r;

	ccfc_buf_puts(&command, "restore");
	for (int i = 0; i < w->opts->nargs; i++)
		ccfc_buf_printf(&command, " %s", w->opts->args[i]);
	if (w->at)
		ccfc_buf_printf(&command, " --at=%s", w->at);
	all.command = command.ptr;
	r = ccfc_write_back(id, &all, err);
	ccfc_buf_release(&command);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->files[i].edit.path && !w->files[i].done)
			ccfc_restore_print(&w->files[i], out);
	ccfc_write_back_print_id(out, id);
	return 0;
}

/* Prints files that are as wanted already; of a directory only their number. */
static void print_done(const struct work *w)
{
	struct ccfc_out *out = &w->cli->out;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct ccfc_restore *f = &w->files[i];

		if (!f->done)
			continue;
		n++;
		if (w->whole_dir)
			continue;
		ccfc_out_field(out, ccfc_slice_str(f->given));
		ccfc_buf_puts(&out->buf, f->edit.exists
						 ? " has that content already\n"
						 : " does not exist already\n");
	}
	if (!w->whole_dir || !n)
		return;
	ccfc_render_count(&out->buf, n, "file");
	ccfc_buf_puts(&out->buf,
		      n == 1 ? " is so already\n" : " are so already\n");
}

/* Names a few files of a directory that stay, such as files made later. */
static void note_stay(const struct work *w)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		if (w->files[i].edit.path)
			continue;
		if (n < STAY_NAMED)
			ccfc_buf_printf(&text, "%s %s", n ? "," : ":",
					w->files[i].given);
		n++;
	}
	if (n == 1)
		ccfc_cli_note("1 file has no known state then and stays%s",
			      text.ptr);
	else if (n)
		ccfc_cli_note("%u files have no known state then and stay%s%s",
			      n, text.ptr, n > STAY_NAMED ? ", …" : "");
	ccfc_buf_release(&text);
}

/* Prints each refusal; with one file, the refusal is the command's error. */
static int plan_file(struct work *w, const char *name, struct ccfc_err *err)
{
	struct ccfc_restore *f = &w->files[w->n++];
	int r;

	f->given = name;
	f->dry_run = ccfc_opts_own(w->opts, OPT_DRY_RUN)->set;
	f->force = ccfc_opts_own(w->opts, OPT_FORCE)->set;
	f->outside_given = ccfc_opts_own(w->opts, OPT_OUTSIDE);
	r = ccfc_restore_plan(f, w->cli, w->opts, err);
	if (!r && w->n == 1)
		ccfc_cli_note_indexing(f->reply);
	if (r == CCFC_ENOTFOUND && w->whole_dir) {
		f->edit.path = NULL;
		return 0;
	}
	if (r < 0 && w->names.n > 1) {
		ccfc_cli_fail(err);
		w->failed++;
	}
	return r;
}

static int restore_files(struct work *w, struct ccfc_err *err)
{
	bool dry_run = ccfc_opts_own(w->opts, OPT_DRY_RUN)->set;
	struct ccfc_file_edit *edits =
		ccfc_calloc(w->names.n + 1, sizeof(*edits));
	uint32_t n = 0;
	int r = 0, worst = 0;

	w->files = ccfc_calloc(w->names.n + 1, sizeof(*w->files));
	for (uint32_t i = 0; i < w->names.n; i++) {
		r = plan_file(w, w->names.items[i], err);
		worst = worst ? worst : r;
		if (!r && w->files[i].edit.path && !w->files[i].done)
			edits[n++] = w->files[i].edit;
	}
	if (w->failed) {
		ccfc_err_set(err, worst,
			     "restore: %u of %u files cannot be restored: "
			     "nothing was written",
			     w->failed, w->names.n);
		if (w->failed < w->names.n)
			ccfc_err_hint(err, "name only the others, or another "
					   "--at");
	}
	if (!worst) {
		print_done(w);
		if (w->whole_dir)
			note_stay(w);
	}
	if (!worst && n && !dry_run)
		worst = write_restored(w, edits, n, err);
	free(edits);
	return worst;
}

static int run_files(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct work w = { .cli = cli,
			  .opts = opts,
			  .at = ccfc_opts_own(opts, OPT_AT)->text };
	struct ccfc_err err;
	int r = ccfc_write_back_recover(&err);

	if (!r)
		r = find_files(&w, &err);
	if (!r)
		r = restore_files(&w, &err);
	work_release(&w);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

/* FILE, --undo [ID] or --list. */
static int check_restore(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	bool undo = ccfc_opts_own(opts, OPT_UNDO)->set;
	bool list = ccfc_opts_own(opts, OPT_LIST)->set;

	if ((undo || list) && (ccfc_opts_own(opts, OPT_AT)->set ||
			       ccfc_opts_own(opts, OPT_OUTSIDE)->set))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "restore: --at and --outside go with a "
				    "file only");
	if (undo && list)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "restore: --undo or --list, not both");
	if (list && opts->nargs)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "restore: --list takes no argument");
	if (undo && opts->nargs > 1)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "restore: --undo takes one ID");
	if (undo || list)
		return 0;
	if (!opts->nargs) {
		ccfc_err_set(err, CCFC_EINVAL, "restore: which file?");
		ccfc_err_hint(err, "ccfc restore FILE --at=WHEN");
		return CCFC_EINVAL;
	}
	for (int i = 0; i < opts->nargs; i++)
		if (!*opts->args[i])
			return ccfc_err_set(err, CCFC_EINVAL,
					    "restore: the path is empty");
	return 0;
}

static int run_restore(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_err err;

	if (check_restore(opts, &err) < 0)
		return ccfc_cli_fail(&err);
	if (ccfc_opts_own(opts, OPT_LIST)->set)
		return ccfc_restore_list(cli);
	if (ccfc_opts_own(opts, OPT_UNDO)->set)
		return ccfc_restore_undo(cli,
					 opts->nargs ? opts->args[0] : NULL,
					 ccfc_opts_own(opts, OPT_DRY_RUN)->set,
					 ccfc_opts_own(opts, OPT_FORCE)->set);
	return run_files(cli, opts);
}

const struct ccfc_command ccfc_cmd_restore = {
	.name = "restore",
	.usage = "restore FILE|DIR… [--at=WHEN] [options]\n"
		 "       ccfc restore --undo [ID] | --list",
	.summary = "write the old content of files back",
	.about =
		"Writes files as they were, all of them or none. " CCFC_AT_ABOUT
		"\n"
		"\n"
		"A DIR means the files below it that a session changed, also "
		"those that are gone;\n"
		"files that have no state at WHEN (a SESSION that did not "
		"change them) stay.\n"
		"\n"
		"Without --force, restore refuses if the old content is not "
		"known exactly, or if\n"
		"somebody changed a file outside of any session since. A "
		"file that did not exist\n"
		"then is removed.\n"
		"\n" CCFC_OUTSIDE_ABOUT "\n"
		"\n" CCFC_APPLY_ABOUT "\n"
		"\n"
		"--undo undoes the newest restore or revert that was not "
		"undone yet; a second\n"
		"--undo, the one before. To undo an undo, give its ID. A file "
		"that was changed\n"
		"since is not touched, unless --force.\n"
		"\n"
		"--dry-run has the exit status that the command would have.",
	.examples = "  ccfc restore src/app.ts --at=before:3f2a91c4 --dry-run\n"
		    "  ccfc restore src/app.ts --at=before:3f2a91c4\n"
		    "  ccfc restore src/app.ts src/b.ts --at='2025-12-31 "
		    "14:05'\n"
		    "  ccfc restore src --at=before:3f2a91c4 --dry-run\n"
		    "  ccfc restore --undo\n",
	.options = options,
	.instead = "undo|list",
	.args_min = 0,
	.args_max = 100000,
	.paged = true,
	.writes = true,
	.topic = CCFC_TOPIC_UNDO,
	.run = run_restore,
};
