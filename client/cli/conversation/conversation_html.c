/*
 * Messages as HTML. All text is escaped by ccfc_html_text. Only ids are written
 * unescaped: those made of letters, digits, dashes and underscores.
 */
#include "cli/conversation/message_stream.h"

#include "cli/out/safe.h"
#include "wire/to_json.h"

#include <stdlib.h>

#define OPEN_LINES 12 /* shorter results are shown unfolded */

static void put_char(struct ccfc_buf *out, int32_t cp, struct ccfc_slice bytes)
{
	if (cp < 0)
		ccfc_buf_puts(out, "\xef\xbf\xbd");
	else if (cp == '&')
		ccfc_buf_puts(out, "&amp;");
	else if (cp == '<')
		ccfc_buf_puts(out, "&lt;");
	else if (cp == '>')
		ccfc_buf_puts(out, "&gt;");
	else if (cp == '"')
		ccfc_buf_puts(out, "&quot;");
	else if (cp == '\'')
		ccfc_buf_puts(out, "&#39;");
	else if (cp == '\r')
		ccfc_buf_puts(out, "&#13;");
	else if (cp < 0x20 && cp != '\n' && cp != '\t')
		/* HTML allows none of these: prints their pictures, U+2400 … */
		ccfc_buf_printf(out, "&#%d;", 0x2400 + (int)cp);
	else if (cp >= 0x7f && cp < 0xa0)
		ccfc_buf_printf(out, "\\x%02x", (unsigned)cp);
	else if (ccfc_utf8_is_layout(cp))
		/* Shown, not obeyed. */
		ccfc_buf_printf(out, "&lt;U+%04X&gt;", (unsigned)cp);
	else
		ccfc_buf_slice(out, bytes);
}

void ccfc_html_text(struct ccfc_buf *out, struct ccfc_slice text)
{
	const char *p = text.ptr, *end = text.ptr + text.len;

	while (p < end) {
		const char *at = p;
		int32_t cp = ccfc_utf8_next(&p, end);

		put_char(out, cp, ccfc_slice(at, (size_t)(p - at)));
	}
}

/* Prints a text that may be long, so the output may be flushed. */
static void put_block(struct ccfc_out *out, const char *class,
		      struct ccfc_slice text)
{
	ccfc_buf_printf(&out->buf, "<div class=\"%s\">", class);
	ccfc_html_text(&out->buf, text);
	ccfc_buf_puts(&out->buf, "</div>\n");
	ccfc_out_check(out);
}

static bool is_plain_id(struct ccfc_slice id)
{
	static const char plain[] = "0123456789-_abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < id.len; i++)
		if (!id.ptr[i] || !strchr(plain, id.ptr[i]))
			return false;
	return id.len && id.len <= 64;
}

/* "m-" and the message's id, or its number; agents may repeat ids. */
static void put_anchor(struct ccfc_message_stream *stream,
		       struct ccfc_obj message)
{
	struct ccfc_slice id = ccfc_obj_get_str(message, "id");
	struct ccfc_slice agent = ccfc_obj_get_str(message, "agentId");
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, "m-");
	if (!is_plain_id(id) || (stream->depth && !is_plain_id(agent))) {
		ccfc_buf_printf(buf, "%llu", (unsigned long long)stream->shown);
		return;
	}
	if (stream->depth) {
		ccfc_buf_slice(buf, agent);
		ccfc_buf_putc(buf, '-');
	}
	ccfc_buf_slice(buf, id);
}

static void print_head_html(struct ccfc_message_stream *stream,
			    struct ccfc_obj message)
{
	struct ccfc_slice time = ccfc_obj_get_str(message, "timestamp");
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, "<h2><a href=\"#");
	put_anchor(stream, message);
	ccfc_buf_puts(buf, "\">");
	ccfc_html_text(buf, ccfc_obj_get_str(message, "role"));
	ccfc_buf_puts(buf, "</a> <time datetime=\"");
	ccfc_html_text(buf, time);
	ccfc_buf_puts(buf, "\">");
	ccfc_message_stream_utc(buf, time);
	ccfc_buf_puts(buf, "</time>");
	if (ccfc_obj_get_bool(message, "isCompactSummary", false))
		ccfc_buf_puts(buf, " summary of what came before");
	else if (ccfc_obj_get_bool(message, "isMeta", false))
		ccfc_buf_puts(buf, " not typed");
	ccfc_buf_puts(buf, "</h2>\n");
}

static void print_argument(struct ccfc_message_stream *stream,
			   struct ccfc_obj key, struct ccfc_obj value)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_buf json = CCFC_BUF_INIT;
	struct ccfc_slice text = ccfc_obj_str(value);

	if (!ccfc_obj_is_str(value)) {
		ccfc_json_write(&json, value, 2);
		text = ccfc_buf_view(&json);
	}
	ccfc_buf_puts(&out->buf, "<div class=\"key\">");
	ccfc_html_text(&out->buf, ccfc_obj_str(key));
	ccfc_buf_puts(&out->buf, "</div>");
	put_block(out, "code", text);
	ccfc_buf_release(&json);
}

/* Added and removed lines also differ by colour. */
static void put_diff(struct ccfc_out *out, struct ccfc_slice diff)
{
	ccfc_buf_puts(&out->buf, "<div class=\"code\">");
	while (diff.len) {
		const char *nl = memchr(diff.ptr, '\n', diff.len);
		size_t n = nl ? (size_t)(nl - diff.ptr) + 1 : diff.len;
		const char *tag = diff.ptr[0] == '+'   ? "ins"
				  : diff.ptr[0] == '-' ? "del"
						       : "span";

		ccfc_buf_printf(&out->buf, "<%s>", tag);
		ccfc_html_text(&out->buf, ccfc_slice(diff.ptr, n));
		ccfc_buf_printf(&out->buf, "</%s>", tag);
		diff = ccfc_slice(diff.ptr + n, diff.len - n);
	}
	ccfc_buf_puts(&out->buf, "</div>\n");
	ccfc_out_check(out);
}

