/* The part of a text that is shown, and the matches in it. */
#ifndef CCFC_SEARCH_SNIPPET_H
#define CCFC_SEARCH_SNIPPET_H

#include "search/search_internal.h"

/*
 * Fills in snippet and spans, in `arena`. False: the text does not match (any
 * more).
 */
bool ccfc_snippet(struct ccfc_found *out, struct ccfc_search_run *run,
		  const struct ccfc_text *text, struct ccfc_arena *arena);

#endif
