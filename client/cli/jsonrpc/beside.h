/*
 * For commands that Claude Code runs beside its work, with JSON on their
 * standard input: they must never delay or disturb it.
 */
#ifndef CCFC_CLI_JSONRPC_BESIDE_H
#define CCFC_CLI_JSONRPC_BESIDE_H

#include "base/buf.h"
#include "wire/obj.h"

/*
 * Exits with status 0 after so many milliseconds, whatever the process is doing
 * then. Buffered output is not printed.
 */
void ccfc_beside_limit_time(int ms);

/*
 * Reads the whole input, which is one JSON value of at most `max` bytes. False:
 * it is something else, but it was read to its end. The caller frees `doc`,
 * whose texts are in `packed`.
 */
bool ccfc_beside_read(struct ccfc_buf *packed, struct ccfc_doc **doc,
		      size_t max);

#endif
