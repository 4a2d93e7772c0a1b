/*
 * ccfc revert: undoes a session's changes, or single changes, and keeps later
 * changes by others. The daemon merges and plans the new content of each file;
 * this command shows the plan, or writes it: all of it, or nothing.
 */
#include "base/alloc.h"
#include "base/path.h"
#include "cli/frame/connect.h"
#include "cli/undo/revert_print.h"
#include "cli/undo/write_back.h"

#include <stdlib.h>

#define NAME_PATHS "name those that can be done: ccfc revert SESSION PATH…"

enum {
	OPT_DRY_RUN,
	OPT_WRITE_CONFLICTS,
	OPT_FORCE,
	OPT_OUTSIDE,
	OPT_UNDO,
};

static const struct ccfc_opt options[] = {
	[OPT_DRY_RUN] = CCFC_APPLY_DRY_RUN,
	[OPT_WRITE_CONFLICTS] = { "write-conflicts", 0, CCFC_OPT_FLAG,
				  .help = "write files with conflict markers "
					  "in them" },
	[OPT_FORCE] = CCFC_APPLY_FORCE(
		"also files that have several names (hard links)"),
	[OPT_OUTSIDE] = CCFC_OUTSIDE_OPTION,
	[OPT_UNDO] = CCFC_APPLY_UNDO("revert or restore"),
	{ 0 },
};

struct work {
	const char *given; /* the session or the first change, as typed */
	bool single;	   /* undoes single changes, not a session */
	const char *const *changes; /* with `single`: further changes */
	uint32_t nchanges;
	bool dry_run, write_conflicts, force;
	struct ccfc_cwd where;
	char *session;
	const char *const *given_paths;
	uint32_t ngiven;
	/*
	 * Two names of each given path: as the shell has it, and without links.
	 */
	const char **paths;
	uint32_t npaths;
	/* The planned edits; paths and hashes are owned. */
	struct ccfc_file_edit *edits;
	uint32_t n;
	uint32_t stuck; /* files that cannot be reverted */
	struct ccfc_outside outside;
	uint32_t refused;      /* files that need --outside or --outside=PATH */
	enum ccfc_reach worst; /* the worst refusal */
	const char *example;   /* the first file with that refusal */
	char **why;	       /* by the file's number; NULL: written */
	uint32_t nfiles;
	bool markers; /* --write-conflicts would write some refused files */
	struct ccfc_revert_left left;
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
	for (uint32_t i = 0; i < w->nfiles; i++)
		free(w->why[i]);
	free(w->why);
	ccfc_outside_release(&w->outside);
	ccfc_cwd_release(&w->where);
}

/* ---- the plan ---- */

static bool has_content(struct ccfc_obj file)
{
	enum ccfc_obj_type type = ccfc_obj_type(ccfc_obj_get(file, "content"));

	return type == CCFC_OBJ_BIN || type == CCFC_OBJ_STR;
}

/* Is it a conflict in the text, which can be written with markers? */
static bool has_markers(struct ccfc_obj file)
{
	return ccfc_obj_get_int(file, "conflicts", 0) > 0 && has_content(file);
}

static char *copy_slice(struct ccfc_slice s)
{
	return ccfc_strndup(s.len ? s.ptr : "", s.len);
}

/*
 * Counts the file if it needs --outside or --outside=PATH. `edit` has its
 * place, which is found only once.
 */
static void check_edit(struct work *w, const struct ccfc_file_edit *edit,
		       uint32_t i, struct ccfc_obj file)
{
	char *path = copy_slice(ccfc_obj_get_str(file, "path"));
	struct ccfc_buf why = CCFC_BUF_INIT;
	enum ccfc_reach reach =
		ccfc_outside_judge(&why, &w->outside, path, edit->path,
				   ccfc_obj_get_str(file, "foreign"));

	if (reach != CCFC_INSIDE) {
		w->refused++;
		w->why[i] = ccfc_buf_detach(&why, NULL);
	}
	if (reach > w->worst) {
		w->worst = reach;
		w->example = edit->path;
	}
	ccfc_buf_release(&why);
	free(path);
}

