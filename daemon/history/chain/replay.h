/* One running replay of a chain; shared by replay*.c and order.c. */
#ifndef CCFC_HISTORY_CHAIN_REPLAY_H
#define CCFC_HISTORY_CHAIN_REPLAY_H

#include "history/chain/state.h"

#define CCFC_NO_LINES "the transcript does not have the change any more"
#define CCFC_NO_FIT   "what is recorded of the change fits no known content"
#define CCFC_ASSUMED  "the change's patch does not confirm it"

struct ccfc_replay {
	struct ccfc_chain *chain;
	struct ccfc_evidence ev;
	bool has_ev;
	struct ccfc_buf hand;  /* text after the last change, if known */
	struct ccfc_buf text;  /* before the current change */
	struct ccfc_buf bytes; /* of a backup, the disk */
	struct ccfc_buf copy;  /* its text */
	/* in the pass back: `text` is before this node */
	uint32_t before;
	uint32_t mended;   /* nodes whose order is settled */
	uint64_t ordered;  /* bytes spent on trying other orders */
	uint32_t open_gap; /* a gap that the disk may explain */
	bool at_end;	   /* the disk was read, its text is `copy` */
};

/*
 * Fills in nodes[i].before. r->ev is the evidence of node i; r->hand is the
 * text after the previous node, if known. Sets r->text to the text before node
 * i, if known.
 */
void ccfc_replay_before(struct ccfc_replay *r, uint32_t i);

/* The gap between `last`, the state after a node, and the next node. */
enum ccfc_gap ccfc_replay_gap(const struct ccfc_side_state *last,
			      const struct ccfc_node *node, bool has_ev);

/*
 * Compares the end of the chain with the disk, or takes the last state from the
 * disk. r->ev is the evidence of the last node.
 */
void ccfc_replay_compare_disk(struct ccfc_replay *r);

/*
 * The pass back. If it contradicts the forward pass, an update may have been
 * lost further in front: then true, and `from` says where to replay again.
 * NULL: that is not searched.
 */
bool ccfc_replay_back(uint32_t *from, struct ccfc_replay *r);

#endif
