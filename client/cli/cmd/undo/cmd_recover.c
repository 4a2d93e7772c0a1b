/*
 * ccfc recover: the last known content of many files, listed, or written out
 * below a directory that the user names.
 *
 * First the list of all files is fetched, page by page; only then is anything
 * written, since a written file could change which files are missing. Contents
 * are fetched one at a time, so that memory is bounded by the largest content.
 * The report has the outcome for each file and is written last.
 */
#include "base/alloc.h"
#include "base/path.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/out/render.h"
#include "cli/report/recover_print.h"
#include "cli/write/claude_dirs.h"
#include "wire/to_json.h"

#include <stdlib.h>

#define PAGE 10000

enum {
	OPT_DELETED,
	OPT_OUTPUT,
	OPT_KEYWORD,
	OPT_PROJECT,
	OPT_FORMAT,
	OPT_OUTSIDE,
	OPT_LIST,
	OPT_ALL
};

static const struct ccfc_opt options[] = {
	[OPT_DELETED] = { "deleted", 0, CCFC_OPT_FLAG,
			  .help = "files of the current project that are "
				  "gone" },
	[OPT_OUTPUT] = { "output", 'o', CCFC_OPT_TEXT, "DIR",
			 .help = "write the files below DIR" },
	[OPT_KEYWORD] = { "keyword", 'k', CCFC_OPT_WORDS, "WORD",
			  .help = "only files with WORD (all WORDs) in path "
				  "or content" },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_DIR, "NAME|DIR",
			  .help = "with --deleted: only files of this project",
			  CCFC_ASKS(project_path) },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "table (default) or json",
			 .choices = "table|json" },
	[OPT_OUTSIDE] = { "outside", 0, CCFC_OPT_NAMED, "PATH",
			  .help = "also PATH, which other programs run or "
				  "trust" },
	[OPT_LIST] = { "list", 0, CCFC_OPT_FLAG,
		       .help = "only show which files (the default without "
			       "-o)" },
	[OPT_ALL] = CCFC_SCOPE_ALL,
	{ 0 },
};

/* One run. */
struct job {
	struct ccfc_cli *cli;
	const struct ccfc_opts *opts;
	struct ccfc_question q;
	char *dir;
	struct ccfc_recover result;
	struct {
		struct ccfc_reply **items;
		uint32_t n, cap;
	} pages;
};

static void add_rows(struct job *job, struct ccfc_obj files)
{
	for (uint32_t i = 0; i < ccfc_obj_len(files); i++) {
		struct ccfc_recover_row row = {
			.file = ccfc_obj_at(files, i),
			.what = CCFC_RECOVER_LEFT,
		};

		CCFC_VEC_PUSH(job->result.rows, row);
	}
}

/* Asks for all files there are. */
static int ask_files(struct job *job, struct ccfc_err *err)
{
	const char *const *keywords =
		ccfc_opts_own(job->opts, OPT_KEYWORD)->list.items;
	struct ccfc_query *query = &job->q.query;
	uint32_t got;

	query->limit = PAGE;
	do {
		struct ccfc_reply *reply;
		struct ccfc_obj root;
		int code = ccfc_session_recover(&reply, job->cli->client,
						job->q.session, keywords, query,
						err);

		if (code < 0)
			return code;
		CCFC_VEC_PUSH(job->pages, reply);
		root = ccfc_cli_value(reply);
		if (!query->offset) {
			ccfc_cli_note_indexing(root);
			ccfc_question_note_scope(&job->q, root);
		}
		got = ccfc_obj_len(ccfc_obj_get(root, "files"));
		add_rows(job, ccfc_obj_get(root, "files"));
		query->offset += got;
		if (query->offset >= ccfc_obj_get_int(root, "total", 0)) {
			got = 0;
			if (ccfc_obj_get_bool(root, "truncated", false))
				ccfc_cli_note("not all contents were searched "
					      "for the keywords");
		}
	} while (got);
	return 0;
}

static int ask_recover(struct job *job, struct ccfc_err *err)
{
	int code = 0;

	if (job->opts->nargs) {
		job->q.query.here = NULL; /* in any project */
		code = ccfc_question_session(&job->q, job->opts->args[0], err);
	}
	if (!code)
		code = ccfc_cli_connect(job->cli, CCFC_SPAWN_DEFAULT, err);
	return code < 0 ? code : ask_files(job, err);
}

