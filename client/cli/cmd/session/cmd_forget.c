/*
 * ccfc forget: removes what ccfc keeps of sessions, of a project, of older
 * times, or of files. Shows what would go, asks on a terminal, and then has the
 * daemon remove it.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/frame/pick.h"
#include "cli/out/columns.h"
#include "cli/out/render.h"
#include "wire/to_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPT_BEFORE, OPT_PATH, OPT_PROJECT, OPT_DRY_RUN, OPT_YES, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_BEFORE] = { "before", 0, CCFC_OPT_FROM, "DATE",
			 .help = "sessions whose last line is older" },
	[OPT_PATH] = { "path", 0, CCFC_OPT_TEXT, "GLOB",
		       .help = "changes and contents of files; sessions stay",
		       CCFC_ASKS(path) },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_DIR, "NAME|DIR",
			  .help = "all sessions of this project",
			  CCFC_ASKS(project_path) },
	[OPT_DRY_RUN] = { "dry-run", 0, CCFC_OPT_FLAG,
			  .help = "only show what would be removed" },
	[OPT_YES] = { "yes", 'y', CCFC_OPT_FLAG, .help = "do not ask" },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default) or json",
			 .choices = "table|json" },
	{ 0 },
};

static const struct ccfc_column of_sessions[] = {
	{ "SESSION", "sessionId", .kind = CCFC_CELL_PREFIX },
	{ "LAST", "lastActivity", .kind = CCFC_CELL_WHEN },
	{ "CHANGES", "changes", .kind = CCFC_CELL_COUNT },
	{ "PROJECT", "projectPath", .kind = CCFC_CELL_PATH, .min = 10,
	  .elastic = true },
	{ "TITLE", "title", .kind = CCFC_CELL_TITLE, .min = 20,
	  .elastic = CCFC_TABLE_PROSE },
};

/* --- what was meant --- */

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* A project is named by its directory, which may no longer exist. */
static bool means_project(const char *given)
{
	struct ccfc_slice text = ccfc_slice_str(given);

	if (ccfc_slice_ends(text, ".jsonl") || given[0] == '@')
		return false;
	return strchr(given, '/') || !strcmp(given, ".") ||
	       !strcmp(given, "..") || is_directory(given);
}

static int set_project(struct ccfc_question *q, const char *given,
		       struct ccfc_err *err)
{
	int code = ccfc_question_here(q, err);
	char *real;

	if (code < 0)
		return code;
	real = ccfc_cwd_real(&q->where, given);
	q->query.project_path =
		ccfc_arena_copy(&q->texts, ccfc_slice_str(real)).ptr;
	free(real);
	return 0;
}

/* The daemon includes the moment of `toDate`; --before does not. */
static void set_before(struct ccfc_question *q)
{
	const struct ccfc_opt_value *v = ccfc_opts_own(q->opts, OPT_BEFORE);
	char text[CCFC_TIME_TEXT_MAX];

	if (!v->set)
		return;
	ccfc_time_format(text, v->num - 1);
	q->query.to_date = ccfc_arena_copy(&q->texts, ccfc_slice_str(text)).ptr;
}

static int read_subject(struct ccfc_question *q, struct ccfc_err *err)
{
	const char *given = q->opts->nargs ? q->opts->args[0] : NULL;
	bool project = q->query.project_path ||
		       ccfc_opts_own(q->opts, OPT_BEFORE)->set;
	bool path = q->query.path;
	int code = 0;

	if ((given != NULL && (path || q->query.project_path)) ||
	    (path && project) || (!given && !path && !project)) {
		ccfc_err_set(err, CCFC_EINVAL,
			     "forget: give a SESSION, a PROJECT, --before=DATE "
			     "or --path=GLOB");
		ccfc_err_hint(err, "PROJECT and --before=DATE go together");
		return CCFC_EINVAL;
	}
	if (path)
		code = ccfc_question_here(q, err);
	if (path && !code)
		q->query.cwd = q->where.cwd;
	else if (given && means_project(given))
		code = set_project(q, given, err);
	else if (given && project)
		code = ccfc_err_set(err, CCFC_EINVAL,
				    "forget: --before=DATE is about all "
				    "sessions or those of a PROJECT");
	else if (given)
		code = ccfc_question_session(q, given, err);
	set_before(q);
	return code;
}

/* --- what would go --- */

static void print_bytes(struct ccfc_out *out, int64_t bytes)
{
	ccfc_render_bytes(&out->buf, bytes);
}

static void print_totals(struct ccfc_out *out, struct ccfc_obj root,
			 const char *verb)
{
	long long sessions = ccfc_obj_get_int(root, "totalSessions", 0);
	long long files = ccfc_obj_get_int(root, "totalFiles", 0);
	long long changes = ccfc_obj_get_int(root, "totalChanges", 0);
	long long transcripts = ccfc_obj_get_int(root, "transcripts", 0);

	ccfc_buf_printf(&out->buf, "%s: ", verb);
	if (sessions)
		ccfc_buf_printf(&out->buf, "%lld session%s, ", sessions,
				sessions == 1 ? "" : "s");
	if (files)
		ccfc_buf_printf(&out->buf, "%lld file%s, ", files,
				files == 1 ? "" : "s");
	ccfc_buf_printf(&out->buf, "%lld change%s", changes,
			changes == 1 ? "" : "s");
	if (transcripts) {
		ccfc_buf_printf(&out->buf, ", %lld transcript%s of ",
				transcripts, transcripts == 1 ? "" : "s");
		print_bytes(out, ccfc_obj_get_int(root, "transcriptBytes", 0));
	}
	ccfc_buf_putc(&out->buf, '\n');
}

