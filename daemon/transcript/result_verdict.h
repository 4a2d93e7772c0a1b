/*
 * What an error text says about a call that did not go through. Before
 * toolDenialKind there was nothing but the sentence to tell a refusal from a
 * failure.
 */
#ifndef CCFC_TRANSCRIPT_RESULT_VERDICT_H
#define CCFC_TRANSCRIPT_RESULT_VERDICT_H

#include "base/slice.h"

#include <ccfc/types.h>

/* How much of the beginning of a text is looked at. */
#define CCFC_VERDICT_BYTES 512u

/*
 * CCFC_STATE_INTERRUPTED, _DENIED or _FAILED, from the beginning of an error
 * text (unescaped). Only its first line counts: further down, errors quote
 * what is in files.
 */
enum ccfc_state ccfc_verdict(struct ccfc_slice text);

#endif
