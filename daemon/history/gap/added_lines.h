/*
 * The lines that a gap added: lines written between two known states of a file.
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
 * The lines of the gap before node i (with the number of nodes: before the
 * disk). False: a text is not available, or nothing is `meant`. The caller
 * releases out->arena.
 */
bool ccfc_added_lines_find(struct ccfc_added_lines *out,
			   struct ccfc_chain *chain, uint32_t i);

/* Does a text contain a part? */
bool ccfc_text_has(struct ccfc_slice text, struct ccfc_slice part);

#endif
