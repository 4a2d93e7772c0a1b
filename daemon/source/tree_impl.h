/*
 * Shared by the files of the tree only: tree.c (the calls of tree.h, events),
 * scan.c (entering and reading directories), dir_alias.c (further names of
 * directories) and root_path.c (the directories that lead to a root).
 */
#ifndef CCFC_SOURCE_TREE_IMPL_H
#define CCFC_SOURCE_TREE_IMPL_H

#include "base/strtab.h"
#include "source/dir.h"
#include "source/failed.h"
#include "source/tree.h"
#include "source/watch.h"

#include <sys/stat.h>

struct ccfc_root {
	char *projects; /* path of <claude>/projects */
	size_t projects_len;
	struct ccfc_dir *dir; /* owned; NULL while it does not exist */
	bool dirty;	      /* something happened to a directory above it */
	bool polled;	      /* the directories above it cannot be watched */
	struct {
		struct ccfc_root_step {
			int wd;
			bool names; /* wait for the next directory */
		} * items;
		uint32_t n, cap;
	} steps;
};

/* A name that leads to a directory which was entered by another one. */
struct ccfc_dir_alias {
	char *path;
	uint32_t root; /* that it is below */
	uint64_t dev, ino;
};

struct ccfc_tree {
	ccfc_tree_look_fn look;
	void *ctx;
	struct ccfc_watch *watch; /* NULL: the system gives none */
	uint32_t max_watches;
	struct ccfc_root *roots;
	size_t nroots;
	struct ccfc_dirset set;
	struct ccfc_tree_stats stats;
	bool want_rescan;
	bool aliases; /* some directory has a second name that was skipped */
	struct {
		struct ccfc_dir_alias *items;
		uint32_t n, cap;
	} names;	  /* these second names */
	uint32_t ticking; /* directories that make us wake up now and then */
	struct ccfc_failed failed; /* directories that cannot be read */

	/* Paths to report, each once. */
	struct ccfc_strtab paths;
	struct {
		uint32_t *items; /* root of string i + 1 */
		uint32_t n, cap;
	} owners;
};

/* Marks the path for a report. */
void ccfc_tree_mark(struct ccfc_tree *tree, const struct ccfc_root *root,
		    const char *path);

/* The classified name of a path below the root's projects directory. */
struct ccfc_name ccfc_tree_name(const struct ccfc_root *root,
				struct ccfc_slice path);

/* Is the directory at `path` still the one that was entered as `dir`? */
bool ccfc_scan_is_same(const struct ccfc_dir *dir, const char *path);

/*
 * Enters `entry` of `parent` (both NULL: the root's projects directory) if it
 * is a directory that was not entered by another name: watches it, then
 * scans it and what is below.
 */
void ccfc_scan_enter(struct ccfc_tree *tree, struct ccfc_root *root,
		     struct ccfc_dir *parent, struct ccfc_entry *entry);

/*
 * Reads the directory: marks its transcripts and those that have vanished
 * from it, enters new directories, drops those that are gone. `deep` scans
 * those that were known, too. Tries to watch what is not watched yet.
 */
void ccfc_scan_dir(struct ccfc_tree *tree, struct ccfc_dir *dir, bool deep);

bool ccfc_scan_is_link(const char *path);

/*
 * Marks links to transcripts whose targets have changed. Cheaper than reading
 * the directory: its watch reports its own names.
 */
void ccfc_scan_links(struct ccfc_tree *tree, struct ccfc_dir *dir);

/* Forgets the directory and all below; their transcripts are marked. */
void ccfc_scan_drop(struct ccfc_tree *tree, struct ccfc_dir *dir);

/* An event ended the watch of the directory. */
void ccfc_scan_unwatched(struct ccfc_tree *tree, struct ccfc_dir *dir);

/* Marks a transcript of the directory, under all its names. */
void ccfc_alias_mark(struct ccfc_tree *tree, const struct ccfc_dir *dir,
		     const char *name);

/* `path` is a second name of the directory. */
void ccfc_alias_note(struct ccfc_tree *tree, const struct ccfc_root *root,
		     const char *path, const struct ccfc_dir *dir);

/* Forgets second names that lead elsewhere now, and marks their old targets. */
void ccfc_alias_check(struct ccfc_tree *tree);
void ccfc_alias_release(struct ccfc_tree *tree);

/*
 * Watches all directories on the way to the root's projects directory.
 * Returns whether that exists.
 */
bool ccfc_root_path_watch(struct ccfc_tree *tree, struct ccfc_root *root);

/*
 * Brings the root up to date after something happened on the way to it: drops
 * and enters its projects directory if that is another one now. Returns
 * whether it was entered, and so scanned.
 */
bool ccfc_root_path_sync(struct ccfc_tree *tree, struct ccfc_root *root);

/* Ends a watch unless a directory or a root's path still uses it. */
void ccfc_root_path_unwatch(struct ccfc_tree *tree, int wd);

#endif
