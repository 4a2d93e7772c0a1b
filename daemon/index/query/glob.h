/*
 * Path patterns: * and ? (not over a slash), [a-z] and [!a-z], ** (over
 * slashes, only as a whole component), {a,b} (nested), \x for x itself. The
 * expansion of braces is limited, and so can be the time of matching.
 */
#ifndef CCFC_INDEX_QUERY_GLOB_H
#define CCFC_INDEX_QUERY_GLOB_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

struct ccfc_glob;

/* Compiles a pattern that starts at the root ("/…" or "**"). */
int ccfc_glob_new(struct ccfc_glob **out, struct ccfc_slice pattern,
		  struct ccfc_err *err);
void ccfc_glob_free(struct ccfc_glob *glob);
bool ccfc_glob_match(struct ccfc_glob *glob, struct ccfc_slice path);

/*
 * The number of steps (about a byte each) that matching may still take;
 * initially unlimited. When they are used up, nothing matches.
 */
void ccfc_glob_grant(struct ccfc_glob *glob, uint64_t steps);
uint64_t ccfc_glob_left(const struct ccfc_glob *glob);
bool ccfc_glob_is_spent(const struct ccfc_glob *glob);

/* Does the text have any special character of a pattern? */
bool ccfc_glob_is_pattern(struct ccfc_slice text);

/*
 * Makes a relative pattern absolute: prepends `base`, with its special
 * characters escaped, and folds "." and ".." components. Appends to `out`.
 */
struct ccfc_buf;
int ccfc_glob_anchor(struct ccfc_buf *out, struct ccfc_slice pattern,
		     struct ccfc_slice base, struct ccfc_err *err);

#endif
