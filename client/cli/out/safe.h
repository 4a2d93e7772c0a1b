/*
 * Text from transcripts made safe to show: control characters in caret
 * notation (^[, ^?), C1 controls and bytes that are not UTF-8 as \x9b, and
 * the characters that turn the direction of text around or separate lines as
 * <U+202E>. What is appended is valid UTF-8 and moves no cursor.
 */
#ifndef CCFC_CLI_OUT_SAFE_H
#define CCFC_CLI_OUT_SAFE_H

#include "base/buf.h"

#include <stdint.h>

/*
 * The code point at *p, and *p moved behind it; -1, and one byte further,
 * where the bytes are not valid UTF-8. *p < end.
 */
int32_t ccfc_utf8_next(const char **p, const char *end);

/* Does it turn the direction of text, or end a line, where it is known? */
bool ccfc_utf8_is_layout(int32_t cp);

/* Appends `s`, tabs as they are if `keep_tabs`. */
void ccfc_safe_append(struct ccfc_buf *out, struct ccfc_slice s,
		      bool keep_tabs);

#endif
