/*
 * One of the user's files replaced, made or removed: whole, or not at all.
 *
 * A target is read and hashed first, then the new content is prepared in a
 * temporary file beside it, where all likely failures happen, and then put in
 * place with one system call, which exchanges the two files if the system can
 * do that. The directory is opened once, and everything is done relative to it.
 * No symbolic link in the path is followed: the caller resolves links first
 * (ccfc_cwd_place), and checks the resolved path. Only regular files are
 * touched: anything else is an error.
 *
 * Errors are CCFC_EIO, CCFC_EDENIED (the file must not be touched, or
 * permission is denied) or CCFC_ETOOBIG; their text names the path.
 */
#ifndef CCFC_CLI_WRITE_REPLACE_H
#define CCFC_CLI_WRITE_REPLACE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "cli/write/whole_file.h"

#include <sys/types.h>

/* Mode and owner. */
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
	/* The state found by ccfc_target_look. */
	bool exists;
	struct ccfc_attr attr;
	nlink_t links;
	struct ccfc_buf content;
	char sha256[CCFC_SHA256_HEX + 1]; /* "" if it does not exist */
	/* The steps done so far. */
	char temp[CCFC_TEMP_MAX];
	bool temp_made; /* the temporary file exists, and is ours */
	bool dirs_made; /* missing directories were made */
};

/*
 * Opens the directory; `path` is absolute and normal, and copied. Release it
 * also after an error.
 */
int ccfc_target_init(struct ccfc_target *t, const char *path,
		     struct ccfc_err *err);

/* Removes the temporary file if it still exists, and closes. */
void ccfc_target_release(struct ccfc_target *t);

/* Reads the present content. */
int ccfc_target_look(struct ccfc_target *t, struct ccfc_err *err);

/* Was the content with this hash found? "": no file. */
bool ccfc_target_is(const struct ccfc_target *t, const char *sha256);

/* Chooses an unused name for t->temp; the file is not made yet. */
int ccfc_target_name_temp(struct ccfc_target *t, struct ccfc_err *err);

/*
 * Writes `content` to the temporary file and makes it durable. It gets mode,
 * owner, ACL and user attributes of the present file; if there is none, mode
 * and owner `as`, or if that is NULL the defaults of a new file. Missing
 * directories are made. After an error everything is undone.
 */
int ccfc_target_prepare(struct ccfc_target *t, struct ccfc_slice content,
			const struct ccfc_attr *as, struct ccfc_err *err);

/*
 * Puts the temporary file in place, or removes the file if none is prepared.
 * Refused if the file changed since ccfc_target_look. The change is visible at
 * once, and durable after ccfc_target_sync. After an error check again: the
 * change may have been made.
 */
int ccfc_target_commit(struct ccfc_target *t, struct ccfc_err *err);
int ccfc_target_sync(const struct ccfc_target *t, struct ccfc_err *err);

/*
 * Does the temporary file have this content? During an exchange the old content
 * is in it for a moment.
 */
bool ccfc_target_temp_is(const struct ccfc_target *t, const char *temp,
			 const char *sha256);

/* Removes the temporary file of that name, whoever created it. */
void ccfc_target_drop_temp(struct ccfc_target *t, const char *temp);

/* Removes up to `n` empty directories above the file. */
void ccfc_target_drop_dirs(const struct ccfc_target *t, unsigned n);

#endif
