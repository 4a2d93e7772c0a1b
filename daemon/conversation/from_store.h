/*
 * A session whose transcripts are gone: its texts, in the file that text search
 * reads (store/texts/texts.h). It has no calls, results or tree; only messages
 * and plans. The file is read twice: once for the places of the session's
 * texts, then for the texts of the page. Any thread.
 */
#ifndef CCFC_CONVERSATION_FROM_STORE_H
#define CCFC_CONVERSATION_FROM_STORE_H

#include "conversation/conversation.h"
#include "store/texts/texts.h"

struct ccfc_gone_message {
	char id[37]; /* "": none */
	enum ccfc_text_role role;
	int64_t time;
	uint32_t flags; /* of the texts */
	struct ccfc_slice content, thinking;
	bool cut;
};

struct ccfc_gone {
	struct ccfc_gone_message *items; /* of the page; in the arena */
	uint32_t n;
	uint64_t total, offset;
	struct ccfc_conversation_tasks tasks;
};

struct ccfc_gone_ask {
	const struct ccfc_texts_view *view;
	uint32_t session; /* of the index */
	enum ccfc_conversation_role role;
	struct ccfc_slice find; /* how the uuid begins; empty: none */
	uint64_t offset, limit;
	size_t max;  /* of a text */
	size_t left; /* of all */
};

/* CCFC_ENOTFOUND as ccfc_conversation_page; CCFC_EAGAIN: cancelled. */
int ccfc_gone_read(struct ccfc_gone *out,
		   struct ccfc_conversation_reader *reader,
		   const struct ccfc_gone_ask *ask, struct ccfc_arena *arena,
		   struct ccfc_err *err);

#endif
