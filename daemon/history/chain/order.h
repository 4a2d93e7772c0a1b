/*
 * Changes that were under way at the same time: which of them came first, and
 * which state each was made from. Results are noted after the file was
 * written, by clients that do not wait for each other, so the times of results
 * do not tell. The order that leaves the fewest gaps does.
 */
#ifndef CCFC_HISTORY_CHAIN_ORDER_H
#define CCFC_HISTORY_CHAIN_ORDER_H

#include "history/chain/replay.h"

/*
 * There is a gap in front of node i (the number of nodes: in front of the
 * disk, whose text is in r->copy). Looks for a better order of the nodes that
 * were under way together in front of it and with it. True when there is one:
 * the nodes from *from on stand in that order, and are to be replayed anew.
 * Each node is looked at once in a replay; what that costs is bounded.
 */
bool ccfc_order_mend(uint32_t *from, struct ccfc_replay *r, uint32_t i);

/*
 * The text in front of node i (as above) is known, `text`, and nothing leads
 * there from the states in front of it. Goes back from it, change by change: a
 * change that is not in the text was lost, if it was under way with the one
 * that overwrote it. True when that leads to a state that is known: the nodes
 * say what they were made from (`base`), and those from *from on are to be
 * replayed anew.
 */
bool ccfc_lost_mend(uint32_t *from, struct ccfc_replay *r, uint32_t i,
		    struct ccfc_slice text);

/* Nodes i and i + 1 change places; of both only is known which they are. */
void ccfc_nodes_swap(struct ccfc_chain *chain, uint32_t i);
/* A node of which only is known which change it is. */
struct ccfc_node ccfc_node_fresh(const struct ccfc_node *node);

#endif
