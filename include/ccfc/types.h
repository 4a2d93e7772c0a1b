/*
 * Words that the daemon, the library and their users share: the states and
 * operations of a change. The text of each is what stands in JSON and on the
 * wire.
 */
#ifndef CCFC_TYPES_H
#define CCFC_TYPES_H

#include <ccfc/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(symbol, number, text). Numbers are kept in the store: never reuse one. */
#define CCFC_STATE_LIST(X)                                                     \
	X(CCFC_STATE_PENDING, 0, "pending")                                    \
	X(CCFC_STATE_APPLIED, 1, "applied")                                    \
	X(CCFC_STATE_STAGED, 2, "staged")                                      \
	X(CCFC_STATE_DENIED, 3, "denied")                                      \
	X(CCFC_STATE_FAILED, 4, "failed")                                      \
	X(CCFC_STATE_INTERRUPTED, 5, "interrupted")

#define CCFC_OP_LIST(X)                                                        \
	X(CCFC_OP_MODIFIED, 0, "modified")                                     \
	X(CCFC_OP_CREATED, 1, "created")                                       \
	X(CCFC_OP_DELETED, 2, "deleted")

#define X(sym, num, text) sym = num,
enum ccfc_state { CCFC_STATE_LIST(X) };
enum ccfc_op { CCFC_OP_LIST(X) };
#undef X

#define CCFC_STATE_COUNT 6

/* "applied" for CCFC_STATE_APPLIED; "unknown" for a number that is none. */
CCFC_API const char *ccfc_state_text(int state);
CCFC_API const char *ccfc_op_text(int op);

/* The state of that name, or -1. */
CCFC_API int ccfc_state_from_text(const char *text, unsigned long len);

#ifdef __cplusplus
}
#endif

#endif
