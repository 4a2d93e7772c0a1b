/*
 * ccfc export: a session as one document, page by page as the daemon answers,
 * so that no session is too long.
 */
#include "cli/conversation/export.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/out/render.h"
#include "cli/state/state_export.h"
#include "cli/write/claude_dirs.h"
#include "cli/write/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTENT_MAX (64 << 20) /* the daemon's limit for a text */

enum {
	OPT_FORMAT,
	OPT_REDACT,
	OPT_THINKING,
	OPT_OUTPUT,
	OPT_FORCE,
	OPT_CHECK,
	OPT_ALL,
	OPT_PROJECT
};

static const struct ccfc_opt options[] = {
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "markdown, json, html; default: as FILE ends",
			 .choices = "markdown|json|html" },
	[OPT_REDACT] = { "redact", 0, CCFC_OPT_FLAG,
			 .help = "replace secrets, addresses, names and "
				 "homes" },
	[OPT_THINKING] = { "thinking", 0, CCFC_OPT_FLAG,
			   .help = "include the model's thinking",
			   CCFC_ASKS(thinking) },
	[OPT_OUTPUT] = { "output", 'o', CCFC_OPT_TEXT, "FILE",
			 .help = "write FILE, with mode 0600; default stdout" },
	[OPT_FORCE] = { "force", 'f', CCFC_OPT_FLAG,
			.help = "with -o: replace FILE if it exists" },
	[OPT_CHECK] = { "check", 0, CCFC_OPT_FLAG,
			.help = "write nothing; say what --redact would "
				"replace" },
	[OPT_ALL] = { "all", 0, CCFC_OPT_FLAG,
		      .help = "write all that is kept to a new DIR" },
	[OPT_PROJECT] = { "project", 0, CCFC_OPT_DIR, "NAME|DIR",
			  .help = "with --all: only this project",
			  CCFC_ASKS(project_path) },
	{ 0 },
};

/* One run. */
struct job {
	struct ccfc_cli *cli;
	const struct ccfc_opts *opts;
	const struct ccfc_export *export;
	struct ccfc_question q;
	char *path;		  /* of -o; NULL: stdout */
	struct ccfc_reply *reply; /* of session.get */
	struct ccfc_redact redact;
	struct ccfc_message_stream stream;
	enum ccfc_export_format format;
	bool nothing; /* --check found nothing */
};

static bool has_option(const struct job *job, int option)
{
	return ccfc_opts_own(job->opts, option)->set;
}

/* Learns the names to replace: of the user, the host, and in paths. */
static void learn_names(struct job *job, struct ccfc_obj info)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	ccfc_redact_init(&job->redact, getenv("HOME"), host);
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "projectPath"));
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "cwd"));
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "filePath"));
}

/* The changed files, before the messages. */
static int write_files(struct job *job, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_doc *doc = NULL;
	struct ccfc_obj root;
	struct ccfc_pack p;
	int code;

	if (!job->export->files)
		return 0;
	code = ccfc_session_files(&reply, job->cli->client, job->q.session,
				  &query, err);
	if (code < 0)
		return code == CCFC_ENOTFOUND ? 0 : code;
	root = ccfc_cli_value(reply);
	if (job->stream.redact) {
		ccfc_pack_init(&p, &packed);
		ccfc_redact_pack(&p, &job->redact, root, NULL);
		code = ccfc_doc_parse(&doc, ccfc_buf_view(&packed), err);
		root = code < 0 ? root : ccfc_doc_root(doc);
	}
	if (!code && ccfc_obj_len(ccfc_obj_get(root, "files")))
		job->export->files(&job->stream, root);
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	ccfc_reply_free(reply);
	return code;
}

/* The whole document, to `stream.out`. */
static int write_document(struct job *job, struct ccfc_obj info,
			  struct ccfc_err *err)
{
	int64_t agents =
		ccfc_obj_get_int(ccfc_obj_get(info, "agents"), "count", 0);
	struct ccfc_message_stream *stream = &job->stream;
	int code;

