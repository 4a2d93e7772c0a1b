/*
 * Failed checks: the paths that could not be opened or read, why, since when,
 * and when to try again. Each due try doubles the wait, from one second up to
 * five minutes, so that a file that stays unreadable costs next to nothing. A
 * question tries all of them at any time, and does not lengthen the wait. One
 * thread.
 */
#ifndef CCFC_SOURCE_FAILED_H
#define CCFC_SOURCE_FAILED_H

#include "source/classify.h"

#include <stdint.h>

struct ccfc_failure {
	char *path;
	char *why;	       /* "Permission denied" */
	char *session, *agent; /* of the name used for the check */
	enum ccfc_name_kind kind;
	uint32_t tries;
	int64_t since; /* wall clock */
	int64_t due;   /* monotonic clock */
	int64_t wait;  /* in ms */
};

struct ccfc_failed {
	struct ccfc_failure *items; /* by path */
	uint32_t n, cap;
};

typedef void (*ccfc_failure_fn)(void *ctx, const struct ccfc_failure *failure);

void ccfc_failed_release(struct ccfc_failed *failed);

/*
 * The check of `path` failed; `name` may be NULL if no retry needs the name.
 * True: this is news (a first failure, or another reason).
 */
bool ccfc_failed_note(struct ccfc_failed *failed, const char *path,
		      const struct ccfc_name *name, const char *why);

/* The check succeeded, or nothing is there; true: it had failed before. */
bool ccfc_failed_clear(struct ccfc_failed *failed, const char *path);

/* How long until the next check is due; -1: none failed. */
int ccfc_failed_timeout_ms(const struct ccfc_failed *failed);

/* The due checks are being tried: they become due again later. */
void ccfc_failed_put_off(struct ccfc_failed *failed);

/*
 * Puts off the due checks, and calls `fn` with these, or with all. `fn` may
 * note and clear; its argument is a copy, valid during the call.
 */
void ccfc_failed_retry(struct ccfc_failed *failed, bool all, ccfc_failure_fn fn,
		       void *ctx);

/* When the check is tried again, by the wall clock. */
int64_t ccfc_failure_next(const struct ccfc_failure *failure);

#endif
