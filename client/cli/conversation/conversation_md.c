/*
 * Messages as Markdown. Messages are usually Markdown themselves and stay
 * unchanged; inputs and results of tools are code, in a fence that their text
 * cannot close.
 */
#include "cli/conversation/message_stream.h"

#include "wire/to_json.h"

#include <stdlib.h>

#define HEAD_LEVEL 3
#define HEAD_MAX   6

/* One line after another, made safe on a terminal. */
static void put_lines_md(struct ccfc_out *out, struct ccfc_slice text)
{
	bool open = text.len && text.ptr[text.len - 1] != '\n';

	if (!out->tty) {
		ccfc_buf_slice(&out->buf, text);
		if (open)
			ccfc_buf_putc(&out->buf, '\n');
		return;
	}
	ccfc_text_lines(out, text, 0, CCFC_STYLE_FAINT, false, 0);
}

/* The longest run of backticks. */
static unsigned longest_run(struct ccfc_slice text)
{
	unsigned run = 0, most = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.ptr[i] == '`' ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

static void put_fence(struct ccfc_out *out, char c, unsigned n)
{
	while (n--)
		ccfc_buf_putc(&out->buf, c);
}

void ccfc_md_code(struct ccfc_out *out, struct ccfc_slice text,
		  const char *language)
{
	unsigned n = longest_run(text) + 1;

	n = n < 3 ? 3 : n;
	put_fence(out, '`', n);
	ccfc_buf_printf(&out->buf, "%s\n", language);
	put_lines_md(out, text);
	put_fence(out, '`', n);
	ccfc_buf_puts(&out->buf, "\n\n");
	ccfc_out_check(out);
}

/*
 * The length of the fence in a line, and its character; 0: it is not a fence.
 */
static unsigned fence_length(struct ccfc_slice line, char *c, bool *bare)
{
	size_t at = 0, n = 0;

	while (at < line.len && at < 4 && line.ptr[at] == ' ')
		at++;
	if (at == 4 || at == line.len ||
	    (line.ptr[at] != '`' && line.ptr[at] != '~'))
		return 0;
	*c = line.ptr[at];
	while (at + n < line.len && line.ptr[at + n] == *c)
		n++;
	*bare = true;
	for (size_t i = at + n; i < line.len; i++) {
		*bare &= line.ptr[i] == ' ' || line.ptr[i] == '\r';
		/* With a later backtick it is code within a line. */
		if (line.ptr[i] == '`' && *c == '`')
			return 0;
	}
	return n < 3 ? 0 : (unsigned)n;
}

void ccfc_md_text(struct ccfc_out *out, struct ccfc_slice text)
{
	struct ccfc_slice rest = text;
	unsigned open = 0;
	char with = 0;

	put_lines_md(out, text);
	while (rest.len) {
		const char *nl = memchr(rest.ptr, '\n', rest.len);
		size_t len = nl ? (size_t)(nl - rest.ptr) : rest.len;
		bool bare = false;
		char c = 0;
		unsigned n = fence_length(ccfc_slice(rest.ptr, len), &c, &bare);
		if (!open && n) {
			open = n;
			with = c;
		} else if (open && n >= open && c == with && bare) {
			open = 0;
		}
		len += nl != NULL;
		rest = ccfc_slice(rest.ptr + len, rest.len - len);
	}
	put_fence(out, with, open);
	ccfc_buf_puts(&out->buf, open ? "\n\n" : "\n");
}

void ccfc_md_words(struct ccfc_out *out, struct ccfc_slice text)
{
	struct ccfc_buf safe = CCFC_BUF_INIT;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c && strchr("\\`*_{}[]<>#|~&!", c))
			ccfc_buf_putc(&safe, '\\');
		ccfc_buf_putc(&safe, c == '\n' ? ' ' : c);
	}
	ccfc_out_field(out, ccfc_buf_view(&safe));
	ccfc_buf_release(&safe);
}

static void put_head(struct ccfc_message_stream *stream, unsigned level)
{
	level += stream->depth;
	put_fence(stream->out, '#', level < HEAD_MAX ? level : HEAD_MAX);
	ccfc_buf_putc(&stream->out->buf, ' ');
}

static void print_head_md(struct ccfc_message_stream *stream,
			  struct ccfc_obj message)
{
	struct ccfc_buf *buf = &stream->out->buf;

	put_head(stream, HEAD_LEVEL);
	ccfc_md_words(stream->out, ccfc_obj_get_str(message, "role"));
	ccfc_buf_puts(buf, ", ");
	ccfc_message_stream_utc(buf, ccfc_obj_get_str(message, "timestamp"));
	if (ccfc_obj_get_bool(message, "isCompactSummary", false))
		ccfc_buf_puts(buf, " (summary of what came before)");
	else if (ccfc_obj_get_bool(message, "isMeta", false))
		ccfc_buf_puts(buf, " (not typed)");
	ccfc_buf_puts(buf, "\n\n");
}

