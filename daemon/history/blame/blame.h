/*
 * Who wrote each line of a file: ownership carried forwards through its states.
 * A change owns only the lines that it added; other lines keep their owner,
 * also if the change moved them as a block. Lines added or changed between two
 * changes are outside; lines that no known state explains are unknown.
 *
 * The last few walks are kept with the history: to ask again, or after one
 * more change, costs only the new steps.
 */
#ifndef CCFC_HISTORY_BLAME_BLAME_H
#define CCFC_HISTORY_BLAME_BLAME_H

#include "history/blame/line_owners.h"
#include "history/history.h"
#include "history/plan/point.h"

enum ccfc_blame_kind {
	CCFC_BLAME_UNKNOWN,
	CCFC_BLAME_OUTSIDE,
	CCFC_BLAME_SESSION,
};

struct ccfc_blame_owner {
	enum ccfc_blame_kind kind;
	uint32_t change; /* SESSION: the id of the change */
	bool hook;	 /* a hook that ran after the change made it */
	/* For other kinds: when it happened; CCFC_TIME_NONE: not known. */
	int64_t from, to;
	/*
	 * The gap that one of several commands made (ccfc_chain_command); 0:
	 * none.
	 */
	uint32_t gap;
};

struct ccfc_blame {
	/* The bytes; UTF-16 as UTF-8. Lines end behind '\n'. */
	struct ccfc_slice text;
	const struct ccfc_owned *lines; /* see ccfc_blame_owner */
	uint32_t n;
	/* The weakest fidelity of the states used. */
	enum ccfc_fidelity fidelity;
	const char *why;
};

struct ccfc_blame_options {
	bool disk; /* the file as it is now; else `point` */
	/* a line that changes in white space only keeps its owner */
	bool space;
	struct ccfc_point point;
};

/*
 * Fills in `out`, in `arena`. CCFC_ENOTFOUND: there was or is no file;
 * CCFC_EIO: its content is not known or cannot be read.
 */
int ccfc_blame(struct ccfc_blame *out, struct ccfc_chain *chain,
	       const struct ccfc_blame_options *options,
	       struct ccfc_arena *arena, struct ccfc_err *err);

/* What the owner of a line means. */
struct ccfc_blame_owner ccfc_blame_owner(const struct ccfc_chain *chain,
					 uint32_t owner);

#endif
