/*
 * What a session may have written: the files of its project. The paths that
 * `revert`, `restore` and `recover` write to come out of transcripts, and so
 * does the content; a transcript that somebody made up could have any file
 * overwritten. So files outside of the directories that the session worked in
 * are written with --outside only, as are all files of a session that is not
 * the user's own; and those that other programs run or trust (sensitive.h)
 * only if they are named, with --outside=PATH.
 *
 * A file is where its directory really is: links on the way are resolved once,
 * the outcome (its place, ccfc_cwd_place) is judged, and the same place is
 * written to without following a link (replace.h).
 */
#ifndef CCFC_CLI_WRITE_OUTSIDE_H
#define CCFC_CLI_WRITE_OUTSIDE_H

#include "base/buf.h"
#include "cli/frame/cwd.h"
#include "cli/frame/opt.h"
#include "wire/obj.h"

#define CCFC_OUTSIDE_OPTION                                                    \
	{                                                                      \
		"outside", 0, CCFC_OPT_NAMED, "PATH",                          \
			.help = "also files outside of the project, or that "  \
				"one"                                          \
	}

/* For the help of all that take it. */
#define CCFC_OUTSIDE_ABOUT                                                     \
	"Files outside of the session's directories, also through links, are " \
	"refused\n"                                                            \
	"without --outside. So are all files of a session whose transcript "   \
	"is not yours,\n"                                                      \
	"was copied from elsewhere, or is gone. Files that other programs "    \
	"run or trust\n"                                                       \
	"(start-up files, .ssh, .git, .claude, autostart, $PATH and similar) " \
	"must be\n"                                                            \
	"named, each with --outside=PATH."

struct ccfc_outside_root {
	char *name; /* as the session has it, normal */
	char *real; /* without links */
};

struct ccfc_outside {
	const struct ccfc_cwd *where;
	const struct ccfc_opt_value *given; /* --outside */
	struct {
		struct ccfc_outside_root *items;
		uint32_t n, cap;
	} roots;
	struct {
		char **items; /* places that were named */
		uint32_t n, cap;
	} named;
	struct ccfc_slice why; /* the session is not the user's; borrowed */
};

/*
 * Both are borrowed. Without a session yet: nothing is inside. Release it in
 * any case.
 */
void ccfc_outside_init(struct ccfc_outside *o, const struct ccfc_cwd *where,
		       const struct ccfc_opt_value *given);
void ccfc_outside_release(struct ccfc_outside *o);

/*
 * Files below this directory are inside, unless the directory is a link that
 * leads out of another one that was given.
 */
void ccfc_outside_root(struct ccfc_outside *o, struct ccfc_slice dir);

/* Takes `origin` out of a reply, which has to outlive `o`. */
void ccfc_outside_origin(struct ccfc_outside *o, struct ccfc_obj reply);

enum ccfc_reach {
	CCFC_INSIDE,
	CCFC_OUTSIDE,	/* would do with --outside */
	CCFC_SENSITIVE, /* would do if it is named */
};

/*
 * May the file be written? `path` is as the session has it, `place` where that
 * is, `foreign` why its content may be somebody else's (empty: it is not).
 * Unless it may, the reason is appended to `why`.
 */
enum ccfc_reach ccfc_outside_judge(struct ccfc_buf *why,
				   const struct ccfc_outside *o,
				   const char *path, const char *place,
				   struct ccfc_slice foreign);

/* Says what to do about the files that were refused. */
void ccfc_outside_hint(struct ccfc_err *err, enum ccfc_reach worst,
		       const char *place);

#endif
