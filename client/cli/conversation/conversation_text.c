/*
 * Messages for people: a line with who and when, the text as it is, one line
 * for each call, the first lines of each result. Agents are indented below the
 * call that started them.
 */
#include "cli/conversation/message_stream.h"
#include "cli/out/locale_utf8.h"
#include "cli/out/render.h"

#include <stdlib.h>

#define RESULT_LINES 8
#define DIFF_LINES   40
#define LINE_MAX_LEN 2000 /* bytes of a line of a result */

static unsigned count_lines(struct ccfc_slice s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == '\n' || i + 1 == s.len;
	return n;
}

void ccfc_text_lines(struct ccfc_out *out, struct ccfc_slice text,
		     unsigned indent, enum ccfc_style style, bool styled,
		     unsigned max)
{
	const char *on = styled ? ccfc_out_on(out, style) : "";
	const char *off = styled ? ccfc_out_off(out) : "";

	for (unsigned n = 0; text.len; n++) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t len = nl ? (size_t)(nl - text.ptr) : text.len;
		struct ccfc_slice line = ccfc_slice(text.ptr, len);

		ccfc_buf_printf(&out->buf, "%*s%s", (int)indent, "", on);
		if (max && n == max) {
			ccfc_buf_puts(&out->buf, ccfc_ellipsis());
			ccfc_buf_putc(&out->buf, ' ');
			ccfc_render_count(&out->buf, count_lines(text),
					  "more line");
			ccfc_buf_printf(&out->buf, "%s\n", off);
			return;
		}
		if (max && len > LINE_MAX_LEN) {
			ccfc_out_content(out,
					 ccfc_slice_cut(line, LINE_MAX_LEN));
			ccfc_buf_puts(&out->buf, ccfc_ellipsis());
		} else {
			ccfc_out_content(out, line);
		}
		ccfc_buf_printf(&out->buf, "%s\n", off);
		ccfc_out_check(out);
		len += nl != NULL;
		text = ccfc_slice(text.ptr + len, text.len - len);
	}
}

static void put_indent(struct ccfc_message_stream *stream, unsigned more)
{
	ccfc_buf_printf(&stream->out->buf, "%*s",
			(int)(stream->depth * 4 + more), "");
}

/* The time's format, with the day if the previous message had another. */
static const char *time_format(struct ccfc_message_stream *stream,
			       struct ccfc_slice time)
{
	struct ccfc_slice day = ccfc_slice(time.ptr, time.len < 10 ? 0 : 10);

	if (ccfc_slice_eq(day, ccfc_buf_view(&stream->day)))
		return "%H:%M:%S";
	ccfc_buf_clear(&stream->day);
	ccfc_buf_slice(&stream->day, day);
	return CCFC_RENDER_SECOND;
}

static void print_marks(struct ccfc_message_stream *stream,
			struct ccfc_obj message)
{
	struct ccfc_buf *buf = &stream->out->buf;
	struct ccfc_slice subtype = ccfc_obj_get_str(message, "subtype");

	if (ccfc_obj_get_bool(message, "isCompactSummary", false))
		ccfc_buf_puts(buf, " (summary of what came before)");
	else if (ccfc_obj_get_bool(message, "isMeta", false))
		ccfc_buf_puts(buf, " (not typed)");
	if (subtype.len) {
		ccfc_buf_puts(buf, " (");
		ccfc_out_field(stream->out, subtype);
		ccfc_buf_putc(buf, ')');
	}
}

static bool is_marked(const struct ccfc_message_stream *stream,
		      struct ccfc_obj message)
{
	return stream->marked && *stream->marked &&
	       ccfc_slice_starts(ccfc_obj_get_str(message, "id"),
				 stream->marked);
}

/* "── user 10:05:23 ──" */
static void print_head_text(struct ccfc_message_stream *stream,
			    struct ccfc_obj message)
{
	struct ccfc_out *out = stream->out;
	const char *rule = ccfc_is_utf8() ? "──" : "--";
	bool marked = is_marked(stream, message);
	struct ccfc_slice time = ccfc_obj_get_str(message, "timestamp");

