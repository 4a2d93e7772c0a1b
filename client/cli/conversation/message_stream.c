/* A conversation, message by message; see message_stream.h. */
#include "cli/conversation/message_stream.h"

#include "base/alloc.h"
#include "base/path.h"
#include "cli/conversation/pages.h"

#include <stdlib.h>

#define DEPTH_MAX 12	/* agents of agents; deeper ones are printed last */
#define CALLS_MAX 10000 /* without a result */
#define LABEL_MAX 300

void ccfc_message_stream_init(struct ccfc_message_stream *stream)
{
	const struct ccfc_query query = CCFC_QUERY_INIT;

	*stream = (struct ccfc_message_stream){ .query = query, .limit = -1 };
}

void ccfc_message_stream_release(struct ccfc_message_stream *stream)
{
	for (uint32_t i = 0; i < stream->seen.n; i++) {
		free(stream->seen.items[i].id);
		ccfc_buf_release(&stream->seen.items[i].packed);
	}
	for (uint32_t i = 0; i < stream->calls.n; i++) {
		free(stream->calls.items[i].id);
		free(stream->calls.items[i].label);
	}
	free(stream->seen.items);
	free(stream->calls.items);
	ccfc_buf_release(&stream->last);
	ccfc_buf_release(&stream->day);
}

/* ---- calls ---- */

static struct ccfc_slice first_line(struct ccfc_slice s)
{
	const char *nl = s.len ? memchr(s.ptr, '\n', s.len) : NULL;

	return nl ? ccfc_slice(s.ptr, (size_t)(nl - s.ptr)) : s;
}

/* The main field of an input: a path, a command, a pattern … */
static struct ccfc_slice key_argument(struct ccfc_obj input)
{
	static const char *const keys[] = {
		"file_path", "notebook_path", "path",	"command",
		"pattern",   "url",	      "query",	"description",
		"subject",   "skill",	      "prompt", "name",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct ccfc_slice s = ccfc_obj_get_str(input, keys[i]);

		if (s.len)
			return s;
	}
	for (uint32_t i = 0; i < ccfc_obj_len(input); i++) {
		struct ccfc_obj value = ccfc_obj_value_at(input, i);

		if (ccfc_obj_is_str(value) && ccfc_obj_str(value).len)
			return ccfc_obj_str(value);
	}
	return CCFC_SLICE_NONE;
}

void ccfc_message_stream_label(struct ccfc_buf *out,
			       const struct ccfc_message_stream *stream,
			       struct ccfc_obj call)
{
	struct ccfc_obj input = ccfc_obj_get(call, "input");
	struct ccfc_slice key = key_argument(input), line;
	struct ccfc_obj todos = ccfc_obj_get(input, "todos");

	ccfc_buf_slice(out, ccfc_obj_get_str(call, "name"));
	if (ccfc_obj_len(todos))
		ccfc_buf_printf(out, " %u tasks", ccfc_obj_len(todos));
	if (!key.len)
		return;
	line = ccfc_path_relative(first_line(key), stream->project);
	ccfc_buf_putc(out, ' ');
	ccfc_buf_slice(out, ccfc_slice_cut(line, LABEL_MAX));
	if (line.len > LABEL_MAX || first_line(key).len < key.len)
		ccfc_buf_puts(out, " …");
}

void ccfc_message_stream_called(struct ccfc_message_stream *stream,
				struct ccfc_obj call)
{
	struct ccfc_slice id = ccfc_obj_get_str(call, "id");
	struct ccfc_buf label = CCFC_BUF_INIT;

	if (!id.len || stream->calls.n >= CALLS_MAX)
		return;
	ccfc_message_stream_label(&label, stream, call);
	ccfc_buf_puts(&label, "");
	CCFC_VEC_GROW(stream->calls);
	stream->calls.items[stream->calls.n].id = ccfc_strndup(id.ptr, id.len);
	stream->calls.items[stream->calls.n++].label =
		ccfc_buf_detach(&label, NULL);
}

char *ccfc_message_stream_answered(struct ccfc_message_stream *stream,
				   struct ccfc_slice id)
{
	/* Searches from the latest call: it is nearly always the one. */
	for (uint32_t i = stream->calls.n; i-- > 0;) {
		char *label = stream->calls.items[i].label;

		if (!ccfc_slice_is(id, stream->calls.items[i].id))
			continue;
		free(stream->calls.items[i].id);
		memmove(&stream->calls.items[i], &stream->calls.items[i + 1],
			(stream->calls.n - i - 1) *
				sizeof(*stream->calls.items));
		stream->calls.n--;
		return label;
	}
	return NULL;
}

