/*
 * A session as one JSON object, {session, messages, agents}: converted replies
 * of the daemon, one message on each line, written as they arrive.
 */
#include "cli/conversation/export.h"

#include "wire/to_json.h"

static void print_message_json(struct ccfc_message_stream *stream,
			       struct ccfc_obj message)
{
	ccfc_buf_puts(&stream->out->buf, stream->in_thread ? ",\n" : "\n");
	ccfc_json_write(&stream->out->buf, message, 0);
}

/* The agent's own fields, and its messages after them. */
static void begin_agent_json(struct ccfc_message_stream *stream,
			     struct ccfc_obj agent)
{
	struct ccfc_buf *buf = &stream->out->buf;

	ccfc_buf_puts(buf, stream->agents_shown ? ",\n{" : "\n{");
	for (uint32_t i = 0; i < ccfc_obj_len(agent); i++) {
		ccfc_json_write(buf, ccfc_obj_key_at(agent, i), 0);
		ccfc_buf_putc(buf, ':');
		ccfc_json_write(buf, ccfc_obj_value_at(agent, i), 0);
		ccfc_buf_putc(buf, ',');
	}
	ccfc_buf_puts(buf, "\"messages\":[");
}

static void end_agent_json(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "\n]}");
}

const struct ccfc_message_stream_writer ccfc_message_stream_json = {
	.message = print_message_json,
	.agent_begin = begin_agent_json,
	.agent_end = end_agent_json,
};

static void print_export_head_json(struct ccfc_message_stream *stream,
				   struct ccfc_obj info)
{
	struct ccfc_buf *buf = &stream->out->buf;
	bool first = true;

	ccfc_buf_puts(buf, "{\n\"session\": {");
	for (uint32_t i = 0; i < ccfc_obj_len(info); i++) {
		struct ccfc_slice key = ccfc_obj_str(ccfc_obj_key_at(info, i));

		/* Messages are printed later; then the clock is outdated. */
		if (ccfc_slice_is(key, "messages") ||
		    ccfc_slice_is(key, "clock"))
			continue;
		ccfc_buf_puts(buf, first ? "\n" : ",\n");
		ccfc_json_string(buf, key);
		ccfc_buf_puts(buf, ": ");
		ccfc_json_write(buf, ccfc_obj_value_at(info, i), 0);
		first = false;
	}
	ccfc_buf_puts(buf, "\n},\n\"messages\": [");
}

static void begin_agents_json(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "\n],\n\"agents\": [");
}

static void print_counts(struct ccfc_message_stream *stream)
{
	struct ccfc_buf packed = CCFC_BUF_INIT, *buf = &stream->out->buf;
	struct ccfc_doc *doc;
	struct ccfc_pack p;

	ccfc_pack_init(&p, &packed);
	ccfc_redact_pack_counts(&p, stream->redact);
	if (!ccfc_doc_parse(&doc, ccfc_buf_view(&packed), NULL)) {
		ccfc_buf_puts(buf, ",\n\"redacted\": ");
		ccfc_json_write(buf, ccfc_doc_root(doc), 0);
		ccfc_buf_puts(buf, ",\n\"redactedNote\": ");
		ccfc_json_string(buf, CCFC_SLICE_LIT(CCFC_REDACT_CAVEAT));
		ccfc_doc_free(doc);
	}
	ccfc_buf_release(&packed);
}

static void print_foot(struct ccfc_message_stream *stream)
{
	ccfc_buf_puts(&stream->out->buf, "\n]");
	if (stream->redact)
		print_counts(stream);
	if (stream->truncated)
		ccfc_buf_puts(&stream->out->buf, ",\n\"truncated\": true");
	ccfc_buf_puts(&stream->out->buf, "\n}\n");
}

const struct ccfc_export ccfc_export_json = {
	.writer = &ccfc_message_stream_json,
	.agents = CCFC_AGENTS_LAST,
	.head = print_export_head_json,
	.rest = begin_agents_json,
	.foot = print_foot,
};
