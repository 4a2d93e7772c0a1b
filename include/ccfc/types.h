/*
 * Names that the daemon, the library and their users share: the states, the
 * operations and the evidence of a change. The text of each is used in JSON and
 * on the wire.
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
	X(CCFC_OP_DELETED, 2, "deleted")                                       \
	X(CCFC_OP_RENAMED, 3, "renamed")

/*
 * The evidence of a change, that is, why it is attributed to its call: the
 * result of a tool that names its file; the client saw the file change while a
 * command ran; the disk was watched; the command's text; the file's contents
 * before and after fit a command; or another call may have made the change.
 */
#define CCFC_PROOF_LIST(X)                                                     \
	X(CCFC_PROOF_RESULT, 0, "result")                                      \
	X(CCFC_PROOF_RECORDED, 1, "recorded")                                  \
	X(CCFC_PROOF_OBSERVED, 2, "observed")                                  \
	X(CCFC_PROOF_PARSED, 3, "parsed")                                      \
	X(CCFC_PROOF_INFERRED, 4, "inferred")                                  \
	X(CCFC_PROOF_AMBIGUOUS, 5, "ambiguous")

#define X(sym, num, text) sym = num,
enum ccfc_state { CCFC_STATE_LIST(X) };
enum ccfc_op { CCFC_OP_LIST(X) };
enum ccfc_proof { CCFC_PROOF_LIST(X) };
#undef X

#define CCFC_STATE_COUNT 6
#define CCFC_PROOF_COUNT 6

/* "applied" for CCFC_STATE_APPLIED; "unknown" for any other number. */
CCFC_API const char *ccfc_state_text(int state);
CCFC_API const char *ccfc_op_text(int op);
CCFC_API const char *ccfc_proof_text(int proof);

/* The state, or the evidence, of that name; -1: there is none. */
CCFC_API int ccfc_state_from_text(const char *text, unsigned long len);
CCFC_API int ccfc_proof_from_text(const char *text, unsigned long len);

#ifdef __cplusplus
}
#endif

#endif
