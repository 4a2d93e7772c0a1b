/*
 * Links on a terminal (OSC 8): a file in a table opens with a click. A terminal
 * that does not know them might print them, so only known terminals get them
 * unasked.
 */
#ifndef CCFC_CLI_OUT_HYPERLINK_H
#define CCFC_CLI_OUT_HYPERLINK_H

#include "base/buf.h"

/* Is the terminal known to support links, by the environment? */
bool ccfc_hyperlink_is_known(void);

/* Begins a link to the file; nothing for a path that is not absolute. */
void ccfc_hyperlink_begin(struct ccfc_buf *out, struct ccfc_slice path);
void ccfc_hyperlink_end(struct ccfc_buf *out);

#endif
