/*
 * ccfc revert: takes back what a session did, and keeps what others did
 * since. The daemon merges and says what would become of each file; here it
 * is shown, or done: all of it, or nothing.
 */
#include "base/alloc.h"
#include "base/path.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/patch/patch.h"
#include "cli/undo/write_back.h"

#include <stdlib.h>

#define NAME_PATHS "name those that can be done: ccfc revert SESSION PATH…"

enum {
	OPT_DRY_RUN,
	OPT_WRITE_CONFLICTS,
	OPT_FORCE,
};

static const struct ccfc_opt options[] = {
	[OPT_DRY_RUN] = CCFC_APPLY_DRY_RUN,
	[OPT_WRITE_CONFLICTS] = { "write-conflicts", 0, CCFC_OPT_FLAG, NULL,
				  "write files with conflict markers in them",
				  NULL, 0, 0 },
	[OPT_FORCE] = CCFC_APPLY_FORCE(
		"also files that have several names (hard links)"),
	{ 0 },
};

struct work {
	const char *given; /* the session, as the caller named it */
	bool dry_run, write_conflicts, force;
	struct ccfc_cwd where;
	char *session;
	const char *const *given_paths;
	uint32_t ngiven;
	/* Two names of each that was given: as the shell has it, and real. */
	const char **paths;
	uint32_t npaths;
	/* What is to be done; paths and hashes are owned. */
	struct ccfc_file_edit *edits;
	uint32_t n;
	uint32_t stuck; /* files that cannot be done */
	bool markers;	/* some of those can, with --write-conflicts */
};

static void work_release(struct work *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		free((char *)w->edits[i].path);
		free((char *)w->edits[i].expect);
	}
	free(w->edits);
	for (uint32_t i = 0; i < w->npaths; i++)
		free((char *)w->paths[i]);
	free(w->paths);
	free(w->session);
	ccfc_cwd_release(&w->where);
}

/* ---- the plan ---- */

enum action { NONE, WRITE, CREATE, REMOVE, CONFLICT, STUCK };

static enum action action_of(struct ccfc_obj file)
{
	struct ccfc_slice action = ccfc_obj_get_str(file, "action");
	static const char *const names[] = { "none", "write", "create",
					     "remove", "conflict" };

	for (int i = NONE; i <= CONFLICT; i++)
		if (ccfc_slice_is(action, names[i]))
			return (enum action)i;
	return STUCK; /* unknown, refused, and what we have not heard of */
}

static bool has_content(struct ccfc_obj file)
{
	enum ccfc_obj_type type = ccfc_obj_type(ccfc_obj_get(file, "content"));

	return type == CCFC_OBJ_BIN || type == CCFC_OBJ_STR;
}

/* A conflict within the text, that can be written down with markers. */
static bool has_markers(struct ccfc_obj file)
{
	return ccfc_obj_get_int(file, "conflicts", 0) > 0 && has_content(file);
}

static void add_edit(struct work *w, struct ccfc_obj file, bool exists)
{
	struct ccfc_slice path = ccfc_obj_get_str(file, "path");
	struct ccfc_obj present = ccfc_obj_get(file, "present");
	struct ccfc_slice sha256 = ccfc_obj_get_str(present, "sha256");

	if (!ccfc_obj_get_bool(present, "exists", false))
		sha256.len = 0;
	w->edits[w->n++] = (struct ccfc_file_edit){
		.path = ccfc_strndup(path.len ? path.ptr : "", path.len),
		.expect =
			ccfc_strndup(sha256.len ? sha256.ptr : "", sha256.len),
		.exists = exists,
		.content = exists ? ccfc_obj_get_str(file, "content")
				  : CCFC_SLICE_NONE,
	};
}

static void plan_file(struct work *w, struct ccfc_obj file)
{
	switch (action_of(file)) {
	case NONE:
		return;
	case WRITE:
	case CREATE:
		if (has_content(file))
			add_edit(w, file, true);
		else
			w->stuck++;
		return;
	case REMOVE:
		add_edit(w, file, false);
		return;
	case CONFLICT:
		if (has_markers(file) && w->write_conflicts) {
			add_edit(w, file, true);
			return;
		}
		w->markers |= has_markers(file);
		w->stuck++;
		return;
	case STUCK:
		w->stuck++;
		return;
	}
}

/* ---- what is printed ---- */

static struct ccfc_slice name_of(struct ccfc_obj file)
{
	struct ccfc_slice name = ccfc_obj_get_str(file, "name");

