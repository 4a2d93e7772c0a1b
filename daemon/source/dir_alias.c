/*
 * Further names of directories: a project that is linked into another place, a
 * root that is reached twice, a link that leads back up. Such a directory is
 * entered and watched by one name only (scan.c); its transcripts also get the
 * names through the others, if these are valid names of transcripts
 * (classify.h), so that a loop does not give endless names.
 */
#include "source/tree_impl.h"

#include "base/alloc.h"

#include <stdlib.h>

static bool is_real(const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) && !strcmp(real, path);
}

bool ccfc_tree_is_better(const char *a, const char *b)
{
	bool real = is_real(a);

	return real != is_real(b) ? real : strcmp(a, b) < 0;
}

/* Marks `rest` of a path, which begins with a slash, below the alias. */
static void mark_below_alias(struct ccfc_tree *tree,
			     const struct ccfc_dir_alias *alias,
			     const char *rest)
{
	const struct ccfc_root *root = &tree->roots[alias->root];
	size_t front = strlen(alias->path), len = strlen(rest);
	char path[PATH_MAX];
	enum ccfc_name_kind kind;

	if (len >= PATH_MAX - front)
		return;
	memcpy(path, alias->path, front);
	memcpy(path + front, rest, len + 1);
	kind = ccfc_tree_name(root, ccfc_slice_str(path)).kind;
	if (kind == CCFC_NAME_SESSION || kind == CCFC_NAME_AGENT)
		ccfc_tree_mark(tree, root, path);
}

static bool is_alias_of(const struct ccfc_dir_alias *alias,
			const struct ccfc_dir *dir)
{
	return alias->dev == dir->dev && alias->ino == dir->ino;
}

void ccfc_alias_mark(struct ccfc_tree *tree, const struct ccfc_dir *dir,
		     const char *name)
{
	char path[PATH_MAX], above[PATH_MAX];

	if (!ccfc_dir_path(dir, name, path))
		return;
	ccfc_tree_mark(tree, dir->root, path);
	if (!tree->names.n)
		return;
	for (const struct ccfc_dir *d = dir; d; d = d->parent) {
		if (!ccfc_dir_path(d, NULL, above))
			continue;
		for (uint32_t i = 0; i < tree->names.n; i++)
			if (is_alias_of(&tree->names.items[i], d))
				mark_below_alias(tree, &tree->names.items[i],
						 path + strlen(above));
	}
}

/* All transcripts of a directory, by one name of a directory above it. */
static void mark_entries_below(struct ccfc_tree *tree,
			       const struct ccfc_dir_alias *alias,
			       const struct ccfc_dir *dir, size_t front)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < dir->entries.n; i++) {
		const struct ccfc_entry *entry = dir->entries.items[i];

		if (entry->dir)
			mark_entries_below(tree, alias, entry->dir, front);
		else if (!entry->is_dir &&
			 ccfc_dir_path(dir, entry->name, path))
			mark_below_alias(tree, alias, path + front);
	}
}

static void mark_alias(struct ccfc_tree *tree,
		       const struct ccfc_dir_alias *alias)
{
	const struct ccfc_dir *dir =
		ccfc_dirset_by_ino(&tree->set, alias->dev, alias->ino);
	char path[PATH_MAX];

	if (dir && ccfc_dir_path(dir, NULL, path))
		mark_entries_below(tree, alias, dir, strlen(path));
}

void ccfc_alias_note(struct ccfc_tree *tree, const struct ccfc_root *root,
		     const char *path, const struct ccfc_dir *dir)
{
	struct ccfc_dir_alias fresh = {
		.root = (uint32_t)(root - tree->roots),
		.dev = dir->dev,
		.ino = dir->ino,
	};

	for (uint32_t i = 0; i < tree->names.n; i++)
		if (!strcmp(tree->names.items[i].path, path) &&
		    is_alias_of(&tree->names.items[i], dir))
			return;
	fresh.path = ccfc_strdup(path);
	CCFC_VEC_PUSH(tree->names, fresh);
	mark_alias(tree, &fresh);
}

/* Is the name still a second one of the directory? */
static bool is_alias_valid(struct ccfc_tree *tree,
			   const struct ccfc_dir_alias *alias)
{
	const struct ccfc_dir *dir =
		ccfc_dirset_by_ino(&tree->set, alias->dev, alias->ino);
	char path[PATH_MAX];

	return dir && ccfc_scan_is_same(dir, alias->path) &&
	       ccfc_dir_path(dir, NULL, path) && strcmp(path, alias->path) != 0;
}

void ccfc_alias_check(struct ccfc_tree *tree)
{
	for (uint32_t i = tree->names.n; i-- > 0;) {
		struct ccfc_dir_alias alias = tree->names.items[i];

		if (is_alias_valid(tree, &alias))
			continue;
		tree->names.items[i] = tree->names.items[--tree->names.n];
		mark_alias(tree, &alias);
		free(alias.path);
	}
}

void ccfc_alias_release(struct ccfc_tree *tree)
{
	for (uint32_t i = 0; i < tree->names.n; i++)
		free(tree->names.items[i].path);
	free(tree->names.items);
}
