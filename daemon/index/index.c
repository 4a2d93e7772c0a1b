/*
 * The index as a container: making, finding and marking its rows. merge.c has
 * the meaning of facts, settle.c their visible results.
 */
#include "index/index.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

#include <stdlib.h>

void ccfc_ids_push(struct ccfc_ids *ids, uint32_t id)
{
	CCFC_VEC_PUSH(*ids, id);
}

void ccfc_ids_add(struct ccfc_ids *ids, uint32_t id)
{
	/* Searches from the end: repeated ids are usually recent. */
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
				.session_sources = CCFC_ID_NONE })

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
	ccfc_ids_push(&index->file_shown, CCFC_ID_NONE);
	index->sidechain = ccfc_strtab_put(
		&index->strings, CCFC_SLICE_LIT(CCFC_INDEX_SIDECHAIN));
	ccfc_shell_effects_init(&index->effects);
	index->epoch = 1;
	index->latest = CCFC_TIME_NONE;
	index->home = home ? ccfc_strdup(home) : NULL;
	return index;
}

static void release_sessions(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sessions.n; i++) {
		free(index->sessions.items[i].branches.items);
		free(index->sessions.items[i].models.items);
		free(index->sessions.items[i].pull_requests.items);
		free(index->sessions.items[i].tags.items);
		free(index->sessions.items[i].roots.items);
		free(index->sessions.items[i].sources.items);
		free(index->sessions.items[i].changes.items);
		free(index->sessions.items[i].commands.items);
		free(index->sessions.items[i].ties.items);
		free(index->sessions.items[i].waiting.items);
	}
}

/* Frees what the rows of tables own. */
static void release_rows(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sources.n; i++)
		free(index->sources.items[i].open.items);
	for (uint32_t i = 0; i < index->files.n; i++)
		free(index->files.items[i].items);
	release_sessions(index);
}

void ccfc_index_free(struct ccfc_index *index)
{
	if (!index)
		return;
	release_rows(index);
#define TABLE(rows, row, marks, first) CCFC_TABLE_RELEASE(index->rows);
#include "index/tables.def"
	free(index->file_reads.items);
	free(index->file_events.items);
	free(index->file_shown.items);
	ccfc_contested_release(index);
	free(index->witness.waiting.items);
	free(index->witness.touched.items);
	free(index->doubts.touched.items);
	free(index->doubts.marks.items);
	free(index->shared.items);
	free(index->touched_messages.items);
	free(index->touched_changes.items);
	free(index->touched_sources.items);
	free(index->tied.items);
	free(index->events.items);
	free(index->log.items);
	free(index->rivals.items);
	free(index->effects_seen.items);
	ccfc_map_release(&index->backup_keys);
	ccfc_arena_release(&index->ids);
	ccfc_strtab_release(&index->strings);
	ccfc_strtab_release(&index->session_ids);
	ccfc_strtab_release(&index->file_paths);
	ccfc_buf_release(&index->scratch);
	ccfc_shell_effects_release(&index->effects);
	ccfc_gap_marks_free(index->gap_marks);
	free(index->home);
	free(index);
}

/* --- marks --- */

void ccfc_index_mark_source(struct ccfc_index *index, uint32_t source)
{
	index->revision++;
	CCFC_TABLE_MARK_FLAG(index->sources, source);
}

void ccfc_index_mark_session(struct ccfc_index *index, uint32_t session)
{
	if (session)
		CCFC_TABLE_MARK_FLAG(index->sessions, session);
}

void ccfc_index_mark_change(struct ccfc_index *index, uint32_t change)
{
	CCFC_TABLE_MARK_FLAG(index->changes, change);
}

void ccfc_index_touch_change(struct ccfc_index *index, uint32_t change)
{
	if (index->changes.items[change].touched)
		return;
	index->changes.items[change].touched = true;
	ccfc_ids_push(&index->touched_changes, change);
}

/* --- sources --- */

CCFC_TABLE_FIND(find_source, sources, struct ccfc_source, struct ccfc_slice,
		ccfc_slice_eq(ccfc_index_str(index, r->path), *k))

uint32_t ccfc_index_source_find(const struct ccfc_index *index,
				struct ccfc_slice path)
{
	return find_source(index, ccfc_hash_slice(path), &path);
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
	ccfc_map_put(&index->sources.map, ccfc_hash_slice(path), id);
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
		ccfc_ids_push(&index->file_shown, CCFC_ID_NONE);
		CCFC_TABLE_MARK_LIST(index->files, file);
	}
	return file;
}

CCFC_TABLE_FIND(find_change, changes, struct ccfc_change, struct ccfc_slice,
		ccfc_slice_eq(ccfc_slice(r->id, r->id_len), *k))

uint32_t ccfc_index_find_change(const struct ccfc_index *index,
				struct ccfc_slice id)
{
	return find_change(index, ccfc_hash_slice(id), &id);
}

