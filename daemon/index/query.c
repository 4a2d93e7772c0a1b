/*
 * Questions to the index; see query.h. Ids are gathered into flat rows with
 * the sort keys beside them, sorted once, and cut into groups.
 */
#include "index/query.h"

#include "base/path.h"
#include "base/time.h"
#include "index/glob.h"
#include "index/index_internal.h"

#include <stdlib.h>

/* --- filters --- */

static bool has_slice(const struct ccfc_slice *items, uint32_t n,
		      struct ccfc_slice s)
{
	for (uint32_t i = 0; i < n; i++)
		if (ccfc_slice_eq(items[i], s))
			return true;
	return false;
}

static bool is_below_any(const struct ccfc_slice *dirs, uint32_t n,
			 struct ccfc_slice path)
{
	for (uint32_t i = 0; i < n; i++)
		if (ccfc_path_is_below(path, dirs[i]))
			return true;
	return false;
}

static bool accepts_path(const struct ccfc_filter *f, struct ccfc_slice path)
{
	if (f->nextensions && !has_slice(f->extensions, f->nextensions,
					 ccfc_path_extension(path)))
		return false;
	if (f->ndirectories &&
	    !is_below_any(f->directories, f->ndirectories, path))
		return false;
	return !f->glob || ccfc_glob_match(f->glob, path);
}

bool ccfc_filter_accepts_session(const struct ccfc_index *index,
				 const struct ccfc_filter *f, uint32_t session)
{
	uint32_t project = index->sessions.items[session].project;

	if (f->session && f->session != session)
		return false;
	return !f->project.len ||
	       (project &&
		ccfc_path_is_below(ccfc_index_str(index, project), f->project));
}

bool ccfc_filter_accepts_time(const struct ccfc_filter *f, int64_t time)
{
	if ((f->has_from || f->has_to) && time == CCFC_TIME_NONE)
		return false;
	return (!f->has_from || time >= f->from) &&
	       (!f->has_to || time <= f->to);
}

/* All but the path, which callers that go by file check once. */
static bool accepts_change(const struct ccfc_index *index,
			   const struct ccfc_filter *f,
			   const struct ccfc_change *c)
{
	int64_t time = ccfc_index_time(c);

	if (!c->settled || (f->states && !(f->states & (1u << c->state))))
		return false;
	if (!ccfc_filter_accepts_time(f, time))
		return false;
	if (f->ntools &&
	    !has_slice(f->tools, f->ntools, ccfc_index_tool(index, c)))
		return false;
	if (!ccfc_filter_accepts_session(index, f, c->session))
		return false;
	return !f->proofs || f->proofs & (1u << ccfc_query_proof(index, c));
}

bool ccfc_filter_accepts(const struct ccfc_index *index,
			 const struct ccfc_filter *filter,
			 const struct ccfc_change *change)
{
	return accepts_change(index, filter, change) &&
	       accepts_path(filter, ccfc_index_file_path(index, change->file));
}

/* --- gathering and grouping --- */

struct row {
	uint32_t key; /* file or session */
	uint32_t change;
	int64_t time;
	const struct ccfc_change *c;
	struct ccfc_slice path; /* of the call's transcript */
};

struct rows {
	struct row *items;
	uint32_t n;
};

static int compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By the line of the call; those that have none behind those that do. */
static int compare_places(const struct row *a, const struct row *b)
{
	const struct ccfc_observation *x = &a->c->call, *y = &b->c->call;

	if (!x->known || !y->known)
		return y->known - x->known;
	if (x->place.source != y->place.source)
		return ccfc_slice_cmp(a->path, b->path);
	return (x->place.offset > y->place.offset) -
	       (x->place.offset < y->place.offset);
}

/* By time; within a millisecond by place in the transcript, then by id. */
static int compare_changes(const struct row *a, const struct row *b)
{
	int r = compare_times(a->time, b->time);

	if (!r)
		r = compare_places(a, b);
	if (!r)
		r = (int)a->c->part - (int)b->c->part;
	return r ? r
		 : ccfc_slice_cmp(ccfc_slice(a->c->id, a->c->id_len),
				  ccfc_slice(b->c->id, b->c->id_len));
}

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return compare_changes(a, b);
}

static struct ccfc_slice transcript_of(const struct ccfc_index *index,
				       const struct ccfc_change *c)
{
	uint32_t source = c->call.place.source;

	if (!c->call.known)
		return CCFC_SLICE_NONE;
	return ccfc_index_str(index, index->sources.items[source].path);
}

static void gather_query(struct rows *rows, const struct ccfc_index *index,
			 const struct ccfc_ids *ids, bool by_session,
			 const struct ccfc_filter *filter, bool check_path)
{
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (!accepts_change(index, filter, c))
			continue;
		if (check_path &&
		    (!c->file ||
		     !accepts_path(filter,
				   ccfc_index_file_path(index, c->file))))
			continue;
		rows->items[rows->n++] =
			(struct row){ by_session ? c->session : c->file,
				      ids->items[i], ccfc_index_time(c), c,
				      transcript_of(index, c) };
	}
}

/* Cuts sorted rows into groups of the same key. */
static void cut_query(struct ccfc_groups *out, struct rows *rows,
		      struct ccfc_arena *arena)
{
	uint32_t *ids = ccfc_arena_alloc(arena, rows->n * sizeof(*ids));

	if (rows->n)
		qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
	out->items = ccfc_arena_alloc(arena, rows->n * sizeof(*out->items));
	out->n = 0;
	out->nchanges = rows->n;
	for (uint32_t i = 0; i < rows->n; i++) {
		struct ccfc_group *g;

		ids[i] = rows->items[i].change;
		if (!out->n || out->items[out->n - 1].key != rows->items[i].key)
			out->items[out->n++] = (struct ccfc_group){
				.key = rows->items[i].key,
				.changes = ids + i,
				.first = rows->items[i].time
			};
		g = &out->items[out->n - 1];
		g->nchanges++;
		g->last = rows->items[i].time;
	}
}

