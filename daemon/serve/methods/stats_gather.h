/*
 * What was done and spent: the facts of a period gathered (stats_gather.c) for
 * stats.get to pack (stats_get.c). Core thread.
 */
#ifndef CCFC_SERVE_METHODS_STATS_GATHER_H
#define CCFC_SERVE_METHODS_STATS_GATHER_H

#include "serve/methods/session_summary.h"
#include "serve/methods/stats_rows.h"

enum ccfc_by {
	CCFC_BY_DAY,
	CCFC_BY_PROJECT,
	CCFC_BY_MODEL,
	CCFC_BY_TOOL,
	CCFC_BY_FILE,
	CCFC_BY_EXT,
	CCFC_BY_COUNT
};

struct ccfc_spent {
	/* What is asked for, set by the caller: */
	struct ccfc_filter filter; /* session, project, dates */
	int by;
	/* What was found: */
	struct ccfc_count total; /* `files` and `sessions` too */
	uint64_t agent_uses;
	struct ccfc_tokens agent_tokens;
	int64_t first, last; /* times of what was counted */
	/* Sorted, with names; those of days, tools, files and `by` only. */
	struct ccfc_counts tables[CCFC_BY_COUNT];
};

/* The dates' and the session's facts. Names live in the arena. */
void ccfc_spent_gather(struct ccfc_spent *spent, const struct ccfc_index *index,
		       struct ccfc_arena *arena);
void ccfc_spent_release(struct ccfc_spent *spent);

#endif
