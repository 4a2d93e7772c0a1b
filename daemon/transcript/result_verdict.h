/*
 * What an error text says about a call that did not succeed. Before
 * toolDenialKind existed, only the sentence distinguished a refusal from a
 * failure.
 */
#ifndef CCFC_TRANSCRIPT_RESULT_VERDICT_H
#define CCFC_TRANSCRIPT_RESULT_VERDICT_H

#include "base/slice.h"

#include <ccfc/types.h>

/* Only the beginning of a text is checked. */
#define CCFC_VERDICT_BYTES 512u

/*
 * CCFC_STATE_INTERRUPTED, _DENIED or _FAILED, from the beginning of an error
 * text (unescaped). Only its first line counts: later lines of an error may
 * quote files.
 */
enum ccfc_state ccfc_verdict(struct ccfc_slice text);

#endif
