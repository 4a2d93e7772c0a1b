/*
 * The system's way of watching directories, behind one small interface. Each
 * back end is one file; the build takes the one for its system
 * (watch_inotify.c: Linux, and BSD and macOS through libinotify-kqueue).
 *
 * A directory is watched under a number. The same directory always has the same
 * number while it is watched, by whatever path it was given. Events trigger a
 * check; they do not say what happened. One thread.
 */
#ifndef CCFC_SOURCE_WATCH_H
#define CCFC_SOURCE_WATCH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum ccfc_watch_what {
	CCFC_WATCH_CHANGED,  /* a child's content or permissions; without a
			      * name: the directory's own permissions */
	CCFC_WATCH_APPEARED, /* a child was created or moved in */
	CCFC_WATCH_VANISHED, /* a child was deleted or moved away */
	CCFC_WATCH_SELF,     /* the directory was deleted or moved */
	CCFC_WATCH_ENDED,    /* the number is no longer valid */
	CCFC_WATCH_OVERFLOW, /* events were lost, of any directory */
	CCFC_WATCH_WRITTEN,  /* a writer has closed a child; not on every
			      * system */
};

struct ccfc_watch_event {
	enum ccfc_watch_what what;
	int wd;
	const char *name; /* of the child, or ""; valid during the call */
	bool is_dir;	  /* the child is a directory; a symlink is none */
	uint32_t cookie;  /* of a child that was renamed: the same where it
			   * vanished and where it appeared; else 0 */
};

typedef void (*ccfc_watch_fn)(void *ctx, const struct ccfc_watch_event *event);

/* How much of a directory is watched; of two depths the larger one holds. */
enum ccfc_watch_depth {
	CCFC_WATCH_ONLY_SELF,  /* CCFC_WATCH_SELF */
	CCFC_WATCH_NAMES,      /* and children that appear or vanish */
	CCFC_WATCH_EVERYTHING, /* and children that change */
	CCFC_WATCH_WRITERS,    /* and children that a writer closes */
};

struct ccfc_watch;

int ccfc_watch_new(struct ccfc_watch **out, struct ccfc_err *err);
void ccfc_watch_free(struct ccfc_watch *watch);

/* For poll(). */
int ccfc_watch_fd(const struct ccfc_watch *watch);

/*
 * The number for the directory, 0 or more. CCFC_ETOOBIG: the system's limit
 * is reached; CCFC_EDENIED, CCFC_ENOTFOUND, CCFC_EIO otherwise.
 */
int ccfc_watch_add(struct ccfc_watch *watch, const char *path,
		   enum ccfc_watch_depth depth);

void ccfc_watch_remove(struct ccfc_watch *watch, int wd);

/* Calls `fn` for all events there are now. One system call if none. */
void ccfc_watch_read(struct ccfc_watch *watch, ccfc_watch_fn fn, void *ctx);

#endif
