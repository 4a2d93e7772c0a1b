/*
 * All transcripts below the roots, and what happens to them; see tree.h.
 *
 * Events only mark paths; each marked path is reported once when all events are
 * read. classify.h decides what a name means, scan.c enters and drops
 * directories, root_path.c does so for roots. An event may be outdated when it
 * is read, so each handler checks the present state; a later event then finds
 * its work done.
 */
#include "source/tree.h"

#include "base/alloc.h"
#include "source/tree_impl.h"

#include <stdlib.h>

#define POLL_MS 1000
/* Dropping a directory may make a second name of another one usable. */
#define RESCANS_MAX 3

void ccfc_tree_mark(struct ccfc_tree *tree, const struct ccfc_root *root,
		    const char *path)
{
	uint32_t id;

	if (!tree->paths.strings.n)
		ccfc_strtab_init(&tree->paths);
	id = ccfc_strtab_put(&tree->paths, ccfc_slice_str(path));
	if (id > tree->owners.n)
		CCFC_VEC_PUSH(tree->owners, (uint32_t)(root - tree->roots));
}

struct ccfc_name ccfc_tree_name(const struct ccfc_root *root,
				struct ccfc_slice path)
{
	size_t front = root->projects_len + 1;

	return ccfc_name_classify(
		ccfc_slice(path.ptr + front, path.len - front));
}

static int check_marked_transcripts(struct ccfc_tree *tree)
{
	uint32_t n = tree->owners.n;

	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_slice path = ccfc_strtab_get(&tree->paths, i + 1);
		struct ccfc_name name = ccfc_tree_name(
			&tree->roots[tree->owners.items[i]], path);

		tree->look(tree->ctx, path.ptr, &name);
	}
	if (n) {
		ccfc_strtab_release(&tree->paths);
		free(tree->owners.items);
		memset(&tree->owners, 0, sizeof(tree->owners));
	}
	return (int)n;
}

static int check_root(const char *root, struct ccfc_err *err)
{
	if (root[0] != '/')
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: not an absolute path", root);
	if (strlen(root) + sizeof("/projects") > PATH_MAX)
		return ccfc_err_set(err, CCFC_ETOOBIG, "path is too long");
	return 0;
}

static void set_root(struct ccfc_root *root, const char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	root->projects_len = len + sizeof("/projects") - 1;
	root->projects = ccfc_malloc(root->projects_len + 1);
	memcpy(root->projects, path, len);
	memcpy(root->projects + len, "/projects", sizeof("/projects"));
}

int ccfc_tree_new(struct ccfc_tree **out, const char *const *roots,
		  size_t nroots, uint32_t max_watches, ccfc_tree_look_fn look,
		  void *ctx, struct ccfc_err *err)
{
	struct ccfc_tree *tree;

	for (size_t i = 0; i < nroots; i++) {
		int r = check_root(roots[i], err);

		if (r < 0)
			return r;
	}
	tree = ccfc_calloc(1, sizeof(*tree));
	tree->look = look;
	tree->ctx = ctx;
	tree->max_watches = max_watches;
	tree->roots = ccfc_calloc(nroots ? nroots : 1, sizeof(*tree->roots));
	tree->nroots = nroots;
	tree->stats.roots = (uint32_t)nroots;
	/* Without a watch everything is polled. */
	if (ccfc_watch_new(&tree->watch, NULL) < 0)
		tree->watch = NULL;
	for (size_t i = 0; i < nroots; i++)
		set_root(&tree->roots[i], roots[i]);
	for (size_t i = 0; i < nroots; i++)
		ccfc_root_path_watch(tree, &tree->roots[i]);
	*out = tree;
	return 0;
}

static void free_dirs(struct ccfc_dirset *set)
{
	for (uint32_t i = 0; i < set->dirs.n; i++)
		if (set->dirs.items[i])
			ccfc_dir_free(set->dirs.items[i]);
	ccfc_dirset_release(set);
}