static void add_edit(struct work *w, uint32_t i, struct ccfc_obj file,
		     bool exists)
{
	struct ccfc_obj present = ccfc_obj_get(file, "present");
	struct ccfc_slice sha256 = ccfc_obj_get_str(present, "sha256");
	char *path = copy_slice(ccfc_obj_get_str(file, "path"));

	if (!ccfc_obj_get_bool(present, "exists", false))
		sha256.len = 0;
	w->edits[w->n] = (struct ccfc_file_edit){
		.path = ccfc_cwd_place(&w->where, path),
		.expect = copy_slice(sha256),
		.exists = exists,
		.content = exists ? ccfc_obj_get_str(file, "content")
				  : CCFC_SLICE_NONE,
	};
	check_edit(w, &w->edits[w->n++], i, file);
	free(path);
}

static void plan_file(struct work *w, uint32_t i, struct ccfc_obj file)
{
	switch (ccfc_revert_action(file)) {
	case CCFC_REVERT_NONE:
		return;
	case CCFC_REVERT_WRITE:
	case CCFC_REVERT_CREATE:
		if (has_content(file))
			add_edit(w, i, file, true);
		else
			w->stuck++;
		return;
	case CCFC_REVERT_REMOVE:
		add_edit(w, i, file, false);
		return;
	case CCFC_REVERT_CONFLICT:
		if (has_markers(file) && w->write_conflicts) {
			add_edit(w, i, file, true);
			return;
		}
		w->markers |= has_markers(file);
		w->stuck++;
		return;
	case CCFC_REVERT_STUCK:
		if (ccfc_revert_is_left(file))
			w->left.files++;
		else
			w->stuck++;
		return;
	}
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

static int refuse_outside(const struct work *w, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EDENIED,
		     "revert: %u of %u files are refused: nothing was written",
		     w->refused, w->n);
	ccfc_outside_hint(err, w->worst, w->example);
	return CCFC_EDENIED;
}

/* ---- doing it ---- */

static int write_reverted(char id[CCFC_UNDO_ID_MAX], const struct work *w,
			  struct ccfc_err *err)
{
	struct ccfc_buf command = CCFC_BUF_INIT;
	struct ccfc_file_edits edits = { .kind = CCFC_UNDO_CHANGE,
					 .force = w->force,
					 .items = w->edits,
					 .n = w->n };
	int r;

	ccfc_buf_printf(&command, "revert %s", w->given);
	for (uint32_t i = 0; i < w->nchanges; i++)
		ccfc_buf_printf(&command, " %s", w->changes[i]);
	for (uint32_t i = 0; i < w->ngiven; i++)
		ccfc_buf_printf(&command, " %s", w->given_paths[i]);
	edits.command = command.ptr;
	r = ccfc_write_back(id, &edits, err);
	ccfc_buf_release(&command);
	return r;
}

static void print_files(struct ccfc_out *out, const struct work *w,
			struct ccfc_obj files)
{
	for (uint32_t i = 0; i < w->nfiles; i++)
		ccfc_revert_print_file(out, ccfc_obj_at(files, i), w->why[i]);
}

/* Carries out the plan, and prints it. */
static int finish_revert(const struct work *w, struct ccfc_cli *cli,
			 struct ccfc_obj files, struct ccfc_err *err)
{
	struct ccfc_out *out = &cli->out;
	char id[CCFC_UNDO_ID_MAX];
	int r = w->n ? write_reverted(id, w, err) : 0;

	if (r < 0)
		return r;
	print_files(out, w, files);
	if (w->n)
		ccfc_write_back_print_id(out, id);
	else
		ccfc_buf_puts(&out->buf, "nothing to do\n");
	ccfc_revert_print_left(out, &w->left);
	return 0;
}

/* Is one of the files at or below the given path `i`? */
static bool is_named_path(const struct work *w, struct ccfc_obj files,
			  uint32_t i)
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

