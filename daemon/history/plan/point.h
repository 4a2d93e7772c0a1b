/*
 * Points in a file's history, as users name them: a change, a session, a
 * time, or before one of the first two.
 */
#ifndef CCFC_HISTORY_PLAN_POINT_H
#define CCFC_HISTORY_PLAN_POINT_H

#include "history/history.h"

/* The meaning of a word, independent of a file. */
struct ccfc_at {
	enum {
		CCFC_AT_LAST, /* no word: the last known state */
		CCFC_AT_CHANGE,
		CCFC_AT_SESSION,
		CCFC_AT_TIME,
	} kind;
	bool before;
	uint32_t id; /* of the change or the session */
	int64_t time;
};

/*
 * Reads a word: a time (RFC 3339, or a date for the end of that day); the id
 * of a change; a session's id, prefix or transcript; a change's prefix; and
 * "before:" with any but the first. An empty word is the last known state.
 * CCFC_EINVAL, CCFC_ENOTFOUND, CCFC_EAMBIGUOUS.
 */
int ccfc_at_read(struct ccfc_at *out, const struct ccfc_index *index,
		 struct ccfc_slice word, struct ccfc_err *err);

/*
 * Right before or right after change `i` of a chain; or a state that a backup
 * shows between that point and the next change on that side; or before or after
 * the inferred change `made`, which is the gap before `i`. In a chain without
 * changes each point is `seen`, before change 0.
 */
struct ccfc_point {
	uint32_t i;
	bool before;
	uint32_t made; /* or ID_NONE */
	/* given by a time; the point is some moment before the next change */
	bool by_time;
	int64_t time;  /* the given time */
	uint32_t seen; /* a seen state of the chain, or ID_NONE */
};

/* The last known state of the file up to change i + 1, or now. */
struct ccfc_point ccfc_point_last(const struct ccfc_chain *chain, uint32_t i);

/* The last known state of the file, also in a chain without changes. */
struct ccfc_point ccfc_point_end(const struct ccfc_chain *chain);

/* The point in the chain of one file. CCFC_ENOTFOUND: the error says why. */
int ccfc_at_find(struct ccfc_point *out, const struct ccfc_at *at,
		 const struct ccfc_chain *chain, const struct ccfc_index *index,
		 struct ccfc_err *err);

/*
 * The content at that point. If somebody else's change may be before or after
 * that moment, it is at most reconstructed.
 */
void ccfc_at_state(struct ccfc_content_state *out, struct ccfc_chain *chain,
		   const struct ccfc_point *point, struct ccfc_arena *arena);

#endif
