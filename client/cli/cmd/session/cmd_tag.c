/* ccfc tag: the user's tags of a session, kept like its name (cmd_name.c). */
#include "cli/frame/answer.h"
#include "cli/out/render.h"

enum { OPT_DELETE };

static const struct ccfc_opt options[] = {
	[OPT_DELETE] = { "delete", 'd', CCFC_OPT_WORDS, "WORD",
			 .help = "take the tag WORD away" },
	{ 0 },
};

/* The words to add, then the words to remove, with a '-' in front. */
static int ask_tag(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	const struct ccfc_opt_value *gone = ccfc_opts_own(q->opts, OPT_DELETE);
	size_t most = (size_t)q->opts->nargs + gone->list.n + 1, n = 0;
	const char **words = ccfc_arena_alloc(&q->texts, most * sizeof(*words));

	for (int i = 1; i < q->opts->nargs; i++) {
		if (q->opts->args[i][0] == '-')
			return ccfc_err_set(err, CCFC_EINVAL,
					    "tag: '%s' begins with a '-'",
					    q->opts->args[i]);
		words[n++] = q->opts->args[i];
	}
	for (uint32_t i = 0; i < gone->list.n; i++) {
		struct ccfc_buf text = CCFC_BUF_INIT;

		ccfc_buf_printf(&text, "-%s", gone->list.items[i]);
		words[n++] =
			ccfc_arena_copy(&q->texts, ccfc_buf_view(&text)).ptr;
		ccfc_buf_release(&text);
	}
	words[n] = NULL;
	return ccfc_session_label(reply, q->cli->client, q->session, NULL,
				  n ? words : NULL, err);
}

static int print_tag(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_obj tags = ccfc_obj_get(root, "tags");

	for (uint32_t i = 0; i < ccfc_obj_len(tags); i++) {
		ccfc_out_field(&q->cli->out,
			       ccfc_obj_str(ccfc_obj_at(tags, i)));
		ccfc_buf_putc(&q->cli->out.buf, '\n');
	}
	if (ccfc_obj_len(tags) || q->opts->nargs > 1 ||
	    ccfc_opts_own(q->opts, OPT_DELETE)->set)
		return CCFC_EXIT_FOUND;
	ccfc_cli_note("the session has no tags");
	return CCFC_EXIT_NOTHING;
}

static int run_tag(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_SESSION,
		.ask = ask_tag,
		.print = print_tag,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_tag = {
	.name = "tag",
	.usage = "tag SESSION [WORD…] [options]",
	.summary = "words to find a session by",
	.topic = CCFC_TOPIC_SESSIONS,
	.about = "Tags a session with words, and shows its tags. `ccfc "
		 "sessions --tag=WORD` and\n"
		 "`ccfc grep WORD --in=meta` find it again.",
	.examples = "  ccfc tag 3f2a login keep\n"
		    "  ccfc tag 3f2a -d keep\n"
		    "  ccfc sessions --tag=login\n",
	.options = options,
	.args_min = 1,
	.args_max = 64,
	.writes = true,
	.run = run_tag,
};
