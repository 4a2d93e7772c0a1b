/*
 * What a change did, as it was seen on disk: bytes from the blob store. Of a
 * command's change, and of one that no result tells of, they are the evidence,
 * in place of all else. To a tool's own record they add what it lacks.
 */
#ifndef CCFC_HISTORY_CHAIN_SEEN_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_SEEN_EVIDENCE_H

#include "history/chain/chain.h"

/* All that the change did, in `arena`; false: what it left is not known. */
bool ccfc_history_seen(struct ccfc_evidence *out,
		       const struct ccfc_history_env *env, uint32_t change,
		       struct ccfc_arena *arena);

/*
 * Completes the evidence of node i, in history->scratch. `has`: `out` has what
 * the lines say; else it is made. False: there is no evidence.
 */
bool ccfc_seen_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			uint32_t i, bool has);

#endif
