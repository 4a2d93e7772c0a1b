/*
 * The index as a container: making, finding and marking its rows. What facts
 * mean is in merge.c, what a reader sees of them in settle.c.
 */
#include "index/index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

#include <stdlib.h>

void ccfc_ids_push(struct ccfc_ids *ids, uint32_t id)
{
	CCFC_VEC_PUSH(*ids, id);
}

void ccfc_ids_add(struct ccfc_ids *ids, uint32_t id)
{
	/* From the end: what comes again is mostly what came last. */
	for (uint32_t i = ids->n; i > 0; i--)
		if (ids->items[i - 1] == id)
			return;
	ccfc_ids_push(ids, id);
}

void ccfc_ids_remove(struct ccfc_ids *ids, uint32_t id)
{
	for (uint32_t i = ids->n; i > 0; i--) {
		if (ids->items[i - 1] != id)
			continue;
		memmove(ids->items + i - 1, ids->items + i,
			(ids->n - i) * sizeof(*ids->items));
		ids->n--;
		return;
	}
}

#define NO_SESSION                                                             \
	((struct ccfc_session){ .start = CCFC_TIME_NONE,                       \
				.end = CCFC_TIME_NONE,                         \
				.project_time = CCFC_TIME_NONE,                \
				.branch_time = CCFC_TIME_NONE,                 \
				.model_time = CCFC_TIME_NONE,                  \
				.born = CCFC_TIME_NONE,                        \
				.opening_time = CCFC_TIME_NONE,                \
				.summary_time = CCFC_TIME_NONE,                \
				.prompts = CCFC_ID_NONE,                       \
				.backups = CCFC_ID_NONE,                       \
				.parts = CCFC_ID_NONE })

struct ccfc_index *ccfc_index_new(const char *home)
{
	struct ccfc_index *index = ccfc_calloc(1, sizeof(*index));

	ccfc_strtab_init(&index->strings);
	ccfc_strtab_init(&index->session_ids);
	ccfc_strtab_init(&index->file_paths);
	/* Row 0 is "none", like string 0. */
	CCFC_VEC_PUSH(index->sessions, NO_SESSION);
	CCFC_VEC_PUSH(index->files, (struct ccfc_ids){ 0 });
	ccfc_ids_push(&index->file_reads, CCFC_ID_NONE);
	index->sidechain =
		ccfc_strtab_put(&index->strings, CCFC_SLICE_LIT("sidechain"));
	index->dirty.files_from = 1;
	index->epoch = 1;
	index->home = home ? ccfc_strdup(home) : NULL;
	return index;
}

static void release_sources(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sources.n; i++)
		free(index->sources.items[i].open.items);
	free(index->sources.items);
}

static void release_sessions(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sessions.n; i++) {
		free(index->sessions.items[i].branches.items);
		free(index->sessions.items[i].models.items);
		free(index->sessions.items[i].sources.items);
		free(index->sessions.items[i].changes.items);
		free(index->sessions.items[i].ties.items);
	}
	free(index->sessions.items);
}

static void release_said(struct ccfc_index *index)
{
	free(index->parts.items);
	free(index->says.items);
	free(index->uses.items);
	free(index->looks.items);
	free(index->leaves.items);
	free(index->summaries.items);
	free(index->file_reads.items);
	free(index->shared.items);
	free(index->touched_messages.items);
	free(index->dirty.parts.items);
	free(index->dirty.says.items);
	free(index->dirty.uses.items);
	free(index->dirty.looks.items);
	free(index->dirty.leaves.items);
	free(index->dirty.summaries.items);
	ccfc_map_release(&index->part_map);
	ccfc_map_release(&index->say_map);
	ccfc_map_release(&index->use_map);
	ccfc_map_release(&index->look_map);
	ccfc_map_release(&index->leaf_map);
	ccfc_map_release(&index->summary_map);
}

static void release_dirty(struct ccfc_index *index)
{
	free(index->dirty.sources.items);
	free(index->dirty.sessions.items);
	free(index->dirty.changes.items);
	free(index->dirty.obs.items);
	free(index->dirty.orphans.items);
	free(index->dirty.prompts.items);
	free(index->dirty.backups.items);
	free(index->touched_changes.items);
	free(index->touched_sources.items);
	free(index->tied.items);
}

