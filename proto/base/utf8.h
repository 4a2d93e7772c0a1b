/* UTF-8: what is a character, and texts made valid. */
#ifndef CCFC_BASE_UTF8_H
#define CCFC_BASE_UTF8_H

#include "base/buf.h"

/*
 * The length of the character beyond ASCII at p, which has len > 0 bytes; or
 * minus how many bytes are to be replaced by one U+FFFD: the longest run that
 * could begin a character, as the Unicode standard recommends.
 */
int ccfc_utf8_step(const unsigned char *p, size_t len);

/* Appends the text, what is invalid replaced; true when it is all ASCII. */
bool ccfc_utf8_append(struct ccfc_buf *out, struct ccfc_slice text);

/*
 * Appends the text as one line: its white space made single spaces, none at
 * either end, and at most `chars` (> 0) characters, of which the last is an
 * ellipsis where that is not all. True when it was cut so.
 */
bool ccfc_utf8_append_line(struct ccfc_buf *out, struct ccfc_slice text,
			   size_t chars);

#endif
