/*
 * Changes that were under way at the same time: which of them came first, and
 * which state each was made from. Results are recorded after the file was
 * written, by clients that do not wait for each other, so the times of results
 * do not decide. The order with the fewest gaps does.
 */
#ifndef CCFC_HISTORY_CHAIN_ORDER_H
#define CCFC_HISTORY_CHAIN_ORDER_H

#include "history/chain/replay.h"

/*
 * There is a gap in front of node i (the number of nodes: in front of the disk,
 * whose text is in r->copy). Searches a better order of the overlapping nodes
 * before it. True: there is one; the nodes from *from on are in that order, and
 * must be replayed again. Each node is tried once in a replay; the cost is
 * limited.
 */
bool ccfc_order_mend(uint32_t *from, struct ccfc_replay *r, uint32_t i);

/*
 * The text before node i (as above) is known, `text`, and does not follow from
 * the states before it. Goes back from it, change by change: a change that is
 * not in the text was lost, if it overlapped with the one that overwrote it.
 * True: that leads to a known state; `base` of the nodes is set, and those from
 * *from on must be replayed again.
 */
bool ccfc_lost_mend(uint32_t *from, struct ccfc_replay *r, uint32_t i,
		    struct ccfc_slice text);

/* Swaps nodes i and i + 1; both become fresh. */
void ccfc_nodes_swap(struct ccfc_chain *chain, uint32_t i);
/* A node with nothing but its change. */
struct ccfc_node ccfc_node_fresh(const struct ccfc_node *node);

#endif
