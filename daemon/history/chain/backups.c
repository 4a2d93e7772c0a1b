/*
 * The backups of a file, in order of time: those of every session that changed
 * the file; if none did, those of every session whose snapshots name it. A
 * backup that a later snapshot names again is listed twice: at both times the
 * file had this content.
 *
 * When a chain is extended, its backups are searched again. The chain stays
 * valid only if all earlier backups still exist and all new ones belong to new
 * changes.
 */
#include "history/chain/chain.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

/* Sessions whose backup directories are searched. */
#define SESSIONS_MAX 4096u

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool has_applied_change(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_filter applied = { .states = CCFC_STATES_APPLIED };

	return ccfc_query_has(index, file, &applied);
}

/* Each session whose snapshots name the file; the caller frees them. */
static uint32_t *
sessions_naming_file(uint32_t *n, const struct ccfc_index *index, uint32_t file)
{
	struct ccfc_ids ids = { 0 };

	ccfc_query_backup_sessions(&ids, index,
				   ccfc_index_file_path(index, file));
	*n = ids.n < SESSIONS_MAX ? ids.n : SESSIONS_MAX;
	return ids.items;
}

/* Each session that changed the file, once; the caller frees them. */
static uint32_t *sessions_changing_file(uint32_t *n,
					const struct ccfc_index *index,
					uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];
	uint32_t *list = ccfc_calloc(ids->n + 1u, sizeof(*list));
	uint32_t all = 0;

	for (uint32_t i = 0; i < ids->n; i++)
		if (!ccfc_index_is_inferred(
			    &index->changes.items[ids->items[i]]))
			list[all++] =
				index->changes.items[ids->items[i]].session;
	qsort(list, all, sizeof(*list), compare_numbers);
	*n = 0;
	for (uint32_t i = 0; i < all && *n < SESSIONS_MAX; i++)
		if (!i || list[i] != list[i - 1])
			list[(*n)++] = list[i];
	return list;
}

static int compare_copy_times(const void *x, const void *y)
{
	const struct ccfc_copy *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->file.session != b->file.session)
		return a->file.session < b->file.session ? -1 : 1;
	if (a->file.version != b->file.version)
		return a->file.version < b->file.version ? -1 : 1;
	if (!a->file.path || !b->file.path)
		return (a->file.path != NULL) - (b->file.path != NULL);
	return strcmp(a->file.path, b->file.path);
}

static void add_backups(struct ccfc_copies *out,
			const struct ccfc_backup_copy *file)
{
	struct ccfc_copy copy = { .file = *file, .time = file->time };

	CCFC_VEC_PUSH(*out, copy);
	copy.time = file->last;
	if (file->recorded && file->last > file->time)
		CCFC_VEC_PUSH(*out, copy);
}

/* A sighting on disk: the file's state from that moment on. */
static void add_disk_event(struct ccfc_copies *out,
			   const struct ccfc_history_env *env,
			   const struct ccfc_disk_event *e)
{
	struct ccfc_slice key = ccfc_index_str(env->index, e->after_key);
	struct ccfc_slice before = ccfc_index_str(env->index, e->before_key);
	struct ccfc_copy copy = {
		.time = e->time,
		.observed = true,
		.holds = e->holds,
		.held = e->held,
		.file = { .time = e->time,
			  .last = e->time,
			  .stamp = ccfc_hash_slice(key) ^ e->after,
			  .session = CCFC_ID_NONE,
			  .recorded = true,
			  .missing = e->after != CCFC_DISK_ABSENT && !key.len },
	};

	if (e->before == CCFC_DISK_ABSENT || before.len)
		copy.before = ccfc_arena_copy(&out->arena, before).ptr;
	if (key.len)
		copy.file.path = (char *)ccfc_arena_copy(&out->arena, key).ptr;
	CCFC_VEC_PUSH(*out, copy);
}

