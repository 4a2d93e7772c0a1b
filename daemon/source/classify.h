/*
 * The kind of a path below a Claude directory, by its name alone:
 *
 *   projects/<dir>/<id>.jsonl                                a session
 *   projects/<dir>/agent-<id>.jsonl                          an agent
 *   projects/<dir>/<session>/subagents/agent-<id>.jsonl      an agent
 *   projects/<dir>/<session>/subagents/workflows/<wf>/agent-<id>.jsonl
 *
 * and the directories on the way. Everything else is not ours
 * (journal.jsonl, *.meta.json, tool-results/, sessions-index.json, …).
 */
#ifndef CCFC_SOURCE_CLASSIFY_H
#define CCFC_SOURCE_CLASSIFY_H

#include "base/slice.h"

enum ccfc_name_kind {
	CCFC_NAME_OTHER,   /* not ours */
	CCFC_NAME_DIR,	   /* a directory that can hold transcripts, by name */
	CCFC_NAME_SESSION, /* a session's transcript */
	CCFC_NAME_AGENT,   /* an agent's transcript */
};

struct ccfc_name {
	enum ccfc_name_kind kind;
	struct ccfc_slice
		session;	 /* id from the name or the folder, or empty */
	struct ccfc_slice agent; /* id from the name, or empty */
};

/*
 * Classifies `rel`, a path relative to <claude>/projects ("" is that directory
 * itself). Slices of the answer point into `rel`. The caller checks whether it
 * really is a directory or a file.
 */
struct ccfc_name ccfc_name_classify(struct ccfc_slice rel);

#endif
