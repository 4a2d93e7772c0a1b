/*
 * The part of a text with owners and of another text without the common lines
 * at both ends: only this part must be compared.
 */
#ifndef CCFC_HISTORY_BLAME_OWNER_GAPS_H
#define CCFC_HISTORY_BLAME_OWNER_GAPS_H

#include "history/blame/line_owners.h"

struct ccfc_owner_gaps {
	uint32_t first, last; /* lines of the old text: [first, last) */
	size_t from, to;      /* bytes of the new text */
};

void ccfc_owner_gaps_find(struct ccfc_owner_gaps *out,
			  const struct ccfc_line_owners *carry,
			  struct ccfc_slice text);

#endif
