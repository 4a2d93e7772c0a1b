/*
 * Finds the client's backups of a file; see backup_file.h. Their names are
 * enough; records only add the times. The directories are listed, because old
 * versions may have been deleted.
 */
#include "history/file/backup_file.h"

#include "base/alloc.h"
#include "base/time.h"
#include "history/file/read_file.h"
#include "index/query/query.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* For one file in one directory: many more than a session has prompts. */
#define COPIES_MAX     4096u
#define VERSION_DIGITS 18

struct search {
	const struct ccfc_index *index;
	struct ccfc_backup_refs refs;
	struct ccfc_slice session_id;
	uint32_t session;
	char hash[CCFC_BACKUP_HASH + 1];
	struct ccfc_arena *arena;
	struct {
		struct ccfc_backup_copy *items;
		uint32_t n, cap;
	} found;
};

/* Can it be the name of a single directory? */
static bool is_plain_name(struct ccfc_slice name)
{
	size_t dots = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '/' || !name.ptr[i])
			return false;
		dots += name.ptr[i] == '.';
	}
	return name.len && name.len <= NAME_MAX && dots < name.len;
}

/* The version of a name "<hash>@v<N>", or -1. */
static int64_t version_of(struct ccfc_slice name, const char *hash)
{
	size_t at = CCFC_BACKUP_HASH + 2;
	int64_t version = 0;

	if (!ccfc_slice_starts(name, hash) || name.len <= at ||
	    name.len > at + VERSION_DIGITS ||
	    memcmp(name.ptr + CCFC_BACKUP_HASH, "@v", 2))
		return -1;
	for (; at < name.len; at++) {
		if (name.ptr[at] < '0' || name.ptr[at] > '9')
			return -1;
		version = version * 10 + (name.ptr[at] - '0');
	}
	return version;
}

static void take_record_times(struct ccfc_backup_copy *copy,
			      const struct ccfc_backup_ref *ref)
{
	copy->time = ccfc_query_backup_time(ref);
	copy->last = ref->last > copy->time ? ref->last : copy->time;
	copy->recorded = true;
}

/* Takes the times from the record that names the backup, if there is one. */
static void set_copy_times(struct ccfc_backup_copy *copy,
			   const struct search *s, struct ccfc_slice name,
			   int64_t mtime)
{
	copy->time = mtime;
	copy->last = copy->time;
	/* If several keys name the backup, the latest record counts. */
	for (uint32_t i = 0; i < s->refs.n; i++) {
		const struct ccfc_backup_ref *ref = s->refs.items[i];

		if (ccfc_query_backup_time(ref) != CCFC_TIME_NONE &&
		    ccfc_slice_eq(ccfc_index_str(s->index, ref->name), name))
			take_record_times(copy, ref);
	}
}

static char *path_of(const struct search *s, const char *root,
		     struct ccfc_slice name)
{
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct ccfc_slice kept;

	ccfc_buf_printf(&path, "%s/file-history/", root);
	ccfc_buf_slice(&path, s->session_id);
	ccfc_buf_putc(&path, '/');
	ccfc_buf_slice(&path, name);
	kept = ccfc_arena_copy(s->arena, ccfc_buf_view(&path));
	ccfc_buf_release(&path);
	return (char *)kept.ptr;
}

static void list_copies_in_dir(struct search *s, const char *root, DIR *dir)
{
	uint32_t left = COPIES_MAX;
	const struct dirent *entry;

	while (left && (entry = readdir(dir))) {
		struct ccfc_slice name = ccfc_slice_str(entry->d_name);
		struct ccfc_backup_copy copy = { .session = s->session };
		struct stat st;

		copy.version = version_of(name, s->hash);
		if (copy.version < 0)
			continue;
		left--;
		if (fstatat(dirfd(dir), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		copy.stamp = ccfc_file_stamp(&st);
		set_copy_times(&copy, s, name,
			       (int64_t)st.st_mtim.tv_sec * 1000 +
				       st.st_mtim.tv_nsec / 1000000);
		copy.path = path_of(s, root, name);
		CCFC_VEC_PUSH(s->found, copy);
	}
}

/*
 * Opens a directory below `parent` and closes `parent`; -1 if `parent` is -1.
 */
static int open_subdir(int parent, const char *name)
{
	int fd;

	if (parent < 0)
		return -1;
	fd = openat(parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(parent);
	return fd;
}

static void list_copies_of_root(struct search *s, const char *root)
{
	/* The root itself may be a symbolic link. */
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir;

	fd = open_subdir(open_subdir(fd, "file-history"), s->session_id.ptr);
	if (fd < 0)
		return;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	list_copies_in_dir(s, root, dir);
	closedir(dir);
}

/* --- copies that are gone and kept --- */

struct kept_copies {
	struct search *s;
	const char *root;
	uint32_t there; /* the first item of this root that is on disk */
};

static void add_attic_copy(void *arg, struct ccfc_slice name,
			   const struct ccfc_attic_info *info)
{
	struct kept_copies *k = arg;
	struct ccfc_backup_copy copy = { .session = k->s->session,
					 .stamp = info->stamp };

	copy.version = version_of(name, k->s->hash);
	if (copy.version < 0)
		return;
	for (uint32_t i = k->there; i < k->s->found.n; i++)
		if (k->s->found.items[i].version == copy.version)
			return;
	set_copy_times(&copy, k->s, name, info->mtime / 1000000);
	copy.path = path_of(k->s, k->root, name);
	CCFC_VEC_PUSH(k->s->found, copy);
}

static void list_attic_copies(struct search *s, const struct ccfc_attic *attic,
			      const char *root, uint32_t there)
{
	struct kept_copies k = { s, root, there };
	struct ccfc_buf dir = CCFC_BUF_INIT;

	ccfc_buf_printf(&dir, "%s/file-history/", root);
	ccfc_buf_slice(&dir, s->session_id);
	attic->list(attic->ctx, dir.ptr, add_attic_copy, &k);
	ccfc_buf_release(&dir);
}

/* The Claude directory that a transcript's path is in; empty: none. */
static struct ccfc_slice root_of(struct ccfc_slice path)
{
	static const char projects[] = "/projects/";
	size_t n = sizeof(projects) - 1;

	for (size_t at = path.len; at-- > 0;)
		if (path.len - at >= n && !memcmp(path.ptr + at, projects, n))
			return ccfc_slice(path.ptr, at);
	return CCFC_SLICE_NONE;
}

static bool is_root(struct ccfc_slice root, const char *const *roots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ccfc_slice_is(root, roots[i]))
			return true;
	return false;
}

/*
 * An imported transcript is kept under the path that it had on another machine,
 * below a directory that is not read here, and its backups beside it.
 */
static void list_imported_copies(struct search *s,
				 const struct ccfc_attic *attic,
				 const char *const *roots, size_t nroots)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_ids *ids = &index->sessions.items[s->session].sources;
	struct ccfc_slice last = CCFC_SLICE_NONE;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_source *source =
			&index->sources.items[ids->items[i]];
		struct ccfc_slice root =
			root_of(ccfc_index_str(index, source->path));

		if (!source->gone || source->is_agent || !root.len ||
		    is_root(root, roots, nroots) || ccfc_slice_eq(root, last))
			continue;
		last = root;
		list_attic_copies(s, attic, ccfc_arena_copy(s->arena, root).ptr,
				  s->found.n);
	}
}

