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
	uint32_t root; /* number of the root above it */
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
	bool aliases; /* a directory has a second name that was not entered */
	struct {
		struct ccfc_dir_alias *items;
		uint32_t n, cap;
	} names;	  /* second names of directories */
	uint32_t ticking; /* directories that are polled every second */
	struct ccfc_failed failed; /* directories that cannot be read */

	/* Paths to report, each once. */
	struct ccfc_strtab paths;
	struct {
		uint32_t *items; /* items[i]: root of string i + 1 */
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
 * Reads the directory: marks its transcripts, also vanished ones, enters new
 * directories, drops vanished ones. `deep`: also scans the known ones. First
 * tries to watch the directory, if it is not watched.
 */
void ccfc_scan_dir(struct ccfc_tree *tree, struct ccfc_dir *dir, bool deep);

bool ccfc_scan_is_link(const char *path);

/*
 * Marks links to transcripts whose targets have changed. Does not read the
 * directory, because the watch reports new and vanished names.
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

/* Forgets second names that lead elsewhere now; marks what was below them. */
void ccfc_alias_check(struct ccfc_tree *tree);
void ccfc_alias_release(struct ccfc_tree *tree);

/*
 * Watches all directories on the way to the root's projects directory.
 * Returns whether the projects directory exists.
 */
bool ccfc_root_path_watch(struct ccfc_tree *tree, struct ccfc_root *root);

/*
 * After a change on the way to the root: if its projects directory is another
 * one now, drops the old one and enters the new one. Returns whether one was
 * entered, and so scanned.
 */
bool ccfc_root_path_sync(struct ccfc_tree *tree, struct ccfc_root *root);

/* Ends a watch unless a directory or a root's path still uses it. */
void ccfc_root_path_unwatch(struct ccfc_tree *tree, int wd);

#endif
