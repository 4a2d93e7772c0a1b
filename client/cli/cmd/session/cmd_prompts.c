/*
 * ccfc prompts: what a session was asked, and only that. The timeline knows
 * which records a person wrote; results of tools and notes of the client have
 * the role "user" as well.
 */
#include "cli/conversation/pages.h"
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/frame/scope.h"
#include "cli/out/human.h"
#include "cli/out/prose.h"
#include "cli/out/render.h"
#include "wire/to_json.h"

#include <ccfc/protocol.h>

#define PAGE 1000

enum { OPT_ONELINE, OPT_FORMAT };

static const struct ccfc_opt options[] = {
	[OPT_ONELINE] = { "oneline", 0, CCFC_OPT_FLAG,
			  .help = "only the first line of each" },
	[OPT_FORMAT] = { "format", 0, CCFC_OPT_CHOICE, "FORMAT",
			 .help = "text (default), json or jsonl",
			 .choices = "text|json|jsonl" },
	{ 0 },
};

struct prompts {
	struct ccfc_question q;
	int64_t n; /* printed */
	bool oneline;
};

static bool is_prompt(struct ccfc_obj event)
{
	return ccfc_slice_is(ccfc_obj_get_str(event, "type"), "prompt") &&
	       !ccfc_obj_get_str(event, "agentId").len;
}

static void print_prompt(struct prompts *p, struct ccfc_obj event)
{
	struct ccfc_out *out = &p->q.cli->out;
	struct ccfc_slice text = ccfc_obj_get_str(event, "content");

	if (!p->oneline && p->n)
		ccfc_buf_putc(&out->buf, '\n');
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_TIME));
	ccfc_render_time(&out->buf, ccfc_obj_get(event, "timestamp"),
			 CCFC_RENDER_MINUTE);
	ccfc_buf_printf(&out->buf, "%s%s", ccfc_out_off(out),
			p->oneline ? "  " : "\n");
	if (p->oneline) {
		ccfc_out_field(out, ccfc_human_title(text));
		ccfc_buf_putc(&out->buf, '\n');
	} else {
		ccfc_prose_print(out, text);
	}
}

static void print_event(struct prompts *p, struct ccfc_obj event)
{
	struct ccfc_out *out = &p->q.cli->out;

	if (p->q.format == CCFC_FORMAT_TEXT) {
		print_prompt(p, event);
	} else {
		if (p->q.format == CCFC_FORMAT_JSON)
			ccfc_buf_puts(&out->buf, p->n ? ",\n  " : "[\n  ");
		ccfc_json_write(&out->buf, event, 0);
		if (p->q.format == CCFC_FORMAT_JSONL)
			ccfc_buf_putc(&out->buf, '\n');
	}
	p->n++;
	ccfc_out_check(out);
}

static int print_all_prompts(struct prompts *p, struct ccfc_err *err)
{
	struct ccfc_pages pages = { 0 };
	struct ccfc_obj root, events;
	int r;

	ccfc_pages_timeline(&pages, p->q.cli->client, p->q.session);
	pages.query = p->q.query;
	pages.query.limit = PAGE;
	pages.query.max_content = CCFC_CONTENT_MAX_BYTES;
	pages.left = -1;
	while ((r = ccfc_pages_next(&pages, &root, err)) > 0) {
		events = ccfc_obj_get(root, "events");
		for (uint32_t i = 0; i < pages.n; i++)
			if (is_prompt(ccfc_obj_at(events, i)))
				print_event(p, ccfc_obj_at(events, i));
	}
	ccfc_pages_release(&pages);
	if (r || p->n)
		return r;
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "prompts: the session has no prompts");
}

static int run_prompts(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	struct prompts p = { .oneline = ccfc_opts_own(opts, OPT_ONELINE)->set };
	struct ccfc_err err;
	int code = ccfc_question_init(&p.q, cli, opts, &err);

	if (!code)
		code = ccfc_question_session(&p.q, opts->args[0], &err);
	if (!code)
		code = ccfc_cli_connect(cli, CCFC_SPAWN_DEFAULT, &err);
	if (!code)
		code = print_all_prompts(&p, &err);
	if (!code && p.q.format == CCFC_FORMAT_JSON)
		ccfc_buf_puts(&cli->out.buf, "\n]\n");
	ccfc_question_release(&p.q);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

const struct ccfc_command ccfc_cmd_prompts = {
	.name = "prompts",
	.usage = "prompts [SESSION] [options]",
	.summary = "what a session was asked",
	.about = "Shows the prompts of a person to a session, in order, and "
		 "nothing else.\n"
		 "\n" CCFC_SCOPE_ABOUT_SESSION,
	.examples = "  ccfc prompts\n"
		    "  ccfc prompts @-1 --oneline\n"
		    "  ccfc prompts 3f2a --format=jsonl | jq -r .content\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.topic = CCFC_TOPIC_SESSIONS,
	.run = run_prompts,
};
