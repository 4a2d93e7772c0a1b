/*
 * One directory of the tree, and the set of them; see dir.h.
 *
 * Entries are kept sorted by name. A scan appends what is new and sorts once at
 * its end. The maps of the set never remove an entry: outdated entries do not
 * compare equal, and when they are the majority, both maps are built again.
 */
#include "source/dir.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "source/tree_impl.h"

#include <stdlib.h>

bool ccfc_dir_is_polled(const struct ccfc_dir *dir)
{
	/* The parent's watch reports the permissions of a child. */
	bool unreported = dir->wd < 0 && !(dir->denied && dir->parent);

	return unreported || dir->failed || dir->links;
}

bool ccfc_dir_ticks(const struct ccfc_dir *dir)
{
	return (dir->wd < 0 && !dir->denied) || dir->links;
}

void ccfc_dir_free(struct ccfc_dir *dir)
{
	for (uint32_t i = 0; i < dir->entries.n; i++)
		free(dir->entries.items[i]);
	free(dir->entries.items);
	free(dir);
}

/* Index of the first sorted entry that is not less than `name`. */
static uint32_t lower_bound(const struct ccfc_dir *dir, const char *name)
{
	uint32_t lo = 0, hi = dir->sorted;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(dir->entries.items[mid]->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct ccfc_entry *ccfc_dir_find(const struct ccfc_dir *dir, const char *name)
{
	uint32_t i = lower_bound(dir, name);

	if (i < dir->sorted && !strcmp(dir->entries.items[i]->name, name))
		return dir->entries.items[i];
	return NULL;
}

struct ccfc_entry *ccfc_dir_add(struct ccfc_dir *dir, const char *name,
				bool is_dir)
{
	size_t size = strlen(name) + 1;
	struct ccfc_entry *entry = ccfc_malloc(sizeof(*entry) + size);

	*entry = (struct ccfc_entry){ .is_dir = is_dir };
	memcpy(entry->name, name, size);
	CCFC_VEC_PUSH(dir->entries, entry);
	return entry;
}

static int compare_entries(const void *a, const void *b)
{
	const struct ccfc_entry *const *x = a;
	const struct ccfc_entry *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Inserts the usual single new entry of a large directory without sorting. */
static void insert_last(struct ccfc_dir *dir)
{
	struct ccfc_entry **items = dir->entries.items;
	struct ccfc_entry *last = items[dir->sorted];
	uint32_t i = lower_bound(dir, last->name);

	memmove(items + i + 1, items + i, (dir->sorted - i) * sizeof(*items));
	items[i] = last;
}

/* readdir may give a name twice while the directory changes. */
static void drop_doubles(struct ccfc_dir *dir)
{
	struct ccfc_entry **items = dir->entries.items;
	uint32_t n = 1;

	for (uint32_t i = 1; i < dir->entries.n; i++) {
		if (strcmp(items[i]->name, items[n - 1]->name) != 0)
			items[n++] = items[i];
		else
			free(items[i]);
	}
	dir->entries.n = n;
}

void ccfc_dir_sort(struct ccfc_dir *dir)
{
	uint32_t fresh = dir->entries.n - dir->sorted;

	if (fresh == 1) {
		insert_last(dir);
	} else if (fresh > 1) {
		qsort(dir->entries.items, dir->entries.n,
		      sizeof(*dir->entries.items), compare_entries);
		drop_doubles(dir);
	}
	dir->sorted = dir->entries.n;
}

void ccfc_dir_remove(struct ccfc_dir *dir, struct ccfc_entry *entry)
{
	struct ccfc_entry **items = dir->entries.items;
	uint32_t i = lower_bound(dir, entry->name);

	memmove(items + i, items + i + 1,
		(dir->entries.n - i - 1) * sizeof(*items));
	dir->entries.n--;
	dir->sorted--;
	free(entry);
}

/* Appends to a path under construction; false if it gets too long. */
static bool append_to_path(char out[PATH_MAX], size_t *len, const char *s,
			   size_t n)
{
	if (n >= PATH_MAX - *len)
		return false;
	memcpy(out + *len, s, n);
	*len += n;
	out[*len] = '\0';
	return true;
}

static bool build_path(const struct ccfc_dir *dir, char out[PATH_MAX],
		       size_t *len)
{
	const struct ccfc_root *root = dir->root;

	if (!dir->parent)
		return append_to_path(out, len, root->projects,
				      root->projects_len);
	return build_path(dir->parent, out, len) &&
	       append_to_path(out, len, "/", 1) &&
	       append_to_path(out, len, dir->entry->name,
			      strlen(dir->entry->name));
}

bool ccfc_dir_path(const struct ccfc_dir *dir, const char *name,
		   char out[PATH_MAX])
{
	size_t len = 0;

	if (!build_path(dir, out, &len))
		return false;
	return !name || (append_to_path(out, &len, "/", 1) &&
			 append_to_path(out, &len, name, strlen(name)));
}

struct ino_key {
	uint64_t dev, ino;
};

static uint64_t hash_wd(int wd)
{
	return ccfc_hash(&wd, sizeof(wd));
}

static uint64_t hash_ino(uint64_t dev, uint64_t ino)
{
	struct ino_key key = { dev, ino };

	return ccfc_hash(&key, sizeof(key));
}

static bool has_wd(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_dirset *set = ctx;
	const struct ccfc_dir *dir = set->dirs.items[id];

	return dir && dir->wd == *(const int *)key;
}

static bool has_ino(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_dirset *set = ctx;
	const struct ccfc_dir *dir = set->dirs.items[id];
	const struct ino_key *want = key;

	return dir && dir->dev == want->dev && dir->ino == want->ino;
}

void ccfc_dirset_release(struct ccfc_dirset *set)
{
	ccfc_map_release(&set->by_wd);
	ccfc_map_release(&set->by_ino);
	free(set->dirs.items);
	free(set->unused.items);
	memset(set, 0, sizeof(*set));
}

static void index_by_inode(struct ccfc_dirset *set, const struct ccfc_dir *dir)
{
	ccfc_map_put(&set->by_ino, hash_ino(dir->dev, dir->ino), dir->id);
	if (dir->wd >= 0)
		ccfc_map_put(&set->by_wd, hash_wd(dir->wd), dir->id);
}

static void forget_stale(struct ccfc_dirset *set)
{
	uint32_t most = 2 * set->live + 64;

	if (set->by_wd.used < most && set->by_ino.used < most)
		return;
	ccfc_map_clear(&set->by_wd);
	ccfc_map_clear(&set->by_ino);
	for (uint32_t i = 0; i < set->dirs.n; i++)
		if (set->dirs.items[i])
			index_by_inode(set, set->dirs.items[i]);
}

void ccfc_dirset_put(struct ccfc_dirset *set, struct ccfc_dir *dir)
{
	forget_stale(set);
	if (set->unused.n) {
		dir->id = set->unused.items[--set->unused.n];
		set->dirs.items[dir->id] = dir;
	} else {
		dir->id = set->dirs.n;
		CCFC_VEC_PUSH(set->dirs, dir);
	}
	set->live++;
	index_by_inode(set, dir);
}

void ccfc_dirset_remove(struct ccfc_dirset *set, struct ccfc_dir *dir)
{
	set->dirs.items[dir->id] = NULL;
	CCFC_VEC_PUSH(set->unused, dir->id);
	set->live--;
}

void ccfc_dirset_set_wd(struct ccfc_dirset *set, struct ccfc_dir *dir, int wd)
{
	dir->wd = wd;
	if (wd < 0)
		return;
	forget_stale(set);
	ccfc_map_put(&set->by_wd, hash_wd(wd), dir->id);
}

static struct ccfc_dir *find_dir(const struct ccfc_dirset *set,
				 const struct ccfc_map *map, uint64_t hash,
				 ccfc_map_eq_fn eq, const void *key)
{
	uint32_t id = ccfc_map_get(map, hash, eq, set, key);

	return id == CCFC_ID_NONE ? NULL : set->dirs.items[id];
}

struct ccfc_dir *ccfc_dirset_by_wd(const struct ccfc_dirset *set, int wd)
{
	return find_dir(set, &set->by_wd, hash_wd(wd), has_wd, &wd);
}

struct ccfc_dir *ccfc_dirset_by_ino(const struct ccfc_dirset *set, uint64_t dev,
				    uint64_t ino)
{
	struct ino_key key = { dev, ino };

	return find_dir(set, &set->by_ino, hash_ino(dev, ino), has_ino, &key);
}
