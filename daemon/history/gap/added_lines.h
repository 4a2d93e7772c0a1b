/*
 * The lines that a gap added: lines written between two known states of a file.
 */
#ifndef CCFC_HISTORY_GAP_ADDED_LINES_H
#define CCFC_HISTORY_GAP_ADDED_LINES_H

#include "history/chain/chain.h"

struct ccfc_added_lines {
	/* without surrounding white space; none is empty */
	struct ccfc_slice *lines;
	uint32_t n;
	/*
	 * one line is distinctive and new, and a command can have held them all
	 */
	bool meant;
	struct ccfc_arena arena;
};

/*
 * The lines of the gap before node i (with the number of nodes: before the
 * disk). False: a text is not available, or nothing is `meant`. The caller
 * releases out->arena.
 */
bool ccfc_added_lines_find(struct ccfc_added_lines *out,
			   struct ccfc_chain *chain, uint32_t i);

/* Does a text contain a part? */
bool ccfc_text_has(struct ccfc_slice text, struct ccfc_slice part);

#endif
