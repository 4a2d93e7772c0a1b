/*
 * How to undo changes to one file and keep later changes by others. Only a
 * plan: nothing is written.
 */
#ifndef CCFC_HISTORY_PLAN_REVERT_PLAN_H
#define CCFC_HISTORY_PLAN_REVERT_PLAN_H

#include "history/plan/file_merge.h"

/* X(symbol, name) */
#define CCFC_PLAN_LIST(X)                                                      \
	X(NONE, "none")		/* nothing to do */                            \
	X(WRITE, "write")	/* `result` in place of what is there */       \
	X(CREATE, "create")	/* `result`; there is no file now */           \
	X(REMOVE, "remove")	/* the file that is there now */               \
	X(CONFLICT, "conflict") /* others changed the same */                  \
	X(UNKNOWN, "unknown")	/* what to go back to is not known */          \
	X(REFUSED, "refused")	/* what is there now is not for us */

enum ccfc_plan_action {
#define X(sym, name) CCFC_PLAN_##sym,
	CCFC_PLAN_LIST(X)
#undef X
};

const char *ccfc_plan_text(enum ccfc_plan_action action);

struct ccfc_plan {
	enum ccfc_plan_action action;
	const char *why;	     /* "" where there is nothing to say */
	bool looked;		     /* `present` is what is there now */
	struct ccfc_version present; /* on disk */
	bool has_result;
	struct ccfc_version result; /* with markers where it conflicts */
	uint32_t conflicts;
	enum ccfc_fidelity fidelity; /* of the states that it rests on */
};

/*
 * Plans to undo `changes` (ids, all of one session) of the chain's file, which
 * is at `path`. `label` is for the conflict markers of the restored side.
 * Everything is in `arena`.
 */
void ccfc_plan_revert(struct ccfc_plan *out, struct ccfc_chain *chain,
		      const uint32_t *changes, uint32_t n, const char *path,
		      const char *label, struct ccfc_arena *arena);

#endif
