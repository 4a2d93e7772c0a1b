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
	struct ccfc_buf text;  /* before the change at hand */
	struct ccfc_buf bytes; /* of a backup, the disk */
	struct ccfc_buf copy;  /* its text */
	uint32_t before;       /* on the way back, `text` is before this one */
	uint32_t mended;       /* nodes whose order is settled */
	uint64_t ordered;      /* bytes that were tried in other orders */
	uint32_t open_gap;     /* one that the end of the chain may explain */
	bool at_end;	       /* the disk was looked at, its text is `copy` */
};

/*
 * Fills in nodes[i].before. r->ev is that of node i, r->hand the text after the
 * node in front of it, if known; r->text will be the text before, if known.
 */
void ccfc_replay_before(struct ccfc_replay *r, uint32_t i);

/* What lies between `last`, the state after a node, and the node behind it. */
enum ccfc_gap ccfc_replay_gap(const struct ccfc_side_state *last,
			      const struct ccfc_node *node, bool has_ev);

/*
 * Compares the end of the chain with the disk, or takes the state from there.
 * r->ev is that of the last node.
 */
void ccfc_replay_meet_disk(struct ccfc_replay *r);

/*
 * The pass back. Where it meets what the pass forwards found, and both are not
 * the same, an update may have been lost further in front: true then, with
 * `from` where to begin anew. NULL: not asked for.
 */
bool ccfc_replay_back(uint32_t *from, struct ccfc_replay *r);

#endif
