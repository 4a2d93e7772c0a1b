/*
 * What an excerpt has besides its changes: prompts of the sessions, backups of
 * the files, which transcripts looked at them, files that were moved, commands
 * that may explain what nothing else does; see excerpt.h.
 */
#include "index/excerpt/excerpt_impl.h"

#include "base/alloc.h"
#include "base/path.h"
#include "index/index_internal.h"

#include <stdlib.h>

void ccfc_excerpt_copy_prompts(struct ccfc_excerpt_copying *c, uint32_t own)
{
	uint32_t home = c->ex->sessions.items[own];
	uint32_t id = c->from->sessions.items[home].prompts;

	for (; id != CCFC_ID_NONE; id = c->from->prompts.items[id].next) {
		const struct ccfc_prompt *p = &c->from->prompts.items[id];
		struct ccfc_prompt copy = *p;

		if (p->place.source == CCFC_ID_NONE)
			continue;
		copy.session = own;
		copy.place.source = ccfc_excerpt_source(c, p->place.source);
		ccfc_index_add_prompt(c->to, &copy);
	}
}

void ccfc_excerpt_know_backups(struct ccfc_excerpt_copying *c, uint32_t own)
{
	struct ccfc_slice path = ccfc_index_file_path(c->to, own);
	char hash[CCFC_BACKUP_HASH + 1];

	ccfc_query_backup_hash(hash, path);
	ccfc_strtab_put(&c->backup_ends, ccfc_path_basename(path));
	ccfc_strtab_put(&c->backup_starts, ccfc_slice_str(hash));
}

/* May the key be one of the files'? ccfc_query_backups looks closer. */
static bool may_be_backup_of_files(const struct ccfc_excerpt_copying *c,
				   uint32_t first)
{
	const struct ccfc_index *from = c->from;
	struct ccfc_slice end = ccfc_path_basename(
		ccfc_index_str(from, from->backups.items[first].key));

	if (!end.len || end.ptr[0] == '.' ||
	    ccfc_strtab_find(&c->backup_ends, end) != CCFC_ID_NONE)
		return true;
	for (; first != CCFC_ID_NONE; first = from->backups.items[first].next) {
		struct ccfc_slice name =
			ccfc_index_str(from, from->backups.items[first].name);

		if (name.len > CCFC_BACKUP_HASH)
			name.len = CCFC_BACKUP_HASH;
		if (ccfc_strtab_find(&c->backup_starts, name) != CCFC_ID_NONE &&
		    name.len)
			return true;
	}
	return false;
}

static void copy_key(struct ccfc_excerpt_copying *c, uint32_t own, uint32_t id)
{
	for (; id != CCFC_ID_NONE; id = c->from->backups.items[id].next) {
		struct ccfc_backup_ref ref = c->from->backups.items[id];

		ref.session = own;
		ref.key = ccfc_excerpt_string(c, ref.key);
		ref.name = ccfc_excerpt_string(c, ref.name);
		ccfc_index_add_backup(c->to, &ref);
	}
}

void ccfc_excerpt_copy_backups(struct ccfc_excerpt_copying *c, uint32_t own)
{
	uint32_t home = c->ex->sessions.items[own];
	uint32_t id = c->from->sessions.items[home].backups;

	for (; id != CCFC_ID_NONE; id = c->from->backups.items[id].next_key)
		if (may_be_backup_of_files(c, id))
			copy_key(c, own, id);
}

/* The last events of a file, at most. */
#define SEEN_MAX 1024

void ccfc_excerpt_copy_seen(struct ccfc_excerpt_copying *c, uint32_t own)
{
	uint32_t id = ccfc_index_last_seen(c->from, c->ex->files.items[own]);
	struct ccfc_disk_event later = { 0 };

	for (int n = 0; id != CCFC_ID_NONE && n < SEEN_MAX; n++) {
		struct ccfc_disk_event e = c->from->disk_events.items[id];

		id = e.next;
		if (!e.gone && ccfc_index_is_outside(c->from, &e)) {
			struct ccfc_disk_event copy = e;

			copy.file = own;
			copy.holds = ccfc_disk_leads_to(&e, &later);
			copy.before_key = ccfc_excerpt_string(c, e.before_key);
			copy.after_key = ccfc_excerpt_string(c, e.after_key);
			ccfc_index_add_disk_event(c->to, &copy);
		}
		later = e;
	}
}

