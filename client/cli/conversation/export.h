/*
 * A session as one document: its head, all of its messages with those of its
 * agents, and a foot that counts the redactions. One file for each format.
 */
#ifndef CCFC_CLI_CONVERSATION_EXPORT_H
#define CCFC_CLI_CONVERSATION_EXPORT_H

#include "cli/conversation/message_stream.h"

enum ccfc_export_format {
	CCFC_EXPORT_MARKDOWN,
	CCFC_EXPORT_JSON,
	CCFC_EXPORT_HTML,
};

/*
 * The parts before the first and after the last message. `info` is the reply of
 * session.get, redacted if the export is.
 */
struct ccfc_export {
	const struct ccfc_message_stream_writer *writer;
	enum ccfc_message_stream_agents agents;
	void (*head)(struct ccfc_message_stream *stream, struct ccfc_obj info);
	/*
	 * The files of a ChangedFilesSummary, redacted if the export is; after
	 * the head. NULL: not in this format.
	 */
	void (*files)(struct ccfc_message_stream *stream, struct ccfc_obj root);
	/* Before the first message; NULL: nothing. */
	void (*begin)(struct ccfc_message_stream *stream);
	/* Between the main thread and the remaining agents. */
	void (*rest)(struct ccfc_message_stream *stream);
	void (*foot)(struct ccfc_message_stream *stream);
};

extern const struct ccfc_export ccfc_export_md;
extern const struct ccfc_export ccfc_export_json;
extern const struct ccfc_export ccfc_export_html;

/* The title of a session, or if it has none its id. */
struct ccfc_slice ccfc_export_title(struct ccfc_obj info);

/*
 * Passes the known facts of a head to `fn`, one after another: {"Project",
 * "/home/…"} …
 */
typedef void (*ccfc_export_fact_fn)(void *data, const char *label,
				    struct ccfc_slice text);
void ccfc_export_facts(struct ccfc_obj info, bool utc, ccfc_export_fact_fn fn,
		       void *data);

#endif