	stream->project = ccfc_obj_get_str(info, "projectPath");
	job->export->head(stream, info);
	code = write_files(job, err);
	if (code < 0)
		return code;
	if (job->export->begin)
		job->export->begin(stream);
	code = ccfc_message_stream_run(stream, err);
	/* A session without messages can be exported too. */
	if (code == CCFC_ENOTFOUND)
		code = 0;
	if (code < 0)
		return code;
	job->export->rest(stream);
	code = ccfc_message_stream_rest(stream, agents, err);
	if (!code)
		job->export->foot(stream);
	return code;
}

static int write_redacted(struct job *job, struct ccfc_obj info,
			  struct ccfc_err *err)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack p;
	int code;

	learn_names(job, info);
	job->stream.redact = &job->redact;
	ccfc_pack_init(&p, &packed);
	ccfc_redact_pack(&p, &job->redact, info, "messages");
	code = ccfc_doc_parse(&doc, ccfc_buf_view(&packed), err);
	if (!code)
		code = write_document(job, ccfc_doc_root(doc), err);
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
	return code;
}

static int write_to(struct job *job, struct ccfc_out *out, struct ccfc_err *err)
{
	struct ccfc_obj info = ccfc_cli_value(job->reply);
	struct ccfc_message_stream *stream = &job->stream;

	ccfc_message_stream_init(stream);
	stream->client = job->cli->client;
	stream->out = out;
	stream->session = job->q.session;
	stream->writer = job->export->writer;
	stream->agents = job->export->agents;
	stream->full = true;
	stream->query.thinking = job->q.query.thinking;
	stream->query.max_content = CONTENT_MAX;
	return has_option(job, OPT_REDACT) || has_option(job, OPT_CHECK)
		       ? write_redacted(job, info, err)
		       : write_document(job, info, err);
}

static int write_file(struct job *job, struct ccfc_err *err)
{
	bool force = has_option(job, OPT_FORCE);
	struct ccfc_new_file save;
	struct ccfc_out out;
	int code = ccfc_new_file_init(&save, job->path, force, err);

	if (!code) {
		struct ccfc_err second;

		ccfc_out_init(&out, save.fd);
		code = write_to(job, &out, err);
		if (ccfc_out_finish(&out, &second) < 0 && !code) {
			*err = second;
			code = second.code;
		}
	}
	if (!code)
		code = ccfc_new_file_commit(&save, force, err);
	ccfc_new_file_release(&save);
	return code;
}

static int ask_export(struct job *job, struct ccfc_err *err)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	const char *path = job->path;
	int code = ccfc_question_session(&job->q, job->opts->args[0], err);

	query.content = CCFC_CONTENT_NO;
	if (!code)
		code = ccfc_cli_connect(job->cli, CCFC_SPAWN_DEFAULT, err);
	if (!code && path) {
		code = ccfc_claude_roots_dirs_check(
			job->cli, "export", &job->q.where, &path, 1, err);
		if (code == CCFC_EDENIED)
			ccfc_err_hint(err, "choose another with -o FILE");
	}
	if (!code)
		code = ccfc_session_get(&job->reply, job->cli->client,
					job->q.session, &query, err);
	if (!code)
		ccfc_cli_note_indexing(ccfc_cli_value(job->reply));
	return code;
}

/* Only counts the replacements: the document goes nowhere. */
static int check_secrets(struct job *job, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_err second;
	struct ccfc_out nowhere;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), code;
	bool any = false;

	if (fd < 0)
		return ccfc_err_io(err, errno, "export: /dev/null");
	ccfc_out_init(&nowhere, fd);
	code = write_to(job, &nowhere, err);
	ccfc_out_finish(&nowhere, &second);
	close(fd);
	if (code < 0)
		return code;
	for (int i = 0; i < CCFC_REDACT_KINDS; i++)
		any |= job->redact.counts[i] != 0;
	ccfc_redact_describe(&text, &job->redact);
	ccfc_buf_printf(&job->cli->out.buf,
			"--redact would replace: %s\n"
			"Rules cannot promise to find everything.\n",
			text.ptr);
	ccfc_buf_release(&text);
	job->nothing = !any;
	return 0;
}