bool ccfc_message_stream_is_empty(struct ccfc_obj message)
{
	return !ccfc_obj_get_str(message, "content").len &&
	       !ccfc_obj_get_str(message, "thinking").len &&
	       !ccfc_obj_len(ccfc_obj_get(message, "toolCalls")) &&
	       !ccfc_obj_len(ccfc_obj_get(message, "toolResults"));
}

bool ccfc_message_stream_is_result(struct ccfc_obj message)
{
	return !ccfc_obj_get_str(message, "content").len &&
	       ccfc_obj_len(ccfc_obj_get(message, "toolResults"));
}

void ccfc_message_stream_utc(struct ccfc_buf *out, struct ccfc_slice time)
{
	if (time.len < 19) {
		ccfc_buf_puts(out, "-");
		return;
	}
	ccfc_buf_append(out, time.ptr, 10);
	ccfc_buf_putc(out, ' ');
	ccfc_buf_append(out, time.ptr + 11, 8);
}

/* ---- agents ---- */

static uint32_t find_agent(const struct ccfc_message_stream *stream,
			   struct ccfc_slice id)
{
	for (uint32_t i = 0; i < stream->seen.n; i++)
		if (ccfc_slice_is(id, stream->seen.items[i].id))
			return i;
	return UINT32_MAX;
}

static void put_field(struct ccfc_pack *p, struct ccfc_message_stream *stream,
		      const char *key, struct ccfc_slice s)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!s.len)
		return;
	if (stream->redact)
		ccfc_redact_text(&text, stream->redact, s);
	else
		ccfc_buf_slice(&text, s);
	ccfc_pack_kv_str(p, key, ccfc_buf_view(&text));
	ccfc_buf_release(&text);
}

/* Adds an agent that was not known before. */
static uint32_t add_agent(struct ccfc_message_stream *stream,
			  struct ccfc_slice id, struct ccfc_obj agent,
			  struct ccfc_slice call)
{
	struct ccfc_message_stream_agent row = { .id = ccfc_strndup(id.ptr,
								    id.len) };
	struct ccfc_pack p;

	ccfc_pack_init(&p, &row.packed);
	ccfc_pack_map(&p);
	put_field(&p, stream, "agentId", id);
	put_field(&p, stream, "agentType",
		  ccfc_obj_get_str(agent, "agentType"));
	put_field(&p, stream, "description",
		  ccfc_obj_get_str(agent, "description"));
	put_field(&p, stream, "toolUseId", call);
	ccfc_pack_end(&p);
	CCFC_VEC_PUSH(stream->seen, row);
	return stream->seen.n - 1;
}

static int run_thread(struct ccfc_message_stream *stream,
		      struct ccfc_pages *pages, struct ccfc_err *err);

/* An agent's messages, between its beginning and its end. */
static int run_agent(struct ccfc_message_stream *stream, uint32_t i,
		     struct ccfc_err *err)
{
	/* The row may move when other agents are found. */
	const char *id = stream->seen.items[i].id;
	struct ccfc_buf packed = stream->seen.items[i].packed;
	struct ccfc_pages pages;
	struct ccfc_doc *doc;
	int code;

	stream->seen.items[i].done = true;
	if (ccfc_doc_parse(&doc, ccfc_buf_view(&packed), err) < 0)
		return CCFC_EPROTO;
	ccfc_pages_messages(&pages, stream->client, stream->session);
	pages.query = stream->query;
	pages.query.offset = 0;
	pages.query.role = pages.query.message = NULL;
	pages.query.agent = id;
	pages.whole = stream->full;
	stream->depth++;
	stream->writer->agent_begin(stream, ccfc_doc_root(doc));
	stream->agents_shown++;
	stream->in_thread = 0;
	ccfc_buf_clear(&stream->last);
	code = run_thread(stream, &pages, err);
	/* The agent's file may be gone; the agent is named anyway. */
	if (code == CCFC_ENOTFOUND)
		code = 0;
	stream->writer->agent_end(stream);
	stream->after_agent = true;
	ccfc_buf_clear(&stream->last);
	stream->depth--;
	ccfc_pages_release(&pages);
	ccfc_doc_free(doc);
	return code;
}

/* The agents that a message's calls started. */
static int run_calls(struct ccfc_message_stream *stream,
		     struct ccfc_obj message, struct ccfc_err *err)
{
	struct ccfc_obj calls = ccfc_obj_get(message, "toolCalls");
	int code = 0;