/*
 * Is the key of a record without a backup certainly this file's? It may be
 * relative to an unknown directory. Backups of another file under the same key
 * disprove it.
 */
static bool is_record_of_file(const struct search *s,
			      const struct ccfc_backup_ref *null)
{
	for (uint32_t i = 0; i < s->refs.n; i++) {
		const struct ccfc_backup_ref *ref = s->refs.items[i];

		if (ref->key == null->key && ref->name &&
		    version_of(ccfc_index_str(s->index, ref->name), s->hash) <
			    0)
			return false;
	}
	return true;
}

static void add_absent_versions(struct search *s)
{
	for (uint32_t i = 0; i < s->refs.n; i++) {
		const struct ccfc_backup_ref *ref = s->refs.items[i];
		struct ccfc_backup_copy copy = { .version = ref->version,
						 .session = s->session };

		take_record_times(&copy, ref);
		if (!ref->name && copy.time != CCFC_TIME_NONE &&
		    is_record_of_file(s, ref))
			CCFC_VEC_PUSH(s->found, copy);
	}
}

static bool has_copy_of_version(const struct search *s, int64_t version)
{
	for (uint32_t i = 0; i < s->found.n; i++)
		if (s->found.items[i].path &&
		    s->found.items[i].version == version)
			return true;
	return false;
}

/* Adds the backups that snapshots name but that are missing. */
static void add_missing_copies(struct search *s)
{
	for (uint32_t i = 0; i < s->refs.n; i++) {
		const struct ccfc_backup_ref *ref = s->refs.items[i];
		struct ccfc_backup_copy copy = { .session = s->session,
						 .missing = true };

		if (!ref->name)
			continue;
		take_record_times(&copy, ref);
		copy.version = version_of(ccfc_index_str(s->index, ref->name),
					  s->hash);
		if (copy.version >= 0 && copy.time != CCFC_TIME_NONE &&
		    !has_copy_of_version(s, copy.version))
			CCFC_VEC_PUSH(s->found, copy);
	}
}

static int compare_copy_times(const void *x, const void *y)
{
	const struct ccfc_backup_copy *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	if (!a->path || !b->path)
		return (a->path != NULL) - (b->path != NULL);
	return strcmp(a->path, b->path);
}

void ccfc_backup_list(struct ccfc_backup_copies *out,
		      const struct ccfc_index *index,
		      const struct ccfc_attic *attic, const char *const *roots,
		      size_t nroots, uint32_t session, uint32_t file,
		      struct ccfc_arena *arena)
{
	struct search s = { .index = index,
			    .session_id = ccfc_index_session_id(index, session),
			    .session = session,
			    .arena = arena };
	size_t bytes;

	ccfc_query_backup_hash(s.hash, ccfc_index_file_path(index, file));
	ccfc_query_backups(&s.refs, index, session, file, arena);
	for (size_t i = 0; is_plain_name(s.session_id) && i < nroots; i++) {
		uint32_t there = s.found.n;

		list_copies_of_root(&s, roots[i]);
		if (attic)
			list_attic_copies(&s, attic, roots[i], there);
	}
	if (attic && is_plain_name(s.session_id))
		list_imported_copies(&s, attic, roots, nroots);
	add_missing_copies(&s);
	add_absent_versions(&s);
	bytes = s.found.n * sizeof(*out->items);
	out->n = s.found.n;
	out->items = ccfc_arena_alloc(arena, bytes + 1);
	if (out->n) {
		qsort(s.found.items, out->n, sizeof(*out->items),
		      compare_copy_times);
		memcpy(out->items, s.found.items, bytes);
	}
	free(s.found.items);
}
