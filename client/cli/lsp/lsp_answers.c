/* Hovers, lenses, hints and actions; see lsp.h. */
#include "cli/frame/connect.h"
#include "cli/jsonrpc/json_text.h"
#include "cli/lsp/lsp.h"
#include "cli/out/render.h"
#include "cli/out/safe.h"
#include "wire/to_json.h"

/* The line of a position or a range, from 0; -1: there is none. */
static int64_t line_of_position(struct ccfc_obj position)
{
	int64_t line = ccfc_obj_get_int(position, "line", -1);

	return line < INT32_MAX ? line : -1;
}

static void put_position(struct ccfc_buf *out, const char *key, int64_t line,
			 uint32_t character)
{
	ccfc_json_text_open(out, key, '{');
	ccfc_json_text_int(out, "line", line);
	ccfc_json_text_int(out, "character", character);
	ccfc_buf_putc(out, '}');
}

static void put_line_range(struct ccfc_buf *out, const struct ccfc_lsp_doc *doc,
			   int64_t line)
{
	ccfc_json_text_open(out, "range", '{');
	put_position(out, "start", line, 0);
	put_position(out, "end", line, ccfc_lsp_line_length(doc, line));
	ccfc_buf_putc(out, '}');
}

/* Requests show the position of the cursor; hints follow it. */
static void note_cursor(struct ccfc_lsp *lsp, struct ccfc_lsp_doc *doc,
			int64_t line)
{
	if (doc->current == line)
		return;
	doc->current = line;
	if (lsp->refreshes)
		ccfc_jsonrpc_notify(&lsp->rpc, "workspace/inlayHint/refresh",
				    ++lsp->requests, CCFC_SLICE_LIT("null"));
}

void ccfc_lsp_hover(struct ccfc_buf *out, struct ccfc_lsp *lsp,
		    struct ccfc_obj params)
{
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);
	int64_t line = line_of_position(ccfc_obj_get(params, "position"));
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_lsp_origin origin;

	if (!doc || line < 0) {
		ccfc_buf_puts(out, "null");
		return;
	}
	note_cursor(lsp, doc, line);
	if (ccfc_lsp_origin(&origin, lsp, doc, NULL) < 0) {
		ccfc_buf_puts(out, "null");
	} else {
		ccfc_lsp_tell(&text, ccfc_lsp_origin_at(&origin, line), false);
		/* Plain text: no prompt becomes a link or a command. */
		ccfc_buf_putc(out, '{');
		ccfc_json_text_open(out, "contents", '{');
		ccfc_json_text_cstr(out, "kind", "plaintext");
		ccfc_json_text_str(out, "value", ccfc_buf_view(&text));
		ccfc_buf_putc(out, '}');
		put_line_range(out, doc, line);
		ccfc_buf_putc(out, '}');
	}
	ccfc_lsp_origin_release(&origin);
	ccfc_buf_release(&text);
}

/* A command with one or two strings as its arguments. */
static void put_command(struct ccfc_buf *out, struct ccfc_slice title,
			const char *command, struct ccfc_slice first,
			struct ccfc_slice second)
{
	ccfc_json_text_open(out, "command", '{');
	ccfc_json_text_str(out, "title", title);
	ccfc_json_text_cstr(out, "command", command);
	ccfc_json_text_open(out, "arguments", '[');
	ccfc_json_string(out, first);
	if (second.len) {
		ccfc_buf_putc(out, ',');
		ccfc_json_string(out, second);
	}
	ccfc_buf_puts(out, "]}");
}

static void put_file_summary(struct ccfc_buf *out, struct ccfc_obj root)
{
	struct ccfc_obj last = ccfc_obj_at(ccfc_obj_get(root, "sessions"), 0);

	ccfc_render_count(out, ccfc_obj_get_int(root, "totalChanges", 0),
			  "change");
	ccfc_buf_puts(out, " by ");
	ccfc_render_count(out, ccfc_obj_get_int(root, "totalSessions", 0),
			  "session");
	ccfc_buf_puts(out, ", the last ");
	ccfc_render_time(out, ccfc_obj_get(last, "lastChange"),
			 CCFC_RENDER_MINUTE);
	ccfc_buf_puts(out, " by ");
	ccfc_safe_append(out,
			 ccfc_slice_cut(ccfc_obj_get_str(last, "sessionId"), 8),
			 false);
}

