/*
 * Sessions that are at work now: project, status, last prompt and last tool of
 * each, asked for again and again. Only what has changed since the last time is
 * asked for in full, so that a second is no load.
 */
#ifndef CCFC_CLI_REPORT_BUSY_SESSIONS_H
#define CCFC_CLI_REPORT_BUSY_SESSIONS_H

#include "base/buf.h"
#include "wire/obj.h"

#include <ccfc/client.h>

struct ccfc_busy_session {
	char *id, *project, *title, *status, *updated; /* owned, never NULL */
	char *prompt, *tool; /* the last ones; "" if unknown */
	int64_t messages;
	/* What is new since the last poll: */
	bool is_new, new_status, new_prompt, new_tool;
	bool listed; /* in the last poll */
};

struct ccfc_busy {
	struct {
		struct ccfc_busy_session *items; /* the latest first */
		uint32_t n, cap;
	} all;
};

void ccfc_busy_release(struct ccfc_busy *live);

/*
 * Asks for the sessions with a record since `from` (ms), at most `limit`; of
 * the project of `query`, which may be NULL. None is no error.
 */
int ccfc_busy_poll(struct ccfc_busy *live, struct ccfc_client *client,
		   const struct ccfc_query *query, int64_t from, int64_t limit,
		   struct ccfc_err *err);

#endif
