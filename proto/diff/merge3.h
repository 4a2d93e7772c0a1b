/*
 * Three-way merge of texts, line by line: combines the changes from `base` to
 * `ours` and to `theirs`. If both changed the same or adjacent lines
 * differently, that is a conflict, shown between markers like git's.
 */
#ifndef CCFC_DIFF_MERGE3_H
#define CCFC_DIFF_MERGE3_H

#include "base/buf.h"

#include <stdint.h>

struct ccfc_merge {
	struct ccfc_slice base, ours, theirs;
	const char *ours_label, *theirs_label; /* after the markers */
};

/*
 * Appends the result; returns the number of conflicts in it. A result without
 * conflicts has a final newline exactly when the text that gave its last line
 * has. In a conflict a last line without a newline gets one, so that each
 * marker has its own line; a common beginning and end of both sides is outside
 * the markers. Markers end with "\r\n" when the base's first line does (ours,
 * when the base is empty). Labels may be NULL or empty.
 */
uint32_t ccfc_merge(struct ccfc_buf *out, const struct ccfc_merge *merge);

#endif
