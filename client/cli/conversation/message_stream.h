/*
 * A conversation, message by message, with the messages of its agents below the
 * call that started them. A writer formats the messages; there is one for each
 * format (conversation_text.c, conversation_md.c, conversation_html.c,
 * export_json.c).
 */
#ifndef CCFC_CLI_CONVERSATION_MESSAGE_STREAM_H
#define CCFC_CLI_CONVERSATION_MESSAGE_STREAM_H

#include "cli/frame/cli.h"
#include "cli/redact/redact.h"
#include "wire/obj.h"

#include <ccfc/client.h>

struct ccfc_message_stream;

struct ccfc_message_stream_writer {
	void (*message)(struct ccfc_message_stream *stream,
			struct ccfc_obj message);
	/* An agent {agentId, agentType, description, …}; messages; its end. */
	void (*agent_begin)(struct ccfc_message_stream *stream,
			    struct ccfc_obj agent);
	void (*agent_end)(struct ccfc_message_stream *stream);
};

/* Where agents are written. */
enum ccfc_message_stream_agents {
	CCFC_AGENTS_NAMED, /* nowhere: the writer may name them */
	CCFC_AGENTS_BELOW, /* below the call that started them */
	CCFC_AGENTS_LAST,  /* after everything else */
};

/* A known agent; its texts are owned, and redacted. */
struct ccfc_message_stream_agent {
	char *id;		/* the daemon's agent id */
	struct ccfc_buf packed; /* the map for agent_begin */
	bool done;
};

struct ccfc_message_stream {
	/* Set by the caller, and borrowed. */
	struct ccfc_client *client;
	struct ccfc_out *out;
	const struct ccfc_message_stream_writer *writer;
	const char *session;
	struct ccfc_redact *redact; /* NULL: texts as they are */
	struct ccfc_slice project;  /* the base of the paths of calls */
	enum ccfc_message_stream_agents agents;
	struct ccfc_query query;
	int64_t limit;	    /* messages of the main thread; negative: all */
	bool full;	    /* the whole input of a call, not only its label */
	bool from_message;  /* leave out results before the first message */
	const char *marked; /* start of a message's id, or NULL */
	/* For writers. */
	unsigned depth;	    /* 0: the main thread */
	uint64_t shown;	    /* messages so far */
	uint64_t in_thread; /* messages of this thread so far */
	uint32_t agents_shown;
	bool after_agent; /* the message before was not of this thread */
	bool truncated;
	struct ccfc_buf last; /* the writer's notes about the last message */
	struct ccfc_buf day;
	/* Private. */
	struct {
		struct ccfc_message_stream_agent *items;
		uint32_t n, cap;
	} seen;
	struct {
		struct {
			char *id, *label;
		} * items;
		uint32_t n, cap;
	} calls; /* without a result yet */
};

/* Zeroes `stream`; limit -1, query initialised. */
void ccfc_message_stream_init(struct ccfc_message_stream *stream);
void ccfc_message_stream_release(struct ccfc_message_stream *stream);

/* Passes all messages that the query and the limit allow to the writer. */
int ccfc_message_stream_run(struct ccfc_message_stream *stream,
			    struct ccfc_err *err);

/*
 * Writes the known agents that have not been written yet. If `count` is larger,
 * also the agents that no call names.
 */
int ccfc_message_stream_rest(struct ccfc_message_stream *stream, int64_t count,
			     struct ccfc_err *err);

/* "Edit src/a.ts": the tool, and the main field of its input. */
void ccfc_message_stream_label(struct ccfc_buf *out,
			       const struct ccfc_message_stream *stream,
			       struct ccfc_obj call);
/*
 * Appends the diff of a call that edits a file to `out`, which is empty. False:
 * the call has no diff, or one too large; `out` may have a part of it.
 */
bool ccfc_call_diff(struct ccfc_buf *out, struct ccfc_obj call);
/* Remembers a call until its result; called by writers. */
void ccfc_message_stream_called(struct ccfc_message_stream *stream,
				struct ccfc_obj call);
/* The label of the call with that id, which the caller frees; or NULL. */
char *ccfc_message_stream_answered(struct ccfc_message_stream *stream,
				   struct ccfc_slice id);

/* "2025-12-10 10:05:23" of a reply's time, in UTC; "-": none. */
void ccfc_message_stream_utc(struct ccfc_buf *out, struct ccfc_slice time);

/* Is the message empty, without the parts that were not requested? */
bool ccfc_message_stream_is_empty(struct ccfc_obj message);

/* Is it a message of results only? */
bool ccfc_message_stream_is_result(struct ccfc_obj message);

extern const struct ccfc_message_stream_writer ccfc_message_stream_text;
extern const struct ccfc_message_stream_writer ccfc_message_stream_md;
extern const struct ccfc_message_stream_writer ccfc_message_stream_html;
extern const struct ccfc_message_stream_writer ccfc_message_stream_json;

/* ---- shared with the other parts of the documents ---- */

/*
 * Appends the lines of a text, each after `indent` blanks, made safe on a
 * terminal; at most `max` lines (0: all), then "… 12 more lines".
 */
void ccfc_text_lines(struct ccfc_out *out, struct ccfc_slice text,
		     unsigned indent, enum ccfc_style style, bool styled,
		     unsigned max);

/* Code in a fence that is longer than any in it. */
void ccfc_md_code(struct ccfc_out *out, struct ccfc_slice text,
		  const char *language);
/* A text that is Markdown itself; a fence that it left open is closed. */
void ccfc_md_text(struct ccfc_out *out, struct ccfc_slice text);
/* Text inside a line; special characters are escaped. */
void ccfc_md_words(struct ccfc_out *out, struct ccfc_slice text);

/* Text of an element or of an attribute. */
void ccfc_html_text(struct ccfc_buf *out, struct ccfc_slice text);

#endif
