/*
 * How wide text is on a terminal, and cutting it to a width. Text is valid
 * UTF-8 without control characters, as safe.h makes it. The locale is set
 * (LC_CTYPE only) when the first character beyond ASCII is seen: most runs
 * never need it.
 */
#ifndef CCFC_CLI_OUT_WIDTH_H
#define CCFC_CLI_OUT_WIDTH_H

#include "base/buf.h"

/* Columns that `s` takes. */
size_t ccfc_width(struct ccfc_slice s);

/*
 * Appends `s`; if it is wider than `max`, its start and its end with "…"
 * between: the end gets two thirds, since the last name of a path matters most.
 */
void ccfc_width_elide(struct ccfc_buf *out, struct ccfc_slice s, size_t max);

/* The same for prose, whose start matters most: "…" at its end. */
void ccfc_width_cut(struct ccfc_buf *out, struct ccfc_slice s, size_t max);

#endif
