/*
 * Questions about backups; see query.h. Snapshots name files relative to the
 * directory that the client was started in, or absolutely; that directory is
 * usually, but not always, the session's project.
 */
#include "base/path.h"
#include "base/sha256.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <stdlib.h>

static const struct ccfc_backup_ref *backup_at(const struct ccfc_index *index,
					       uint32_t id)
{
	return id == CCFC_ID_NONE ? NULL : &index->backups.items[id];
}

/* By the last snapshot, then version, then name. */
static bool is_backup_later(const struct ccfc_index *index,
			    const struct ccfc_backup_ref *a,
			    const struct ccfc_backup_ref *b)
{
	if (a->last != b->last)
		return a->last > b->last;
	if (a->version != b->version)
		return a->version > b->version;
	return ccfc_slice_cmp(ccfc_index_str(index, a->name),
			      ccfc_index_str(index, b->name)) > 0;
}

static struct ccfc_slice project_of(const struct ccfc_index *index,
				    uint32_t session)
{
	return ccfc_index_str(index, index->sessions.items[session].project);
}

const struct ccfc_backup_ref *ccfc_query_backup(const struct ccfc_index *index,
						uint32_t session, uint32_t file)
{
	struct ccfc_slice path = ccfc_index_file_path(index, file);
	struct ccfc_slice keys[2] = {
		ccfc_path_relative(path, project_of(index, session)), path
	};
	const struct ccfc_backup_ref *best = NULL, *ref;

	for (int i = 0; i < 2 && !best; i++) {
		uint32_t key = ccfc_strtab_find(&index->strings, keys[i]);

		if (key == CCFC_ID_NONE)
			continue;
		ref = backup_at(index,
				ccfc_index_find_backups(index, session, key));
		for (; ref; ref = backup_at(index, ref->next))
			if (!best || is_backup_later(index, ref, best))
				best = ref;
	}
	return best;
}

int64_t ccfc_query_backup_time(const struct ccfc_backup_ref *ref)
{
	return ref->made != CCFC_TIME_NONE ? ref->made : ref->first;
}

void ccfc_query_backup_hash(char out[CCFC_BACKUP_HASH + 1],
			    struct ccfc_slice path)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_sha256_hex(hex, path);
	memcpy(out, hex, CCFC_BACKUP_HASH);
	out[CCFC_BACKUP_HASH] = '\0';
}

/* --- all of a file's backups --- */

struct wanted {
	const struct ccfc_index *index;
	struct ccfc_slice path, project, home;
	char start[CCFC_BACKUP_HASH + 3]; /* of the names: "<hash>@v" */
	struct ccfc_buf scratch;
};

/* Is it the file's path in another spelling, or the key of its backups? */
static bool is_key_of(struct wanted *w, const struct ccfc_backup_ref *first)
{
	struct ccfc_slice key = ccfc_index_str(w->index, first->key);
	const struct ccfc_backup_ref *ref = first;

	ccfc_buf_clear(&w->scratch);
	if (ccfc_path_normalise(&w->scratch, key, w->project, w->home) &&
	    ccfc_slice_eq(ccfc_buf_view(&w->scratch), w->path))
		return true;
	for (; ref; ref = backup_at(w->index, ref->next))
		if (ccfc_slice_starts(ccfc_index_str(w->index, ref->name),
				      w->start))
			return true;
	return false;
}

/* References with their names, for sorting: string ids have no order. */
struct sortable {
	const struct ccfc_backup_ref *ref;
	struct ccfc_slice name;
};