void ccfc_excerpt_copy_effects(struct ccfc_excerpt_copying *c, uint32_t own)
{
	struct ccfc_disk_effect effect;
	const struct ccfc_change *home =
		&c->from->changes.items[c->ex->changes.items[own]];

	if (!ccfc_index_effect(&effect, c->from, home))
		return;
	effect.change = own;
	effect.before_key = ccfc_excerpt_string(c, effect.before_key);
	effect.after_key = ccfc_excerpt_string(c, effect.after_key);
	CCFC_VEC_PUSH(c->to->effects_seen, effect);
}

static void add_looked(struct ccfc_excerpt_copying *c, uint32_t file,
		       uint32_t source)
{
	const struct ccfc_looked look = { file, source };
	const struct ccfc_looked *last;

	if (c->looked.n) {
		last = &c->looked.items[c->looked.n - 1];
		if (last->file == file && last->source == source)
			return;
	}
	CCFC_VEC_PUSH(c->looked, look);
}

/* All transcripts that show the message of the call. */
static void copy_look(struct ccfc_excerpt_copying *c, uint32_t file,
		      const struct ccfc_read_ref *look)
{
	uint32_t say = c->from->calls.items[look->call].message;

	if (say == CCFC_ID_NONE)
		add_looked(c, file, CCFC_ID_NONE);
	for (; say != CCFC_ID_NONE; say = c->from->messages.items[say].next) {
		uint32_t part = c->from->messages.items[say].session_source;
		uint32_t source = ccfc_excerpt_source(
			c, c->from->session_sources.items[part].source);

		if (source != CCFC_ID_NONE)
			add_looked(c, file, source);
	}
}

static int by_file(const void *x, const void *y)
{
	const struct ccfc_looked *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->source > b->source) - (a->source < b->source);
}

/*
 * Files are copied in ascending order, so all reads are in order if those of
 * each file are.
 */
void ccfc_excerpt_copy_looks(struct ccfc_excerpt_copying *c, uint32_t own)
{
	uint32_t home = c->ex->files.items[own], first = c->looked.n;
	uint32_t id = home < c->from->files.n ? c->from->file_reads.items[home]
					      : CCFC_ID_NONE;

	for (; id != CCFC_ID_NONE; id = c->from->reads.items[id].next)
		copy_look(c, own, &c->from->reads.items[id]);
	if (c->looked.n > first + 1)
		qsort(c->looked.items + first, c->looked.n - first,
		      sizeof(*c->looked.items), by_file);
}

void ccfc_excerpt_keep_looks(struct ccfc_excerpt_copying *c)
{
	size_t n = c->looked.n;
	struct ccfc_looked *items =
		ccfc_arena_alloc(&c->ex->arena, (n + 1u) * sizeof(*items));

	if (n)
		memcpy(items, c->looked.items, n * sizeof(*items));
	c->ex->looked = items;
	c->ex->nlooked = c->looked.n;
}

bool ccfc_excerpt_looked(const struct ccfc_excerpt *ex, uint32_t file,
			 uint32_t source)
{
	const struct ccfc_looked any = { file, CCFC_ID_NONE };
	const struct ccfc_looked one = { file, source };

	return bsearch(&one, ex->looked, ex->nlooked, sizeof(one), by_file) ||
	       bsearch(&any, ex->looked, ex->nlooked, sizeof(any), by_file);
}

/* --- other files and groups --- */

uint32_t ccfc_excerpt_moved(uint32_t out[CCFC_EXCERPT_MOVED],
			    const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];
	uint32_t n = 0;

	for (uint32_t i = ids->n; i-- > 0 && n < CCFC_EXCERPT_MOVED;) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];
		uint32_t k = 0;

		if (!c->settled || c->state != CCFC_STATE_APPLIED ||
		    !ccfc_index_is_taken(c))
			continue;
		while (k < n && out[k] != c->other_file)
			k++;
		out[k] = c->other_file;
		n += k == n;
	}
	return n;
}