uint32_t ccfc_index_add_change(struct ccfc_index *index, struct ccfc_slice id)
{
	struct ccfc_change change = { 0 };

	change.id = ccfc_arena_copy(&index->ids, id).ptr;
	change.id_len = (uint16_t)id.len;
	change.call.next = CCFC_ID_NONE;
	change.command = change.next_file = CCFC_ID_NONE;
	change.shell_time = CCFC_TIME_NONE;
	change.began = change.ended = CCFC_TIME_NONE;
	CCFC_TABLE_ADD(index->changes, ccfc_hash_slice(id), change);
	return index->changes.n - 1;
}

CCFC_TABLE_FIND(find_orphan, orphans, struct ccfc_orphan, struct ccfc_slice,
		!r->taken && ccfc_slice_eq(ccfc_slice(r->id, r->id_len), *k))

uint32_t ccfc_index_find_orphan(const struct ccfc_index *index,
				struct ccfc_slice id)
{
	return find_orphan(index, ccfc_hash_slice(id), &id);
}

uint32_t ccfc_index_add_orphan(struct ccfc_index *index, struct ccfc_slice id)
{
	struct ccfc_orphan orphan = { 0 };

	orphan.id = ccfc_arena_copy(&index->ids, id).ptr;
	orphan.id_len = (uint16_t)id.len;
	CCFC_TABLE_ADD(index->orphans, ccfc_hash_slice(id), orphan);
	return index->orphans.n - 1;
}

void ccfc_index_take_orphan(struct ccfc_index *index, uint32_t orphan)
{
	index->orphans.items[orphan].taken = true;
	index->orphans_taken++;
	ccfc_ids_push(&index->orphans.dirty, orphan);
}

void ccfc_index_drop_taken(struct ccfc_index *index)
{
	uint32_t kept = 0;

	if (index->orphans_taken < 64 ||
	    index->orphans_taken < index->orphans.n / 2)
		return;
	ccfc_map_clear(&index->orphans.map);
	for (uint32_t i = 0; i < index->orphans.n; i++) {
		struct ccfc_orphan *o = &index->orphans.items[i];

		if (o->taken)
			continue;
		ccfc_map_put(&index->orphans.map, ccfc_hash(o->id, o->id_len),
			     kept);
		index->orphans.items[kept++] = *o;
	}
	index->orphans.n = kept;
	index->orphans_taken = 0;
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

CCFC_TABLE_FIND(find_prompt, prompts, struct ccfc_prompt, struct pair_key,
		r->session == k->session && r->uuid == k->second)

uint32_t ccfc_index_find_prompt(const struct ccfc_index *index,
				uint32_t session, uint64_t uuid)
{
	struct pair_key key = { session, uuid };

	return find_prompt(index, pair_hash(session, uuid), &key);
}

uint32_t ccfc_index_add_prompt(struct ccfc_index *index,
			       const struct ccfc_prompt *prompt)
{
	struct ccfc_session *s = &index->sessions.items[prompt->session];
	struct ccfc_prompt fresh = *prompt;

	fresh.next = s->prompts;
	s->prompts = index->prompts.n;
	CCFC_TABLE_ADD(index->prompts, pair_hash(fresh.session, fresh.uuid),
		       fresh);
	return s->prompts;
}

static uint64_t backup_hash(const struct ccfc_backup_ref *backup)
{
	uint64_t all[4] = { backup->session, backup->key,
			    (uint64_t)backup->version, backup->name };

	return ccfc_hash(all, sizeof(all));
}

CCFC_TABLE_FIND(find_backup, backups, struct ccfc_backup_ref,
		struct ccfc_backup_ref,
		r->session == k->session && r->key == k->key &&
			r->version == k->version && r->name == k->name)

uint32_t ccfc_index_find_backup(const struct ccfc_index *index,
				const struct ccfc_backup_ref *like)
{
	return find_backup(index, backup_hash(like), like);
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

uint32_t ccfc_index_key_end(struct ccfc_slice path)
{
	struct ccfc_slice name = ccfc_path_basename(path);

	if (!name.len || name.ptr[0] == '.')
		return 0;
	return (uint32_t)ccfc_hash(name.ptr, name.len) | 1;
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
	fresh.key_end = ccfc_index_key_end(ccfc_index_str(index, fresh.key));
	if (first != CCFC_ID_NONE) {
		fresh.next = index->backups.items[first].next;
		index->backups.items[first].next = id;
	} else {
		fresh.next_key = s->backups;
		s->backups = id;
		ccfc_map_put(&index->backup_keys,
			     pair_hash(fresh.session, fresh.key), id);
	}
	CCFC_TABLE_ADD(index->backups, backup_hash(&fresh), fresh);
	return id;
}

void ccfc_index_new_epoch(struct ccfc_index *index)
{
	/* A time, so that an epoch is not repeated after its store was lost. */
	uint64_t now = (uint64_t)ccfc_time_now();

	index->revision++;
	index->epoch = now > index->epoch ? now : index->epoch + 1;
}
