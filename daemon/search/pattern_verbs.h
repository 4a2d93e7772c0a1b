/* Parts of regular expressions that a search cannot honour. */
#ifndef CCFC_SEARCH_PATTERN_VERBS_H
#define CCFC_SEARCH_PATTERN_VERBS_H

#include "base/err.h"
#include "base/slice.h"

/*
 * CCFC_EINVAL where the pattern has \G or a verb such as (*SKIP): they depend
 * on where matching begins, and a long text is matched some starting places
 * at a time (match.c). Bytes are looked at without knowing all of the syntax:
 * what is wrong with it otherwise is PCRE2's to say.
 */
int ccfc_pattern_verbs_refuse(struct ccfc_slice pattern, struct ccfc_err *err);

#endif
