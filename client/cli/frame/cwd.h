/*
 * The current directory, and the absolute names of a path. The index knows a
 * file by the name that Claude Code used; with symbolic links the caller's name
 * may differ. So the shell's $PWD comes first, and the real directory second.
 */
#ifndef CCFC_CLI_FRAME_CWD_H
#define CCFC_CLI_FRAME_CWD_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

#define CCFC_WHERE_NAMES 2

struct ccfc_cwd {
	char *cwd;	/* the shell's $PWD */
	char *physical; /* without symbolic links; may be the same text */
	char *names[CCFC_WHERE_NAMES + 1]; /* result of ccfc_cwd_names */
};

int ccfc_cwd_init(struct ccfc_cwd *where, struct ccfc_err *err);
void ccfc_cwd_release(struct ccfc_cwd *where);

/* The absolute, normal form of `path`; the caller frees it. */
char *ccfc_cwd_absolute(const struct ccfc_cwd *where, const char *path);

/* That path without symbolic links, as far as it exists; to be freed, too. */
char *ccfc_cwd_real(const struct ccfc_cwd *where, const char *path);

/*
 * The real place of the file: its directory without symbolic links, as far as
 * it exists, and its name, which may be a link. The caller frees it.
 */
char *ccfc_cwd_place(const struct ccfc_cwd *where, const char *path);

/*
 * Other names of the file with the absolute name `path` and the caller's name
 * `given`, ending with NULL. They belong to `where`; call this once.
 */
const char *const *ccfc_cwd_names(struct ccfc_cwd *where, const char *path,
				  const char *given);

/*
 * The place where the daemon looks for the current project: the root of the git
 * repository around the directory, else the directory itself. A repository of
 * the whole home directory does not count. The caller frees it.
 */
char *ccfc_cwd_here(const struct ccfc_cwd *where);

/*
 * A session as the caller named it: an id stays as it is, the path of a
 * transcript becomes absolute, and a word ("@-1") gets the current project. The
 * caller frees *out.
 */
int ccfc_cwd_session(char **out, const char *given, struct ccfc_err *err);

/*
 * If nothing was found because the file is a directory, adds a hint. Other
 * errors stay unchanged.
 */
void ccfc_cwd_hint(struct ccfc_err *err, const char *given);

/*
 * Takes ":17" or ":17:5" from the end of a path, as editors and compilers write
 * it. Returns the line; 0: there is none, or a file has that very name.
 */
int64_t ccfc_cwd_take_line(char *path);

bool ccfc_cwd_is_directory(const char *path);

/*
 * `path` relative to the current directory if it is below. Borrowed from
 * `path`.
 */
struct ccfc_slice ccfc_cwd_short(const struct ccfc_cwd *where,
				 struct ccfc_slice path);

#endif
