/*
 * Checkpoints of a long chain: the text before some of its changes, so that a
 * state far from any whole text is not replayed from the start. Their bytes are
 * limited: if there are too many, every other one is dropped.
 */
#ifndef CCFC_HISTORY_CHAIN_CHECKPOINTS_H
#define CCFC_HISTORY_CHAIN_CHECKPOINTS_H

#include "history/chain/chain.h"

/*
 * The text before node i; kept at intervals. `back`: it comes from a later
 * state, and is only valid until the chain is extended.
 */
void ccfc_checkpoints_add(struct ccfc_chain *chain, uint32_t i,
			  struct ccfc_slice text, bool back);
void ccfc_checkpoints_drop_back(struct ccfc_chain *chain);
/* Those of node i and later. */
void ccfc_checkpoints_cut(struct ccfc_chain *chain, uint32_t i);

/* The text before node i if there is a checkpoint, else ptr NULL. */
struct ccfc_slice ccfc_checkpoints_get(const struct ccfc_chain *chain,
				       uint32_t i);

void ccfc_checkpoints_release(struct ccfc_chain *chain);

#endif
