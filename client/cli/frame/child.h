/*
 * Running another program to its end and reading what it says. It gets its
 * arguments as they are (no shell), nothing to read, and English messages.
 */
#ifndef CCFC_CLI_FRAME_CHILD_H
#define CCFC_CLI_FRAME_CHILD_H

#include "base/buf.h"
#include "base/err.h"

#define CCFC_CHILD_NOT_FOUND 127 /* exit status, without a word */

struct ccfc_child {
	struct ccfc_buf out;   /* up to CCFC_REPLY_MAX_BYTES + 64 KiB */
	struct ccfc_buf words; /* the start of stderr, for messages */
	int code;	       /* exit status; -1: a signal ended it */
};

/* In the new process, before the program is started in it. */
typedef void (*ccfc_child_fn)(const void *data);

/*
 * `argv` ends with NULL; its first is looked for in PATH. 0 when it came to an
 * end, whatever that was; CCFC_EIO if it could not be tried. `prepare` may be
 * NULL. Release it also after an error.
 */
int ccfc_child_run(struct ccfc_child *child, const char *const *argv,
		   ccfc_child_fn prepare, const void *data,
		   struct ccfc_err *err);
void ccfc_child_release(struct ccfc_child *child);

/* The first line of its complaints, at most 300 bytes of it. */
struct ccfc_slice ccfc_child_says(const struct ccfc_child *child);

/* Appends where the program is in PATH; false if it is not. */
bool ccfc_child_find(struct ccfc_buf *out, const char *name);

#endif
