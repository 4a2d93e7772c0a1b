/*
 * Strings and numbers as JavaScript's JSON.stringify prints them: each value
 * has exactly one printed form.
 */
#ifndef CCFC_HISTORY_STEP_JS_JSON_PRINT_H
#define CCFC_HISTORY_STEP_JS_JSON_PRINT_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * Appends, with quotes, the string whose JSON form is `raw` (the part between
 * the quotes: valid UTF-8 without control characters). False on a bad escape.
 * `scratch` is cleared.
 */
bool ccfc_js_string(struct ccfc_buf *out, struct ccfc_slice raw,
		    struct ccfc_arena *scratch);

/*
 * The same for a text of valid UTF-8. False if it contains U+FFFD: in a text
 * from a transcript, that may stand for half a surrogate pair, which would be
 * printed as an escape.
 */
bool ccfc_js_text(struct ccfc_buf *out, struct ccfc_slice text);

/*
 * Appends the double for `raw`, a well-formed JSON number. False: its shortest
 * form is not certain (infinite, nearly so, or nearly zero).
 */
bool ccfc_js_number(struct ccfc_buf *out, struct ccfc_slice raw);

#endif