/* Refuses everything if a path may be mistyped. */
static int check_paths(const struct work *w, struct ccfc_obj files,
		       struct ccfc_err *err)
{
	if (!ccfc_obj_len(files)) {
		ccfc_err_set(err, CCFC_ENOTFOUND,
			     "revert: nothing found: %s %s has no such "
			     "changes",
			     w->single ? "change" : "session", w->given);
		if (w->left.commands)
			ccfc_err_hint(err,
				      "the effects of %lld commands are not "
				      "known: ccfc show %s",
				      (long long)w->left.commands, w->given);
		return CCFC_ENOTFOUND;
	}
	for (uint32_t i = 0; i < w->ngiven; i++)
		if (!is_named_path(w, files, i))
			return ccfc_err_set(err, CCFC_ENOTFOUND,
					    "revert: session %s did not "
					    "change %s",
					    w->given, w->given_paths[i]);
	return 0;
}

/* If one file was refused, hints at naming the others. */
static int name_paths(int r, struct ccfc_err *err)
{
	if (r == CCFC_EDENIED && !*err->hint)
		ccfc_err_hint(err, NAME_PATHS);
	return r;
}

/* A session at work may write its own version of the files again. */
static void note_live(struct ccfc_obj root)
{
	struct ccfc_slice id = ccfc_obj_get_str(root, "sessionId");
	struct ccfc_slice status = ccfc_obj_get_str(root, "status");

	if (ccfc_slice_is(status, "active") || ccfc_slice_is(status, "waiting"))
		ccfc_cli_note("session %.*s is still at work (%.*s): it may "
			      "change these files again",
			      (int)(id.len < 8 ? id.len : 8), id.ptr,
			      (int)status.len, status.ptr);
}

static int answer_revert(struct work *w, struct ccfc_cli *cli,
			 struct ccfc_obj root, struct ccfc_err *err)
{
	struct ccfc_out *out = &cli->out;
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	uint32_t n = ccfc_obj_len(files);
	int r;

	if (!w->single)
		w->left.commands = ccfc_obj_get_int(root, "unknownCommands", 0);
	r = check_paths(w, files, err);
	if (r < 0)
		return r;
	note_live(root);
	ccfc_outside_origin(&w->outside, root);
	w->edits = ccfc_calloc(n, sizeof(*w->edits));
	w->why = ccfc_calloc(n, sizeof(*w->why));
	w->nfiles = n;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_obj file = ccfc_obj_at(files, i);

		plan_file(w, i, file);
		if (w->dry_run)
			ccfc_revert_preview_file(out, file, w->why[i]);
	}
	r = ccfc_write_back_check(cli, "revert", &w->where, w->edits, w->n,
				  err);
	if (r < 0)
		return name_paths(r, err);
	if ((w->stuck || w->refused) && !w->dry_run)
		print_files(out, w, files);
	if (w->stuck)
		return refuse_revert(w, n, err);
	if (w->refused)
		return refuse_outside(w, err);
	if (!w->dry_run)
		ccfc_revert_note_files(files);
	if (!w->single)
		ccfc_revert_note_commands(&w->left, w->given,
					  ccfc_obj_get(root, "commands"));
	if (w->left.files == n)
		return ccfc_revert_fail_left(&w->left, err);
	if (!w->dry_run)
		return name_paths(finish_revert(w, cli, files, err), err);
	ccfc_revert_note_left(&w->left);
	return 0;
}

static int ask_session(struct ccfc_reply **reply, struct work *w,
		       struct ccfc_cli *cli, const struct ccfc_opts *opts,
		       struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	int r = ccfc_cwd_session(&w->session, opts->args[0], err);

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

/* All arguments are changes. */
static int ask_changes(struct ccfc_reply **reply, struct work *w,
		       struct ccfc_cli *cli, const struct ccfc_opts *opts,
		       struct ccfc_err *err)
{
	size_t n = (size_t)opts->nargs;
	const char **list = ccfc_calloc(n + 1, sizeof(*list));
	struct ccfc_query query = CCFC_QUERY_INIT;
	int r;

	memcpy(list, opts->args, n * sizeof(*list));
	query.cwd = w->where.cwd;
	r = ccfc_changes_revert(reply, cli->client, list, &query, err);
	free(list);
	w->single = !r;
	if (r)
		return r;
	w->changes = opts->args + 1;
	w->nchanges = (uint32_t)n - 1;
	w->ngiven = 0;
	return 0;
}

static bool is_change_id(const char *text)
{
	return ccfc_slice_starts(ccfc_slice_str(text), "toolu_");
}

static int ask_revert(struct ccfc_reply **reply, struct work *w,
		      struct ccfc_cli *cli, const struct ccfc_opts *opts,
		      struct ccfc_err *err)
{
	struct ccfc_err second;
	int r = ccfc_cwd_init(&w->where, err);

	if (!r)
		r = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, err);
	if (r < 0)
		return r;
	ccfc_outside_init(&w->outside, &w->where,
			  ccfc_opts_own(opts, OPT_OUTSIDE));
	if (is_change_id(opts->args[0]))
		return ask_changes(reply, w, cli, opts, err);
	r = ask_session(reply, w, cli, opts, err);
	if (r != CCFC_ENOTFOUND)
		return r;
	r = ask_changes(reply, w, cli, opts, &second);
	/* A word that is neither was meant as a session. */
	if (r < 0 && r != CCFC_ENOTFOUND)
		*err = second;
	return r;
}