	return name.len ? name : ccfc_obj_get_str(file, "path");
}

/* "write     src/a.c  +1 -2: why" */
static void print_file(struct ccfc_out *out, struct ccfc_obj file)
{
	struct ccfc_slice action = ccfc_obj_get_str(file, "action");
	struct ccfc_slice why = ccfc_obj_get_str(file, "why");
	int64_t added = ccfc_obj_get_int(file, "linesAdded", 0);
	int64_t removed = ccfc_obj_get_int(file, "linesRemoved", 0);
	bool alert = action_of(file) >= CONFLICT;

	if (alert)
		ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_ALERT));
	ccfc_out_field(out, action);
	if (alert)
		ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	for (size_t n = action.len; n < 10; n++)
		ccfc_buf_putc(&out->buf, ' ');
	ccfc_out_field(out, name_of(file));
	if (added || removed)
		ccfc_buf_printf(&out->buf, "  +%lld -%lld", (long long)added,
				(long long)removed);
	if (why.len) {
		ccfc_buf_puts(&out->buf, ": ");
		ccfc_out_field(out, why);
	}
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_out_check(out);
}

/* The diffs alone go to stdout, for `patch`; the rest is said besides. */
static void preview_file(struct ccfc_out *out, struct ccfc_obj file)
{
	struct ccfc_slice why = ccfc_obj_get_str(file, "why");
	struct ccfc_slice name = name_of(file);
	struct ccfc_slice action = ccfc_obj_get_str(file, "action");

	ccfc_patch_print(out, ccfc_obj_get_str(file, "diff"));
	ccfc_out_check(out);
	if (action_of(file) >= CONFLICT || why.len)
		ccfc_cli_note("%.*s: %.*s%s%.*s", (int)name.len, name.ptr,
			      (int)action.len, action.len ? action.ptr : "",
			      why.len ? ": " : "", (int)why.len,
			      why.len ? why.ptr : "");
}

static int refuse_revert(const struct work *w, uint32_t total,
			 struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EDENIED,
		     "revert: %u of %u files cannot be taken back: nothing was "
		     "written",
		     w->stuck, total);
	if (w->markers)
		ccfc_err_hint(err, "%s--write-conflicts writes them%s",
			      w->dry_run ? "the conflicts are marked; "
					 : "--dry-run shows the conflicts, ",
			      w->n ? "; or name the files that can be done"
				   : "");
	else if (w->n)
		ccfc_err_hint(err, NAME_PATHS);
	return CCFC_EDENIED;
}

/* ---- doing it ---- */

static int write_all(char id[CCFC_UNDO_ID_MAX], const struct work *w,
		     const struct ccfc_cli *cli, struct ccfc_err *err)
{
	struct ccfc_buf command = CCFC_BUF_INIT;
	struct ccfc_file_edits edits = { .kind = CCFC_UNDO_CHANGE,
					 .force = w->force,
					 .items = w->edits,
					 .n = w->n };
	int r;

	ccfc_buf_printf(&command, "revert %s", w->given);
	for (uint32_t i = 0; i < w->ngiven; i++)
		ccfc_buf_printf(&command, " %s", w->given_paths[i]);
	edits.command = command.ptr;
	r = ccfc_write_back(id, cli, "revert", &w->where, &edits, err);
	ccfc_buf_release(&command);
	if (r == CCFC_EDENIED && !*err->hint)
		ccfc_err_hint(err, NAME_PATHS);
	return r;
}

static void print_files(struct ccfc_out *out, struct ccfc_obj files)
{
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++)
		print_file(out, ccfc_obj_at(files, i));
}

/* Does what was planned, and says what that was. */
static int finish_revert(const struct work *w, struct ccfc_cli *cli,
			 struct ccfc_obj files, struct ccfc_err *err)
{
	struct ccfc_out *out = &cli->out;
	char id[CCFC_UNDO_ID_MAX];
	int r = w->n ? write_all(id, w, cli, err) : 0;

	if (r < 0)
		return r;
	print_files(out, files);
	if (w->n)
		ccfc_write_back_print_id(out, id);
	else
		ccfc_buf_puts(&out->buf, "nothing to do\n");
	return 0;
}

