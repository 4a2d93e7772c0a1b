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
 * `patterns` is one glob a line: "/…", "~/…" (below `home`, which may be NULL),
 * or else any directory of that name. NULL: *out is NULL, which excludes
 * nothing.
 */
int ccfc_excluded_new(struct ccfc_excluded **out, const char *patterns,
		      const char *home, struct ccfc_err *err);
void ccfc_excluded_free(struct ccfc_excluded *excluded);

/* Is it such a directory, or below one? */
bool ccfc_excluded_has(struct ccfc_excluded *excluded, struct ccfc_slice dir);

/*
 * The same of a transcript that nothing is known of. One that does not say its
 * directory yet is excluded until it does.
 */
bool ccfc_excluded_transcript(struct ccfc_excluded *excluded, const char *path);

#endif
