/*
 * Letters with marks have two spellings in Unicode: one character (NFC), or a
 * base and marks behind it (NFD), as file names of macOS have them. A literal
 * pattern with such letters becomes a regular expression of both.
 */
#ifndef CCFC_SEARCH_COMPOSED_H
#define CCFC_SEARCH_COMPOSED_H

#include "base/buf.h"

/*
 * Makes `out` the regular expression for all spellings of the literal `text`;
 * empty if the text is not UTF-8 or has too many characters. Are there several?
 */
bool ccfc_composed_pattern(struct ccfc_buf *out, struct ccfc_slice text);

#endif