static void print_list(struct ccfc_out *out, struct ccfc_obj root)
{
	struct ccfc_obj sessions = ccfc_obj_get(root, "sessions");
	struct ccfc_obj files = ccfc_obj_get(root, "files");
	struct ccfc_cells cells = { .out = out, .now = ccfc_time_now() };

	cells.id_length = ccfc_render_unique_length(sessions, "sessionId", 8);
	if (ccfc_obj_len(sessions))
		ccfc_columns_print(out, of_sessions,
				   sizeof(of_sessions) / sizeof(*of_sessions),
				   &cells, sessions);
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		ccfc_out_field(out, ccfc_obj_str(ccfc_obj_at(files, i)));
		ccfc_buf_putc(&out->buf, '\n');
	}
}

/* Only a terminal is asked; elsewhere --yes is needed. */
static bool is_agreed(void)
{
	char word[64];

	fputs("forget this for good? [y/N] ", stderr);
	ccfc_pick_read_line(word, sizeof(word));
	return !strcmp(word, "y") || !strcmp(word, "yes");
}

static int refuse_unasked(void)
{
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_EINVAL, "forget: nothing was forgotten");
	ccfc_err_hint(&err,
		      "use --yes, or --dry-run to see what would be removed");
	return ccfc_cli_fail(&err);
}

/* --- the command --- */

static void print_json(struct ccfc_out *out, struct ccfc_obj root)
{
	ccfc_json_write(&out->buf, root, 2);
	ccfc_buf_putc(&out->buf, '\n');
}

static int show_list(struct ccfc_question *q, bool dry, struct ccfc_err *err)
{
	bool json = q->format == CCFC_FORMAT_JSON;
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_reply *reply;
	int code = ccfc_forget_list(&reply, q->cli->client, q->session,
				    &q->query, err);

	if (code < 0)
		return code;
	if (json && dry) {
		print_json(out, ccfc_cli_value(reply));
	} else if (!json) {
		print_list(out, ccfc_cli_value(reply));
		print_totals(out, ccfc_cli_value(reply),
			     dry ? "would be forgotten" : "to be forgotten");
	}
	ccfc_reply_free(reply);
	return 0;
}

static int forget_chosen(struct ccfc_question *q, struct ccfc_err *err)
{
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_reply *reply;
	int code = ccfc_forget_run(&reply, q->cli->client, q->session,
				   &q->query, err);

	if (code < 0)
		return code;
	if (q->format == CCFC_FORMAT_JSON) {
		print_json(out, ccfc_cli_value(reply));
	} else {
		struct ccfc_obj root = ccfc_cli_value(reply);

		print_totals(out, root, "forgotten");
		ccfc_buf_puts(&out->buf, "freed ");
		print_bytes(out, ccfc_obj_get_int(root, "freedBytes", 0));
		ccfc_buf_printf(
			&out->buf, ", %lld entries of the undo area\n",
			(long long)ccfc_obj_get_int(root, "undoEntries", 0));
	}
	ccfc_reply_free(reply);
	return 0;
}

static int run_question(struct ccfc_question *q)
{
	bool dry = ccfc_opts_own(q->opts, OPT_DRY_RUN)->set;
	bool yes = ccfc_opts_own(q->opts, OPT_YES)->set;
	struct ccfc_err err;
	int code = read_subject(q, &err);

	if (!code)
		code = ccfc_cli_connect(q->cli, CCFC_SPAWN_DEFAULT, &err);
	if (code >= 0 && (dry || !yes))
		code = show_list(q, dry, &err);
	if (code < 0)
		return ccfc_cli_fail(&err);
	if (dry)
		return CCFC_EXIT_FOUND;
	if (!yes) {
		ccfc_out_flush(&q->cli->out);
		if (!isatty(STDIN_FILENO) || !is_agreed())
			return refuse_unasked();
	}
	return forget_chosen(q, &err) < 0 ? ccfc_cli_fail(&err)
					  : CCFC_EXIT_FOUND;
}

static int run_forget(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_question q;
	struct ccfc_err err;
	int code = ccfc_question_init(&q, cli, opts, &err);

	code = code < 0 ? ccfc_cli_fail(&err) : run_question(&q);
	ccfc_question_release(&q);
	return code;
}

const struct ccfc_command ccfc_cmd_forget = {
	.name = "forget",
	.usage = "forget SESSION|PROJECT [options]\n"
		 "       ccfc forget [PROJECT] --before=DATE [options]\n"
		 "       ccfc forget --path=GLOB [options]",
	.summary = "remove what ccfc keeps, for good",
	.topic = CCFC_TOPIC_SESSIONS,
	.about = "Removes sessions permanently from everything that ccfc "
		 "keeps: index, texts,\n"
		 "archive, contents seen on disk, names and tags, undo area. "
		 "They stay forgotten,\n"
		 "even if their transcripts still exist, grow, or are read "
		 "again. --path removes\n"
		 "the changes, contents and names of files up to now; the "
		 "sessions stay with all\n"
		 "their messages, even those that quote a file. --before "
		 "removes whole sessions:\n"
		 "a session that went on after DATE stays. Claude Code's own "
		 "files are not\n"
		 "touched: delete the transcripts, too, if nobody may read "
		 "them.\n"
		 "\n"
		 "PROJECT is a directory. Sessions that begin there later are "
		 "read as usual;\n"
		 "'exclude' in ccfc.conf(5) keeps a project out. On a terminal "
		 "ccfc asks first;\n"
		 "elsewhere --yes is needed.",
	.examples = "  ccfc forget 3f2a --dry-run\n"
		    "  ccfc forget ~/src/secret --yes\n"
		    "  ccfc forget --before='6 months ago'\n"
		    "  ccfc forget --path='**/.env*'\n",
	.options = options,
	.args_max = 1,
	.writes = true,
	.run = run_forget,
};
