/*
 * The facts of a period, gathered piece by piece (stats_gather.c) for stats.get
 * to pack (stats_get.c). Core thread.
 *
 * Rows may be added to the index and may change between two pieces. Each fact
 * counts in its state when its row is read; facts of sessions that are new
 * since the beginning do not count. Only a message whose owner changes in
 * between may be counted twice, or not at all.
 */
#ifndef CCFC_SERVE_STATS_STATS_GATHER_H
#define CCFC_SERVE_STATS_STATS_GATHER_H

#include "index/query/sorting.h"
#include "serve/methods/session_summary.h"
#include "serve/stats/paid_spans.h"
#include "serve/stats/prices.h"
#include "serve/stats/stats_rows.h"

enum ccfc_by {
	CCFC_BY_DAY,
	CCFC_BY_WEEK,
	CCFC_BY_MONTH,
	CCFC_BY_HOUR,
	CCFC_BY_BLOCK, /* five hours */
	CCFC_BY_SESSION,
	CCFC_BY_AGENT,
	CCFC_BY_PROJECT,
	CCFC_BY_MODEL,
	CCFC_BY_TOOL,
	CCFC_BY_FILE,
	CCFC_BY_EXT,
	CCFC_BY_COUNT
};

#define CCFC_WINDOW_MS INT64_C(18000000)

/* From `from` on, local time is `offset` ahead of UTC; both ms. */
struct ccfc_zone_part {
	int64_t from, offset;
};

struct ccfc_spent {
	/* The question, set by the caller: */
	struct ccfc_filter filter; /* session, project, dates */
	int by;
	const struct ccfc_zone_part *zone; /* by `from`; none: UTC */
	uint32_t nzone;
	const struct ccfc_prices *prices; /* NULL: none */
	/* The answer: */
	struct ccfc_count total; /* `files` and `sessions` too */
	uint64_t agent_uses;
	struct ccfc_tokens agent_tokens;
	int64_t first, last; /* first and last time of a counted fact */
	/* With names; only for days, tools, files and `by`. */
	struct ccfc_counts tables[CCFC_BY_COUNT];
	struct ccfc_count **sorted[CCFC_BY_COUNT]; /* their rows in order */
	/* stats_gather.c's own: */
	const struct ccfc_index *index;
	struct ccfc_arena *arena;
	bool *wanted;		 /* by session */
	bool *busy;		 /* by session: it counts */
	uint32_t nsessions;	 /* of both */
	struct ccfc_strtab exts; /* keys of CCFC_BY_EXT */
	struct ccfc_paid_spans spans;
	struct ccfc_counts hours; /* that have messages, for windows */
	int64_t *windows;	  /* keys of CCFC_BY_BLOCK, in order */
	uint32_t nwindows;
	bool has[CCFC_BY_COUNT]; /* tables */
	/* How far it is: */
	uint32_t part, row;
	struct ccfc_sorting sorting;
};

/* The dates' and the session's facts. Names and order live in the arena. */
void ccfc_spent_begin(struct ccfc_spent *spent, const struct ccfc_index *index,
		      struct ccfc_arena *arena);
/* Gathers about so many rows; false when all is done. */
bool ccfc_spent_some(struct ccfc_spent *spent, uint32_t rows);
/* The beginning of a row of days, weeks, months, hours, windows; else none. */
int64_t ccfc_spent_start(const struct ccfc_spent *spent, int by,
			 const struct ccfc_count *row);
/* May be zeroed. */
void ccfc_spent_release(struct ccfc_spent *spent);

/* --- stats_keys.c, for stats_gather.c --- */

/* What decides the rows of a fact; strings, ids. */
struct ccfc_fact {
	int64_t time;
	uint32_t session, model, tool, file;
	uint32_t agent;
};

uint64_t ccfc_spent_key(struct ccfc_spent *spent, int by,
			const struct ccfc_fact *fact);
struct ccfc_slice ccfc_spent_name(struct ccfc_spent *spent, int by,
				  uint64_t key);
/* Notes the time of a message; the windows follow from all of them. */
void ccfc_spent_note_hour(struct ccfc_spent *spent, int64_t time);
void ccfc_spent_windows(struct ccfc_spent *spent);

#endif