/* "wrote session.html (HTML, 34.1 KiB)": stdout stays for documents. */
static void note_written_file(const struct job *job)
{
	static const char *const names[] = { "Markdown", "JSON", "HTML" };
	struct ccfc_slice name =
		ccfc_cwd_short(&job->q.where, ccfc_slice_str(job->path));
	struct ccfc_buf size = CCFC_BUF_INIT;
	struct stat st;

	if (!stat(job->path, &st)) {
		ccfc_buf_puts(&size, ", ");
		ccfc_render_bytes(&size, (int64_t)st.st_size);
	}
	ccfc_cli_note("wrote %.*s (%s%s)", (int)name.len, name.ptr,
		      names[job->format], size.len ? size.ptr : "");
	ccfc_buf_release(&size);
}

/* Notes on stderr what the document says only at its end. */
static void note_export_limits(const struct job *job)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (job->stream.truncated)
		ccfc_cli_note("some texts are cut, or not there any more");
	if (job->stream.redact && !has_option(job, OPT_CHECK)) {
		ccfc_redact_describe(&text, &job->redact);
		ccfc_cli_note("replaced: %s; rules cannot promise to find "
			      "everything",
			      text.ptr);
	}
	ccfc_buf_release(&text);
}

static int run_job(struct job *job)
{
	const struct ccfc_opt_value *output =
		ccfc_opts_own(job->opts, OPT_OUTPUT);
	struct ccfc_err err;
	int code = ccfc_question_init(&job->q, job->cli, job->opts, &err);

	if (!code)
		code = ccfc_question_here(&job->q, &err);
	if (!code && output->set && strcmp(output->text, "-") != 0)
		job->path = ccfc_cwd_absolute(&job->q.where, output->text);
	if (!code)
		code = ask_export(job, &err);
	if (!code && has_option(job, OPT_CHECK))
		code = check_secrets(job, &err);
	else if (!code)
		code = job->path ? write_file(job, &err)
				 : write_to(job, &job->cli->out, &err);
	if (code < 0)
		return ccfc_cli_fail(&err);
	if (job->path && !has_option(job, OPT_CHECK))
		note_written_file(job);
	note_export_limits(job);
	return job->nothing ? CCFC_EXIT_NOTHING : CCFC_EXIT_FOUND;
}

/* The format of --format, or by the ending of the file's name. */
static enum ccfc_export_format choose_format(const struct ccfc_opts *opts)
{
	static const struct {
		const char *ending;
		enum ccfc_export_format format;
	} endings[] = { { ".json", CCFC_EXPORT_JSON },
			{ ".html", CCFC_EXPORT_HTML },
			{ ".htm", CCFC_EXPORT_HTML },
			{ ".md", CCFC_EXPORT_MARKDOWN } };
	const struct ccfc_opt_value *format = ccfc_opts_own(opts, OPT_FORMAT);
	const char *name = ccfc_opts_own(opts, OPT_OUTPUT)->text;
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; !format->set && i < 4; i++) {
		size_t n = strlen(endings[i].ending);

		if (len > n && !strcasecmp(name + len - n, endings[i].ending))
			return endings[i].format;
	}
	return (enum ccfc_export_format)format->num;
}

/* --- everything --- */

static int check_state_options(const struct ccfc_opts *opts,
			       struct ccfc_err *err)
{
	static const struct {
		int option;
		const char *name;
	} others[] = { { OPT_FORMAT, "format" },     { OPT_REDACT, "redact" },
		       { OPT_THINKING, "thinking" }, { OPT_OUTPUT, "output" },
		       { OPT_FORCE, "force" },	     { OPT_CHECK, "check" } };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (ccfc_opts_own(opts, others[i].option)->set)
			return ccfc_err_set(err, CCFC_EINVAL,
					    "export: --%s does not go with "
					    "--all",
					    others[i].name);
	return 0;
}

static void note_written_state(const struct ccfc_state_export *done,
			       const char *dir)
{
	struct ccfc_buf size = CCFC_BUF_INIT;

	ccfc_render_bytes(&size, done->bytes);
	ccfc_cli_note("wrote %s (%lld transcript%s, %lld file%s, %s)", dir,
		      (long long)done->transcripts,
		      done->transcripts == 1 ? "" : "s", (long long)done->files,
		      done->files == 1 ? "" : "s", size.ptr);
	if (done->missing)
		ccfc_cli_note("%lld transcript%s not archived, and not "
			      "written",
			      (long long)done->missing,
			      done->missing == 1 ? "" : "s");
	ccfc_buf_release(&size);
}

