/*
 * The lines that a gap added: what somebody wrote between two states of a file
 * that are known.
 */
#ifndef CCFC_HISTORY_GAP_ADDED_LINES_H
#define CCFC_HISTORY_GAP_ADDED_LINES_H

#include "history/chain/chain.h"

struct ccfc_added_lines {
	struct ccfc_slice *lines; /* without white space around; none empty */
	uint32_t n;
	bool meant; /* one of them is nobody else's by chance, and not all of
		     * them are more than a command can have brought */
	struct ccfc_arena arena;
};

/*
 * Those of the gap in front of node i (the number of nodes: in front of the
 * disk). False when a text cannot be had, or nothing is `meant`. The caller
 * releases out->arena.
 */
bool ccfc_added_lines_find(struct ccfc_added_lines *out,
			   struct ccfc_chain *chain, uint32_t i);

/* Does a part stand in a text? */
bool ccfc_text_has(struct ccfc_slice text, struct ccfc_slice part);

#endif
