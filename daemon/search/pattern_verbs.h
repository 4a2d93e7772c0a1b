/* Parts of regular expressions that a search does not support. */
#ifndef CCFC_SEARCH_PATTERN_VERBS_H
#define CCFC_SEARCH_PATTERN_VERBS_H

#include "base/err.h"
#include "base/slice.h"

/*
 * CCFC_EINVAL: the pattern has \G or a verb such as (*SKIP), which depend on
 * where matching begins; a long text is matched some starting places at a time
 * (match.c). The check does not know the whole syntax: PCRE2 reports other
 * errors.
 */
int ccfc_pattern_verbs_refuse(struct ccfc_slice pattern, struct ccfc_err *err);

#endif
