/* What `ccfc top` shows: one frame of lines. */
#ifndef CCFC_CLI_REPORT_TOP_SCREEN_H
#define CCFC_CLI_REPORT_TOP_SCREEN_H

#include "cli/out/out.h"
#include "cli/report/busy_sessions.h"

#define CCFC_TOP_FILES	   200 /* changes that are remembered */
#define CCFC_TOP_CONFLICTS 3

/* A change that was just made; texts are owned. */
struct ccfc_top_file {
	char *time, *project, *text; /* text: "Edit src/a.c +3 -1" */
	/*
	 * The key of a change: its id, "" for an early event; place and time of
	 * the sighting on disk, "" if there is none.
	 */
	char *change, *seen;
	bool alert; /* it did not take effect */
};

struct ccfc_top {
	struct ccfc_busy live;
	struct ccfc_top_file files[CCFC_TOP_FILES]; /* the last one is new */
	uint32_t nfiles;
	char *conflicts[CCFC_TOP_CONFLICTS]; /* of sessions at work; owned */
	bool paused;
};

void ccfc_top_release(struct ccfc_top *top);

/*
 * Remembers an event of a change, or an early event; replaces an earlier event
 * of the same change.
 */
void ccfc_top_add(struct ccfc_top *top, struct ccfc_obj event);

/* Replaces the rows by those of conflict.list. */
void ccfc_top_conflicts(struct ccfc_top *top, struct ccfc_obj rows);

/*
 * Appends a frame of at most `rows` lines of `width` columns, each ended by
 * `end`. `now` is in ms.
 */
void ccfc_top_frame(struct ccfc_out *out, const struct ccfc_top *top,
		    unsigned rows, unsigned width, int64_t now,
		    const char *end);

#endif