/* Is one of the files meant by what was given as path `i`? */
static bool is_meant(const struct work *w, struct ccfc_obj files, uint32_t i)
{
	for (uint32_t k = 0; k < ccfc_obj_len(files); k++) {
		struct ccfc_slice path =
			ccfc_obj_get_str(ccfc_obj_at(files, k), "path");

		if (ccfc_path_is_below(path, ccfc_slice_str(w->paths[2 * i])) ||
		    ccfc_path_is_below(path,
				       ccfc_slice_str(w->paths[2 * i + 1])))
			return true;
	}
	return false;
}

/* Nothing is done where a path may be mistyped. */
static int check_paths(const struct work *w, struct ccfc_obj files,
		       struct ccfc_err *err)
{
	if (!ccfc_obj_len(files))
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "revert: nothing found: session %s has no "
				    "such changes",
				    w->given);
	for (uint32_t i = 0; i < w->ngiven; i++)
		if (!is_meant(w, files, i))
			return ccfc_err_set(err, CCFC_ENOTFOUND,
					    "revert: session %s did not "
					    "change %s",
					    w->given, w->given_paths[i]);
	return 0;
}

static int answer_revert(struct work *w, struct ccfc_cli *cli,
			 struct ccfc_obj root, struct ccfc_err *err)
{
	struct ccfc_out *out = &cli->out;
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	uint32_t n = ccfc_obj_len(files);
	int r = check_paths(w, files, err);

	if (r < 0)
		return r;
	w->edits = ccfc_calloc(n, sizeof(*w->edits));
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);

		plan_file(w, file);
		if (w->dry_run)
			preview_file(out, file);
	}
	if (w->stuck && !w->dry_run)
		print_files(out, files);
	if (w->stuck)
		return refuse_revert(w, n, err);
	return w->dry_run ? 0 : finish_revert(w, cli, files, err);
}

static int ask_revert(struct ccfc_reply **reply, struct work *w,
		      struct ccfc_cli *cli, const struct ccfc_opts *opts,
		      struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	int r = ccfc_cwd_init(&w->where, err);

	if (!r)
		r = ccfc_cwd_session(&w->session, opts->args[0], err);
	if (!r)
		r = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (r < 0)
		return r;
	query.cwd = w->where.cwd;
	w->given_paths = opts->args + 1;
	w->ngiven = (uint32_t)opts->nargs - 1;
	w->paths = ccfc_calloc((size_t)opts->nargs * 2, sizeof(*w->paths));
	for (uint32_t i = 0; i < w->ngiven; i++) {
		w->paths[w->npaths++] =
			ccfc_cwd_absolute(&w->where, w->given_paths[i]);
		w->paths[w->npaths++] =
			ccfc_cwd_real(&w->where, w->given_paths[i]);
	}
	return ccfc_session_revert(reply, cli->client, w->session,
				   w->npaths ? w->paths : NULL, &query, err);
}

static int run_revert(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct work w = {
		.given = opts->args[0],
		.dry_run = ccfc_opts_own(opts, OPT_DRY_RUN)->set,
		.write_conflicts =
			ccfc_opts_own(opts, OPT_WRITE_CONFLICTS)->set,
		.force = ccfc_opts_own(opts, OPT_FORCE)->set,
	};
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int r = ccfc_write_back_recover(&err);

	if (!r)
		r = ask_revert(&reply, &w, cli, opts, &err);
	if (!r) {
		ccfc_cli_note_indexing(ccfc_cli_value(reply));
		r = answer_revert(&w, cli, ccfc_cli_value(reply), &err);
	}
	work_release(&w);
	ccfc_reply_free(reply);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_revert = {
	.name = "revert",
	.usage = "revert SESSION [PATH…] [options]",
	.summary = "take back what a session did, keep what came later",
	.about = "Takes back what a session did to its files, or to those "
		 "that are or are below\na PATH, and keeps what others did to "
		 "them since: a three-way merge for each\nfile. A file that "
		 "the session made is removed if nobody changed it since.\n\n"
		 "If one of the files cannot be done (a conflict, a content "
		 "that is not known),\nnone is touched; the answer says which "
		 "and why. --write-conflicts writes files\nwith conflict "
		 "markers. --dry-run has the exit status that the command\n"
		 "would have.\n\n" CCFC_APPLY_ABOUT,
	.examples = "  ccfc revert 3f2a91c4 --dry-run\n"
		    "  ccfc revert 3f2a91c4\n"
		    "  ccfc revert 3f2a91c4 src/app.ts\n"
		    "  ccfc restore --undo\n",
	.options = options,
	.args_min = 1,
	.args_max = 100000,
	.paged = true,
	.run = run_revert,
};
