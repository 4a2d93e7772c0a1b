/*
 * Unified diffs for `patch -p1` and `git apply`, forwards and backwards, byte
 * for byte: git's extended headers (so that empty files can be made and
 * removed), names quoted as git does, a tab behind names with spaces, "\ No
 * newline at end of file". Line ends and NUL bytes stay unchanged. The context
 * should not be 0: git then needs `--unidiff-zero`, and may pick an equal line
 * next to the right one.
 */
#ifndef CCFC_DIFF_UNIFIED_H
#define CCFC_DIFF_UNIFIED_H

#include "base/buf.h"
#include "diff/diff.h"

struct ccfc_unified {
	struct ccfc_slice name; /* without a leading slash */
	bool old_exists, new_exists;
	struct ccfc_slice old_text, new_text; /* empty if the file does not
					       * exist */
	uint32_t context;		      /* lines; 3 is usual */
};

/*
 * Appends the diff; nothing when both sides are the same. Counts lines in
 * *added and *removed (either may be NULL).
 */
void ccfc_unified(struct ccfc_buf *out, const struct ccfc_unified *u,
		  uint64_t *added, uint64_t *removed);

/*
 * Appends `name` after "a/" or "b/", quoted as git does, and also if it ends in
 * a space, which patch would cut off.
 */
void ccfc_unified_name(struct ccfc_buf *out, const char *prefix,
		       struct ccfc_slice name);

#endif