	ccfc_buf_putc(&out->buf, '\n');
	put_indent(stream, 0);
	ccfc_buf_printf(
		&out->buf, "%s%s%s ",
		ccfc_out_on(out, marked ? CCFC_STYLE_ALERT : CCFC_STYLE_HEAD),
		marked ? ">>" : "", rule);
	ccfc_out_field(out, ccfc_obj_get_str(message, "role"));
	if (time.len) {
		ccfc_buf_putc(&out->buf, ' ');
		ccfc_render_time(&out->buf, ccfc_obj_get(message, "timestamp"),
				 time_format(stream, time));
	}
	print_marks(stream, message);
	ccfc_buf_printf(&out->buf, " %s%s\n", rule, ccfc_out_off(out));
}

/* One response is several records, which share a head. */
static bool is_continued_message(struct ccfc_message_stream *stream,
				 struct ccfc_obj message)
{
	struct ccfc_slice id = ccfc_obj_get_str(message, "messageId");
	bool same = id.len && ccfc_slice_eq(id, ccfc_buf_view(&stream->last));

	ccfc_buf_clear(&stream->last);
	ccfc_buf_slice(&stream->last, id);
	return same && !is_marked(stream, message);
}

static void print_agent(struct ccfc_message_stream *stream,
			struct ccfc_obj agent)
{
	struct ccfc_out *out = stream->out;

	put_indent(stream, 4);
	ccfc_buf_printf(&out->buf, "%sagent ",
			ccfc_out_on(out, CCFC_STYLE_FAINT));
	ccfc_out_field(out, ccfc_obj_get_str(agent, "agentId"));
	if (ccfc_obj_get_str(agent, "agentType").len) {
		ccfc_buf_puts(&out->buf, " (");
		ccfc_out_field(out, ccfc_obj_get_str(agent, "agentType"));
		ccfc_buf_putc(&out->buf, ')');
	}
	ccfc_buf_puts(&out->buf, ", ");
	ccfc_render_count(&out->buf, ccfc_obj_get_int(agent, "messageCount", 0),
			  "message");
	ccfc_buf_printf(&out->buf, "%s\n", ccfc_out_off(out));
}

/* Prints the change of an edit in the colours of a diff. */
static void print_diff(struct ccfc_message_stream *stream,
		       struct ccfc_slice diff)
{
	struct ccfc_out *out = stream->out;
	unsigned lines = 0;

	while (diff.len && lines++ < DIFF_LINES) {
		const char *nl = memchr(diff.ptr, '\n', diff.len);
		size_t n = nl ? (size_t)(nl - diff.ptr) : diff.len;
		bool added = diff.ptr[0] == '+', gone = diff.ptr[0] == '-';

		put_indent(stream, 4);
		if (added || gone)
			ccfc_buf_puts(&out->buf,
				      ccfc_out_on(out, added ? CCFC_STYLE_NEW
							     : CCFC_STYLE_OLD));
		ccfc_out_field(out, ccfc_slice(diff.ptr, n));
		if (added || gone)
			ccfc_buf_puts(&out->buf, ccfc_out_off(out));
		ccfc_buf_putc(&out->buf, '\n');
		n += nl != NULL;
		diff = ccfc_slice(diff.ptr + n, diff.len - n);
	}
	if (diff.len) {
		put_indent(stream, 4);
		ccfc_buf_puts(&out->buf, "…\n");
	}
}

static void print_call(struct ccfc_message_stream *stream, struct ccfc_obj call)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_obj agent = ccfc_obj_get(call, "agent");
	struct ccfc_slice state = ccfc_obj_get_str(call, "state");
	struct ccfc_buf label = CCFC_BUF_INIT, diff = CCFC_BUF_INIT;

	ccfc_message_stream_label(&label, stream, call);
	put_indent(stream, 2);
	ccfc_buf_puts(&out->buf, ccfc_out_on(out, CCFC_STYLE_HUNK));
	ccfc_out_field(out, ccfc_buf_view(&label));
	ccfc_buf_puts(&out->buf, ccfc_out_off(out));
	if (state.len && !ccfc_slice_is(state, "applied")) {
		ccfc_buf_printf(&out->buf, " %s(",
				ccfc_out_on(out, CCFC_STYLE_ALERT));
		ccfc_out_field(out, state);
		ccfc_buf_printf(&out->buf, ")%s", ccfc_out_off(out));
	}
	ccfc_buf_putc(&out->buf, '\n');
	if (ccfc_call_diff(&diff, call))
		print_diff(stream, ccfc_buf_view(&diff));
	if (stream->agents == CCFC_AGENTS_NAMED &&
	    ccfc_obj_get_str(agent, "agentId").len)
		print_agent(stream, agent);
	ccfc_message_stream_called(stream, call);
	ccfc_buf_release(&label);
	ccfc_buf_release(&diff);
}