	for (uint32_t i = 0; !code && i < ccfc_obj_len(calls); i++) {
		struct ccfc_obj call = ccfc_obj_at(calls, i);
		struct ccfc_obj agent = ccfc_obj_get(call, "agent");
		struct ccfc_slice id = ccfc_obj_get_str(agent, "agentId");
		uint32_t row;

		if (!id.len || find_agent(stream, id) != UINT32_MAX)
			continue;
		row = add_agent(stream, id, agent,
				ccfc_obj_get_str(call, "id"));
		if (stream->agents == CCFC_AGENTS_BELOW &&
		    stream->depth < DEPTH_MAX)
			code = run_agent(stream, row, err);
	}
	return code;
}

/* ---- messages ---- */

/* Passes a message, redacted if need be, to the writer. See `from_message`. */
static void write_message(struct ccfc_message_stream *stream,
			  struct ccfc_obj message)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	struct ccfc_doc *doc = NULL;
	struct ccfc_pack p;

	if (stream->from_message && !stream->shown &&
	    ccfc_message_stream_is_result(message))
		return;
	if (stream->redact) {
		ccfc_pack_init(&p, &packed);
		ccfc_redact_pack(&p, stream->redact, message, NULL);
		/* The message was packed here, so it is valid. */
		if (ccfc_doc_parse(&doc, ccfc_buf_view(&packed), NULL) < 0)
			abort();
		message = ccfc_doc_root(doc);
	}
	stream->writer->message(stream, message);
	stream->after_agent = false;
	stream->shown++;
	stream->in_thread++;
	ccfc_out_check(stream->out);
	ccfc_doc_free(doc);
	ccfc_buf_release(&packed);
}

static int run_thread(struct ccfc_message_stream *stream,
		      struct ccfc_pages *pages, struct ccfc_err *err)
{
	struct ccfc_obj root;
	int code = 0;

	while (!stream->out->error &&
	       (code = ccfc_pages_next(pages, &root, err)) > 0) {
		struct ccfc_obj list = ccfc_obj_get(root, pages->list);

		for (uint32_t i = 0; i < pages->n; i++) {
			struct ccfc_obj message = ccfc_obj_at(list, i);

			write_message(stream, message);
			code = run_calls(stream, message, err);
			if (code < 0 || stream->out->error)
				return code;
		}
	}
	stream->truncated |= pages->truncated;
	return stream->out->error ? 0 : code;
}

int ccfc_message_stream_run(struct ccfc_message_stream *stream,
			    struct ccfc_err *err)
{
	struct ccfc_pages pages;
	int code;

	ccfc_pages_messages(&pages, stream->client, stream->session);
	pages.query = stream->query;
	pages.left = stream->limit;
	pages.whole = stream->full;
	code = run_thread(stream, &pages, err);
	ccfc_pages_release(&pages);
	return code;
}

/* Agents that no call names show in the timeline only. */
static int find_agents_without_call(struct ccfc_message_stream *stream,
				    struct ccfc_err *err)
{
	struct ccfc_pages pages;
	struct ccfc_obj root;
	int code;

	ccfc_pages_timeline(&pages, stream->client, stream->session);
	pages.query.max_content = 1;
	while ((code = ccfc_pages_next(&pages, &root, err)) > 0) {
		struct ccfc_obj events = ccfc_obj_get(root, pages.list);

		for (uint32_t i = 0; i < pages.n; i++) {
			struct ccfc_obj event = ccfc_obj_at(events, i);
			struct ccfc_slice id =
				ccfc_obj_get_str(event, "agentId");

			if (id.len && find_agent(stream, id) == UINT32_MAX)
				add_agent(stream, id, (struct ccfc_obj){ 0 },
					  CCFC_SLICE_NONE);
		}
	}
	ccfc_pages_release(&pages);
	return code;
}

int ccfc_message_stream_rest(struct ccfc_message_stream *stream, int64_t count,
			     struct ccfc_err *err)
{
	int code = 0;

	/* While agents are written, more of them are found. */
	for (uint32_t i = 0; !code && i < stream->seen.n; i++)
		if (!stream->seen.items[i].done)
			code = run_agent(stream, i, err);
	if (!code && count > stream->seen.n)
		code = find_agents_without_call(stream, err);
	for (uint32_t i = 0; !code && i < stream->seen.n; i++)
		if (!stream->seen.items[i].done)
			code = run_agent(stream, i, err);
	return code;
}
