/*
 * ccfc name: a session's name, given by the user. The daemon keeps it in its
 * store; nothing is written below a Claude directory.
 */
#include "cli/frame/answer.h"
#include "cli/out/render.h"

enum { OPT_CLEAR };

static const struct ccfc_opt options[] = {
	[OPT_CLEAR] = { "clear", 0, CCFC_OPT_FLAG,
			.help = "take the name away" },
	{ 0 },
};

/* All arguments after the session, joined. */
static const char *join_words(struct ccfc_question *q)
{
	struct ccfc_buf text = CCFC_BUF_INIT;
	const char *copy;

	for (int i = 1; i < q->opts->nargs; i++)
		ccfc_buf_printf(&text, "%s%s", i > 1 ? " " : "",
				q->opts->args[i]);
	copy = ccfc_arena_copy(&q->texts, ccfc_buf_view(&text)).ptr;
	ccfc_buf_release(&text);
	return copy;
}

static int prepare_name(struct ccfc_question *q, struct ccfc_err *err)
{
	bool clear = ccfc_opts_own(q->opts, OPT_CLEAR)->set;

	if (clear && q->opts->nargs > 1)
		return ccfc_err_set(err, CCFC_EINVAL,
				    "name: --clear takes no TEXT");
	if (q->opts->nargs > 1)
		q->own = (void *)join_words(q);
	if (q->own && (!*(const char *)q->own || !strcmp(q->own, "-")))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "name: the name is empty");
	if (clear)
		q->own = (void *)"-";
	return 0;
}

static int ask_name(struct ccfc_reply **reply, struct ccfc_question *q,
		    struct ccfc_err *err)
{
	return ccfc_session_label(reply, q->cli->client, q->session, q->own,
				  NULL, err);
}

static int print_name(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_slice name = ccfc_obj_get_str(root, "name");

	if (!name.len && !q->own) {
		ccfc_cli_note("the session has no name of yours");
		return CCFC_EXIT_NOTHING;
	}
	if (!name.len)
		return CCFC_EXIT_FOUND;
	ccfc_out_field(out, name);
	ccfc_buf_putc(&out->buf, '\n');
	return CCFC_EXIT_FOUND;
}

static int run_name(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_SESSION,
		.prepare = prepare_name,
		.ask = ask_name,
		.print = print_name,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_name = {
	.name = "name",
	.usage = "name SESSION [TEXT…] [options]",
	.summary = "a name of your own for a session",
	.topic = CCFC_TOPIC_SESSIONS,
	.about = "Gives a session a name, which is its title from then on. "
		 "Without TEXT, shows the\n"
		 "name. ccfc keeps the name in its own store; Claude Code does "
		 "not know it.",
	.examples = "  ccfc name 3f2a the login that works\n"
		    "  ccfc name 3f2a --clear\n",
	.options = options,
	.args_min = 1,
	.args_max = 1000,
	.writes = true,
	.run = run_name,
};
