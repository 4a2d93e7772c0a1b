/*
 * Runs another program to its end and reads its output. It gets its arguments
 * unchanged (no shell), an empty standard input, and an English locale.
 */
#ifndef CCFC_CLI_SYSTEM_CHILD_H
#define CCFC_CLI_SYSTEM_CHILD_H

#include "base/buf.h"
#include "base/err.h"

#define CCFC_CHILD_NOT_FOUND 127 /* exit status without a message */

struct ccfc_child {
	struct ccfc_buf out;   /* up to CCFC_REPLY_MAX_BYTES + 64 KiB */
	struct ccfc_buf words; /* the start of stderr, for messages */
	int code;	       /* exit status; -1: a signal ended it */
};

/* Called in the new process, before the program starts. */
typedef void (*ccfc_child_fn)(const void *data);

/*
 * `argv` ends with NULL; its first is looked for in PATH. 0: it ended, with any
 * status; CCFC_EIO: it could not be started. `prepare` may be NULL. Release it
 * also after an error.
 */
int ccfc_child_run(struct ccfc_child *child, const char *const *argv,
		   ccfc_child_fn prepare, const void *data,
		   struct ccfc_err *err);
void ccfc_child_release(struct ccfc_child *child);

/* The first line of its stderr, at most 300 bytes. */
struct ccfc_slice ccfc_child_says(const struct ccfc_child *child);

/* Appends the program's path in PATH; false: not found. */
bool ccfc_child_find(struct ccfc_buf *out, const char *name);

#endif
