/*
 * Changes that overlap in time: which came first, and which state each was made
 * from. Results are recorded after the file was written, by clients that do not
 * wait for each other, so the times of results do not decide. The order with
 * the fewest gaps does.
 */
#ifndef CCFC_HISTORY_CHAIN_ORDER_H
#define CCFC_HISTORY_CHAIN_ORDER_H

#include "history/chain/replay.h"

/*
 * There is a gap before node i (the number of nodes: before the disk, whose
 * text is in r->copy). Searches a better order of the overlapping nodes before
 * it. True: there is one; the nodes from *from on are in that order and must be
 * replayed again. Each node is tried once in a replay; the cost is limited.
 */
bool ccfc_order_search(uint32_t *from, struct ccfc_replay *r, uint32_t i);

/*
 * `text` is before node i (as above) and does not follow from the states before
 * it. Goes back from it, change by change: a change that is not in the text was
 * lost if it overlapped with the change that overwrote it. True: that leads to
 * a known state; `base` of the nodes is set, and the nodes from *from on must
 * be replayed again.
 */
bool ccfc_lost_search(uint32_t *from, struct ccfc_replay *r, uint32_t i,
		      struct ccfc_slice text);

/* Swaps nodes i and i + 1; both must be replayed again. */
void ccfc_nodes_swap(struct ccfc_chain *chain, uint32_t i);
/* The node without the results of a replay. */
struct ccfc_node ccfc_node_fresh(const struct ccfc_node *node);

#endif
