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
	X(WRITE, "write")	/* write `result` over the present file */     \
	X(CREATE, "create")	/* write `result`; there is no file now */     \
	X(REMOVE, "remove")	/* remove the present file */                  \
	X(CONFLICT, "conflict") /* others changed the same lines */            \
	X(UNKNOWN, "unknown")	/* the state to go back to is not known */     \
	X(REFUSED, "refused")	/* ccfc does not write over what is there now */

enum ccfc_plan_action {
#define X(sym, name) CCFC_PLAN_##sym,
	CCFC_PLAN_LIST(X)
#undef X
};

const char *ccfc_plan_text(enum ccfc_plan_action action);

struct ccfc_plan {
	enum ccfc_plan_action action;
	const char *why;	     /* "" if there is no reason to give */
	bool looked;		     /* `present` was read */
	struct ccfc_version present; /* on disk */
	bool has_result;
	struct ccfc_version result; /* with markers where it conflicts */
	uint32_t conflicts;
	enum ccfc_fidelity fidelity; /* the weakest of the states used */
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