void ccfc_excerpt_groups(struct ccfc_groups *out, const struct ccfc_excerpt *ex,
			 const struct ccfc_groups *groups, bool by_session,
			 struct ccfc_arena *arena)
{
	const struct ccfc_homes *keys = by_session ? &ex->sessions : &ex->files;

	out->n = groups->n;
	out->nchanges = groups->nchanges;
	out->items =
		ccfc_arena_alloc(arena, (out->n + 1u) * sizeof(*out->items));
	for (uint32_t i = 0; i < out->n; i++) {
		const struct ccfc_group *g = &groups->items[i];
		uint32_t *changes = ccfc_arena_alloc(
			arena, (g->nchanges + 1u) * sizeof(*changes));

		for (uint32_t k = 0; k < g->nchanges; k++)
			changes[k] =
				ccfc_homes_find(&ex->changes, g->changes[k]);
		out->items[i] = *g;
		out->items[i].key = ccfc_homes_find(keys, g->key);
		out->items[i].changes = changes;
	}
}

/* --- commands whose effects are not known --- */

static int by_row(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void ccfc_excerpt_add_commands(struct ccfc_excerpting *e,
			       const struct ccfc_period *spans, uint32_t n)
{
	struct ccfc_ids *ids = &e->commands;

	e->has_commands = true;
	ids->n = 0;
	if (!ccfc_query_commands(ids, e->from, spans, n))
		ids->n = 0;
	if (ids->n)
		qsort(ids->items, ids->n, sizeof(*ids->items), by_row);
	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_ids_push(&e->changes, ids->items[i]);
}

void ccfc_excerpt_keep_commands(struct ccfc_excerpt_copying *c)
{
	const struct ccfc_ids *ids = &c->wanted.commands;
	uint32_t *own =
		ccfc_arena_alloc(&c->ex->arena, (ids->n + 1u) * sizeof(*own));

	for (uint32_t i = 0; i < ids->n; i++)
		own[i] = ccfc_homes_find(&c->ex->changes, ids->items[i]);
	c->ex->commands = own;
	c->ex->ncommands = ids->n;
	c->ex->has_commands = c->wanted.has_commands;
}

/* The index's own row of an inferred change, if there is one. */
static uint32_t find_inferred(const struct ccfc_index *index, uint32_t command,
			      uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (ccfc_index_is_inferred(c) && c->command == command)
			return ids->items[i];
	}
	return CCFC_ID_NONE;
}

uint32_t ccfc_excerpt_infer(struct ccfc_excerpt *ex, uint32_t command,
			    uint32_t file, enum ccfc_op op)
{
	struct ccfc_index *index = ex->index;
	struct ccfc_change c = index->changes.items[command];
	uint32_t known = find_inferred(index, command, file);
	struct ccfc_buf id = CCFC_BUF_INIT;

	if (known != CCFC_ID_NONE)
		return known;
	if (!ex->has_commands || ex->ninferred == CCFC_EXCERPT_INFERRED_MAX)
		return CCFC_ID_NONE;
	ccfc_index_shell_id(&id, &c, ccfc_index_file_path(index, file));
	c.id = ccfc_arena_copy(&index->ids, ccfc_buf_view(&id)).ptr;
	c.id_len = (uint16_t)id.len;
	ccfc_buf_release(&id);
	c.file = c.call.file = c.result.file = file;
	c.call.added = c.call.removed = CCFC_LINES_UNKNOWN;
	c.result.added = c.result.removed = CCFC_LINES_UNKNOWN;
	c.result.op = (uint8_t)op;
	c.result.detail = false;
	c.shell = CCFC_SHELL_INFERRED;
	c.judged = 1 + CCFC_PROOF_INFERRED;
	c.part = 1;
	c.command = command;
	ex->ninferred++;
	CCFC_VEC_PUSH(index->changes, c);
	return index->changes.n - 1;
}
