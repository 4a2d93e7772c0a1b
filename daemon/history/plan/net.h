/*
 * The net effect of a set of changes to one file, without changes by others in
 * between.
 */
#ifndef CCFC_HISTORY_PLAN_NET_H
#define CCFC_HISTORY_PLAN_NET_H

#include "history/plan/file_merge.h"

struct ccfc_net {
	/* False: there is no single net effect, see `why` and each run. */
	bool composed;
	struct ccfc_version before, after; /* in the arena */
	enum ccfc_fidelity fidelity;
	const char *why;
};

/*
 * Starts with the state before the first run and merges in the effect of each
 * run. If others changed the file too, `after` was never on disk: then it is at
 * most reconstructed.
 */
void ccfc_net_compose(struct ccfc_net *out, struct ccfc_chain *chain,
		      const struct ccfc_change_runs *runs,
		      struct ccfc_arena *arena);

#endif
