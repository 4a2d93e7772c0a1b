/* The commands that made the gaps of a chain, as the contents show. */
#ifndef CCFC_HISTORY_GAP_INFERRED_H
#define CCFC_HISTORY_GAP_INFERRED_H

#include "history/chain/chain.h"

/*
 * Finds them for this question, or notes in the history which commands are
 * needed for that. The result is kept as long as the chain and the commands are
 * the same.
 */
void ccfc_chain_explain(struct ccfc_chain *chain);

#endif
