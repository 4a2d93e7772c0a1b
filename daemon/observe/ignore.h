/*
 * The patterns of one .gitignore, as git reads them (gitignore(5)).
 *
 * A list belongs to a directory and is followed by the lists of the directories
 * above it. The last matching pattern of the nearest list decides. Everything
 * below an excluded directory is excluded, whatever the patterns say: a caller
 * checks each directory of a path from the top, and does not enter an excluded
 * one.
 *
 * The patterns are untrusted. Matching takes time proportional to the length of
 * the pattern times the length of the path, never more. Callable from any
 * thread: a list does not change once it is read.
 */
#ifndef CCFC_OBSERVE_IGNORE_H
#define CCFC_OBSERVE_IGNORE_H

#include "base/slice.h"

/* The most bytes read of a file, and the most patterns kept. */
#define CCFC_IGNORE_BYTES    ((size_t)1 << 20)
#define CCFC_IGNORE_PATTERNS 8192u

struct ccfc_ignore;

/* NULL if the text has no pattern. */
struct ccfc_ignore *ccfc_ignore_parse(struct ccfc_slice text);
/* May be NULL. */
void ccfc_ignore_free(struct ccfc_ignore *list);

enum ccfc_ignore_verdict {
	CCFC_IGNORE_UNDECIDED, /* no pattern fits: ask the list above */
	CCFC_IGNORE_NOT,       /* "!pattern" fits */
	CCFC_IGNORE_YES,
};

/* `path` is relative to the directory of the list. NULL decides nothing. */
enum ccfc_ignore_verdict ccfc_ignore_match(const struct ccfc_ignore *list,
					   struct ccfc_slice path, bool is_dir);

/*
 * A list, and the lists above it. One directory may have several lists: git has
 * some for a whole work tree.
 */
struct ccfc_ignore_level {
	const struct ccfc_ignore_level *above; /* NULL: none */
	struct ccfc_ignore *own;	       /* may be NULL */
	size_t prefix; /* length of the directory's path, with a slash */
};

/*
 * Is the file or directory of this path, in the directory of `level`, excluded?
 */
bool ccfc_ignore_excludes(const struct ccfc_ignore_level *level,
			  struct ccfc_slice path, bool is_dir);

#endif