/* Prints one argument: its name, and its value as code below. */
static void print_argument(struct ccfc_message_stream *stream,
			   struct ccfc_obj key, struct ccfc_obj value)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_buf json = CCFC_BUF_INIT;
	struct ccfc_slice text = ccfc_obj_str(value);
	bool is_text = ccfc_obj_is_str(value);

	if (!is_text) {
		ccfc_json_write(&json, value, 2);
		text = ccfc_buf_view(&json);
	}
	ccfc_buf_puts(&out->buf, "*");
	ccfc_md_words(out, ccfc_obj_str(key));
	ccfc_buf_puts(&out->buf, "*:\n\n");
	ccfc_md_code(out, text, is_text ? "" : "json");
	ccfc_buf_release(&json);
}

static void print_call(struct ccfc_message_stream *stream, struct ccfc_obj call)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_obj input = ccfc_obj_get(call, "input");
	struct ccfc_slice state = ccfc_obj_get_str(call, "state");
	struct ccfc_buf label = CCFC_BUF_INIT, diff = CCFC_BUF_INIT;

	ccfc_message_stream_label(&label, stream, call);
	ccfc_buf_puts(&out->buf, "**");
	ccfc_md_words(out, ccfc_buf_view(&label));
	ccfc_buf_puts(&out->buf, "**");
	if (state.len && !ccfc_slice_is(state, "applied")) {
		ccfc_buf_puts(&out->buf, " (");
		ccfc_md_words(out, state);
		ccfc_buf_putc(&out->buf, ')');
	}
	ccfc_buf_puts(&out->buf, "\n\n");
	if (stream->full && ccfc_call_diff(&diff, call))
		ccfc_md_code(out, ccfc_buf_view(&diff), "diff");
	else
		for (uint32_t i = 0; stream->full && i < ccfc_obj_len(input);
		     i++)
			print_argument(stream, ccfc_obj_key_at(input, i),
				       ccfc_obj_value_at(input, i));
	ccfc_message_stream_called(stream, call);
	ccfc_buf_release(&label);
	ccfc_buf_release(&diff);
}

static void print_result(struct ccfc_message_stream *stream,
			 struct ccfc_obj result)
{
	struct ccfc_out *out = stream->out;
	bool error = ccfc_obj_get_bool(result, "isError", false);
	char *label = ccfc_message_stream_answered(
		stream, ccfc_obj_get_str(result, "id"));

	ccfc_buf_puts(&out->buf, error ? "Error" : "Result");
	if (label) {
		ccfc_buf_puts(&out->buf, " of ");
		ccfc_md_words(out, ccfc_slice_str(label));
	}
	ccfc_buf_puts(&out->buf, ":\n\n");
	ccfc_md_code(out, ccfc_obj_get_str(result, "output"), "");
	free(label);
}

static void print_message_md(struct ccfc_message_stream *stream,
			     struct ccfc_obj message)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_obj calls = ccfc_obj_get(message, "toolCalls");
	struct ccfc_obj results = ccfc_obj_get(message, "toolResults");
	struct ccfc_slice thinking = ccfc_obj_get_str(message, "thinking");

	if (ccfc_message_stream_is_empty(message))
		return;
	if (!ccfc_message_stream_is_result(message))
		print_head_md(stream, message);
	if (thinking.len) {
		ccfc_buf_puts(&out->buf, "Thinking:\n\n");
		ccfc_md_code(out, thinking, "");
	}
	if (ccfc_obj_get_str(message, "content").len)
		ccfc_md_text(out, ccfc_obj_get_str(message, "content"));
	for (uint32_t i = 0; i < ccfc_obj_len(results); i++)
		print_result(stream, ccfc_obj_at(results, i));
	for (uint32_t i = 0; i < ccfc_obj_len(calls); i++)
		print_call(stream, ccfc_obj_at(calls, i));
	if (ccfc_obj_get_bool(message, "truncated", false))
		ccfc_buf_puts(&out->buf, "*(cut here: there is more of it)*"
					 "\n\n");
}

static void begin_agent_md(struct ccfc_message_stream *stream,
			   struct ccfc_obj agent)
{
	struct ccfc_out *out = stream->out;
	struct ccfc_slice about = ccfc_obj_get_str(agent, "description");

	put_head(stream, HEAD_LEVEL - 1);
	ccfc_buf_puts(&out->buf, "Agent ");
	ccfc_md_words(out, ccfc_obj_get_str(agent, "agentId"));
	if (about.len) {
		ccfc_buf_puts(&out->buf, ": ");
		ccfc_md_words(out, about);
	}
	ccfc_buf_puts(&out->buf, "\n\n");
}

static void end_agent_md(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "*End of the agent.*\n\n");
}

const struct ccfc_message_stream_writer ccfc_message_stream_md = {
	.message = print_message_md,
	.agent_begin = begin_agent_md,
	.agent_end = end_agent_md,
};
