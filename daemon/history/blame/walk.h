/*
 * Ownership carried along a chain, change by change; and the walks that are
 * kept. For blame.c.
 *
 * An owner is a number: twice the node's, and one more for the change itself;
 * without it, the gap in front of the node. The highest bit says that the gap
 * hides something: what came in it is unknown, not outside.
 */
#ifndef CCFC_HISTORY_BLAME_WALK_H
#define CCFC_HISTORY_BLAME_WALK_H

#include "history/blame/line_owners.h"
#include "history/chain/chain.h"

#define CCFC_OWNER_HIDDEN 0x80000000u

static inline bool ccfc_owner_is_change(uint32_t owner)
{
	return owner % 2 != 0;
}

static inline uint32_t ccfc_owner_node(uint32_t owner)
{
	return (owner & ~CCFC_OWNER_HIDDEN) / 2;
}

struct ccfc_walk {
	uint32_t file;
	bool space;
	struct ccfc_line_owners carry; /* text and owners in hand */
	uint32_t at;		       /* nodes that were walked over */
	bool started;	/* there is a text in hand, or none by right */
	bool hidden;	/* since then, states were not known */
	bool leapt;	/* lines were carried over such states */
	bool broken;	/* something could not be read: not kept */
	uint64_t stamp; /* of the nodes behind it */
	uint64_t used;	/* for the choice of whom to drop */
};

/* The walks that a history keeps. */
struct ccfc_walks {
	struct ccfc_walk items[4];
	uint64_t tick;
};

void ccfc_walk_release(struct ccfc_walk *walk);
void ccfc_walks_free(struct ccfc_walks *walks);

/*
 * A walk over the first `n` nodes of the chain; a kept one is taken further
 * if it fits. Valid until the next call.
 */
struct ccfc_walk *ccfc_walk_to(struct ccfc_chain *chain, uint32_t n,
			       bool space);

/* A kept walk was used: it is dropped again if it is not worth keeping. */
void ccfc_walk_done(struct ccfc_walk *walk);

/* A walk of its own from there on. */
void ccfc_walk_copy(struct ccfc_walk *out, const struct ccfc_walk *from);

/* To the state before node i, which is next; false: it is not known. */
bool ccfc_walk_enter(struct ccfc_walk *walk, struct ccfc_chain *chain);

/*
 * To a text that stood before node i (the number of nodes: to the disk).
 * Swaps the texts.
 */
void ccfc_walk_cross(struct ccfc_walk *walk, uint32_t i, struct ccfc_buf *text);

#endif
