/*
 * Entering, reading and dropping the directories of the tree.
 *
 * A directory is watched first and then read: files created in between are
 * found by reading, later ones by the watch. Reading compares the directory
 * with the known entries: entries that were not seen have vanished. A directory
 * that is reachable by two names is entered by the better one only (tree.h); if
 * that name no longer leads there, the directory is entered by the other one.
 * Names decide what is entered (classify.h), so the depth is bounded.
 */
#include "source/tree_impl.h"

#include "base/alloc.h"
#include "os/log.h"
#include "source/tail.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>

/* Longer than a tick of any file system's clock. */
#define TICK_SECONDS 3

/* Takes a directory out of the totals (-1) or adds it again (+1). */
static void count_dir(struct ccfc_tree *tree, const struct ccfc_dir *dir,
		      int by)
{
	struct ccfc_tree_stats *stats = &tree->stats;

	if (dir->wd >= 0)
		stats->dirs_watched += (uint32_t)by;
	if (ccfc_dir_is_polled(dir))
		stats->dirs_polled += (uint32_t)by;
	if (dir->denied)
		stats->dirs_denied += (uint32_t)by;
	if (ccfc_dir_ticks(dir))
		tree->ticking += (uint32_t)by;
}

bool ccfc_scan_is_same(const struct ccfc_dir *dir, const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) &&
	       dir->dev == (uint64_t)st.st_dev &&
	       dir->ino == (uint64_t)st.st_ino;
}

static void mark_all_entries(struct ccfc_tree *tree, const struct ccfc_dir *dir)
{
	for (uint32_t i = 0; i < dir->entries.n; i++)
		if (!dir->entries.items[i]->is_dir)
			ccfc_alias_mark(tree, dir, dir->entries.items[i]->name);
}

void ccfc_scan_drop(struct ccfc_tree *tree, struct ccfc_dir *dir)
{
	int wd = dir->wd;
	char path[PATH_MAX];

	mark_all_entries(tree, dir);
	if (ccfc_dir_path(dir, NULL, path))
		ccfc_failed_clear(&tree->failed, path);
	for (uint32_t i = 0; i < dir->entries.n; i++)
		if (dir->entries.items[i]->dir)
			ccfc_scan_drop(tree, dir->entries.items[i]->dir);
	count_dir(tree, dir, -1);
	if (dir->parent)
		dir->entry->dir = NULL;
	else
		dir->root->dir = NULL;
	ccfc_dirset_remove(&tree->set, dir);
	ccfc_dir_free(dir);
	if (wd >= 0)
		ccfc_root_path_unwatch(tree, wd);
	if (tree->aliases)
		tree->want_rescan = true;
}

static void watch_dir(struct ccfc_tree *tree, struct ccfc_dir *dir,
		      const char *path)
{
	int wd;

	if (dir->wd >= 0 || !tree->watch ||
	    (tree->max_watches &&
	     tree->stats.dirs_watched >= tree->max_watches))
		return;
	wd = ccfc_watch_add(tree->watch, path, CCFC_WATCH_EVERYTHING);
	if (wd < 0)
		return;
	count_dir(tree, dir, -1);
	ccfc_dirset_set_wd(&tree->set, dir, wd);
	count_dir(tree, dir, 1);
}

void ccfc_scan_unwatched(struct ccfc_tree *tree, struct ccfc_dir *dir)
{
	count_dir(tree, dir, -1);
	ccfc_dirset_set_wd(&tree->set, dir, -1);
	count_dir(tree, dir, 1);
}

static void set_state(struct ccfc_tree *tree, struct ccfc_dir *dir, bool denied,
		      bool failed, bool links)
{
	count_dir(tree, dir, -1);
	dir->denied = denied;
	dir->failed = failed;
	dir->links = links;
	count_dir(tree, dir, 1);
}

/* The directory, or what is below it, could not be read. */
static void note_failure(struct ccfc_tree *tree, const char *path, int errnum)
{
	if (ccfc_failed_note(&tree->failed, path, NULL, strerror(errnum)))
		ccfc_log(CCFC_LOG_WARN, "%s: %s; it will be tried again", path,
			 strerror(errnum));
}