static int export_state(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_question q = { 0 };
	struct ccfc_state_export done;
	struct ccfc_err err;
	const char *dir = NULL;
	char *path = NULL;
	int r = check_state_options(opts, &err);

	if (!r)
		r = ccfc_question_init(&q, cli, opts, &err);
	if (!r)
		r = ccfc_question_here(&q, &err);
	if (!r)
		dir = path = ccfc_cwd_absolute(&q.where, opts->args[0]);
	if (!r)
		r = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!r)
		r = ccfc_claude_roots_dirs_check(cli, "export", &q.where, &dir,
						 1, &err);
	if (!r)
		r = ccfc_state_export(&done, cli, path, &q.query, &err);
	if (!r)
		note_written_state(&done, path);
	free(path);
	ccfc_question_release(&q);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

static int run_export(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_export *const exports[] = {
		[CCFC_EXPORT_MARKDOWN] = &ccfc_export_md,
		[CCFC_EXPORT_JSON] = &ccfc_export_json,
		[CCFC_EXPORT_HTML] = &ccfc_export_html,
	};
	struct job job = { .cli = cli, .opts = opts };
	struct ccfc_err err;
	int status;

	if (ccfc_opts_own(opts, OPT_ALL)->set)
		return export_state(cli, opts);
	if (ccfc_opts_own(opts, OPT_PROJECT)->set) {
		ccfc_err_set(&err, CCFC_EINVAL,
			     "export: --project: only with --all");
		return ccfc_cli_fail(&err);
	}
	job.format = choose_format(opts);
	job.export = exports[job.format];
	status = run_job(&job);
	ccfc_message_stream_release(&job.stream);
	ccfc_redact_release(&job.redact);
	ccfc_reply_free(job.reply);
	ccfc_question_release(&job.q);
	free(job.path);
	return status;
}

const struct ccfc_command ccfc_cmd_export = {
	.name = "export",
	.usage = "export [SESSION] [options]\n"
		 "       ccfc export --all DIR [--project=NAME|DIR]",
	.summary = "a whole session as one document",
	.about = "Writes all messages of a session and its agents as Markdown, "
		 "as one JSON object\n"
		 "{session, messages, agents}, or as one self-contained HTML "
		 "file without scripts.\n"
		 "Documents begin with the changed files; edits are shown as "
		 "diffs.\n"
		 "\n"
		 "--redact replaces, in every text, path and name:\n"
		 "  home directories    /home/user, /Users/user, "
		 "C:\\Users\\user, ~ (also /root)\n"
		 "  the user's name, the host's name    user, host\n"
		 "  e-mail addresses    [email]\n"
		 "  keys and tokens by their shape (sk-…, ghp_…, glpat-…, "
		 "xoxb-…, AKIA…, AIza…,\n"
		 "  npm_…, pypi-…, hf_…, JSON web tokens), private keys, "
		 "Authorization headers,\n"
		 "  logins in URLs, and values of names like PASSWORD, "
		 "api_key, token, secret\n"
		 "                      [redacted]\n"
		 "The end of the document counts the replacements. The rules "
		 "match shapes and\n"
		 "cannot find everything, for instance a secret that is split "
		 "over several texts.\n"
		 "Read the document before you pass it on.\n"
		 "\n"
		 "--check only says what would be replaced; exit status 1: "
		 "nothing.\n"
		 "\n"
		 "--all writes everything that ccfc knows to a new directory, "
		 "with checksums, for\n"
		 "ccfc import on another machine: transcripts, the client's "
		 "backups, changes seen\n"
		 "on disk, names and tags. It leaves out the undo area of "
		 "restore --undo. Nothing\n"
		 "is redacted.",
	.examples = "  ccfc export 3f2a > session.md\n"
		    "  ccfc export 3f2a --check\n"
		    "  ccfc export 3f2a --redact -o session.html\n"
		    "  ccfc export 3f2a --format=json --thinking | jq "
		    "'.messages | length'\n"
		    "  ccfc export --all /media/usb/ccfc-laptop\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_export,
};