void ccfc_tree_free(struct ccfc_tree *tree)
{
	if (!tree)
		return;
	free_dirs(&tree->set);
	for (size_t i = 0; i < tree->nroots; i++) {
		free(tree->roots[i].projects);
		free(tree->roots[i].steps.items);
	}
	free(tree->roots);
	ccfc_strtab_release(&tree->paths);
	free(tree->owners.items);
	ccfc_watch_free(tree->watch);
	ccfc_alias_release(tree);
	ccfc_failed_release(&tree->failed);
	free(tree);
}

int ccfc_tree_fd(const struct ccfc_tree *tree)
{
	return tree->watch ? ccfc_watch_fd(tree->watch) : -1;
}

static bool root_is_polled(const struct ccfc_root *root)
{
	return root->polled || (root->dir && ccfc_dir_is_polled(root->dir));
}

int ccfc_tree_timeout_ms(const struct ccfc_tree *tree)
{
	if (tree->ticking)
		return POLL_MS;
	for (size_t i = 0; i < tree->nroots; i++)
		if (tree->roots[i].polled)
			return POLL_MS;
	return ccfc_failed_timeout_ms(&tree->failed);
}

void ccfc_tree_stats(const struct ccfc_tree *tree,
		     struct ccfc_tree_stats *stats)
{
	*stats = tree->stats;
}

const struct ccfc_failed *ccfc_tree_failures(const struct ccfc_tree *tree)
{
	return &tree->failed;
}

/* An event for a directory on the way to a root. */
static void on_root_path(struct ccfc_root *root,
			 const struct ccfc_watch_event *event)
{
	bool self = event->what == CCFC_WATCH_SELF ||
		    event->what == CCFC_WATCH_ENDED;
	bool names = event->what == CCFC_WATCH_APPEARED ||
		     event->what == CCFC_WATCH_VANISHED;

	for (uint32_t i = 0; i < root->steps.n; i++) {
		const struct ccfc_root_step *step = &root->steps.items[i];

		if (step->wd == event->wd && (self || (names && step->names)))
			root->dirty = true;
	}
}

/* The directory was moved, deleted or unmounted. */
static void on_self(struct ccfc_tree *tree, struct ccfc_dir *dir, bool ended)
{
	char path[PATH_MAX];

	if (ended)
		ccfc_scan_unwatched(tree, dir);
	if (!dir->parent) {
		dir->root->dirty = true;
		return;
	}
	if (!ccfc_dir_path(dir, NULL, path) || !ccfc_scan_is_same(dir, path))
		ccfc_scan_drop(tree, dir);
}

static void on_transcript(struct ccfc_tree *tree, struct ccfc_dir *dir,
			  const char *path,
			  const struct ccfc_watch_event *event)
{
	struct ccfc_entry *entry = ccfc_dir_find(dir, event->name);

	/* One name is enough to read new lines, but all appear and vanish. */
	if (event->what == CCFC_WATCH_CHANGED)
		ccfc_tree_mark(tree, dir->root, path);
	else
		ccfc_alias_mark(tree, dir, event->name);
	if (event->what == CCFC_WATCH_VANISHED) {
		if (entry)
			ccfc_dir_remove(dir, entry);
		return;
	}
	if (!entry) {
		entry = ccfc_dir_add(dir, event->name, false);
		ccfc_dir_sort(dir);
	}
	if (event->what != CCFC_WATCH_APPEARED)
		return;
	entry->link = ccfc_scan_is_link(path);
	if (entry->link)
		ccfc_scan_links(tree, dir);
}

static void on_dir_gone(struct ccfc_tree *tree, struct ccfc_dir *dir,
			struct ccfc_entry *entry)
{
	if (!entry)
		return;
	if (entry->dir)
		ccfc_scan_drop(tree, entry->dir);
	ccfc_dir_remove(dir, entry);
}