static struct ccfc_entry *see_entry(struct ccfc_dir *dir, const char *name,
				    bool is_dir)
{
	struct ccfc_entry *entry = ccfc_dir_find(dir, name);

	if (!entry)
		entry = ccfc_dir_add(dir, name, is_dir);
	entry->seen = true;
	return entry;
}

bool ccfc_scan_is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* One name that readdir gave; true if it is a transcript behind a link. */
static bool read_entry(struct ccfc_tree *tree, struct ccfc_dir *dir,
		       const struct dirent *de)
{
	bool maybe_dir = de->d_type == DT_DIR || de->d_type == DT_LNK ||
			 de->d_type == DT_UNKNOWN;
	bool maybe_file = de->d_type == DT_REG || de->d_type == DT_LNK ||
			  de->d_type == DT_UNKNOWN;
	char path[PATH_MAX];
	enum ccfc_name_kind kind;
	bool link;

	if (!ccfc_dir_path(dir, de->d_name, path))
		return false;
	kind = ccfc_tree_name(dir->root, ccfc_slice_str(path)).kind;
	if (kind == CCFC_NAME_DIR && maybe_dir)
		see_entry(dir, de->d_name, true);
	if ((kind != CCFC_NAME_SESSION && kind != CCFC_NAME_AGENT) ||
	    !maybe_file)
		return false;
	ccfc_alias_mark(tree, dir, de->d_name);
	link = de->d_type == DT_LNK ||
	       (de->d_type == DT_UNKNOWN && ccfc_scan_is_link(path));
	see_entry(dir, de->d_name, false)->link = link;
	return link;
}

/* Entries that the scan did not see have vanished. */
static void drop_unseen_entries(struct ccfc_tree *tree, struct ccfc_dir *dir)
{
	for (uint32_t i = dir->entries.n; i-- > 0;) {
		struct ccfc_entry *entry = dir->entries.items[i];

		if (entry->seen)
			continue;
		if (entry->dir)
			ccfc_scan_drop(tree, entry->dir);
		if (!entry->is_dir)
			ccfc_alias_mark(tree, dir, entry->name);
		ccfc_dir_remove(dir, entry);
	}
}

static void read_entries(struct ccfc_tree *tree, struct ccfc_dir *dir,
			 DIR *stream, const char *path)
{
	const struct dirent *de;
	bool links = false;
	int failed;

	for (uint32_t i = 0; i < dir->entries.n; i++)
		dir->entries.items[i]->seen = false;
	while (errno = 0, (de = readdir(stream)))
		links |= read_entry(tree, dir, de);
	failed = errno;
	ccfc_dir_sort(dir);
	if (failed)
		note_failure(tree, path, failed);
	else
		drop_unseen_entries(tree, dir);
	set_state(tree, dir, false, failed, links);
}

static void visit_child(struct ccfc_tree *tree, struct ccfc_dir *dir,
			struct ccfc_entry *entry, bool deep)
{
	char path[PATH_MAX];

	if (entry->dir && (!ccfc_dir_path(dir, entry->name, path) ||
			   !ccfc_scan_is_same(entry->dir, path)))
		ccfc_scan_drop(tree, entry->dir);
	if (!entry->dir)
		ccfc_scan_enter(tree, dir->root, dir, entry);
	else if (deep || entry->dir->denied)
		ccfc_scan_dir(tree, entry->dir, deep);
}

void ccfc_scan_dir(struct ccfc_tree *tree, struct ccfc_dir *dir, bool deep)
{
	char path[PATH_MAX];
	DIR *stream;

	if (!ccfc_dir_path(dir, NULL, path))
		return;
	watch_dir(tree, dir, path);
	stream = opendir(path);
	if (!stream) {
		/*
		 * A directory that is gone is dropped with its parent's scan.
		 */
		bool gone = errno == ENOENT || errno == ENOTDIR;
		bool denied = errno == EACCES || errno == EPERM;

		if (gone)
			ccfc_failed_clear(&tree->failed, path);
		else
			note_failure(tree, path, errno);
		set_state(tree, dir, denied, !denied && !gone, dir->links);
		mark_all_entries(tree, dir);
		return;
	}
	read_entries(tree, dir, stream, path);
	closedir(stream);
	/* This does not add or remove entries of the directory itself. */
	for (uint32_t i = 0; i < dir->entries.n; i++)
		if (dir->entries.items[i]->is_dir)
			visit_child(tree, dir, dir->entries.items[i], deep);
	if (!dir->failed)
		ccfc_failed_clear(&tree->failed, path);
}

