/*
 * Asking git about objects and attributes of a repository without letting it
 * read the repository's configuration. For that time there is a git directory
 * of our own, in $TMPDIR or /tmp, which has nothing in it but the form of the
 * objects; those are read where they are. So there are no drivers, filters,
 * remotes and programs that the repository could name: an object that is not
 * there is an error. Replaced objects and grafts are not looked at.
 *
 * While it is there, signals that would end the process wait: it is removed
 * in any case but SIGKILL.
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
	sigset_t signals; /* as they were */
};

/* CCFC_EIO when the directory cannot be made. Close it in any case. */
int ccfc_objects_open(struct ccfc_objects *o, const struct ccfc_repo *repo,
		      struct ccfc_err *err);
void ccfc_objects_close(struct ccfc_objects *o);

/* As ccfc_git_run. */
int ccfc_objects_ask(struct ccfc_buf *out, const struct ccfc_objects *o,
		     const char *const *args, struct ccfc_err *err);

/*
 * Appends the content that the repository's file has in HEAD, where it may
 * have the name that it had before `git mv`. CCFC_ENOTFOUND when HEAD has no
 * such file.
 */
int ccfc_objects_content(struct ccfc_buf *out, struct ccfc_objects *o,
			 struct ccfc_err *err);

/* What stands between a file and what git keeps of it. */
struct ccfc_git_attrs {
	enum {
		CCFC_EOL_KEPT,	/* line ends go in as they are */
		CCFC_EOL_AUTO,	/* CRLF becomes LF unless git has CRLF */
		CCFC_EOL_TURNED /* CRLF becomes LF */
	} eol;
	bool ident;	/* $Id: …$ becomes $Id$ */
	char other[80]; /* "filter=NAME" and the like; empty: nothing */
};

/*
 * Of the repository's file, by the .gitattributes on its way, those of the
 * repository and those of the user. git reads these files and starts nothing.
 */
int ccfc_objects_attrs(struct ccfc_git_attrs *attrs,
		       const struct ccfc_objects *o, struct ccfc_err *err);

#endif
