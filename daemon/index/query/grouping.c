/*
 * Changes put together; see grouping.h. Ids are gathered into flat rows, sorted
 * once, and cut into groups. Rows name changes by number, because the index's
 * arrays may move between two pieces.
 */
#include "index/query/grouping.h"

#include "index/index_internal.h"

#include <stdlib.h>

/* --- the order of changes --- */

static int compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static struct ccfc_slice transcript_of(const struct ccfc_index *index,
				       const struct ccfc_observation *call)
{
	return ccfc_index_str(index,
			      index->sources.items[call->place.source].path);
}

/* By the line of the call; changes without one come last. */
static int compare_places(const struct ccfc_index *index,
			  const struct ccfc_observation *x,
			  const struct ccfc_observation *y)
{
	if (!x->known || !y->known)
		return y->known - x->known;
	if (x->place.source != y->place.source)
		return ccfc_slice_cmp(transcript_of(index, x),
				      transcript_of(index, y));
	return (x->place.offset > y->place.offset) -
	       (x->place.offset < y->place.offset);
}

/* By time; within a millisecond by place in the transcript, then by id. */
static int compare_changes(const struct ccfc_grouped *a,
			   const struct ccfc_grouped *b)
{
	int r = compare_times(a->time, b->time);
	const struct ccfc_change *x, *y;

	if (r)
		return r;
	x = &a->index->changes.items[a->change];
	y = &a->index->changes.items[b->change];
	r = compare_places(a->index, &x->call, &y->call);
	if (!r)
		r = (int)x->part - (int)y->part;
	return r ? r
		 : ccfc_slice_cmp(ccfc_slice(x->id, x->id_len),
				  ccfc_slice(y->id, y->id_len));
}

static int compare_rows(const void *x, const void *y)
{
	const struct ccfc_grouped *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return compare_changes(a, b);
}

/* --- gathering --- */

static const struct ccfc_ids *changes_to_group(const struct ccfc_grouping *g)
{
	return g->file ? &g->index->files.items[g->file]
		       : &g->index->sessions.items[g->session].changes;
}

static void begin_grouping(struct ccfc_grouping *g,
			   const struct ccfc_index *index,
			   const struct ccfc_filter *filter,
			   struct ccfc_arena *arena)
{
	g->index = index;
	g->filter = filter;
	g->arena = arena;
	g->most = changes_to_group(g)->n;
	g->rows = ccfc_arena_alloc(arena, g->most * sizeof(*g->rows));
}

void ccfc_group_by_session(struct ccfc_grouping *g,
			   const struct ccfc_index *index, uint32_t file,
			   const struct ccfc_filter *filter,
			   struct ccfc_arena *arena)
{
	*g = (struct ccfc_grouping){ .index = index, .file = file };
	begin_grouping(g, index, filter, arena);
}

void ccfc_group_by_file(struct ccfc_grouping *g, const struct ccfc_index *index,
			uint32_t session, const struct ccfc_filter *filter,
			struct ccfc_arena *arena)
{
	*g = (struct ccfc_grouping){ .index = index, .session = session };
	begin_grouping(g, index, filter, arena);
}

static bool is_grouped(const struct ccfc_grouping *g,
		       const struct ccfc_change *c)
{
	if (!ccfc_filter_accepts_change(g->index, g->filter, c))
		return false;
	return g->file ||
	       (c->file &&
		ccfc_filter_accepts_path(
			g->filter, ccfc_index_file_path(g->index, c->file)));
}

/* False when all have been examined. */
static bool gather_some_rows(struct ccfc_grouping *g, uint32_t *left)
{
	const struct ccfc_ids *ids = changes_to_group(g);

	for (; g->at < g->most && g->at < ids->n; g->at++) {
		const struct ccfc_change *c =
			&g->index->changes.items[ids->items[g->at]];

		if (!*left)
			return true;
		--*left;
		if (!is_grouped(g, c))
			continue;
		g->rows[g->n++] =
			(struct ccfc_grouped){ g->file ? c->session : c->file,
					       ids->items[g->at],
					       ccfc_index_time(c), g->index };
	}
	return false;
}

/* --- groups --- */

/* Cuts sorted rows into groups of the same key. */
static void cut_rows(struct ccfc_grouping *g)
{
	uint32_t *ids = ccfc_arena_alloc(g->arena, g->n * sizeof(*ids));
	struct ccfc_groups *out = &g->out;

	out->items = ccfc_arena_alloc(g->arena, g->n * sizeof(*out->items));
	out->nchanges = g->n;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct ccfc_grouped *row = &g->rows[i];

		ids[i] = row->change;
		if (!out->n || out->items[out->n - 1].key != row->key)
			out->items[out->n++] =
				(struct ccfc_group){ .key = row->key,
						     .changes = ids + i,
						     .first = row->time };
		out->items[out->n - 1].nchanges++;
		out->items[out->n - 1].last = row->time;
	}
}

/* Groups with their names, for sorting. */
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