/* Groups with their names beside them, for sorting. */
struct named {
	struct ccfc_group group;
	struct ccfc_slice name;
};

static int by_first(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int r = compare_times(a->group.first, b->group.first);

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static int by_last_desc(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int r = compare_times(b->group.last, a->group.last);

	return r ? r : ccfc_slice_cmp(a->name, b->name);
}

static void order(struct ccfc_groups *groups, const struct ccfc_strtab *names,
		  int (*cmp)(const void *, const void *),
		  struct ccfc_arena *arena)
{
	struct named *list = ccfc_arena_alloc(arena, groups->n * sizeof(*list));

	for (uint32_t i = 0; i < groups->n; i++)
		list[i] =
			(struct named){ groups->items[i],
					ccfc_strtab_get(names,
							groups->items[i].key) };
	if (groups->n)
		qsort(list, groups->n, sizeof(*list), cmp);
	for (uint32_t i = 0; i < groups->n; i++)
		groups->items[i] = list[i].group;
}

static void rows_init(struct rows *rows, size_t n, struct ccfc_arena *arena)
{
	rows->items = ccfc_arena_alloc(arena, n * sizeof(*rows->items));
	rows->n = 0;
}

void ccfc_query_session_files(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t session,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].changes;
	struct rows rows;

	rows_init(&rows, ids->n, arena);
	gather_query(&rows, index, ids, false, filter, true);
	cut_query(out, &rows, arena);
	order(out, &index->file_paths, by_first, arena);
}

void ccfc_query_file_sessions(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t file,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena)
{
	const struct ccfc_ids *ids = &index->files.items[file];
	struct rows rows;

	rows_init(&rows, ids->n, arena);
	gather_query(&rows, index, ids, true, filter, false);
	cut_query(out, &rows, arena);
	order(out, &index->session_ids, by_last_desc, arena);
}

uint32_t ccfc_query_file(const struct ccfc_index *index, struct ccfc_slice path)
{
	uint32_t file = ccfc_strtab_find(&index->file_paths, path);

	return file == CCFC_ID_NONE ? 0 : file;
}

void ccfc_query_files(struct ccfc_groups *out, const struct ccfc_index *index,
		      const struct ccfc_filter *filter,
		      struct ccfc_arena *arena)
{
	uint32_t *found =
		ccfc_arena_alloc(arena, index->files.n * sizeof(*found));
	uint32_t n = 0;
	struct rows rows;
	size_t most = 0;

	/* Paths first: few files match a pattern, and they bound the rows. */
	for (uint32_t f = 1; f < index->files.n; f++) {
		if (!index->files.items[f].n ||
		    !accepts_path(filter, ccfc_index_file_path(index, f)))
			continue;
		most += index->files.items[f].n;
		found[n++] = f;
	}
	rows_init(&rows, most, arena);
	for (uint32_t i = 0; i < n; i++)
		gather_query(&rows, index, &index->files.items[found[i]], false,
			     filter, false);
	cut_query(out, &rows, arena);
	order(out, &index->file_paths, by_last_desc, arena);
}

/* --- events --- */

uint32_t ccfc_query_log(const struct ccfc_index *index, uint64_t seq)
{
	uint32_t lo = 0, hi = index->log.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (index->log.items[mid].seq > seq)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* --- single facts --- */

enum ccfc_op ccfc_query_group_op(const struct ccfc_index *index,
				 const struct ccfc_group *group)
{
	const struct ccfc_change *first =
		&index->changes.items[group->changes[0]];
	const struct ccfc_change *last =
		&index->changes.items[group->changes[group->nchanges - 1]];

	if (last->result.op == CCFC_OP_DELETED)
		return CCFC_OP_DELETED;
	if (first->result.op == CCFC_OP_CREATED ||
	    ccfc_index_op(first) == CCFC_OP_RENAMED)
		return ccfc_index_op(first);
	return group->nchanges == 1 ? ccfc_index_op(last) : CCFC_OP_MODIFIED;
}

static bool has_applied(const struct ccfc_index *index,
			const struct ccfc_ids *changes)
{
	for (uint32_t i = 0; i < changes->n; i++)
		if (index->changes.items[changes->items[i]].state ==
		    CCFC_STATE_APPLIED)
			return true;
	return false;
}

static void count_shell(struct ccfc_totals *out, const struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (!c->shell || !c->settled)
			continue;
		if (ccfc_index_is_command(c)) {
			out->commands++;
			out->unknown_commands += ccfc_index_is_unknown(c);
		} else {
			out->shell_changes += c->state == CCFC_STATE_APPLIED;
		}
	}
}

void ccfc_query_totals(struct ccfc_totals *out, const struct ccfc_index *index)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 1; i < index->sessions.n; i++)
		out->sessions += index->sessions.items[i].seen;
	for (uint32_t i = 1; i < index->files.n; i++)
		out->files += has_applied(index, &index->files.items[i]);
	memcpy(out->by_state, index->by_state, sizeof(out->by_state));
	count_shell(out, index);
	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];

		out->sources_gone += s->gone;
		out->sources_present += !s->gone;
		out->bytes += s->gone ? 0 : s->cursor.offset;
		for (int k = 0; k < CCFC_RECORD_KINDS; k++)
			out->lines[k] += s->lines[k];
		out->too_long += s->too_long;
		out->damaged += s->damaged;
	}
}