void ccfc_copies_find(struct ccfc_copies *out,
		      const struct ccfc_history *history, uint32_t file)
{
	const struct ccfc_history_env *env = &history->env;
	const struct ccfc_homes *homes = CCFC_HOMES(history, sessions);
	uint32_t n,
		*sessions =
			has_applied_change(env->index, file)
				? sessions_changing_file(&n, env->index, file)
				: sessions_naming_file(&n, env->index, file);

	*out = (struct ccfc_copies){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_backup_copies found = { 0 };

		ccfc_backup_list(&found, env->index, ccfc_tail_attic(env->tail),
				 env->roots, env->nroots, sessions[i], file,
				 &out->arena);
		for (uint32_t k = 0; k < found.n; k++) {
			found.items[k].session =
				ccfc_home_of(homes, sessions[i]);
			add_backups(out, &found.items[k]);
		}
	}
	free(sessions);
	for (uint32_t id = env->blobs ? ccfc_index_last_seen(env->index, file)
				      : CCFC_ID_NONE;
	     id != CCFC_ID_NONE; id = env->index->disk_events.items[id].next)
		add_disk_event(out, env, &env->index->disk_events.items[id]);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items),
		      compare_copy_times);
}

void ccfc_copies_release(struct ccfc_copies *copies)
{
	free(copies->items);
	ccfc_arena_release(&copies->arena);
	*copies = (struct ccfc_copies){ 0 };
}

uint64_t ccfc_copies_stamp(const struct ccfc_copies *copies)
{
	uint64_t stamp = 0;

	for (uint32_t i = 0; i < copies->n; i++) {
		const struct ccfc_copy *c = &copies->items[i];
		uint64_t all[] = { stamp,
				   (uint64_t)c->time,
				   c->file.stamp,
				   c->file.session,
				   (uint64_t)c->file.version,
				   c->file.recorded + 2u * c->file.missing +
					   4u * c->holds };

		stamp = ccfc_hash(all, sizeof(all));
	}
	return stamp;
}

/* The first change that is not earlier than a backup of that time. */
static uint32_t first_node_since(const struct ccfc_chain *chain, int64_t time)
{
	uint32_t lo = 0, hi = chain->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (chain->nodes[mid].time < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool equal_paths(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool equal_copies(const struct ccfc_copy *a, const struct ccfc_copy *b)
{
	return a->file.session == b->file.session &&
	       a->file.version == b->file.version && a->time == b->time &&
	       a->observed == b->observed && a->holds == b->holds &&
	       a->file.recorded == b->file.recorded &&
	       a->file.missing == b->file.missing &&
	       a->file.stamp == b->file.stamp &&
	       equal_paths(a->file.path, b->file.path);
}

/*
 * Sets to[k] to the new number of old copy k. False when an old copy is gone,
 * or a new copy may concern a node that was replayed already.
 */
static bool match_old_copies(uint32_t *to, const struct ccfc_chain *chain,
			     const struct ccfc_copies *now)
{
	const struct ccfc_copies *old = &chain->copies;
	uint32_t k = 0;

	/* Both lists are sorted alike. */
	for (uint32_t i = 0; i < now->n; i++) {
		const struct ccfc_copy *copy = &now->items[i];

		if (k < old->n && equal_copies(&old->items[k], copy))
			to[k++] = i;
		else if (!copy->file.recorded || copy->at < chain->nforward)
			return false;
	}
	return k == old->n;
}

/* Replayed nodes name their copies by number: sets the new numbers. */
static void renumber_copies(struct ccfc_chain *chain, const uint32_t *to)
{
	for (uint32_t i = 0; i < chain->nforward; i++) {
		struct ccfc_side_state *s = &chain->forward[i].before;

		if (s->how == CCFC_HOW_COPY)
			s->copy = to[s->copy];
	}
}

bool ccfc_chain_take_copies(struct ccfc_chain *chain, struct ccfc_copies *now)
{
	uint32_t *to = ccfc_calloc(chain->copies.n + 1u, sizeof(*to));
	bool good = true;

	for (uint32_t i = 0; i < now->n; i++)
		now->items[i].at = first_node_since(chain, now->items[i].time);
	if (chain->nforward) {
		good = match_old_copies(to, chain, now);
		if (good)
			renumber_copies(chain, to);
	}
	free(to);
	ccfc_copies_release(&chain->copies);
	chain->copies = *now;
	*now = (struct ccfc_copies){ 0 };
	return good;
}