/* One lens, above the file. */
void ccfc_lsp_code_lens(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			struct ccfc_obj params)
{
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);
	struct ccfc_buf title = CCFC_BUF_INIT;
	struct ccfc_reply *reply = NULL;

	ccfc_buf_putc(out, '[');
	if (doc && !ccfc_lsp_ask(&reply, lsp, CCFC_M_FILE_SESSIONS, doc->path,
				 NULL, NULL, NULL)) {
		put_file_summary(&title, ccfc_cli_value(reply));
		ccfc_buf_putc(out, '{');
		put_line_range(out, doc, 0);
		put_command(out, ccfc_buf_view(&title), CCFC_LSP_LOG,
			    ccfc_slice_str(doc->uri), CCFC_SLICE_NONE);
		ccfc_buf_putc(out, '}');
	}
	ccfc_buf_putc(out, ']');
	ccfc_reply_free(reply);
	ccfc_buf_release(&title);
}

static void put_action(struct ccfc_buf *out, const char *title,
		       const char *command, struct ccfc_slice first,
		       struct ccfc_slice second)
{
	ccfc_json_text_next(out);
	ccfc_buf_putc(out, '{');
	ccfc_json_text_cstr(out, "title", title);
	ccfc_json_text_cstr(out, "kind", "source");
	put_command(out, ccfc_slice_str(title), command, first, second);
	ccfc_buf_putc(out, '}');
}

/*
 * Does the editor want actions of our kind? Some ask for those of one kind and
 * run what they get, for instance before a file is saved.
 */
static bool wants_our_actions(struct ccfc_obj params)
{
	struct ccfc_obj only =
		ccfc_obj_get(ccfc_obj_get(params, "context"), "only");
	bool wanted = ccfc_obj_type(only) != CCFC_OBJ_ARRAY;

	for (uint32_t i = 0; !wanted && i < ccfc_obj_len(only); i++)
		wanted = ccfc_slice_is(ccfc_obj_str(ccfc_obj_at(only, i)),
				       "source");
	return wanted;
}

void ccfc_lsp_code_action(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			  struct ccfc_obj params)
{
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);
	int64_t line = line_of_position(
		ccfc_obj_get(ccfc_obj_get(params, "range"), "start"));
	struct ccfc_lsp_origin origin;
	struct ccfc_slice change;

	ccfc_buf_putc(out, '[');
	if (!doc || line < 0 || !wants_our_actions(params)) {
		ccfc_buf_putc(out, ']');
		return;
	}
	note_cursor(lsp, doc, line);
	if (!ccfc_lsp_origin(&origin, lsp, doc, NULL)) {
		change = ccfc_obj_get_str(ccfc_lsp_origin_at(&origin, line),
					  "changeId");
		if (change.len) {
			put_action(out, "ccfc: diff of this line's change",
				   CCFC_LSP_DIFF, change, CCFC_SLICE_NONE);
			put_action(out,
				   "ccfc: restore the file as it was before "
				   "this line's change",
				   CCFC_LSP_RESTORE, ccfc_slice_str(doc->uri),
				   change);
		}
	}
	ccfc_lsp_origin_release(&origin);
	ccfc_buf_putc(out, ']');
}

/*
 * One hint: of the line that is asked for alone, else of the line where the
 * cursor was last seen. A hint for every line would hide the text.
 */
void ccfc_lsp_inlay_hint(struct ccfc_buf *out, struct ccfc_lsp *lsp,
			 struct ccfc_obj params)
{
	struct ccfc_lsp_doc *doc = ccfc_lsp_doc(lsp, params);
	struct ccfc_obj range = ccfc_obj_get(params, "range");
	int64_t first = line_of_position(ccfc_obj_get(range, "start"));
	int64_t last = line_of_position(ccfc_obj_get(range, "end")), line = -1;
	struct ccfc_buf text = CCFC_BUF_INIT;
	struct ccfc_lsp_origin origin;

	if (doc)
		line = first == last ? first : doc->current;
	ccfc_buf_putc(out, '[');
	if (line >= 0 && line >= first && line <= last) {
		if (!ccfc_lsp_origin(&origin, lsp, doc, NULL) &&
		    line < origin.n) {
			ccfc_lsp_tell(&text, ccfc_lsp_origin_at(&origin, line),
				      true);
			ccfc_buf_putc(out, '{');
			put_position(out, "position", line,
				     ccfc_lsp_line_length(doc, line));
			ccfc_json_text_str(out, "label", ccfc_buf_view(&text));
			ccfc_json_text_bool(out, "paddingLeft", true);
			ccfc_buf_putc(out, '}');
		}
		ccfc_lsp_origin_release(&origin);
	}
	ccfc_buf_putc(out, ']');
	ccfc_buf_release(&text);
}