static void print_call(struct ccfc_message_stream *stream, struct ccfc_obj call)
{
	struct ccfc_buf label = CCFC_BUF_INIT, *buf = &stream->out->buf;
	struct ccfc_buf diff = CCFC_BUF_INIT;
	struct ccfc_obj input = ccfc_obj_get(call, "input");
	struct ccfc_slice state = ccfc_obj_get_str(call, "state");

	ccfc_message_stream_label(&label, stream, call);
	ccfc_buf_printf(buf, "<details class=\"call\"%s><summary>",
			ccfc_obj_is_str(ccfc_obj_get(input, "old_string"))
				? " open"
				: "");
	ccfc_html_text(buf, ccfc_buf_view(&label));
	if (state.len && !ccfc_slice_is(state, "applied")) {
		ccfc_buf_puts(buf, " <b>");
		ccfc_html_text(buf, state);
		ccfc_buf_puts(buf, "</b>");
	}
	ccfc_buf_puts(buf, "</summary>\n");
	if (ccfc_call_diff(&diff, call))
		put_diff(stream->out, ccfc_buf_view(&diff));
	else
		for (uint32_t i = 0; i < ccfc_obj_len(input); i++)
			print_argument(stream, ccfc_obj_key_at(input, i),
				       ccfc_obj_value_at(input, i));
	ccfc_buf_puts(buf, "</details>\n");
	ccfc_message_stream_called(stream, call);
	ccfc_buf_release(&label);
	ccfc_buf_release(&diff);
}

static bool is_short(struct ccfc_slice text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text.len && lines <= OPEN_LINES; i++)
		lines += text.ptr[i] == '\n';
	return lines <= OPEN_LINES && text.len < 2000;
}

static void print_result(struct ccfc_message_stream *stream,
			 struct ccfc_obj result)
{
	struct ccfc_slice output = ccfc_obj_get_str(result, "output");
	bool error = ccfc_obj_get_bool(result, "isError", false);
	char *label = ccfc_message_stream_answered(
		stream, ccfc_obj_get_str(result, "id"));
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_printf(buf, "<details class=\"%s\"%s><summary>%s",
			error ? "result error" : "result",
			error || is_short(output) ? " open" : "",
			error ? "Error" : "Result");
	if (label) {
		ccfc_buf_puts(buf, " of ");
		ccfc_html_text(buf, ccfc_slice_str(label));
	}
	ccfc_buf_puts(buf, "</summary>\n");
	put_block(stream->out, "code", output);
	ccfc_buf_puts(buf, "</details>\n");
	free(label);
}

static const char *css_class_of(struct ccfc_obj message)
{
	if (ccfc_message_stream_is_result(message))
		return "tool";
	return ccfc_slice_is(ccfc_obj_get_str(message, "role"), "user")
		       ? "user"
		       : "assistant";
}

static void print_message_html(struct ccfc_message_stream *stream,
			       struct ccfc_obj message)
{
	struct ccfc_obj calls = ccfc_obj_get(message, "toolCalls");
	struct ccfc_obj results = ccfc_obj_get(message, "toolResults");
	struct ccfc_slice thinking = ccfc_obj_get_str(message, "thinking");
	struct ccfc_slice content = ccfc_obj_get_str(message, "content");
	struct ccfc_buf *buf = &stream->out->buf;

	if (ccfc_message_stream_is_empty(message))
		return;
	ccfc_buf_printf(buf, "<article class=\"%s\" id=\"",
			css_class_of(message));
	put_anchor(stream, message);
	ccfc_buf_puts(buf, "\">\n");
	if (!ccfc_message_stream_is_result(message))
		print_head_html(stream, message);
	if (thinking.len) {
		ccfc_buf_puts(buf, "<details class=\"thinking\"><summary>"
				   "Thinking</summary>\n");
		put_block(stream->out, "text", thinking);
		ccfc_buf_puts(buf, "</details>\n");
	}
	if (content.len)
		put_block(stream->out, "text", content);
	for (uint32_t i = 0; i < ccfc_obj_len(results); i++)
		print_result(stream, ccfc_obj_at(results, i));
	for (uint32_t i = 0; i < ccfc_obj_len(calls); i++)
		print_call(stream, ccfc_obj_at(calls, i));
	if (ccfc_obj_get_bool(message, "truncated", false))
		ccfc_buf_puts(buf, "<p>Cut here: there is more of it.</p>\n");
	ccfc_buf_puts(buf, "</article>\n");
}

static void begin_agent_html(struct ccfc_message_stream *stream,
			     struct ccfc_obj agent)
{
	struct ccfc_buf *buf = &stream->out->buf;
	struct ccfc_slice about = ccfc_obj_get_str(agent, "description");

	ccfc_buf_puts(buf, "<details class=\"agent\"><summary>Agent ");
	ccfc_html_text(buf, ccfc_obj_get_str(agent, "agentId"));
	if (about.len) {
		ccfc_buf_puts(buf, ": ");
		ccfc_html_text(buf, about);
	}
	ccfc_buf_puts(buf, "</summary>\n");
}

static void end_agent_html(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "</details>\n");
}

const struct ccfc_message_stream_writer ccfc_message_stream_html = {
	.message = print_message_html,
	.agent_begin = begin_agent_html,
	.agent_end = end_agent_html,
};
