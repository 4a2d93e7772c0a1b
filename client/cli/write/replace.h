/*
 * One of the user's files replaced, made or removed: whole, or not at all.
 *
 * A target is looked at first (its content is read and hashed), then the new
 * content is prepared in a temporary file beside it, where everything that
 * can fail does, and then put in its place with one system call, by which the
 * two change places where the system can do that. The
 * directory is opened once, and everything is done relative to it. No part of
 * the path is followed if it is a symbolic link, neither the last nor one on
 * the way: the caller resolves links first (ccfc_cwd_place), and decides by
 * the outcome. Only regular files are touched: anything else in the way is an
 * error.
 *
 * Errors are CCFC_EIO, CCFC_EDENIED (what is there must not be touched, or we
 * may not) or CCFC_ETOOBIG; their text names the path.
 */
#ifndef CCFC_CLI_WRITE_REPLACE_H
#define CCFC_CLI_WRITE_REPLACE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "cli/write/whole_file.h"

#include <sys/types.h>

/* Whoever may read and write it. */
struct ccfc_attr {
	mode_t mode; /* permission bits only */
	uid_t uid;
	gid_t gid;
};

struct ccfc_target {
	char *path;	  /* absolute */
	const char *name; /* its last part */
	int dir;	  /* its directory, open; -1: there is none yet */
	unsigned missing; /* directories above it that are not there */
	/* What was found, by ccfc_target_look. */
	bool exists;
	struct ccfc_attr attr;
	nlink_t links;
	struct ccfc_buf content;
	char sha256[CCFC_SHA256_HEX + 1]; /* "" if it does not exist */
	/* What has been done. */
	char temp[CCFC_TEMP_MAX];
	bool temp_made; /* it is there, and ours */
	bool dirs_made; /* some of those that were missing */
};

/*
 * Opens the directory; `path` is absolute and normal, and copied. Release it
 * also after an error.
 */
int ccfc_target_init(struct ccfc_target *t, const char *path,
		     struct ccfc_err *err);

/* Removes the temporary file if there is still one, and closes. */
void ccfc_target_release(struct ccfc_target *t);

/* Reads what is there now. */
int ccfc_target_look(struct ccfc_target *t, struct ccfc_err *err);

/* Is what was found the content with this hash? "": no file. */
bool ccfc_target_is(const struct ccfc_target *t, const char *sha256);

/* A name for t->temp that nothing has; the file is not made yet. */
int ccfc_target_name_temp(struct ccfc_target *t, struct ccfc_err *err);

/*
 * Writes `content` to the temporary file and makes it durable. It gets mode,
 * owner, ACL and user attributes of the file that was found; where there was
 * none, mode and owner `as`, or if that is NULL what any new file gets.
 * Missing directories are made. After an error all of it is taken back.
 */
int ccfc_target_prepare(struct ccfc_target *t, struct ccfc_slice content,
			const struct ccfc_attr *as, struct ccfc_err *err);

/*
 * Puts the temporary file in place, or removes the file if none is prepared.
 * Refused if the file is not any more what ccfc_target_look found. The change
 * is visible at once, and durable after ccfc_target_sync. After an error look
 * again: it may have been done all the same.
 */
int ccfc_target_commit(struct ccfc_target *t, struct ccfc_err *err);
int ccfc_target_sync(const struct ccfc_target *t, struct ccfc_err *err);

/*
 * Has the temporary file of that name this content? While a file is replaced,
 * what it was is there for a moment.
 */
bool ccfc_target_temp_is(const struct ccfc_target *t, const char *temp,
			 const char *sha256);

/* Removes the temporary file of that name, whoever made it. */
void ccfc_target_drop_temp(struct ccfc_target *t, const char *temp);

/* Removes up to `n` directories above the file, as far as they are empty. */
void ccfc_target_drop_dirs(const struct ccfc_target *t, unsigned n);

#endif
