/*
 * For commands that Claude Code runs beside its work, with JSON on their
 * standard input: they must never be in its way, whatever happens.
 */
#ifndef CCFC_CLI_JSONRPC_BESIDE_H
#define CCFC_CLI_JSONRPC_BESIDE_H

#include "base/buf.h"
#include "wire/obj.h"

/*
 * Ends the process well when so many milliseconds have passed, wherever it is
 * then, without printing what is in a buffer.
 */
void ccfc_beside_limit_time(int ms);

/*
 * All of the input, which is one JSON value of at most `max` bytes. False: it
 * is something else; it was read to its end nevertheless. The caller frees
 * `doc`, whose texts are in `packed`.
 */
bool ccfc_beside_read(struct ccfc_buf *packed, struct ccfc_doc **doc,
		      size_t max);

#endif
