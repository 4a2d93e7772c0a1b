/*
 * The commit of each line of a file in a git work tree, as `git blame` tells
 * it: the one that first holds the line as it stands. git is asked about HEAD;
 * which lines of the file are still those of HEAD is found here, since git
 * would run the repository's filters over the file.
 */
#ifndef CCFC_CLI_BLAME_GIT_BLAME_H
#define CCFC_CLI_BLAME_GIT_BLAME_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct ccfc_git_commit {
	char id[65];		  /* hex, 40 digits or 64 */
	struct ccfc_slice author; /* these borrow from the blame */
	struct ccfc_slice mail;
	struct ccfc_slice zone; /* "+0100" */
	struct ccfc_slice summary;
	int64_t time; /* of the author, in milliseconds; or CCFC_TIME_NONE */
};

struct ccfc_git_line {
	int32_t commit; /* -1: not committed yet */
	uint32_t orig;	/* its number in that commit, from 1 */
	struct ccfc_slice text;
};

struct ccfc_git_blame {
	struct ccfc_buf bytes;	 /* of git */
	struct ccfc_buf content; /* of the file */
	struct {
		struct ccfc_git_commit *items;
		uint32_t n, cap;
	} commits;
	struct {
		struct ccfc_git_line *items; /* from line `first` on */
		uint32_t n, cap;
	} lines;
	int64_t first;
	/* It is in a work tree, and nothing of it is committed. */
	bool untracked;
	/*
	 * "filter=NAME": git keeps another content than the file's, made by
	 * what we do not run. Lines that are the same in both have commits; of
	 * others it is not known whether they are committed. Else empty.
	 */
	char filter[80];
};

/*
 * Blames `path` (absolute) as it is on disk, from line `from` to line `to`; 0
 * is no limit. CCFC_ENOTFOUND when the file is in no work tree, or `untracked`;
 * CCFC_EIO when git cannot be run; CCFC_EDENIED when it refuses, also as the
 * repository lacks objects; CCFC_EPROTO on words that are not git's. The
 * caller releases it in any case.
 */
int ccfc_git_blame_read(struct ccfc_git_blame *blame, const char *path,
			int64_t from, int64_t to, bool ignore_space,
			struct ccfc_err *err);
void ccfc_git_blame_release(struct ccfc_git_blame *blame);

/* The same of what `git blame --porcelain` printed, taken from `bytes`. */
int ccfc_git_blame_parse(struct ccfc_git_blame *blame, struct ccfc_buf *bytes,
			 struct ccfc_err *err);

/*
 * Line `line` (from 1) if git has it and its text is `text`, else NULL: a
 * file may have changed since, and line ends are turned around on the way
 * into a repository, so a final CR is not looked at.
 */
const struct ccfc_git_line *ccfc_git_blame_line(const struct ccfc_git_blame *b,
						int64_t line,
						struct ccfc_slice text);

/* Its commit, or NULL: not known, or not committed yet. */
const struct ccfc_git_commit *
ccfc_git_blame_commit(const struct ccfc_git_blame *blame, int64_t line,
		      struct ccfc_slice text);

#endif