/* The link's target now. True: it is so new that a change may not show. */
static bool read_target(struct ccfc_link_target *out, const char *path)
{
	struct stat st;

	*out = (struct ccfc_link_target){ 0 };
	if (stat(path, &st))
		return false;
	out->dev = (uint64_t)st.st_dev;
	out->ino = (uint64_t)st.st_ino;
	out->size = (uint64_t)st.st_size;
	out->mtime =
		(int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	out->ctime =
		(int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
	/* Two writes within one tick of the file system have the same time. */
	return time(NULL) - st.st_ctim.tv_sec < TICK_SECONDS;
}

void ccfc_scan_links(struct ccfc_tree *tree, struct ccfc_dir *dir)
{
	char path[PATH_MAX];
	bool links = false;

	for (uint32_t i = 0; i < dir->entries.n; i++) {
		struct ccfc_entry *entry = dir->entries.items[i];
		struct ccfc_link_target now;
		bool fresh;

		if (!entry->link || !ccfc_dir_path(dir, entry->name, path))
			continue;
		links = true;
		fresh = read_target(&now, path);
		if (fresh || memcmp(&now, &entry->target, sizeof(now)) != 0)
			ccfc_alias_mark(tree, dir, entry->name);
		entry->target = now;
	}
	set_state(tree, dir, dir->denied, dir->failed, links);
}

static bool is_above(const struct ccfc_dir *dir, const struct ccfc_dir *below)
{
	while (below && below != dir)
		below = below->parent;
	return below;
}

/*
 * Has the directory been entered by another name that still leads there, and
 * is not a worse one?
 */
static bool is_alias(struct ccfc_tree *tree, const struct ccfc_root *root,
		     const struct ccfc_dir *parent, const char *path,
		     const struct stat *st)
{
	struct ccfc_dir *other = ccfc_dirset_by_ino(
		&tree->set, (uint64_t)st->st_dev, (uint64_t)st->st_ino);
	char known[PATH_MAX];

	if (!other)
		return false;
	if (is_above(other, parent) || (ccfc_dir_path(other, NULL, known) &&
					ccfc_scan_is_same(other, known) &&
					!ccfc_tree_is_better(path, known))) {
		ccfc_alias_note(tree, root, path, other);
		return true;
	}
	ccfc_scan_drop(tree, other);
	/* A later scan notes the other name as a second one. */
	tree->want_rescan = true;
	return false;
}

/* A name in the directory could not be examined: read it again later. */
static void child_failed(struct ccfc_tree *tree, struct ccfc_dir *dir,
			 int errnum)
{
	char path[PATH_MAX];

	if (ccfc_dir_path(dir, NULL, path))
		note_failure(tree, path, errnum);
	set_state(tree, dir, dir->denied, true, dir->links);
}

void ccfc_scan_enter(struct ccfc_tree *tree, struct ccfc_root *root,
		     struct ccfc_dir *parent, struct ccfc_entry *entry)
{
	char path[PATH_MAX];
	struct ccfc_dir *dir;
	struct stat st;

	if (!parent)
		memcpy(path, root->projects, root->projects_len + 1);
	else if (!ccfc_dir_path(parent, entry->name, path))
		return;
	if (stat(path, &st)) {
		if (parent && !ccfc_tail_means_gone(errno))
			child_failed(tree, parent, errno);
		return;
	}
	if (!S_ISDIR(st.st_mode))
		return;
	if (is_alias(tree, root, parent, path, &st)) {
		tree->aliases = true;
		return;
	}
	dir = ccfc_calloc(1, sizeof(*dir));
	dir->root = root;
	dir->parent = parent;
	dir->entry = entry;
	dir->dev = (uint64_t)st.st_dev;
	dir->ino = (uint64_t)st.st_ino;
	dir->wd = -1;
	if (parent)
		entry->dir = dir;
	else
		root->dir = dir;
	ccfc_dirset_put(&tree->set, dir);
	count_dir(tree, dir, 1);
	ccfc_scan_dir(tree, dir, true);
}