static int compare_backup_times(const void *x, const void *y)
{
	const struct sortable *a = x, *b = y;
	int64_t s = ccfc_query_backup_time(a->ref);
	int64_t t = ccfc_query_backup_time(b->ref);

	if (s != t)
		return s < t ? -1 : 1;
	if (a->ref->version != b->ref->version)
		return a->ref->version < b->ref->version ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

static void sort_backups(struct ccfc_backup_refs *refs,
			 const struct ccfc_index *index,
			 struct ccfc_arena *arena)
{
	struct sortable *rows =
		ccfc_arena_alloc(arena, (refs->n + 1u) * sizeof(*rows));

	for (uint32_t i = 0; i < refs->n; i++)
		rows[i] = (struct sortable){
			refs->items[i],
			ccfc_index_str(index, refs->items[i]->name)
		};
	qsort(rows, refs->n, sizeof(*rows), compare_backup_times);
	for (uint32_t i = 0; i < refs->n; i++)
		refs->items[i] = rows[i].ref;
}

/* Adds the key's backups, or only counts them while there is no room yet. */
static void gather_backups(struct ccfc_backup_refs *out, struct wanted *w,
			   uint32_t session)
{
	const struct ccfc_index *index = w->index;
	const struct ccfc_backup_ref *first =
		backup_at(index, index->sessions.items[session].backups);

	out->n = 0;
	for (; first; first = backup_at(index, first->next_key)) {
		const struct ccfc_backup_ref *ref = first;

		if (!is_key_of(w, first))
			continue;
		for (; ref; ref = backup_at(index, ref->next)) {
			if (out->items)
				out->items[out->n] = ref;
			out->n++;
		}
	}
}

static void init_wanted(struct wanted *w, const struct ccfc_index *index,
			struct ccfc_slice path)
{
	*w = (struct wanted){ .index = index,
			      .path = path,
			      .home = ccfc_slice_str(index->home),
			      .scratch = CCFC_BUF_INIT };
	ccfc_query_backup_hash(w->start, path);
	memcpy(w->start + CCFC_BACKUP_HASH, "@v", 3);
}

void ccfc_query_backups(struct ccfc_backup_refs *out,
			const struct ccfc_index *index, uint32_t session,
			uint32_t file, struct ccfc_arena *arena)
{
	struct wanted w;

	init_wanted(&w, index, ccfc_index_file_path(index, file));
	w.project = project_of(index, session);
	out->items = NULL;
	gather_backups(out, &w, session);
	out->items =
		ccfc_arena_alloc(arena, (out->n + 1u) * sizeof(*out->items));
	gather_backups(out, &w, session);
	ccfc_buf_release(&w.scratch);
	sort_backups(out, index, arena);
}

/* --- files that only backups name --- */

void ccfc_query_backup_sessions(struct ccfc_ids *out,
				const struct ccfc_index *index,
				struct ccfc_slice path)
{
	uint32_t end = ccfc_index_key_end(path);
	struct wanted w;

	init_wanted(&w, index, path);
	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_backup_ref *first =
			backup_at(index, index->sessions.items[s].backups);

		w.project = project_of(index, s);
		for (; first; first = backup_at(index, first->next_key))
			/* Numbers first: there may be many keys. */
			if ((!first->key_end || !end ||
			     first->key_end == end) &&
			    is_key_of(&w, first))
				break;
		if (first)
			ccfc_ids_push(out, s);
	}
	ccfc_buf_release(&w.scratch);
}

/* The first backup of the key that has a name, or NULL. */
static const struct ccfc_backup_ref *
first_named(const struct ccfc_index *index, const struct ccfc_backup_ref *ref)
{
	while (ref && !ref->name)
		ref = backup_at(index, ref->next);
	return ref;
}

static int by_path(const void *a, const void *b)
{
	return ccfc_slice_cmp(*(const struct ccfc_slice *)a,
			      *(const struct ccfc_slice *)b);
}

/* In order, each once: a file may have two keys. */
static void put_in_order(struct ccfc_backup_paths *paths)
{
	uint32_t n = 0;

	if (paths->n)
		qsort(paths->items, paths->n, sizeof(*paths->items), by_path);
	for (uint32_t i = 0; i < paths->n; i++)
		if (!n || !ccfc_slice_eq(paths->items[n - 1], paths->items[i]))
			paths->items[n++] = paths->items[i];
	paths->n = n;
}

void ccfc_query_backup_paths(struct ccfc_backup_paths *out,
			     const struct ccfc_index *index, uint32_t session,
			     struct ccfc_arena *arena)
{
	const struct ccfc_backup_ref *first =
		backup_at(index, index->sessions.items[session].backups);
	struct ccfc_buf path = CCFC_BUF_INIT;
	struct wanted w;

	for (; first; first = backup_at(index, first->next_key)) {
		const struct ccfc_backup_ref *named = first_named(index, first);

		ccfc_buf_clear(&path);
		if (!named || !ccfc_path_normalise(
				      &path, ccfc_index_str(index, first->key),
				      project_of(index, session),
				      ccfc_slice_str(index->home)))
			continue;
		/* A name gives the whole path, and so the start of the key. */
		init_wanted(&w, index, ccfc_buf_view(&path));
		if (ccfc_slice_starts(ccfc_index_str(index, named->name),
				      w.start))
			CCFC_VEC_PUSH(*out, ccfc_arena_copy(arena, w.path));
	}
	ccfc_buf_release(&path);
	put_in_order(out);
}