/* With the call's name if several calls wait, or after an agent. */
static void print_result(struct ccfc_message_stream *stream,
			 struct ccfc_obj result)
{
	struct ccfc_out *out = stream->out;
	bool error = ccfc_obj_get_bool(result, "isError", false);
	bool several = stream->calls.n > 1 || stream->after_agent;
	char *label = ccfc_message_stream_answered(
		stream, ccfc_obj_get_str(result, "id"));

	if (error || several || !label) {
		put_indent(stream, 2);
		ccfc_buf_puts(&out->buf,
			      ccfc_out_on(out, error ? CCFC_STYLE_ALERT
						     : CCFC_STYLE_FAINT));
		ccfc_buf_puts(&out->buf, error ? "error" : "result");
		if (label && several) {
			ccfc_buf_puts(&out->buf, " of ");
			ccfc_out_field(out, ccfc_slice_str(label));
		}
		ccfc_buf_printf(&out->buf, ":%s\n", ccfc_out_off(out));
	}
	ccfc_text_lines(out, ccfc_obj_get_str(result, "output"),
			stream->depth * 4 + 4, CCFC_STYLE_FAINT, true,
			RESULT_LINES);
	free(label);
}

static void print_message_text(struct ccfc_message_stream *stream,
			       struct ccfc_obj message)
{
	struct ccfc_obj calls = ccfc_obj_get(message, "toolCalls");
	struct ccfc_obj results = ccfc_obj_get(message, "toolResults");
	bool same;

	if (ccfc_message_stream_is_empty(message) &&
	    !is_marked(stream, message))
		return;
	same = is_continued_message(stream, message);
	if (is_marked(stream, message) ||
	    (!same && !ccfc_message_stream_is_result(message)))
		print_head_text(stream, message);
	ccfc_text_lines(stream->out, ccfc_obj_get_str(message, "thinking"),
			stream->depth * 4 + 2, CCFC_STYLE_FAINT, true, 0);
	ccfc_text_lines(stream->out, ccfc_obj_get_str(message, "content"),
			stream->depth * 4, CCFC_STYLE_HEAD, false, 0);
	for (uint32_t i = 0; i < ccfc_obj_len(results); i++)
		print_result(stream, ccfc_obj_at(results, i));
	for (uint32_t i = 0; i < ccfc_obj_len(calls); i++)
		print_call(stream, ccfc_obj_at(calls, i));
	if (ccfc_obj_get_bool(message, "truncated", false)) {
		put_indent(stream, 0);
		ccfc_buf_printf(&stream->out->buf,
				"%s(cut here: there is more of it)%s\n",
				ccfc_out_on(stream->out, CCFC_STYLE_FAINT),
				ccfc_out_off(stream->out));
	}
}

static void begin_agent_text(struct ccfc_message_stream *stream,
			     struct ccfc_obj agent)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_slice about = ccfc_obj_get_str(agent, "description");

	ccfc_buf_putc(&out->buf, '\n');
	put_indent(stream, 0);
	ccfc_buf_printf(&out->buf, "%sagent ",
			ccfc_out_on(out, CCFC_STYLE_HEAD));
	ccfc_out_field(out, ccfc_obj_get_str(agent, "agentId"));
	if (ccfc_obj_get_str(agent, "agentType").len) {
		ccfc_buf_puts(&out->buf, " (");
		ccfc_out_field(out, ccfc_obj_get_str(agent, "agentType"));
		ccfc_buf_putc(&out->buf, ')');
	}
	if (about.len) {
		ccfc_buf_puts(&out->buf, ": ");
		ccfc_out_field(out, about);
	}
	ccfc_buf_printf(&out->buf, "%s\n", ccfc_out_off(out));
}

static void end_agent_text(struct ccfc_message_stream *stream)
{
	ccfc_buf_putc(&stream->out->buf, '\n');
}

const struct ccfc_message_stream_writer ccfc_message_stream_text = {
	.message = print_message_text,
	.agent_begin = begin_agent_text,
	.agent_end = end_agent_text,
};
