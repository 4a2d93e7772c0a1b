/*
 * Projects that the user excludes (`exclude` in the config file): their
 * sessions are never read, and their directories not observed. A session's
 * project is the directory of its first record. One thread; another one has its
 * own.
 */
#ifndef CCFC_EXCLUDED_H
#define CCFC_EXCLUDED_H

#include "base/err.h"
#include "base/slice.h"

struct ccfc_excluded;

/*
 * `patterns` has one glob on each line: "/…", "~/…" (below `home`, which may be
 * NULL), or the name of a directory anywhere. NULL: *out is NULL, and nothing
 * is excluded.
 */
int ccfc_excluded_new(struct ccfc_excluded **out, const char *patterns,
		      const char *home, struct ccfc_err *err);
void ccfc_excluded_free(struct ccfc_excluded *excluded);

/* Is it an excluded directory, or below one? */
bool ccfc_excluded_has(struct ccfc_excluded *excluded, struct ccfc_slice dir);

/*
 * The same for an unknown transcript. A transcript that has no directory yet is
 * excluded until it has one.
 */
bool ccfc_excluded_transcript(struct ccfc_excluded *excluded, const char *path);

#endif
