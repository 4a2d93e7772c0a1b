/*
 * Finds the lines of a file that git has in HEAD, by our own comparison. git's
 * own conversions (line ends and $Id$) are applied to a copy. Filters are
 * programs and are not run.
 */
#ifndef CCFC_CLI_BLAME_GIT_MATCH_H
#define CCFC_CLI_BLAME_GIT_MATCH_H

#include "base/arena.h"
#include "cli/blame/git_objects.h"

#include <stdint.h>

struct ccfc_git_match_range {
	int64_t from, to; /* lines of the file, from 1 */
	bool ignore_space;
};

struct ccfc_git_match_line {
	uint32_t head; /* the line's number in HEAD, from 1; 0: not there */
	struct ccfc_slice text; /* of the file, without the newline */
};

struct ccfc_git_match {
	struct ccfc_arena arena;
	struct ccfc_git_match_line *lines; /* the lines of the range */
	uint32_t n;
	uint32_t first, last; /* lines of HEAD that matched; 0: none */
};

/*
 * The caller initialises the arena of `m`, and releases it. The texts of lines
 * borrow from `content`.
 */
void ccfc_git_match(struct ccfc_git_match *m, struct ccfc_slice head,
		    struct ccfc_slice content,
		    const struct ccfc_git_attrs *attrs,
		    const struct ccfc_git_match_range *range);

#endif