/* Nothing is ever written below a directory of Claude Code. */
static int check_dir(struct job *job, struct ccfc_err *err)
{
	int code =
		ccfc_claude_roots_dirs_init(&job->result.roots, job->cli, err);

	if (!code)
		code = ccfc_claude_roots_dirs_refuse(&job->result.roots,
						     "recover", &job->q.where,
						     job->dir, err);
	if (code == CCFC_EDENIED)
		ccfc_err_hint(err, "choose another with -o DIR");
	return code;
}

/* Prints the table or the report; saves the report in the directory. */
static int finish_recover(struct job *job, bool save)
{
	struct ccfc_out *out = &job->cli->out;
	struct ccfc_buf json = CCFC_BUF_INIT, name = CCFC_BUF_INIT;
	struct ccfc_obj report = ccfc_recover_report(&job->result);
	struct ccfc_err err;
	int code = 0;

	ccfc_json_write(&json, report, 2);
	ccfc_buf_putc(&json, '\n');
	if (save)
		code = ccfc_recover_save(&name, &job->result, &json, &err);
	if (job->q.format == CCFC_FORMAT_JSON) {
		ccfc_buf_slice(&out->buf, ccfc_buf_view(&json));
	} else {
		ccfc_recover_table(out, report);
		ccfc_buf_printf(
			&out->buf, "\n%u of %u written below ",
			ccfc_recover_count(&job->result, CCFC_RECOVERED),
			job->result.rows.n);
		ccfc_out_field(out, ccfc_slice_str(job->dir));
		if (save && !code)
			ccfc_buf_printf(&out->buf, ", with %s", name.ptr);
		ccfc_buf_putc(&out->buf, '\n');
	}
	if (code < 0)
		ccfc_cli_fail(&err);
	ccfc_buf_release(&json);
	ccfc_buf_release(&name);
	return code;
}

static int exit_status_of(const struct ccfc_recover *r)
{
	uint32_t absent = ccfc_recover_count(r, CCFC_RECOVER_ABSENT);

	if (ccfc_recover_count(r, CCFC_RECOVER_EXISTS) ||
	    ccfc_recover_count(r, CCFC_RECOVER_REFUSED) ||
	    ccfc_recover_count(r, CCFC_RECOVER_FAILED))
		return CCFC_EXIT_ERROR;
	if (ccfc_recover_count(r, CCFC_RECOVERED))
		return CCFC_EXIT_FOUND;
	return absent == r->rows.n ? CCFC_EXIT_NOTHING : CCFC_EXIT_ERROR;
}

static int recover_rows(struct job *job)
{
	struct ccfc_recover *r = &job->result;
	int stop = 0;

	ccfc_recover_names(r);
	for (uint32_t i = 0; i < r->rows.n && !stop; i++)
		stop = ccfc_recover_row(r, &r->rows.items[i], job->cli->client);
	/* If there is no space for a file, there is none for a report. */
	if (finish_recover(job, stop != CCFC_EIO) < 0 || stop == CCFC_EIO)
		return CCFC_EXIT_ERROR;
	return stop ? CCFC_EXIT_UNREACHABLE : exit_status_of(r);
}

/* Lists what -o would write; writes nothing. */
static int list_files(struct job *job)
{
	struct ccfc_out *out = &job->cli->out;

	ccfc_recover_names(&job->result);
	if (job->q.format == CCFC_FORMAT_JSON) {
		ccfc_render_json(out, ccfc_recover_report(&job->result), 2);
		return CCFC_EXIT_FOUND;
	}
	ccfc_recover_list(out, &job->result);
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_render_count(&out->buf, job->result.rows.n, "file");
	ccfc_buf_puts(&out->buf, "; nothing was written, -o DIR writes them "
				 "below DIR\n");
	return CCFC_EXIT_FOUND;
}

static int fail_nothing(const struct ccfc_opts *opts)
{
	struct ccfc_err err;

	ccfc_err_set(&err, CCFC_ENOTFOUND, "recover: nothing found: %s",
		     opts->nargs ? "the session has no such files"
				 : "no such file is gone");
	if (ccfc_opts_own(opts, OPT_KEYWORD)->set)
		ccfc_err_hint(&err, "every -k has to be in the path or in the "
				    "content of a file");
	return ccfc_cli_fail(&err);
}

