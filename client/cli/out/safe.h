/*
 * Text from transcripts made safe to show: control characters in caret notation
 * (^[, ^?), C1 controls and bytes that are not UTF-8 as \x9b, and characters
 * that change the direction of text or separate lines as <U+202E>. The appended
 * text is valid UTF-8 and moves no cursor.
 */
#ifndef CCFC_CLI_OUT_SAFE_H
#define CCFC_CLI_OUT_SAFE_H

#include "base/buf.h"

#include <stdint.h>

/*
 * The code point at *p, with *p advanced behind it; -1, and one byte further,
 * for invalid UTF-8. *p < end.
 */
int32_t ccfc_utf8_next(const char **p, const char *end);

/* Does the code point change the direction of text, or end a line? */
bool ccfc_utf8_is_layout(int32_t cp);

/* Appends `s`, tabs as they are if `keep_tabs`. */
void ccfc_safe_append(struct ccfc_buf *out, struct ccfc_slice s,
		      bool keep_tabs);

#endif
