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
		CCFC_AT_LAST, /* nothing: the last state that is known */
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
 * shows between there and the change on that side; or before or after an
 * inferred change, `made`, which is the gap in front of `i`. In a chain without
 * changes each point is `seen`, and before change 0.
 */
struct ccfc_point {
	uint32_t i;
	bool before;
	uint32_t made; /* or ID_NONE */
	bool by_time;  /* some moment before the next change: */
	int64_t time;  /* that moment */
	uint32_t seen; /* of the chain's seen states, or ID_NONE */
};

/* The last known state of the file up to change i + 1, or now. */
struct ccfc_point ccfc_point_last(const struct ccfc_chain *chain, uint32_t i);

/* The last known state of all, also of a chain without changes. */
struct ccfc_point ccfc_point_end(const struct ccfc_chain *chain);

/* Its place in the chain of one file; CCFC_ENOTFOUND says why not. */
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