static void on_dir(struct ccfc_tree *tree, struct ccfc_dir *dir,
		   const char *path, const struct ccfc_watch_event *event)
{
	struct ccfc_entry *entry = ccfc_dir_find(dir, event->name);

	if (event->what == CCFC_WATCH_VANISHED) {
		on_dir_gone(tree, dir, entry);
		return;
	}
	/* A new name that is no directory may be a symlink to one. */
	if (!event->is_dir && event->what != CCFC_WATCH_APPEARED)
		return;
	if (entry && entry->dir && ccfc_scan_is_same(entry->dir, path)) {
		if (event->what == CCFC_WATCH_CHANGED)
			ccfc_scan_dir(tree, entry->dir, false);
		return;
	}
	on_dir_gone(tree, dir, entry);
	entry = ccfc_dir_add(dir, event->name, true);
	ccfc_dir_sort(dir);
	ccfc_scan_enter(tree, dir->root, dir, entry);
	if (!entry->dir)
		ccfc_dir_remove(dir, entry);
}

static void on_child(struct ccfc_tree *tree, struct ccfc_dir *dir,
		     const struct ccfc_watch_event *event)
{
	char path[PATH_MAX];
	struct ccfc_name name;

	if (!ccfc_dir_path(dir, event->name, path))
		return;
	name = ccfc_tree_name(dir->root, ccfc_slice_str(path));
	if (name.kind == CCFC_NAME_DIR)
		on_dir(tree, dir, path, event);
	else if (name.kind != CCFC_NAME_OTHER && !event->is_dir)
		on_transcript(tree, dir, path, event);
}

static void on_event(void *ctx, const struct ccfc_watch_event *event)
{
	struct ccfc_tree *tree = ctx;
	struct ccfc_dir *dir;

	if (event->what == CCFC_WATCH_OVERFLOW) {
		tree->stats.overflows++;
		tree->want_rescan = true;
		return;
	}
	for (size_t i = 0; i < tree->nroots; i++)
		on_root_path(&tree->roots[i], event);
	dir = ccfc_dirset_by_wd(&tree->set, event->wd);
	if (!dir)
		return;
	if (event->what == CCFC_WATCH_SELF || event->what == CCFC_WATCH_ENDED)
		on_self(tree, dir, event->what == CCFC_WATCH_ENDED);
	else if (event->name[0])
		on_child(tree, dir, event);
	else
		ccfc_scan_dir(tree, dir, false);
}

static void walk_roots(struct ccfc_tree *tree)
{
	tree->want_rescan = false;
	tree->aliases = false;
	tree->stats.rescans++;
	for (size_t i = 0; i < tree->nroots; i++) {
		struct ccfc_root *root = &tree->roots[i];

		if (!ccfc_root_path_sync(tree, root) && root->dir)
			ccfc_scan_dir(tree, root->dir, true);
	}
}

static void poll_roots(struct ccfc_tree *tree)
{
	for (size_t i = 0; i < tree->nroots; i++) {
		struct ccfc_root *root = &tree->roots[i];

		if (root->dirty || root_is_polled(root))
			ccfc_root_path_sync(tree, root);
	}
}

static void poll_dirs(struct ccfc_tree *tree)
{
	const struct ccfc_dirset *set = &tree->set;
	uint32_t n = set->dirs.n;

	if (!tree->stats.dirs_polled && !tree->stats.dirs_denied)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_dir *dir = set->dirs.items[i];

		if (dir && dir->links && dir->wd >= 0 && !dir->failed &&
		    !dir->denied)
			ccfc_scan_links(tree, dir);
		else if (dir && (dir->denied || ccfc_dir_is_polled(dir)))
			ccfc_scan_dir(tree, dir, false);
	}
}

/* Events and walks ask for more walks. */
static void rescan_if_wanted(struct ccfc_tree *tree)
{
	for (int i = 0; i < RESCANS_MAX && tree->want_rescan; i++)
		walk_roots(tree);
}

int ccfc_tree_drain(struct ccfc_tree *tree)
{
	if (tree->watch)
		ccfc_watch_read(tree->watch, on_event, tree);
	/* All failed directories are tried now, due or not. */
	ccfc_failed_put_off(&tree->failed);
	poll_roots(tree);
	poll_dirs(tree);
	rescan_if_wanted(tree);
	ccfc_alias_check(tree);
	return check_marked_transcripts(tree);
}

int ccfc_tree_rescan(struct ccfc_tree *tree)
{
	walk_roots(tree);
	rescan_if_wanted(tree);
	ccfc_alias_check(tree);
	return check_marked_transcripts(tree);
}
