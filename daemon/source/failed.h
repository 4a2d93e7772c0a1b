/*
 * Looks that failed: what could not be opened or read, why, since when, and
 * when to try again. Each try that was due doubles the wait, from one second
 * up to five minutes, so that what stays unreadable costs next to nothing; a
 * question tries all of them whatever their time, and is no reason to wait
 * for longer. One thread.
 */
#ifndef CCFC_SOURCE_FAILED_H
#define CCFC_SOURCE_FAILED_H

#include "source/classify.h"

#include <stdint.h>

struct ccfc_failure {
	char *path;
	char *why;	       /* "Permission denied" */
	char *session, *agent; /* of the name it was looked at by */
	enum ccfc_name_kind kind;
	uint32_t tries;
	int64_t since; /* of the clock on the wall */
	int64_t due;   /* of the monotonic clock */
	int64_t wait;
};

struct ccfc_failed {
	struct ccfc_failure *items; /* by path */
	uint32_t n, cap;
};

typedef void (*ccfc_failure_fn)(void *ctx, const struct ccfc_failure *failure);

void ccfc_failed_release(struct ccfc_failed *failed);

/*
 * The look at `path` failed; `name` may be NULL where nobody will ask for it.
 * True when this is news: it did not fail before, or for another reason.
 */
bool ccfc_failed_note(struct ccfc_failed *failed, const char *path,
		      const struct ccfc_name *name, const char *why);

/* It succeeded, or nothing is there: true if it had failed before. */
bool ccfc_failed_clear(struct ccfc_failed *failed, const char *path);

/* How long until the next is due; -1: none failed. */
int ccfc_failed_timeout_ms(const struct ccfc_failed *failed);

/* Those that are due are being tried: they are due again later. */
void ccfc_failed_put_off(struct ccfc_failed *failed);

/*
 * Puts off those that are due, and calls `fn` with them, or with all. It may
 * note and clear; what it gets is a copy that is good during the call.
 */
void ccfc_failed_retry(struct ccfc_failed *failed, bool all, ccfc_failure_fn fn,
		       void *ctx);

/* When it is tried again, by the clock on the wall. */
int64_t ccfc_failure_next(const struct ccfc_failure *failure);

#endif
