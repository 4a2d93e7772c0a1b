/*
 * ccfc why: what is behind a line: the whole prompt, the answer around the
 * change, and the change. Each is a question of its own: who wrote the line,
 * the change, and the messages around the call.
 */
#include "cli/frame/answer.h"
#include "cli/frame/connect.h"
#include "cli/out/human.h"
#include "cli/out/prose.h"
#include "cli/out/render.h"
#include "cli/patch/patch.h"

#define AROUND 8 /* messages around the call */

static const struct ccfc_opt options[] = { { 0 } };

static void put_text(struct ccfc_out *out, const char *title,
		     struct ccfc_slice text)
{
	if (!text.len)
		return;
	ccfc_buf_printf(&out->buf, "\n%s%s:%s\n",
			ccfc_out_on(out, CCFC_STYLE_HEAD), title,
			ccfc_out_off(out));
	ccfc_prose_print(out, text);
}

/* The line itself, and who wrote it. */
static void print_line(struct ccfc_question *q, struct ccfc_obj line,
		       struct ccfc_obj change)
{
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_out_field(out, ccfc_slice_str(q->given));
	ccfc_buf_printf(&out->buf, ":%lld: ", (long long)q->line);
	ccfc_out_field(out, ccfc_obj_get_str(line, "content"));
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_render_line(out, "Change", 9,
			 ccfc_obj_get_str(change, "changeId"));
	ccfc_render_line(out, "Session", 9,
			 ccfc_obj_get_str(line, "sessionId"));
	ccfc_render_line(out, "Model", 9, ccfc_obj_get_str(change, "model"));
	ccfc_render_time(&text, ccfc_obj_get(change, "timestamp"),
			 CCFC_RENDER_SECOND);
	ccfc_render_line(out, "Date", 9, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* Is `message` a text of the model? */
static bool is_answer(struct ccfc_obj message)
{
	return ccfc_slice_is(ccfc_obj_get_str(message, "role"), "assistant") &&
	       ccfc_obj_get_str(message, "content").len;
}

static bool is_prompt(struct ccfc_obj message)
{
	return ccfc_slice_is(ccfc_obj_get_str(message, "role"), "user") &&
	       !ccfc_obj_len(ccfc_obj_get(message, "toolResults"));
}

/*
 * Prints what the model said last before or with the call, and first after it,
 * between the prompts on both sides.
 */
static void print_answers(struct ccfc_out *out, struct ccfc_obj messages,
			  struct ccfc_slice call)
{
	struct ccfc_slice before = CCFC_SLICE_NONE, after = CCFC_SLICE_NONE;
	bool seen = false;

	for (uint32_t i = 0; i < ccfc_obj_len(messages) && !after.len; i++) {
		struct ccfc_obj m = ccfc_obj_at(messages, i);
		struct ccfc_slice text = ccfc_obj_get_str(m, "content");

		if (is_prompt(m) && seen)
			break;
		if (is_prompt(m))
			before = CCFC_SLICE_NONE;
		if (is_answer(m) && seen)
			after = text;
		else if (is_answer(m))
			before = text;
		seen = seen || ccfc_slice_eq(ccfc_obj_get_str(m, "id"), call);
	}
	if (!seen)
		return;
	put_text(out, "Answer", before);
	put_text(out, "Afterwards", after);
}

static void ask_answers(struct ccfc_question *q, struct ccfc_obj line,
			struct ccfc_obj change)
{
	struct ccfc_slice call = ccfc_obj_get_str(change, "messageUuid");
	struct ccfc_slice agent = ccfc_obj_get_str(change, "agentId");
	struct ccfc_query query = CCFC_QUERY_INIT;
	struct ccfc_reply *reply = NULL;

	if (!call.len)
		return;
	query.message = ccfc_arena_copy(&q->texts, call).ptr;
	query.limit = 2 * AROUND;
	if (agent.len)
		query.agent = ccfc_arena_copy(&q->texts, agent).ptr;
	/* If the transcript is gone, the other parts are still known. */
	if (!ccfc_session_messages(
		    &reply, q->cli->client,
		    ccfc_arena_copy(&q->texts,
				    ccfc_obj_get_str(line, "sessionId"))
			    .ptr,
		    &query, NULL))
		print_answers(&q->cli->out,
			      ccfc_obj_get(ccfc_cli_value(reply), "messages"),
			      call);
	ccfc_reply_free(reply);
}

static void print_change(struct ccfc_question *q, struct ccfc_obj line,
			 struct ccfc_obj change)
{
	struct ccfc_out *out = &q->cli->out;
	struct ccfc_slice prompt = ccfc_obj_get_str(change, "promptFull");
	struct ccfc_patch patch;

	print_line(q, line, change);
	if (!prompt.len)
		prompt = ccfc_obj_get_str(line, "prompt");
	put_text(out, "Prompt", prompt);
	ask_answers(q, line, change);
	ccfc_patch_parse(&patch, change);
	ccfc_patch_note(&patch);
	if (!patch.shown)
		return;
	ccfc_buf_putc(&out->buf, '\n');
	ccfc_patch_print(out, patch.diff);
}

static int print_why(struct ccfc_question *q, struct ccfc_obj root)
{
	struct ccfc_obj line = ccfc_obj_at(ccfc_obj_get(root, "lines"), 0);
	struct ccfc_slice id = ccfc_obj_get_str(line, "changeId");
	struct ccfc_slice kind = ccfc_obj_get_str(line, "kind");
	struct ccfc_reply *reply = NULL;
	struct ccfc_err err;
	int code;

	if (!id.len) {
		ccfc_err_set(&err, CCFC_ENOTFOUND, "why: %s:%lld: %s", q->given,
			     (long long)q->line,
			     ccfc_slice_is(kind, "outside")
				     ? "no session wrote that line"
				     : "nothing tells who wrote that line");
		ccfc_err_hint(&err, "ccfc blame --git has the commit");
		return ccfc_cli_fail(&err);
	}
	code = ccfc_change_get(&reply, q->cli->client,
			       ccfc_arena_copy(&q->texts, id).ptr, NULL, &err);
	if (!code)
		print_change(q, line, ccfc_cli_value(reply));
	ccfc_reply_free(reply);
	return code < 0 ? ccfc_cli_fail(&err) : CCFC_EXIT_FOUND;
}

static int prepare_why(struct ccfc_question *q, struct ccfc_err *err)
{
	if (!q->line) {
		ccfc_err_set(err, CCFC_EINVAL, "why: which line of %s?",
			     q->given);
		ccfc_err_hint(err,
			      "ccfc why %s:17; ccfc search --why has the "
			      "prompts of a file",
			      q->given);
		return CCFC_EINVAL;
	}
	q->query.from_line = q->query.to_line = q->line;
	return 0;
}

static int ask_why(struct ccfc_reply **reply, struct ccfc_question *q,
		   struct ccfc_err *err)
{
	return ccfc_file_blame(reply, q->cli->client, q->path, &q->query, err);
}

static int run_why(struct ccfc_cli *cli, const struct ccfc_opts *opts)
{
	static const struct ccfc_answer answer = {
		.subject = CCFC_ABOUT_FILE,
		.prepare = prepare_why,
		.ask = ask_why,
		.print = print_why,
	};

	return ccfc_answer_run(&answer, cli, opts, NULL);
}

const struct ccfc_command ccfc_cmd_why = {
	.name = "why",
	.usage = "why FILE:LINE",
	.summary = "the prompt, the answer and the change behind a line",
	.about = "Shows what is behind a line of a file as it is on disk: the "
		 "whole prompt, what\n"
		 "the model said before and after the change, and the change "
		 "as a diff.",
	.examples = "  ccfc why src/auth/login.ts:17\n"
		    "  ccfc why login.ts:17\n",
	.options = options,
	.args_min = 1,
	.args_max = 1,
	.paged = true,
	.run = run_why,
};