void ccfc_index_free(struct ccfc_index *index)
{
	if (!index)
		return;
	release_sources(index);
	release_sessions(index);
	release_dirty(index);
	release_said(index);
	for (uint32_t i = 0; i < index->files.n; i++)
		free(index->files.items[i].items);
	free(index->files.items);
	free(index->changes.items);
	free(index->obs.items);
	free(index->orphans.items);
	free(index->prompts.items);
	free(index->ties.items);
	free(index->backups.items);
	free(index->unknown_types.items);
	free(index->events.items);
	free(index->log.items);
	ccfc_map_release(&index->source_map);
	ccfc_map_release(&index->change_map);
	ccfc_map_release(&index->orphan_map);
	ccfc_map_release(&index->prompt_map);
	ccfc_map_release(&index->tie_map);
	ccfc_map_release(&index->backup_map);
	ccfc_map_release(&index->backup_keys);
	ccfc_arena_release(&index->ids);
	ccfc_strtab_release(&index->strings);
	ccfc_strtab_release(&index->session_ids);
	ccfc_strtab_release(&index->file_paths);
	ccfc_buf_release(&index->scratch);
	free(index->home);
	free(index);
}

/* --- marks --- */

void ccfc_index_mark_source(struct ccfc_index *index, uint32_t source)
{
	if (index->sources.items[source].dirty)
		return;
	index->sources.items[source].dirty = true;
	ccfc_ids_push(&index->dirty.sources, source);
}

void ccfc_index_mark_session(struct ccfc_index *index, uint32_t session)
{
	if (!session || index->sessions.items[session].dirty)
		return;
	index->sessions.items[session].dirty = true;
	ccfc_ids_push(&index->dirty.sessions, session);
}

void ccfc_index_mark_change(struct ccfc_index *index, uint32_t change)
{
	if (index->changes.items[change].dirty)
		return;
	index->changes.items[change].dirty = true;
	ccfc_ids_push(&index->dirty.changes, change);
}

void ccfc_index_touch_change(struct ccfc_index *index, uint32_t change)
{
	if (index->changes.items[change].touched)
		return;
	index->changes.items[change].touched = true;
	ccfc_ids_push(&index->touched_changes, change);
}

/* --- sources --- */

static bool same_source(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_slice *path = key;

	return ccfc_slice_eq(
		ccfc_index_str(index, index->sources.items[id].path), *path);
}

uint32_t ccfc_index_source_find(const struct ccfc_index *index,
				struct ccfc_slice path)
{
	return ccfc_map_get(&index->source_map, ccfc_hash_slice(path),
			    same_source, index, &path);
}

static void name_source(struct ccfc_index *index, uint32_t id,
			struct ccfc_slice path, const struct ccfc_name *name)
{
	uint32_t session = ccfc_index_session(index, name->session);
	struct ccfc_source *source = &index->sources.items[id];

	source->path = ccfc_strtab_put(&index->strings, path);
	source->session = session;
	source->agent = ccfc_strtab_put(&index->strings, name->agent);
	source->is_agent = name->kind == CCFC_NAME_AGENT;
	ccfc_map_put(&index->source_map, ccfc_hash_slice(path), id);
	ccfc_index_mark_source(index, id);
}

uint32_t ccfc_index_source(struct ccfc_index *index, struct ccfc_slice path,
			   const struct ccfc_name *name)
{
	uint32_t id = ccfc_index_source_find(index, path);

	if (id != CCFC_ID_NONE)
		return id;
	id = index->sources.n;
	CCFC_VEC_PUSH(index->sources, (struct ccfc_source){ 0 });
	name_source(index, id, path, name);
	return id;
}

void ccfc_index_source_move(struct ccfc_index *index, uint32_t source,
			    struct ccfc_slice path,
			    const struct ccfc_name *name)
{
	name_source(index, source, path, name);
	index->sources.items[source].gone = false;
}

void ccfc_index_source_touch(struct ccfc_index *index, uint32_t source)
{
	ccfc_index_mark_source(index, source);
	if (index->sources.items[source].touched)
		return;
	index->sources.items[source].touched = true;
	ccfc_ids_push(&index->touched_sources, source);
}

