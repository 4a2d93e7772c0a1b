/*
 * Text that people wrote: on a terminal its lines are broken between words, not
 * in the middle of one, as the terminal does it. Elsewhere they stay whole.
 */
#ifndef CCFC_CLI_OUT_PROSE_H
#define CCFC_CLI_OUT_PROSE_H

#include "cli/out/out.h"

/*
 * Appends one line that is safe already and begins in column `at`; further
 * lines begin there, too.
 */
void ccfc_prose_wrap(struct ccfc_out *out, struct ccfc_slice text, unsigned at);

/* Appends all lines of a text, made safe and indented. */
void ccfc_prose_print(struct ccfc_out *out, struct ccfc_slice text);

#endif
