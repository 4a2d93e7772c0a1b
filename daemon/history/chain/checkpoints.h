/*
 * Checkpoints of a long chain: the text before some of its changes. From them a
 * state far from any whole text is reconstructed in few steps. Their size is
 * limited: above the limit, every other checkpoint is dropped.
 */
#ifndef CCFC_HISTORY_CHAIN_CHECKPOINTS_H
#define CCFC_HISTORY_CHAIN_CHECKPOINTS_H

#include "history/chain/chain.h"

/*
 * Adds the text before node i, if i is at the stride. `back`: the text was
 * derived from a later state and is only valid until the chain is extended.
 */
void ccfc_checkpoints_add(struct ccfc_chain *chain, uint32_t i,
			  struct ccfc_slice text, bool back);
void ccfc_checkpoints_drop_back(struct ccfc_chain *chain);
/* Frees the checkpoints at node i and later. */
void ccfc_checkpoints_cut(struct ccfc_chain *chain, uint32_t i);

/* The text of the checkpoint before node i; ptr NULL if there is none. */
struct ccfc_slice ccfc_checkpoints_get(const struct ccfc_chain *chain,
				       uint32_t i);

void ccfc_checkpoints_release(struct ccfc_chain *chain);

#endif
