/*
 * The commands of actions and lenses; see lsp.h. Nothing is written here: a
 * restore is an edit of the editor's buffer, which the editor can undo.
 */
#include "base/err.h"
#include "base/utf8.h"
#include "cli/frame/connect.h"
#include "cli/jsonrpc/json_text.h"
#include "cli/lsp/lsp.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "wire/to_json.h"

#define SHOWN_MAX   4096
#define RESTORE_MAX (4u << 20)
#define STEPS	    10

void ccfc_lsp_show(struct ccfc_lsp *lsp, int type, struct ccfc_slice text)
{
	struct ccfc_buf params = CCFC_BUF_INIT;

	ccfc_buf_putc(&params, '{');
	ccfc_json_text_int(&params, "type", type);
	ccfc_json_text_str(&params, "message", ccfc_slice_cut(text, SHOWN_MAX));
	ccfc_buf_putc(&params, '}');
	ccfc_jsonrpc_notify(&lsp->rpc, "window/showMessage", 0,
			    ccfc_buf_view(&params));
	ccfc_buf_release(&params);
}

/* Lines stay lines; all else is made safe. */
static void put_lines(struct ccfc_buf *out, struct ccfc_slice text)
{
	const char *p = text.ptr, *end = ccfc_slice_end(text), *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			nl = end;
		ccfc_safe_append(out, ccfc_slice(p, (size_t)(nl - p)), true);
		ccfc_buf_putc(out, '\n');
	}
}

static int show_diff(struct ccfc_buf *text, struct ccfc_lsp *lsp,
		     const char *change, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	int code = ccfc_lsp_ask(&reply, lsp, CCFC_M_CHANGE_GET, NULL, "change",
				change, err);
	struct ccfc_slice diff;

	if (code < 0)
		return code;
	diff = ccfc_obj_get_str(ccfc_cli_value(reply), "diff");
	if (diff.len)
		put_lines(text, diff);
	else
		code = ccfc_err_set(err, CCFC_ENOTFOUND,
				    "the content of this change is not known");
	ccfc_reply_free(reply);
	return code;
}

static void put_step(struct ccfc_buf *text, struct ccfc_obj step)
{
	struct ccfc_buf prompt = CCFC_BUF_INIT;
	const char *key = ccfc_obj_is_str(ccfc_obj_get(step, "timestamp"))
				  ? "timestamp"
				  : "from";

	ccfc_render_time(text, ccfc_obj_get(step, key), CCFC_RENDER_MINUTE);
	ccfc_buf_puts(text, "  ");
	ccfc_safe_append(text, ccfc_obj_get_str(step, "kind"), false);
	ccfc_buf_puts(text, "  ");
	ccfc_safe_append(text,
			 ccfc_slice_cut(ccfc_obj_get_str(step, "sessionId"), 8),
			 false);
	ccfc_buf_puts(text, "  ");
	ccfc_utf8_append_line(&prompt, ccfc_obj_get_str(step, "prompt"), 60);
	ccfc_safe_append(text, ccfc_buf_view(&prompt), false);
	ccfc_buf_putc(text, '\n');
	ccfc_buf_release(&prompt);
}

static int show_log(struct ccfc_buf *text, struct ccfc_lsp *lsp,
		    const char *path, struct ccfc_err *err)
{
	struct ccfc_reply *reply = NULL;
	int code = ccfc_lsp_ask(&reply, lsp, CCFC_M_FILE_LOG, path, NULL, NULL,
				err);
	struct ccfc_obj steps;

	if (code < 0)
		return code;
	steps = ccfc_obj_get(ccfc_cli_value(reply), "steps");
	for (uint32_t i = 0; i < ccfc_obj_len(steps) && i < STEPS; i++)
		put_step(text, ccfc_obj_at(steps, i));
	ccfc_reply_free(reply);
	return 0;
}

/* Everything in the document is replaced. */
static void apply_text(struct ccfc_lsp *lsp, const struct ccfc_lsp_doc *doc,
		       struct ccfc_slice content)
{
	uint32_t last = ccfc_lsp_lines(doc);
	struct ccfc_buf params = CCFC_BUF_INIT;

	ccfc_buf_puts(&params, "{\"label\":\"ccfc: restore\",\"edit\":"
			       "{\"changes\":{");
	ccfc_json_text_open(&params, doc->uri, '[');
	ccfc_buf_printf(&params,
			"{\"range\":{\"start\":{\"line\":0,\"character\":0},"
			"\"end\":{\"line\":%u,\"character\":%u}}",
			last, ccfc_lsp_line_length(doc, last));
	ccfc_json_text_str(&params, "newText", content);
	ccfc_buf_puts(&params, "}]}}}");
	ccfc_jsonrpc_notify(&lsp->rpc, "workspace/applyEdit", ++lsp->requests,
			    ccfc_buf_view(&params));
	ccfc_buf_release(&params);
}

