/* Which commands of a shell made the gaps of a chain, as the contents tell. */
#ifndef CCFC_HISTORY_GAP_INFERRED_H
#define CCFC_HISTORY_GAP_INFERRED_H

#include "history/chain/chain.h"

/*
 * Works it out for this question, or notes in the history which commands would
 * have to be known for that. What was found before is kept as long as the
 * chain and the commands are the same.
 */
void ccfc_chain_explain(struct ccfc_chain *chain);

#endif
