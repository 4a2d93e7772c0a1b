/*
 * Ownership carried along a chain, change by change; and kept walks. For
 * blame.c.
 *
 * An owner is a number: twice the node's number for the gap before the node,
 * and one more for the change itself. The highest bit marks a gap with unknown
 * states: lines from it are unknown, not outside.
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

/* The lines of a state that returns later. */
struct ccfc_walk_saved {
	uint64_t place;
	struct ccfc_line_owners carry;
};

struct ccfc_walk {
	uint32_t home; /* the file, as in the whole index */
	bool space;
	struct ccfc_line_owners carry; /* the current text and its owners */
	uint32_t at;		       /* nodes walked so far */
	bool started;	/* the text before is known, or there was no file */
	bool hidden;	/* states since the last known one were unknown */
	bool leapt;	/* lines were carried over unknown states */
	bool broken;	/* something was unreadable: the walk is not kept */
	uint64_t stamp; /* of the nodes walked */
	struct {
		struct ccfc_walk_saved *items; /* by place */
		uint32_t n, cap;
	} saved;
	size_t saved_bytes;
	/* of a copy: the walk that owns `saved` */
	const struct ccfc_walk *lender;
};

void ccfc_walk_release(struct ccfc_walk *walk);
/* Its memory, approximately. */
size_t ccfc_walk_bytes(const struct ccfc_walk *walk);

/*
 * A walk over the first `n` nodes of the chain; a kept walk is extended if it
 * fits. Pass it to ccfc_walk_done.
 */
struct ccfc_walk *ccfc_walk_to(struct ccfc_chain *chain, uint32_t n,
			       bool space);

/* Keeps a walk for later questions if it is worth it; frees it otherwise. */
void ccfc_walk_done(struct ccfc_walk *walk, struct ccfc_chain *chain);

/* A copy of the walk; `from` must outlive it. */
void ccfc_walk_copy(struct ccfc_walk *out, const struct ccfc_walk *from);

/* Goes to the state before the next node i; false: it is not known. */
bool ccfc_walk_enter(struct ccfc_walk *walk, struct ccfc_chain *chain);

/* Goes back to the state at that place; false: its lines were not saved. */
bool ccfc_walk_return(struct ccfc_walk *walk, uint64_t place);

/*
 * Goes to a text that the file had before node i (the number of nodes: to the
 * disk). Swaps the texts.
 */
void ccfc_walk_cross(struct ccfc_walk *walk, uint32_t i, struct ccfc_buf *text);

#endif
