/* structuredPatch, the diff that the client shows of a write. */
#ifndef CCFC_TRANSCRIPT_CONTENT_STRUCTURED_PATCH_H
#define CCFC_TRANSCRIPT_CONTENT_STRUCTURED_PATCH_H

#include "transcript/content/evidence.h"

/*
 * Reads the array `tok`, copied to `arena`, into the evidence's hunks. Leaves
 * the evidence as it is when that is no patch, has no hunks, or one of them
 * does not hold together.
 */
void ccfc_patch_read(struct ccfc_evidence *out,
		     const struct ccfc_parser *parser, uint32_t tok,
		     struct ccfc_arena *arena);

#endif
