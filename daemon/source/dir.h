/*
 * One directory of the tree and its known names: reported transcripts, and
 * entered directories. Only the files of the tree use this header
 * (tree_impl.h).
 *
 * Also the set of all such directories, to find one by its watch or by device
 * and inode. The owner takes a directory out of the set, then frees it.
 */
#ifndef CCFC_SOURCE_DIR_H
#define CCFC_SOURCE_DIR_H

#include "base/map.h"

#include <limits.h>

struct ccfc_root;

struct ccfc_entry {
	struct ccfc_dir *dir; /* owned; NULL for a transcript, and for a
			       * directory that could not be entered */
	bool is_dir;
	bool seen; /* seen by the present scan */
	bool link; /* a transcript that is a symbolic link */
	struct ccfc_link_target {
		uint64_t dev, ino, size;
		int64_t mtime, ctime; /* in nanoseconds */
	} target; /* of the link, at its last check; 0: nothing */
	char name[];
};

struct ccfc_dir {
	struct ccfc_root *root;
	struct ccfc_dir *parent;  /* NULL: the root's projects directory */
	struct ccfc_entry *entry; /* its name in the parent */
	uint64_t dev;
	uint64_t ino;
	uint32_t id;	 /* in the set */
	int wd;		 /* -1: not watched */
	bool denied;	 /* cannot be read */
	bool failed;	 /* the last scan was not complete */
	bool links;	 /* has transcripts whose changes no event reports */
	uint32_t sorted; /* so many entries are sorted; the others are new */
	struct {
		struct ccfc_entry **items;
		uint32_t n, cap;
	} entries;
};

/* Must be polled: no event reports its changes, or the last scan failed. */
bool ccfc_dir_is_polled(const struct ccfc_dir *dir);

/*
 * Must be polled every second. A directory that is only failed or denied is
 * not: it is tried again after growing waits (failed.h).
 */
bool ccfc_dir_ticks(const struct ccfc_dir *dir);

/* Frees the directory and its entries; those below must be gone. */
void ccfc_dir_free(struct ccfc_dir *dir);

/* NULL: not there, or added after the last ccfc_dir_sort. */
struct ccfc_entry *ccfc_dir_find(const struct ccfc_dir *dir, const char *name);

/* Adds a name that is not there yet. */
struct ccfc_entry *ccfc_dir_add(struct ccfc_dir *dir, const char *name,
				bool is_dir);
void ccfc_dir_sort(struct ccfc_dir *dir);
void ccfc_dir_remove(struct ccfc_dir *dir, struct ccfc_entry *entry);

/*
 * The path of the directory, or of `name` in it unless that is NULL. False if
 * it does not fit into PATH_MAX.
 */
bool ccfc_dir_path(const struct ccfc_dir *dir, const char *name,
		   char out[PATH_MAX]);

struct ccfc_dirset {
	struct ccfc_map by_wd;
	struct ccfc_map by_ino;
	uint32_t live;
	struct {
		struct ccfc_dir **items; /* NULL: a free place */
		uint32_t n, cap;
	} dirs;
	struct {
		uint32_t *items;
		uint32_t n, cap;
	} unused;
};

void ccfc_dirset_release(struct ccfc_dirset *set);
void ccfc_dirset_put(struct ccfc_dirset *set, struct ccfc_dir *dir);
void ccfc_dirset_remove(struct ccfc_dirset *set, struct ccfc_dir *dir);
void ccfc_dirset_set_wd(struct ccfc_dirset *set, struct ccfc_dir *dir, int wd);
struct ccfc_dir *ccfc_dirset_by_wd(const struct ccfc_dirset *set, int wd);
struct ccfc_dir *ccfc_dirset_by_ino(const struct ccfc_dirset *set, uint64_t dev,
				    uint64_t ino);

#endif
