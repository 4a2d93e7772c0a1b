/*
 * Filling in a struct ccfc_err. `err` may be NULL everywhere: then only the
 * code is returned. Each helper returns the code, so that a failing function
 * can end with `return ccfc_err_set(err, CCFC_EIO, "…")`.
 */
#ifndef CCFC_BASE_ERR_H
#define CCFC_BASE_ERR_H

#include <ccfc/error.h>

/* Sets code and text, clears the hint. */
int ccfc_err_set(struct ccfc_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As ccfc_err_set, with ": <strerror(errnum)>" appended. */
int ccfc_err_errno(struct ccfc_err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * As ccfc_err_errno for failed operations, where "not found" (an exit status of
 * its own) and "try again" would mislead: CCFC_EDENIED or CCFC_EIO.
 */
int ccfc_err_io(struct ccfc_err *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds what to do. */
void ccfc_err_hint(struct ccfc_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