static int run_plan(struct ccfc_cli *cli, const struct ccfc_opts *opts)
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

static int run_revert(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	bool undo = ccfc_opts_own(opts, OPT_UNDO)->set;
	struct ccfc_err err;

	if (undo && opts->nargs <= 1)
		return ccfc_restore_undo(cli,
					 opts->nargs ? opts->args[0] : NULL,
					 ccfc_opts_own(opts, OPT_DRY_RUN)->set,
					 ccfc_opts_own(opts, OPT_FORCE)->set);
	if (!undo && opts->nargs)
		return run_plan(cli, opts);
	ccfc_err_set(&err, CCFC_EINVAL,
		     undo ? "revert: --undo takes one ID"
			  : "revert: which session, or which change?");
	ccfc_err_hint(&err, undo ? "ccfc restore --list shows them"
				 : "ccfc revert SESSION, or CHANGE…");
	return ccfc_cli_fail(&err);
}

const struct ccfc_command ccfc_cmd_revert = {
	.name = "revert",
	.usage = "revert SESSION [PATH…] [options]\n"
		 "       ccfc revert CHANGE… [options]\n"
		 "       ccfc revert --undo [ID]",
	.summary = "take back what a session or a change did, keep the rest",
	.about = "Undoes what a session did to its files, or to the files at "
		 "or below a PATH, and\n"
		 "keeps what others did since: a three-way merge for each "
		 "file. A file that the\n"
		 "session created is removed if nobody changed it since.\n"
		 "\n"
		 "With CHANGEs (ids of one session, or prefixes of at least 6 "
		 "characters) only\n"
		 "these are undone, in every file that they changed. --undo "
		 "is that of restore.\n"
		 "A note says if the session is still at work.\n"
		 "\n"
		 "If one of the files cannot be reverted (a conflict, or "
		 "content that is not\n"
		 "known), none is touched; the answer says which and why. "
		 "--write-conflicts\n"
		 "writes files with conflict markers. --dry-run has the exit "
		 "status that the\n"
		 "command would have.\n"
		 "\n"
		 "What commands of the session's shell changed is taken back "
		 "where the content\n"
		 "before is known; the answer says while which command each "
		 "change came. Files\n"
		 "that only commands changed, and whose content is not known, "
		 "stay as they are, as\n"
		 "do effects of commands that are not known; these are listed "
		 "before anything is\n"
		 "written, and counted again at the end. That is no error, "
		 "unless nothing at all\n"
		 "can be taken back.\n"
		 "\n" CCFC_OUTSIDE_ABOUT "\n"
		 "\n" CCFC_APPLY_ABOUT,
	.examples = "  ccfc revert 3f2a91c4 --dry-run\n"
		    "  ccfc revert 3f2a91c4\n"
		    "  ccfc revert 3f2a91c4 src/app.ts\n"
		    "  ccfc revert toolu_01A2b3\n"
		    "  ccfc revert --undo\n",
	.options = options,
	.instead = "undo",
	.args_min = 0,
	.args_max = 100000,
	.paged = true,
	.writes = true,
	.topic = CCFC_TOPIC_UNDO,
	.run = run_revert,
};
