/*
 * What a change did as it was seen on disk: bytes from the blob store. For a
 * command's change, and for a change without a result, this evidence replaces
 * all other. To a tool's own record it adds what the record lacks.
 */
#ifndef CCFC_HISTORY_CHAIN_SEEN_EVIDENCE_H
#define CCFC_HISTORY_CHAIN_SEEN_EVIDENCE_H

#include "history/chain/chain.h"

/*
 * The whole effect of the change, in `arena`; false: the state after is
 * unknown.
 */
bool ccfc_history_seen(struct ccfc_evidence *out,
		       const struct ccfc_history_env *env, uint32_t change,
		       struct ccfc_arena *arena);

/*
 * Completes the evidence of node i, in history->scratch. `has`: `out` has the
 * evidence of the lines; otherwise `out` is filled in. False: there is no
 * evidence.
 */
bool ccfc_seen_evidence(struct ccfc_evidence *out, struct ccfc_chain *chain,
			uint32_t i, bool has);

#endif
