/*
 * Asks git about objects and attributes of a repository. git runs in a git
 * directory of our own, in $TMPDIR or /tmp, whose configuration has only the
 * format of the objects. The objects are read in place. So there are no
 * drivers, filters, remotes or programs that the repository could name: a
 * missing object is an error. Replaced objects and grafts are ignored. Of the
 * repository's own configuration only core.autocrlf is read.
 *
 * While this directory exists, signals that would end the process are blocked:
 * only SIGKILL leaves it behind.
 */
#ifndef CCFC_CLI_BLAME_GIT_OBJECTS_H
#define CCFC_CLI_BLAME_GIT_OBJECTS_H

#include "cli/blame/git_repo.h"

#include <signal.h>

struct ccfc_objects {
	const struct ccfc_repo *repo; /* borrowed; has a HEAD */
	char *git_dir;		      /* ours */
	char *objects;
	char *name; /* of the file in HEAD, once its content was asked for */
	sigset_t signals; /* the mask before */
};

/* CCFC_EIO: the directory cannot be made. Always close `o`. */
int ccfc_objects_open(struct ccfc_objects *o, const struct ccfc_repo *repo,
		      struct ccfc_err *err);
void ccfc_objects_close(struct ccfc_objects *o);

/* As ccfc_git_run. */
int ccfc_objects_ask(struct ccfc_buf *out, const struct ccfc_objects *o,
		     const char *const *args, struct ccfc_err *err);

/*
 * Appends the content of the file in HEAD, where it may have an older name,
 * before `git mv`. CCFC_ENOTFOUND: HEAD has no such file.
 */
int ccfc_objects_content(struct ccfc_buf *out, struct ccfc_objects *o,
			 struct ccfc_err *err);

/* The conversions between a file and git's copy of it. */
struct ccfc_git_attrs {
	enum {
		CCFC_EOL_KEPT,	/* line ends stay as they are */
		CCFC_EOL_AUTO,	/* CRLF becomes LF unless git has CRLF */
		CCFC_EOL_TURNED /* CRLF becomes LF */
	} eol;
	bool ident;	/* $Id: …$ becomes $Id$ */
	char other[80]; /* "filter=NAME" and the like; empty: nothing */
};

/*
 * The attributes of the file, from the .gitattributes files of the work tree,
 * the repository and the user. If none says how lines end, core.autocrlf does.
 * git reads these files and starts nothing.
 */
int ccfc_objects_attrs(struct ccfc_git_attrs *attrs,
		       const struct ccfc_objects *o, struct ccfc_err *err);

#endif
