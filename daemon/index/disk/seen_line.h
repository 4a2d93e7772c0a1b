/*
 * What no transcript tells, as lines of text for another machine: disk events
 * and marks of commands (archive.seen, PROTOCOL.md "Moving"). Fields have tabs
 * in between; "-" is an empty one, and all bytes but printable ASCII are
 * written as %xx.
 *
 *   event since time held own ended client session
 *         before size mtime key  after size mtime key  near path
 *   mark  call session began ended
 *
 * `near` has the sessions that were live around the file when it changed, with
 * commas in between: a session that is forgotten takes its events with it. One
 * of another project than the one that is exported is a CCFC_SEEN_UNNAMED.
 */
#ifndef CCFC_INDEX_DISK_SEEN_LINE_H
#define CCFC_INDEX_DISK_SEEN_LINE_H

#include "index/index.h"

/*
 * A client may have run for this time before and after its session's lines, in
 * ms.
 */
#define CCFC_SEEN_AROUND_MS ((int64_t)60 * 60 * 1000)

#define CCFC_SEEN_UNNAMED "?"
/* The maximal length of a line; longer ones are not imported. */
#define CCFC_SEEN_LINE_MAX (64 << 10)

/* Sessions of one page, so that not all sessions are tested for each event. */
struct ccfc_seen_near {
	const struct ccfc_ids *sessions;
	/* Only sessions of this directory are named; empty: all. */
	struct ccfc_slice project;
};

/* Does the session belong to the project? With an empty project all do. */
bool ccfc_seen_in_project(const struct ccfc_index *index, uint32_t session,
			  struct ccfc_slice project);
/* Appends the line of an event, without a newline. */
void ccfc_seen_put_event(struct ccfc_buf *out, const struct ccfc_index *index,
			 const struct ccfc_disk_event *event,
			 const struct ccfc_seen_near *near);
void ccfc_seen_put_mark(struct ccfc_buf *out, struct ccfc_slice call,
			struct ccfc_slice session, int64_t began,
			int64_t ended);

/* A line that was read; its texts are in `text`, until the next line. */
struct ccfc_seen_line {
	bool is_mark;
	struct ccfc_disk_event event; /* without file, by and keys */
	struct ccfc_slice path, by, before_key, after_key;
	struct ccfc_slice near; /* ids, with commas in between */
	struct ccfc_slice call, session;
	int64_t began, ended;
	struct ccfc_buf text;
};

/* False: the line is invalid. Release `text` of `out` at the end. */
bool ccfc_seen_read(struct ccfc_seen_line *out, struct ccfc_slice line);

#endif