static void put_in_order(struct ccfc_grouping *g)
{
	struct ccfc_groups *groups = &g->out;
	const struct ccfc_strtab *names =
		g->file ? &g->index->session_ids : &g->index->file_paths;
	struct named *list =
		ccfc_arena_alloc(g->arena, groups->n * sizeof(*list));

	for (uint32_t i = 0; i < groups->n; i++)
		list[i] =
			(struct named){ groups->items[i],
					ccfc_strtab_get(names,
							groups->items[i].key) };
	if (groups->n)
		qsort(list, groups->n, sizeof(*list),
		      g->file ? by_last_desc : by_first);
	for (uint32_t i = 0; i < groups->n; i++)
		groups->items[i] = list[i].group;
}

bool ccfc_grouping_some(struct ccfc_grouping *g, uint32_t rows)
{
	size_t size;

	if (!g->is_sorting && gather_some_rows(g, &rows))
		return true;
	if (!g->is_sorting) {
		size = g->n * sizeof(*g->rows);
		ccfc_sorting_init(&g->sorting, g->rows,
				  ccfc_arena_alloc(g->arena, size), g->n,
				  sizeof(*g->rows), compare_rows);
		g->is_sorting = true;
	}
	if (ccfc_sorting_some(&g->sorting, rows))
		return true;
	g->rows = (struct ccfc_grouped *)(void *)g->sorting.items;
	cut_rows(g);
	put_in_order(g);
	return false;
}

void ccfc_query_session_files(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t session,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena)
{
	struct ccfc_grouping g;

	ccfc_group_by_file(&g, index, session, filter, arena);
	while (ccfc_grouping_some(&g, UINT32_MAX))
		;
	*out = g.out;
}

void ccfc_query_file_sessions(struct ccfc_groups *out,
			      const struct ccfc_index *index, uint32_t file,
			      const struct ccfc_filter *filter,
			      struct ccfc_arena *arena)
{
	struct ccfc_grouping g;

	ccfc_group_by_session(&g, index, file, filter, arena);
	while (ccfc_grouping_some(&g, UINT32_MAX))
		;
	*out = g.out;
}

/* --- files that a filter leaves --- */

void ccfc_match_begin(struct ccfc_matching *m, const struct ccfc_index *index,
		      const struct ccfc_filter *filter,
		      struct ccfc_arena *arena)
{
	*m = (struct ccfc_matching){
		.items = ccfc_arena_alloc(arena,
					  index->files.n * sizeof(*m->items)),
		.index = index,
		.filter = filter,
		.arena = arena,
		.files = index->files.n,
		.file = 1,
	};
}

/* Is the change the file's last one so far? */
static void note_change(struct ccfc_matching *m, uint32_t id)
{
	const struct ccfc_change *c = &m->index->changes.items[id];
	struct ccfc_grouped row = { 0, id, ccfc_index_time(c), m->index };

	if (!ccfc_filter_accepts_change(m->index, m->filter, c))
		return;
	if (!m->has || compare_changes(&row, &m->best) > 0)
		m->best = row;
	m->has = true;
}

/* Some changes of the file; false when all have been examined. */
static bool match_file(struct ccfc_matching *m, struct ccfc_slice path,
		       uint32_t *left)
{
	const struct ccfc_ids *ids = &m->index->files.items[m->file];

	if (!ids->n || (!m->at && !ccfc_filter_accepts_path(m->filter, path)))
		return false;
	for (; m->at < ids->n; m->at++) {
		if (!*left)
			return true;
		--*left;
		note_change(m, ids->items[m->at]);
	}
	return false;
}

/* False when all files have been examined. */
static bool find_some_files(struct ccfc_matching *m, uint32_t *left)
{
	for (; m->file < m->files; m->file++) {
		struct ccfc_slice path =
			ccfc_index_file_path(m->index, m->file);

		if (!*left)
			return true;
		--*left;
		if (match_file(m, path, left))
			return true;
		if (m->has)
			m->items[m->n++] =
				(struct ccfc_matched){ m->file, m->best.change,
						       m->best.time, path };
		m->at = 0;
		m->has = false;
	}
	return false;
}

static int latest_first(const void *x, const void *y)
{
	const struct ccfc_matched *a = x, *b = y;
	int r = compare_times(b->last, a->last);

	return r ? r : ccfc_slice_cmp(a->path, b->path);
}

bool ccfc_match_some(struct ccfc_matching *m, uint32_t rows)
{
	if (!m->is_sorting && find_some_files(m, &rows))
		return true;
	if (!m->is_sorting) {
		ccfc_sorting_init(
			&m->sorting, m->items,
			ccfc_arena_alloc(m->arena, m->n * sizeof(*m->items)),
			m->n, sizeof(*m->items), latest_first);
		m->is_sorting = true;
	}
	if (ccfc_sorting_some(&m->sorting, rows))
		return true;
	m->items = (struct ccfc_matched *)(void *)m->sorting.items;
	return false;
}
