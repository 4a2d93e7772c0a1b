/*
 * Errors of ccfc, the same in the daemon, the library and on the wire.
 *
 * Functions return 0 (or a count) on success and a negative CCFC_E… code on
 * failure. RPC replies carry the error's name (ccfc_error_name); neither names
 * nor numbers ever change.
 */
#ifndef CCFC_ERROR_H
#define CCFC_ERROR_H

#include <ccfc/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(symbol, number, name, what it means) */
#define CCFC_ERROR_LIST(X)                                                     \
	X(CCFC_EINVAL, -1, "invalid", "an argument makes no sense")            \
	X(CCFC_ENOTFOUND, -2, "not-found", "nothing found")                    \
	X(CCFC_EAMBIGUOUS, -3, "ambiguous", "more than one thing matches")     \
	X(CCFC_EIO, -4, "io", "an input or output operation failed")           \
	X(CCFC_EPROTO, -5, "protocol", "the peer broke the protocol")          \
	X(CCFC_ETOOBIG, -6, "too-big", "a limit was exceeded")                 \
	X(CCFC_EUNREACHABLE, -7, "unreachable", "the daemon is not reachable") \
	X(CCFC_EMETHOD, -8, "no-method", "no such method")                     \
	X(CCFC_EBUSY, -9, "busy", "another process holds it")                  \
	X(CCFC_EDENIED, -10, "denied", "permission denied")                    \
	X(CCFC_ECORRUPT, -11, "corrupt", "stored data is damaged")             \
	X(CCFC_EAGAIN, -12, "again", "not now, try again")

enum ccfc_error {
#define X(sym, num, name, text) sym = num,
	CCFC_ERROR_LIST(X)
#undef X
};

#define CCFC_ERR_WHAT_MAX 512
#define CCFC_ERR_HINT_MAX 256

/*
 * Filled in by the callee when it fails; owned by the caller. `what` is one
 * line "what: why"; `hint` says what to do and may be empty.
 */
struct ccfc_err {
	int code;
	char what[CCFC_ERR_WHAT_MAX];
	char hint[CCFC_ERR_HINT_MAX];
};

/* The stable name of a code; "unknown" for any other number. */
CCFC_API const char *ccfc_error_name(int code);

/* The code of a name; 0: there is no such name. */
CCFC_API int ccfc_error_from_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
