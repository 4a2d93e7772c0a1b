/* structuredPatch, the diff that the client shows of a write. */
#ifndef CCFC_TRANSCRIPT_CONTENT_STRUCTURED_PATCH_H
#define CCFC_TRANSCRIPT_CONTENT_STRUCTURED_PATCH_H

#include "transcript/content/evidence.h"

/*
 * Reads the array `tok` into the evidence's hunks, copied to `arena`. Leaves
 * the evidence unchanged if the array is not a patch, has no hunks, or has a
 * hunk whose numbers do not fit its lines.
 */
void ccfc_patch_read(struct ccfc_evidence *out,
		     const struct ccfc_parser *parser, uint32_t tok,
		     struct ccfc_arena *arena);

#endif
