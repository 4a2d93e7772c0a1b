/* One run of `ccfc show`: the requested sections, and the state so far. */
#ifndef CCFC_CLI_CONVERSATION_SHOW_RUN_H
#define CCFC_CLI_CONVERSATION_SHOW_RUN_H

#include "cli/conversation/show.h"

enum {
	CCFC_SHOW_TASKS = 1 << 0,
	CCFC_SHOW_TOOLS = 1 << 1,
	CCFC_SHOW_FILES = 1 << 2,
	CCFC_SHOW_TIMELINE = 1 << 3,
	CCFC_SHOW_TREE = 1 << 4,
	CCFC_SHOW_MESSAGES = 1 << 5,
};

/* In the order of the option's choices. */
enum ccfc_show_which {
	CCFC_FILES_ALL,
	CCFC_FILES_MODIFIED,
	CCFC_FILES_READ,
};

struct ccfc_show {
	/* Set by the caller, and borrowed. */
	struct ccfc_cli *cli;
	const char *session;
	unsigned sections; /* 0: the overview */
	enum ccfc_show_format format;
	enum ccfc_show_which which;
	struct ccfc_query query;
	int64_t limit; /* negative: none */
	bool offset_set;
	/* Results for the caller. */
	bool truncated;
	/* Private. */
	struct ccfc_reply *reply; /* of session.get */
	struct ccfc_obj info;
	struct ccfc_reply *modified, *reads;
};

/* Prints everything; CCFC_ENOTFOUND: nothing to show. */
int ccfc_show_run(struct ccfc_show *show, struct ccfc_err *err);
void ccfc_show_release(struct ccfc_show *show);

#endif