/* Can an editor show and save the text without changing it? */
static bool is_text(struct ccfc_slice content)
{
	struct ccfc_buf copy = CCFC_BUF_INIT;
	bool same;

	ccfc_utf8_append(&copy, content);
	same = ccfc_slice_eq(ccfc_buf_view(&copy), content) &&
	       !(content.len && memchr(content.ptr, '\0', content.len));
	ccfc_buf_release(&copy);
	return same;
}

static int restore_before_change(struct ccfc_lsp *lsp,
				 const struct ccfc_lsp_doc *doc,
				 const char *change, struct ccfc_err *err)
{
	struct ccfc_buf at = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;
	struct ccfc_obj content;
	int code;

	ccfc_buf_printf(&at, "before:%s", change);
	code = ccfc_lsp_ask(&reply, lsp, CCFC_M_FILE_AT, doc->path, "at",
			    at.ptr, err);
	ccfc_buf_release(&at);
	if (code < 0)
		return code;
	content = ccfc_obj_get(ccfc_obj_get(ccfc_cli_value(reply), "state"),
			       "content");
	if (!ccfc_obj_is_str(content))
		code = ccfc_err_set(err, CCFC_ENOTFOUND,
				    "what the file was before is not known, or "
				    "there was no file");
	else if (ccfc_obj_str(content).len > RESTORE_MAX ||
		 !is_text(ccfc_obj_str(content)))
		code = ccfc_err_set(err, CCFC_EINVAL,
				    "the file was no text, or too long; use "
				    "ccfc restore");
	else
		apply_text(lsp, doc, ccfc_obj_str(content));
	ccfc_reply_free(reply);
	return code;
}

/* A string of the arguments that may be part of a question; else NULL. */
static const char *put_argument(struct ccfc_buf *out, struct ccfc_obj args,
				uint32_t i)
{
	struct ccfc_slice text = ccfc_obj_str(ccfc_obj_at(args, i));

	if (!text.len || text.len > SHOWN_MAX ||
	    memchr(text.ptr, '\0', text.len))
		return NULL;
	ccfc_buf_slice(out, text);
	return out->ptr;
}

static struct ccfc_lsp_doc *doc_named(struct ccfc_lsp *lsp, const char *uri)
{
	for (uint32_t i = 0; uri && i < lsp->docs.n; i++)
		if (!strcmp(lsp->docs.items[i].uri, uri))
			return &lsp->docs.items[i];
	return NULL;
}

static int execute_command(struct ccfc_buf *text, struct ccfc_lsp *lsp,
			   struct ccfc_slice command, const char *first,
			   const char *second, struct ccfc_err *err)
{
	struct ccfc_lsp_doc *doc = doc_named(lsp, first);

	if (ccfc_slice_is(command, CCFC_LSP_DIFF) && first)
		return show_diff(text, lsp, first, err);
	if (ccfc_slice_is(command, CCFC_LSP_LOG) && doc)
		return show_log(text, lsp, doc->path, err);
	if (ccfc_slice_is(command, CCFC_LSP_RESTORE) && doc && second)
		return restore_before_change(lsp, doc, second, err);
	return ccfc_err_set(err, CCFC_EINVAL,
			    "no such command of ccfc, or "
			    "the file is not open");
}

void ccfc_lsp_execute(struct ccfc_buf *out, struct ccfc_lsp *lsp,
		      struct ccfc_obj params)
{
	struct ccfc_obj args = ccfc_obj_get(params, "arguments");
	struct ccfc_buf first = CCFC_BUF_INIT, second = CCFC_BUF_INIT;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_err err;

	if (execute_command(&text, lsp, ccfc_obj_get_str(params, "command"),
			    put_argument(&first, args, 0),
			    put_argument(&second, args, 1), &err) < 0)
		ccfc_lsp_show(lsp, 1, ccfc_slice_str(err.what));
	else if (text.len)
		ccfc_lsp_show(lsp, 3, ccfc_buf_view(&text));
	if (text.len)
		ccfc_json_string(out, ccfc_buf_view(&text));
	else
		ccfc_buf_puts(out, "null");
	ccfc_buf_release(&first);
	ccfc_buf_release(&second);
	ccfc_buf_release(&text);
}