void ccfc_index_source_reset(struct ccfc_index *index, uint32_t source)
{
	struct ccfc_source *s = &index->sources.items[source];

	s->gen++;
	memset(&s->cursor, 0, sizeof(s->cursor));
	memset(s->turn, 0, sizeof(s->turn));
	memset(s->message, 0, sizeof(s->message));
	memset(s->lines, 0, sizeof(s->lines));
	s->too_long = 0;
	s->damaged = 0;
	ccfc_index_source_touch(index, source);
}

void ccfc_index_source_gone(struct ccfc_index *index, uint32_t source,
			    bool gone)
{
	if (index->sources.items[source].gone == gone)
		return;
	index->sources.items[source].gone = gone;
	ccfc_index_mark_source(index, source);
}

/* --- rows with an id of their own --- */

uint32_t ccfc_index_session(struct ccfc_index *index, struct ccfc_slice id)
{
	uint32_t session = ccfc_strtab_put(&index->session_ids, id);

	if (session == index->sessions.n) {
		CCFC_VEC_PUSH(index->sessions, NO_SESSION);
		ccfc_index_mark_session(index, session);
	}
	return session;
}

uint32_t ccfc_index_file(struct ccfc_index *index, struct ccfc_slice path)
{
	uint32_t file = ccfc_strtab_put(&index->file_paths, path);

	if (file == index->files.n) {
		CCFC_VEC_PUSH(index->files, (struct ccfc_ids){ 0 });
		ccfc_ids_push(&index->file_reads, CCFC_ID_NONE);
	}
	return file;
}

static bool same_change(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_change *change = &index->changes.items[id];
	const struct ccfc_slice *want = key;

	return ccfc_slice_eq(ccfc_slice(change->id, change->id_len), *want);
}

uint32_t ccfc_index_find_change(const struct ccfc_index *index,
				struct ccfc_slice id)
{
	return ccfc_map_get(&index->change_map, ccfc_hash_slice(id),
			    same_change, index, &id);
}

uint32_t ccfc_index_add_change(struct ccfc_index *index, struct ccfc_slice id)
{
	struct ccfc_change change = { 0 };

	change.id = ccfc_arena_copy(&index->ids, id).ptr;
	change.id_len = (uint16_t)id.len;
	change.call.next = CCFC_ID_NONE;
	CCFC_VEC_PUSH(index->changes, change);
	ccfc_map_put(&index->change_map, ccfc_hash_slice(id),
		     index->changes.n - 1);
	return index->changes.n - 1;
}

static bool same_orphan(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_orphan *orphan = &index->orphans.items[id];
	const struct ccfc_slice *want = key;

	return !orphan->taken &&
	       ccfc_slice_eq(ccfc_slice(orphan->id, orphan->id_len), *want);
}

uint32_t ccfc_index_find_orphan(const struct ccfc_index *index,
				struct ccfc_slice id)
{
	return ccfc_map_get(&index->orphan_map, ccfc_hash_slice(id),
			    same_orphan, index, &id);
}

uint32_t ccfc_index_add_orphan(struct ccfc_index *index, struct ccfc_slice id)
{
	struct ccfc_orphan orphan = { 0 };

	orphan.id = ccfc_arena_copy(&index->ids, id).ptr;
	orphan.id_len = (uint16_t)id.len;
	CCFC_VEC_PUSH(index->orphans, orphan);
	ccfc_map_put(&index->orphan_map, ccfc_hash_slice(id),
		     index->orphans.n - 1);
	return index->orphans.n - 1;
}

void ccfc_index_take_orphan(struct ccfc_index *index, uint32_t orphan)
{
	index->orphans.items[orphan].taken = true;
	index->orphans.taken++;
	ccfc_ids_push(&index->dirty.orphans, orphan);
}

