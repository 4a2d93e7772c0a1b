/*
 * The path to a root: the directories from "/" down to <claude>.
 *
 * Each of them is watched for being moved or deleted, because then no event
 * comes from below. If the next directory does not exist, the last existing one
 * is watched for new names; if the next one is a symlink, for the link being
 * replaced. The watch is set before the next check, so nothing new is missed.
 */
#include "source/tree_impl.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

static bool root_path_uses(const struct ccfc_root *root, int wd)
{
	for (uint32_t i = 0; i < root->steps.n; i++)
		if (root->steps.items[i].wd == wd)
			return true;
	return false;
}

void ccfc_root_path_unwatch(struct ccfc_tree *tree, int wd)
{
	if (ccfc_dirset_by_wd(&tree->set, wd))
		return;
	for (size_t i = 0; i < tree->nroots; i++)
		if (root_path_uses(&tree->roots[i], wd))
			return;
	ccfc_watch_remove(tree->watch, wd);
}

/* Watches one directory; false: it has to be polled. */
static bool watch_step(struct ccfc_tree *tree, struct ccfc_root *root,
		       const char *path, bool names)
{
	struct ccfc_root_step step = { .wd = -1, .names = names };

	if (!tree->watch)
		return false;
	step.wd =
		ccfc_watch_add(tree->watch, path,
			       names ? CCFC_WATCH_NAMES : CCFC_WATCH_ONLY_SELF);
	if (step.wd >= 0)
		CCFC_VEC_PUSH(root->steps, step);
	/* /home is often not readable: then only moving /home is missed. */
	return step.wd >= 0 || (!names && step.wd == CCFC_EDENIED);
}

/* Watches `dir`; `child` is next on the path. False: no `child` exists. */
static bool follow_component(struct ccfc_tree *tree, struct ccfc_root *root,
			     const char *dir, const char *child)
{
	struct stat st;
	bool there = !lstat(child, &st);

	if (!there && errno != ENOENT && errno != ENOTDIR)
		root->polled = true;
	if (!watch_step(tree, root, dir, !there || S_ISLNK(st.st_mode)))
		root->polled = true;
	return there || !lstat(child, &st);
}

static bool walk_path(struct ccfc_tree *tree, struct ccfc_root *root)
{
	char dir[PATH_MAX] = "/";
	char child[PATH_MAX];
	const char *slash = root->projects;
	struct stat st;

	do {
		const char *next = strchr(slash + 1, '/');
		size_t len = next ? (size_t)(next - root->projects)
				  : root->projects_len;

		memcpy(child, root->projects, len);
		child[len] = '\0';
		if (!follow_component(tree, root, dir, child))
			return false;
		memcpy(dir, child, len + 1);
		slash = next;
	} while (slash);
	return !stat(root->projects, &st) && S_ISDIR(st.st_mode);
}

bool ccfc_root_path_watch(struct ccfc_tree *tree, struct ccfc_root *root)
{
	struct ccfc_root_step *old = root->steps.items;
	uint32_t n = root->steps.n;
	bool there;

	memset(&root->steps, 0, sizeof(root->steps));
	root->polled = false;
	there = walk_path(tree, root);
	for (uint32_t i = 0; i < n; i++)
		ccfc_root_path_unwatch(tree, old[i].wd);
	free(old);
	return there;
}

bool ccfc_root_path_sync(struct ccfc_tree *tree, struct ccfc_root *root)
{
	bool there = ccfc_root_path_watch(tree, root);

	root->dirty = false;
	if (root->dir && !ccfc_scan_is_same(root->dir, root->projects))
		ccfc_scan_drop(tree, root->dir);
	if (!there || root->dir)
		return false;
	ccfc_scan_enter(tree, root, NULL, NULL);
	return true;
}
