/*
 * Which files may be written for a session: those of its project. The paths and
 * contents for `revert`, `restore` and `recover` come from transcripts; a
 * forged transcript could overwrite any file. So files outside of the session's
 * directories are written with --outside only, as are all files of a session
 * that is not the user's own; files that other programs run or trust
 * (sensitive.h) must be named, with --outside=PATH.
 *
 * Links in the path are resolved once; the resolved path (ccfc_cwd_place) is
 * checked, and then written without following a link (replace.h).
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

/* For the help of all commands with --outside. */
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
 * Both are borrowed. Until a session is set, nothing is inside. Always release
 * it.
 */
void ccfc_outside_init(struct ccfc_outside *o, const struct ccfc_cwd *where,
		       const struct ccfc_opt_value *given);
void ccfc_outside_release(struct ccfc_outside *o);

/*
 * Files below this directory are inside, unless the directory is a link that
 * leads out of another given directory.
 */
void ccfc_outside_root(struct ccfc_outside *o, struct ccfc_slice dir);

/* Reads `origin` from a reply, which must outlive `o`. */
void ccfc_outside_origin(struct ccfc_outside *o, struct ccfc_obj reply);

enum ccfc_reach {
	CCFC_INSIDE,
	CCFC_OUTSIDE,	/* allowed with --outside */
	CCFC_SENSITIVE, /* allowed if named */
};

/*
 * May the file be written? `path` is the session's name for it, `place` its
 * resolved path, `foreign` the reason why its content may be somebody else's
 * (empty: none). If not, the reason is appended to `why`.
 */
enum ccfc_reach ccfc_outside_judge(struct ccfc_buf *why,
				   const struct ccfc_outside *o,
				   const char *path, const char *place,
				   struct ccfc_slice foreign);

/* Adds a hint about the refused files. */
void ccfc_outside_hint(struct ccfc_err *err, enum ccfc_reach worst,
		       const char *place);

#endif
