/*
 * Patterns over short texts: * is any number of bytes, ? one byte, others match
 * themselves. For names of tools and sentences of error texts.
 */
#ifndef CCFC_TRANSCRIPT_WORD_PATTERN_H
#define CCFC_TRANSCRIPT_WORD_PATTERN_H

#include "base/slice.h"

bool ccfc_pattern_match(const char *pattern, struct ccfc_slice text);

/* Is `word` one of the words of `list`, which are separated by '|'? */
bool ccfc_pattern_lists(const char *list, struct ccfc_slice word);

#endif
