/*
 * All transcripts below the roots, and what happens to them.
 *
 * The tree watches directories (inotify, or libinotify-kqueue on BSD and macOS)
 * and calls back with paths to look at. An event only triggers a check: the
 * caller finds out what happened with ccfc_tail_open. New directories are
 * watched first and then scanned, so nothing created in between is missed. A
 * directory that cannot be watched (limit reached) is polled instead, and
 * counted. Symlinks to directories and files are followed; a directory is
 * entered once, by device and inode, so loops end. It is entered by its better
 * name (ccfc_tree_is_better); the callback is called for its transcripts under
 * each of its names. Unreadable directories are tried again by each drain, and
 * in between after growing waits.
 *
 * One thread. Callbacks come from within the calls below, never later.
 */
#ifndef CCFC_SOURCE_TREE_H
#define CCFC_SOURCE_TREE_H

#include "base/err.h"
#include "source/classify.h"
#include "source/failed.h"

#include <stdint.h>

/*
 * `path` is absolute, below a root, and valid during the call only. The file
 * may be new, changed, unchanged or gone. `name` is its classified name.
 */
typedef void (*ccfc_tree_look_fn)(void *ctx, const char *path,
				  const struct ccfc_name *name);

struct ccfc_tree_stats {
	uint32_t roots;
	uint32_t dirs_watched;
	uint32_t dirs_polled; /* not watched, scan failed, or linked files */
	uint64_t overflows;   /* event queue overflows survived */
	uint64_t rescans;     /* walks over the whole tree */
	uint32_t dirs_denied; /* directories that cannot be read */
};

struct ccfc_tree;

/*
 * Roots are Claude directories; a root that does not exist (yet) is waited
 * for by watching its nearest existing ancestor. Nothing is scanned yet.
 * `max_watches` 0: only the system's limit (tests set a lower one).
 */
int ccfc_tree_new(struct ccfc_tree **out, const char *const *roots,
		  size_t nroots, uint32_t max_watches, ccfc_tree_look_fn look,
		  void *ctx, struct ccfc_err *err);
void ccfc_tree_free(struct ccfc_tree *tree);

/* For poll(); readable when there is something to drain. */
int ccfc_tree_fd(const struct ccfc_tree *tree);

/*
 * How long poll() may sleep: -1 unless directories have to be polled or could
 * not be read.
 */
int ccfc_tree_timeout_ms(const struct ccfc_tree *tree);

/*
 * Reads all pending events and calls `look` once for each affected path. On an
 * overflow the whole tree is scanned. Each call also polls directories that
 * cannot be watched and tries failed ones again. Returns the number of looks.
 */
int ccfc_tree_drain(struct ccfc_tree *tree);

/* Walks everything: `look` for every transcript there is. */
int ccfc_tree_rescan(struct ccfc_tree *tree);

void ccfc_tree_stats(const struct ccfc_tree *tree,
		     struct ccfc_tree_stats *stats);

/* The directories that could not be read. */
const struct ccfc_failed *ccfc_tree_failures(const struct ccfc_tree *tree);

/*
 * Of two names of one file or directory, is `a` the better one? A name without
 * links is better than one with a link, then the lesser path.
 */
bool ccfc_tree_is_better(const char *a, const char *b);

#endif
