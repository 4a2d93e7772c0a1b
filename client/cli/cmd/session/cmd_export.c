/*
 * ccfc export: a session as one document, page by page as the daemon answers,
 * so that no session is too long.
 */
#include "cli/conversation/export.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/write/claude_dirs.h"
#include "cli/write/new_file.h"

#include <stdlib.h>
#include <unistd.h>

#define CONTENT_MAX (64 << 20) /* what the daemon allows for a text */

enum { OPT_FORMAT, OPT_REDACT, OPT_THINKING, OPT_OUTPUT, OPT_FORCE };

static const struct ccfc_opt options[] = {
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "markdown (default), json or html",
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
	struct ccfc_message_stream talk;
};

static bool has(const struct job *job, int option)
{
	return ccfc_opts_own(job->opts, option)->set;
}

/* Whom the session was of, so that the names are known. */
static void learn(struct job *job, struct ccfc_obj info)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	ccfc_redact_init(&job->redact, getenv("HOME"), host);
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "projectPath"));
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "cwd"));
	ccfc_redact_learn(&job->redact, ccfc_obj_get_str(info, "filePath"));
}

/* The whole document, to `talk.out`. */
static int write_document(struct job *job, struct ccfc_obj info,
			  struct ccfc_err *err)
{
	int64_t agents =
		ccfc_obj_get_int(ccfc_obj_get(info, "agents"), "count", 0);
	struct ccfc_message_stream *talk = &job->talk;
	int code;

	talk->project = ccfc_obj_get_str(info, "projectPath");
	job->export->head(talk, info);
	code = ccfc_message_stream_run(talk, err);
	/* A session without messages can be exported too. */
	if (code == CCFC_ENOTFOUND)
		code = 0;
	if (code < 0)
		return code;
	job->export->rest(talk);
	code = ccfc_message_stream_rest(talk, agents, err);
	if (!code)
		job->export->foot(talk);
	return code;
}

static int write_redacted(struct job *job, struct ccfc_obj info,
			  struct ccfc_err *err)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack p;
	int code;

	learn(job, info);
	job->talk.redact = &job->redact;
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
	struct ccfc_message_stream *talk = &job->talk;

	ccfc_message_stream_init(talk);
	talk->client = job->cli->client;
	talk->out = out;
	talk->session = job->q.session;
	talk->writer = job->export->writer;
	talk->agents = job->export->agents;
	talk->full = true;
	talk->query.thinking = job->q.query.thinking;
	talk->query.max_content = CONTENT_MAX;
	return has(job, OPT_REDACT) ? write_redacted(job, info, err)
				    : write_document(job, info, err);
}

static int write_file(struct job *job, struct ccfc_err *err)
{
	bool force = has(job, OPT_FORCE);
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

/* What the reader has to know, and need not look for at the end. */
static void tell_export(const struct job *job)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (job->talk.truncated)
		ccfc_cli_note("some texts are cut, or not there any more");
	if (job->talk.redact) {
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
	if (!code)
		code = job->path ? write_file(job, &err)
				 : write_to(job, &job->cli->out, &err);
	if (code < 0)
		return ccfc_cli_fail(&err);
	tell_export(job);
	return CCFC_EXIT_FOUND;
}

static int run_export(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_export *const exports[] = {
		[CCFC_EXPORT_MARKDOWN] = &ccfc_export_md,
		[CCFC_EXPORT_JSON] = &ccfc_export_json,
		[CCFC_EXPORT_HTML] = &ccfc_export_html,
	};
	struct job job = { .cli = cli, .opts = opts };
	int status;

	job.export = exports[ccfc_opts_own(opts, OPT_FORMAT)->num];
	status = run_job(&job);
	ccfc_message_stream_release(&job.talk);
	ccfc_redact_release(&job.redact);
	ccfc_reply_free(job.reply);
	ccfc_question_release(&job.q);
	free(job.path);
	return status;
}

const struct ccfc_command ccfc_cmd_export = {
	.name = "export",
	.usage = "export [SESSION] [options]",
	.summary = "a whole session as one document",
	.about = "Writes all messages of a session and its agents as "
		 "Markdown, as one JSON object\n"
		 "{session, messages, agents}, or as one self-contained HTML "
		 "file without scripts.\n"
		 "\n"
		 "--redact replaces, in every text, path and name:\n"
		 "  home directories    /home/user, /Users/user, "
		 "C:\\Users\\user, ~\n"
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
		 "Read the document before you pass it on.",
	.examples = "  ccfc export 3f2a > session.md\n"
		    "  ccfc export 3f2a --format=html --redact -o "
		    "session.html\n"
		    "  ccfc export 3f2a --format=json --thinking | jq "
		    "'.messages | length'\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_export,
};