void ccfc_index_drop_taken(struct ccfc_index *index)
{
	uint32_t kept = 0;

	if (index->orphans.taken < 64 ||
	    index->orphans.taken < index->orphans.n / 2)
		return;
	ccfc_map_clear(&index->orphan_map);
	for (uint32_t i = 0; i < index->orphans.n; i++) {
		struct ccfc_orphan *o = &index->orphans.items[i];

		if (o->taken)
			continue;
		ccfc_map_put(&index->orphan_map, ccfc_hash(o->id, o->id_len),
			     kept);
		index->orphans.items[kept++] = *o;
	}
	index->orphans.n = kept;
	index->orphans.taken = 0;
}

struct pair_key {
	uint32_t session;
	uint64_t second;
};

static uint64_t pair_hash(uint32_t session, uint64_t second)
{
	uint64_t both[2] = { session, second };

	return ccfc_hash(both, sizeof(both));
}

static bool same_prompt(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_prompt *prompt = &index->prompts.items[id];
	const struct pair_key *want = key;

	return prompt->session == want->session && prompt->uuid == want->second;
}

uint32_t ccfc_index_find_prompt(const struct ccfc_index *index,
				uint32_t session, uint64_t uuid)
{
	struct pair_key key = { session, uuid };

	return ccfc_map_get(&index->prompt_map, pair_hash(session, uuid),
			    same_prompt, index, &key);
}

uint32_t ccfc_index_add_prompt(struct ccfc_index *index, uint32_t session,
			       uint64_t uuid, int64_t time)
{
	struct ccfc_session *s = &index->sessions.items[session];
	struct ccfc_prompt prompt = { .uuid = uuid,
				      .time = time,
				      .place.source = CCFC_ID_NONE,
				      .session = session,
				      .next = s->prompts };

	s->prompts = index->prompts.n;
	CCFC_VEC_PUSH(index->prompts, prompt);
	ccfc_map_put(&index->prompt_map, pair_hash(session, uuid), s->prompts);
	return s->prompts;
}

static uint64_t backup_hash(const struct ccfc_backup_ref *backup)
{
	uint64_t all[4] = { backup->session, backup->key,
			    (uint64_t)backup->version, backup->name };

	return ccfc_hash(all, sizeof(all));
}

static bool same_backup(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_backup_ref *backup = &index->backups.items[id];
	const struct ccfc_backup_ref *want = key;

	return backup->session == want->session && backup->key == want->key &&
	       backup->version == want->version && backup->name == want->name;
}

uint32_t ccfc_index_find_backup(const struct ccfc_index *index,
				const struct ccfc_backup_ref *like)
{
	return ccfc_map_get(&index->backup_map, backup_hash(like), same_backup,
			    index, like);
}

static bool same_backup_key(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_index *index = ctx;
	const struct ccfc_backup_ref *backup = &index->backups.items[id];
	const struct pair_key *want = key;

	return backup->session == want->session && backup->key == want->second;
}

uint32_t ccfc_index_find_backups(const struct ccfc_index *index,
				 uint32_t session, uint32_t key)
{
	struct pair_key want = { session, key };

	return ccfc_map_get(&index->backup_keys, pair_hash(session, key),
			    same_backup_key, index, &want);
}

uint32_t ccfc_index_add_backup(struct ccfc_index *index,
			       const struct ccfc_backup_ref *backup)
{
	struct ccfc_session *s = &index->sessions.items[backup->session];
	struct ccfc_backup_ref fresh = *backup;
	uint32_t id = index->backups.n;
	uint32_t first =
		ccfc_index_find_backups(index, fresh.session, fresh.key);

	fresh.next = fresh.next_key = CCFC_ID_NONE;
	if (first != CCFC_ID_NONE) {
		fresh.next = index->backups.items[first].next;
		index->backups.items[first].next = id;
	} else {
		fresh.next_key = s->backups;
		s->backups = id;
		ccfc_map_put(&index->backup_keys,
			     pair_hash(fresh.session, fresh.key), id);
	}
	CCFC_VEC_PUSH(index->backups, fresh);
	ccfc_map_put(&index->backup_map, backup_hash(&fresh), id);
	return id;
}

void ccfc_index_new_epoch(struct ccfc_index *index)
{
	/* The time, so that an epoch whose store was lost does not come
	 * again. */
	uint64_t now = (uint64_t)ccfc_time_now();

	index->epoch = now > index->epoch ? now : index->epoch + 1;
}
