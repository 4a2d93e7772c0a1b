/*
 * ccfc resume: goes on with a session. `claude --resume` only finds sessions of
 * the directory that it runs in; the index knows this directory.
 */
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_PRINT };

static const struct ccfc_opt options[] = {
	[OPT_PRINT] = { "print", 0, CCFC_OPT_FLAG,
			.help = "only show the command" },
	{ 0 },
};

/* Quotes `text` for a shell. */
static void put_quoted(struct ccfc_buf *out, const char *text)
{
	ccfc_buf_putc(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			ccfc_buf_puts(out, "'\\''");
		else
			ccfc_buf_putc(out, *text);
	ccfc_buf_putc(out, '\'');
}

static int exec_claude(const char *dir, const char *id, struct ccfc_err *err)
{
	char *const argv[] = { (char *)"claude", (char *)"--resume", (char *)id,
			       NULL };

	if (chdir(dir) < 0) {
		ccfc_err_set(err, CCFC_EIO, "resume: %s: %s", dir,
			     strerror(errno));
		ccfc_err_hint(err, "claude finds a session only in the "
				   "directory that it was started in");
		return CCFC_EIO;
	}
	execvp(argv[0], argv);
	ccfc_err_set(err, CCFC_EIO, "resume: claude cannot be started: %s",
		     strerror(errno));
	ccfc_err_hint(err, "is Claude Code installed, and in $PATH?");
	return CCFC_EIO;
}

static const char *copy_text(struct ccfc_question *q, struct ccfc_slice text)
{
	return ccfc_arena_copy(&q->texts, text).ptr;
}

static int answer_resume(struct ccfc_question *q, struct ccfc_obj info,
			 struct ccfc_err *err)
{
	const char *dir = copy_text(q, ccfc_obj_get_str(info, "projectPath"));
	const char *id = copy_text(q, ccfc_obj_get_str(info, "sessionId"));
	struct ccfc_buf *buf = &q->cli->out.buf;

	if (!*dir)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "resume: the session's directory is not "
				    "known");
	if (ccfc_slice_is(ccfc_obj_get_str(info, "source"), "gone"))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "resume: the session's transcript is gone: "
				    "claude cannot go on with it");
	if (!ccfc_opts_own(q->opts, OPT_PRINT)->set)
		return exec_claude(dir, id, err);
	ccfc_buf_puts(buf, "cd ");
	put_quoted(buf, dir);
	ccfc_buf_puts(buf, " && claude --resume ");
	put_quoted(buf, id);
	ccfc_buf_putc(buf, '\n');
	return 0;
}

static int run_resume(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_question q;
	struct ccfc_err err;
	int r = ccfc_question_init(&q, cli, opts, &err);

	query.content = CCFC_CONTENT_NO;
	if (!r)
		r = ccfc_question_session(&q, opts->args[0], &err);
	if (!r)
		r = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!r)
		r = ccfc_session_get(&reply, cli->client, q.session, &query,
				     &err);
	if (!r)
		r = answer_resume(&q, ccfc_cli_value(reply), &err);
	ccfc_reply_free(reply);
	ccfc_question_release(&q);
	return r < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_resume = {
	.name = "resume",
	.usage = "resume SESSION [options]",
	.summary = "go on with a session in its directory",
	.topic = CCFC_TOPIC_SESSIONS,
	.about = "Runs `claude --resume` for the session, in the directory "
		 "that it was started in.",
	.examples = "  ccfc resume 3f2a\n"
		    "  ccfc resume 3f2a --print\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.writes = true,
	.run = run_resume,
};
