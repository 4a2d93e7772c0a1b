/*
 * Where the caller stands, and the names that a path has from there. The
 * index knows a file by the name that Claude Code used; with symbolic links
 * that may be another one than the caller's. So the shell's $PWD comes first,
 * and what it really is second.
 */
#ifndef CCFC_CLI_FRAME_CWD_H
#define CCFC_CLI_FRAME_CWD_H

#include "base/err.h"
#include "base/slice.h"

#define CCFC_WHERE_NAMES 2

struct ccfc_cwd {
	char *cwd;	/* as the shell has it */
	char *physical; /* without symbolic links; may be the same text */
	char *names[CCFC_WHERE_NAMES + 1]; /* of ccfc_cwd_names */
};

int ccfc_cwd_init(struct ccfc_cwd *where, struct ccfc_err *err);
void ccfc_cwd_release(struct ccfc_cwd *where);

/* The absolute, normal form of `path`; the caller frees it. */
char *ccfc_cwd_absolute(const struct ccfc_cwd *where, const char *path);

/* The same without symbolic links, as far as the path exists. */
char *ccfc_cwd_real(const struct ccfc_cwd *where, const char *path);

/*
 * Where the file really is: its directory without symbolic links, as far as it
 * exists, and its name, which may be that of a link. The caller frees it.
 */
char *ccfc_cwd_place(const struct ccfc_cwd *where, const char *path);

/*
 * Other names of the file whose absolute name is `path` and that the caller
 * called `given`, ending with NULL. They belong to `where`; call it once.
 */
const char *const *ccfc_cwd_names(struct ccfc_cwd *where, const char *path,
				  const char *given);

/*
 * A session as the caller named it: an id as it is, the path of a transcript
 * made absolute. The caller frees *out.
 */
int ccfc_cwd_session(char **out, const char *given, struct ccfc_err *err);

/*
 * Where nothing was found of a file that is a directory: a hint that it is.
 * Other errors are left as they are.
 */
void ccfc_cwd_hint(struct ccfc_err *err, const char *given);

bool ccfc_cwd_is_directory(const char *path);

/* `path` as seen from here: relative if it is below. Borrowed from `path`. */
struct ccfc_slice ccfc_cwd_short(const struct ccfc_cwd *where,
				 struct ccfc_slice path);

#endif