static int run_job(struct job *job)
{
	const struct ccfc_opt_value *output =
		ccfc_opts_own(job->opts, OPT_OUTPUT);
	struct ccfc_err err;

	if (ccfc_question_here(&job->q, &err) < 0)
		return ccfc_cli_fail(&err);
	if (output->set)
		job->dir = ccfc_cwd_absolute(&job->q.where, output->text);
	if (ask_recover(job, &err) < 0)
		return ccfc_cli_fail(&err);
	if (!job->result.rows.n)
		return fail_nothing(job->opts);
	if (!job->dir || ccfc_opts_own(job->opts, OPT_LIST)->set)
		return list_files(job);
	if (check_dir(job, &err) < 0 ||
	    ccfc_new_files_init(&job->result.keep, job->dir, &err) < 0)
		return ccfc_cli_fail(&err);
	ccfc_outside_init(&job->result.outside, &job->q.where,
			  ccfc_opts_own(job->opts, OPT_OUTSIDE));
	ccfc_outside_root(&job->result.outside,
			  ccfc_slice_str(job->result.keep.real));
	return recover_rows(job);
}

static int check_words(const struct ccfc_opts *opts, struct ccfc_err *err)
{
	bool deleted = ccfc_opts_own(opts, OPT_DELETED)->set;

	/* Without an argument, --list lists all deleted files. */
	if (!opts->nargs && ccfc_opts_own(opts, OPT_LIST)->set)
		return 0;
	if (!opts->nargs && !deleted) {
		ccfc_err_set(err, CCFC_EINVAL,
			     "recover: which session, or --deleted?");
		ccfc_err_hint(err, "ccfc recover --list lists the files of "
				   "this project that are gone");
		return CCFC_EINVAL;
	}
	if (opts->nargs && deleted)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "recover: --deleted: is of all sessions, "
				    "not of '%s'",
				    opts->args[0]);
	if (!deleted && ccfc_opts_own(opts, OPT_PROJECT)->set)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "recover: --project: only with --deleted");
	return 0;
}

static int run_recover(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct job job = { .cli = cli, .opts = opts };
	struct ccfc_err err;
	int status;

	if (check_words(opts, &err) < 0)
		return ccfc_cli_fail(&err);
	ccfc_recover_init(&job.result);
	if (ccfc_question_init(&job.q, cli, opts, &err) < 0)
		status = ccfc_cli_fail(&err);
	else
		status = run_job(&job);
	ccfc_recover_release(&job.result);
	for (uint32_t i = 0; i < job.pages.n; i++)
		ccfc_reply_free(job.pages.items[i]);
	free(job.pages.items);
	ccfc_question_release(&job.q);
	free(job.dir);
	return status;
}

const struct ccfc_command ccfc_cmd_recover = {
	.name = "recover",
	.usage = "recover SESSION|--deleted [options]",
	.summary = "list files whose content is known, or write it",
	.about = "Lists the files of a session, or the deleted files of the "
		 "current project, whose\n"
		 "last content is known.\n"
		 "With -o DIR, writes that content below DIR, under their "
		 "names in the project.\n"
		 "Without -o nothing is written. Nothing that exists\n"
		 "is overwritten, and nothing is written elsewhere. Files "
		 "that other programs run\n"
		 "or trust (start-up files, .ssh, .git, .claude and similar) "
		 "must be named by\n"
		 "their new place, each with --outside=PATH.\n"
		 "\n"
		 "DIR/REPORT.json has for each file the source of the "
		 "content, whether it is\n"
		 "exact or reconstructed, and its SHA-256. Content that is "
		 "only partly known is\n"
		 "not written; ccfc cat --partial shows it.",
	.examples = "  ccfc recover 3f2a\n"
		    "  ccfc recover --deleted\n"
		    "  ccfc recover 3f2a -o /tmp/old -k login\n"
		    "  ccfc recover --deleted --all -o rescued\n"
		    "  ccfc recover --deleted -k 'class Parser' "
		    "--format=json\n",
	.options = options,
	.args_max = 1,
	.writes = true,
	.topic = CCFC_TOPIC_UNDO,
	.run = run_recover,
};
