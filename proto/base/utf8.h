/* UTF-8: finding characters, and replacing invalid bytes. */
#ifndef CCFC_BASE_UTF8_H
#define CCFC_BASE_UTF8_H

#include "base/buf.h"

/*
 * The length of the non-ASCII character at p, which has len > 0 bytes.
 * Negative: so many bytes are invalid and become one U+FFFD, namely the longest
 * run that could begin a character, as the Unicode standard recommends.
 */
int ccfc_utf8_step(const unsigned char *p, size_t len);

/* Appends the text with invalid bytes replaced; true: all ASCII. */
bool ccfc_utf8_append(struct ccfc_buf *out, struct ccfc_slice text);

/*
 * Appends the text as one line: white space becomes single spaces, with none at
 * either end, and at most `chars` (> 0) characters, the last an ellipsis if the
 * text was cut. True: the text was cut.
 */
bool ccfc_utf8_append_line(struct ccfc_buf *out, struct ccfc_slice text,
			   size_t chars);

#endif
