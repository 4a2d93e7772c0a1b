/*
 * Paths as text; nothing here touches the file system. A normal path is
 * absolute, without "." and ".." and double or trailing slashes. Windows
 * paths ("C:\x", "c:/x") become "C:/x"; "/c/x" does so too when the base
 * directory is a Windows path.
 */
#ifndef CCFC_BASE_PATH_H
#define CCFC_BASE_PATH_H

#include "base/buf.h"

/*
 * Appends the normal form of `path` to `out`. A relative path is relative to
 * `base`; "~/x" to `home`, or if `home` is empty to the home directory that
 * contains `base`. False (and nothing appended): the path is empty, or relative
 * without an absolute base.
 */
bool ccfc_path_normalise(struct ccfc_buf *out, struct ccfc_slice path,
			 struct ccfc_slice base, struct ccfc_slice home);

/* Does it begin with a drive, like Windows paths: "C:\x", "c:/x", "C:"? */
bool ccfc_path_has_drive(struct ccfc_slice path);

/* Is it absolute, in the Unix or the Windows way? */
bool ccfc_path_is_absolute(struct ccfc_slice path);

/* The part after the last slash. */
struct ccfc_slice ccfc_path_basename(struct ccfc_slice path);

/* ".ts" of "a/b.ts"; empty for "Makefile", ".gitignore" and "a." */
struct ccfc_slice ccfc_path_extension(struct ccfc_slice path);

/*
 * Is `path` the directory `dir` or below it? Both are normal; nothing is below
 * an empty path.
 */
bool ccfc_path_is_below(struct ccfc_slice path, struct ccfc_slice dir);

/*
 * `path` relative to `dir` if it is below `dir`; else (and for `dir` itself)
 * `path` unchanged.
 */
struct ccfc_slice ccfc_path_relative(struct ccfc_slice path,
				     struct ccfc_slice dir);

#endif
