/*
 * What a set of changes to one file comes to, without what others did to it
 * in between.
 */
#ifndef CCFC_HISTORY_PLAN_NET_H
#define CCFC_HISTORY_PLAN_NET_H

#include "history/plan/file_merge.h"

struct ccfc_net {
	/* False: it cannot be told in one piece, `why`; see each run. */
	bool composed;
	struct ccfc_version before, after; /* in the arena */
	enum ccfc_fidelity fidelity;
	const char *why;
};

/*
 * Starts with what the first run found and merges in what each run made of
 * what it found. `after` was never on disk when others changed the file too:
 * then it is reconstructed at most.
 */
void ccfc_net_compose(struct ccfc_net *out, struct ccfc_chain *chain,
		      const struct ccfc_change_runs *runs,
		      struct ccfc_arena *arena);

#endif
