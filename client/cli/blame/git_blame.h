/*
 * The commit of each line of a file in a git work tree, as `git blame` reports
 * it: the commit that added the line in its present form. git is asked about
 * HEAD; the lines of the file are matched with HEAD here, since git would run
 * the repository's filters on the file.
 */
#ifndef CCFC_CLI_BLAME_GIT_BLAME_H
#define CCFC_CLI_BLAME_GIT_BLAME_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct ccfc_git_commit {
	char id[65];		  /* hex, 40 digits or 64 */
	struct ccfc_slice author; /* slices borrow from the blame */
	struct ccfc_slice mail;
	struct ccfc_slice zone; /* "+0100" */
	struct ccfc_slice summary;
	int64_t time; /* of the author, in milliseconds; or CCFC_TIME_NONE */
};

struct ccfc_git_line {
	int32_t commit; /* -1: not committed yet */
	uint32_t orig;	/* the line's number in that commit, from 1 */
	struct ccfc_slice text;
};

struct ccfc_git_blame {
	struct ccfc_buf bytes;	 /* git's output */
	struct ccfc_buf content; /* of the file on disk */
	struct {
		struct ccfc_git_commit *items;
		uint32_t n, cap;
	} commits;
	struct {
		struct ccfc_git_line *items; /* from line `first` on */
		uint32_t n, cap;
	} lines;
	int64_t first;
	/* The file is in a work tree, and not committed at all. */
	bool untracked;
	/*
	 * "filter=NAME": git's content differs from the file's by a filter that
	 * is not run here. Equal lines have commits; whether the others are
	 * committed is unknown. Otherwise empty.
	 */
	char filter[80];
};

/*
 * Blames `path` (absolute) as it is on disk, from line `from` to line `to`; 0
 * is no limit. CCFC_ENOTFOUND: the file is not in a work tree, or `untracked`;
 * CCFC_EIO: git cannot be run; CCFC_EDENIED: git refuses, or the repository
 * lacks objects; CCFC_EPROTO: unexpected output of git. The caller always
 * releases `blame`.
 */
int ccfc_git_blame_read(struct ccfc_git_blame *blame, const char *path,
			int64_t from, int64_t to, bool ignore_space,
			struct ccfc_err *err);
void ccfc_git_blame_release(struct ccfc_git_blame *blame);

/* Parses the output of `git blame --porcelain`, taken from `bytes`. */
int ccfc_git_blame_parse(struct ccfc_git_blame *blame, struct ccfc_buf *bytes,
			 struct ccfc_err *err);

/*
 * Line `line` (from 1) if git has it and its text is `text`, else NULL: the
 * file may have changed since. A final CR is ignored, since git may convert
 * line ends.
 */
const struct ccfc_git_line *ccfc_git_blame_line(const struct ccfc_git_blame *b,
						int64_t line,
						struct ccfc_slice text);

/* The commit of that line, or NULL: not known, or not committed yet. */
const struct ccfc_git_commit *
ccfc_git_blame_commit(const struct ccfc_git_blame *blame, int64_t line,
		      struct ccfc_slice text);

#endif
