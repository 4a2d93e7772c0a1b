/*
 * index.dump: everything in the index, in one canonical order, without anything
 * that depends on how or when it was read: no clocks, offsets, sources or times
 * of indexing. Two indexes are equal if their dumps are equal byte by byte; so
 * the tests compare a daemon with a cold scan.
 *
 * It is long, so it is made in slices (slices.h), into a spool, and never in
 * memory as a whole. In memory are the totals of all sessions, and the rows of
 * one kind at a time: gathered, sorted, then packed.
 */
#include "serve/methods/index_dump.h"

#include "base/alloc.h"
#include "index/query/sorting.h"
#include "serve/methods/conflict_list.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Limits of one step. */
#define SUM_ROWS    256
#define GATHER_ROWS 2048
#define SORT_ROWS   512
#define PACK_ROWS   64

int ccfc_dump_compare(const void *x, const void *y)
{
	const struct ccfc_dump_row *a = x, *b = y;
	int r = ccfc_slice_cmp(a->name, b->name);

	return r ? r : (a->order > b->order) - (a->order < b->order);
}

/* --- sessions --- */

static uint32_t session_rows(const struct ccfc_index *index)
{
	return index->sessions.n;
}

static bool session_row(struct ccfc_dump_row *out,
			const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	out->name = ccfc_index_session_id(index, id);
	return id && (s->seen || s->changes.n);
}

static bool pack_session(struct ccfc_dump_out *out,
			 const struct ccfc_index *index, uint32_t id)
{
	struct ccfc_pack *p = &out->pack;
	const struct ccfc_session *s = &index->sessions.items[id];

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", "session");
	ccfc_pack_kv_str(p, "sessionId", ccfc_index_session_id(index, id));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_ids(p, "gitBranches", index, &s->branches, true);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_reply_ids(p, "models", index, &s->models, true);
	ccfc_reply_ids(p, "pullRequests", index, &s->pull_requests, true);
	ccfc_reply_ids(p, "directories", index, &s->roots, true);
	ccfc_pack_kv_time(p, "sessionStart", s->start);
	ccfc_pack_kv_time(p, "sessionEnd", s->end);
	ccfc_dump_tally(p, index, id, &out->tallies[id]);
	ccfc_pack_end(p);
	return true;
}

/* --- files --- */

static uint32_t file_rows(const struct ccfc_index *index)
{
	return index->files.n;
}

static bool file_row(struct ccfc_dump_row *out, const struct ccfc_index *index,
		     uint32_t id)
{
	out->name = ccfc_index_file_path(index, id);
	return id && index->files.items[id].n;
}

static uint32_t count_applied(const struct ccfc_index *index,
			      const struct ccfc_groups *groups)
{
	uint32_t applied = 0;

	for (uint32_t i = 0; i < groups->n; i++)
		for (uint32_t k = 0; k < groups->items[i].nchanges; k++)
			applied += index->changes
					   .items[groups->items[i].changes[k]]
					   .state == CCFC_STATE_APPLIED;
	return applied;
}

static bool pack_file(struct ccfc_dump_out *out, const struct ccfc_index *index,
		      uint32_t id)
{
	const struct ccfc_filter all = { 0 };
	struct ccfc_pack *p = &out->pack;
	struct ccfc_groups groups;

	ccfc_query_file_sessions(&groups, index, id, &all, &out->scratch);
	if (!groups.n)
		return false;
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", "file");
	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(index, id));
	ccfc_pack_kv_uint(p, "changeCount", count_applied(index, &groups));
	ccfc_pack_kv_uint(p, "totalChanges", groups.nchanges);
	ccfc_pack_kv_uint(p, "sessionCount", groups.n);
	ccfc_pack_end(p);
	return true;
}

/* --- changes --- */

static uint32_t change_rows(const struct ccfc_index *index)
{
	return index->changes.n;
}

/*
 * The files of a command are named by their own ids, those of a write by
 * number.
 */
static struct ccfc_slice name_of(const struct ccfc_change *c)
{
	return c->shell ? ccfc_slice(c->id, c->id_len) : ccfc_index_call_id(c);
}

static bool change_row(struct ccfc_dump_row *out,
		       const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_change *c = &index->changes.items[id];

	out->name = name_of(c);
	out->order = c->part;
	return c->settled;
}

static bool pack_change(struct ccfc_dump_out *out,
			const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_change *c = &index->changes.items[id];
	struct ccfc_pack *p = &out->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind",
			  ccfc_index_is_command(c) ? "command" : "change");
	if (ccfc_index_is_command(c))
		ccfc_pack_kv_bool(p, "unknown", ccfc_index_is_unknown(c));
	ccfc_reply_str(p, "path", ccfc_index_file_path(index, c->file));
	ccfc_reply_id(p, "version", index, c->call.version);
	ccfc_reply_change_facts(p, index, c);
	ccfc_pack_end(p);
	return true;
}

/* --- conflicts --- */

static uint32_t conflict_rows(const struct ccfc_index *index)
{
	return index->conflicts.n;
}

/* There is at most one for a change, and one for a file and two sessions. */
static bool conflict_row(struct ccfc_dump_row *out,
			 const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_conflict *c = &index->conflicts.items[id];
	const struct ccfc_change *change = &index->changes.items[c->change];

	if (!ccfc_conflict_is_seen(c))
		return false;
	out->name = ccfc_slice(change->id, change->id_len);
	out->order = c->kind;
	return true;
}

static bool pack_conflict(struct ccfc_dump_out *out,
			  const struct ccfc_index *index, uint32_t id)
{
	struct ccfc_pack *p = &out->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", "conflict");
	ccfc_pack_cstr(p, "conflict");
	ccfc_pack_map(p);
	ccfc_reply_conflict(p, index, &index->conflicts.items[id]);
	ccfc_pack_end(p);
	ccfc_pack_end(p);
	return true;
}

/* --- all kinds, one after the other --- */

#define OWN_KINDS 4

static const struct ccfc_dump_kind own_kinds[OWN_KINDS] = {
	{ session_rows, session_row, ccfc_dump_compare, pack_session },
	{ file_rows, file_row, ccfc_dump_compare, pack_file },
	{ change_rows, change_row, ccfc_dump_compare, pack_change },
	{ conflict_rows, conflict_row, ccfc_dump_compare, pack_conflict },
};

enum phase { SUM, GATHER, SORT, PACK };

struct dump {
	struct ccfc_sliced s;
	struct ccfc_spool spool;
	struct ccfc_dump_out out; /* into the spool */
	struct ccfc_tallying tallying;
	uint32_t entries;
	/* Progress: */
	uint32_t kind;
	enum phase phase;
	uint32_t at; /* the next row of the table, or of the sorted rows */
	struct ccfc_dump_row *rows, *spare;
	uint32_t n;
	struct ccfc_sorting sorting;
};

static const struct ccfc_dump_kind *kind_of(const struct dump *d)
{
	return d->kind < OWN_KINDS ? &own_kinds[d->kind]
				   : &ccfc_dump_facts[d->kind - OWN_KINDS];
}

static void free_dump_rows(struct dump *d)
{
	free(d->rows);
	free(d->spare);
	d->rows = d->spare = NULL;
	d->n = d->at = 0;
}

static void begin_dump_kind(struct dump *d, const struct ccfc_index *index)
{
	size_t most = kind_of(d)->rows(index) + (size_t)1;

	free_dump_rows(d);
	d->rows = ccfc_malloc(most * sizeof(*d->rows));
	d->phase = GATHER;
}

static void sum_sessions(struct dump *d, const struct ccfc_index *index)
{
	if (!d->tallying.out) {
		ccfc_spool_init(&d->spool, d->s.d.methods->service->state_dir);
		ccfc_pack_init(&d->out.pack, &d->spool.mem);
		ccfc_tally_begin(&d->tallying, index, &d->s.memory);
	}
	if (ccfc_tally_some(&d->tallying, SUM_ROWS))
		return;
	d->out.tallies = d->tallying.out;
	begin_dump_kind(d, index);
}

static void begin_dump_sort(struct dump *d)
{
	d->spare = ccfc_malloc((d->n + (size_t)1) * sizeof(*d->spare));
	ccfc_sorting_init(&d->sorting, d->rows, d->spare, d->n,
			  sizeof(*d->rows), kind_of(d)->compare);
	d->phase = SORT;
}

static void gather_rows(struct dump *d, const struct ccfc_index *index)
{
	const struct ccfc_dump_kind *kind = kind_of(d);
	uint32_t end = kind->rows(index);

	for (uint32_t left = GATHER_ROWS; left && d->at < end; left--) {
		struct ccfc_dump_row row = { .index = index, .id = d->at++ };

		if (kind->row(&row, index, row.id))
			d->rows[d->n++] = row;
	}
	if (d->at == end)
		begin_dump_sort(d);
}

static void sort_rows(struct dump *d)
{
	if (ccfc_sorting_some(&d->sorting, SORT_ROWS))
		return;
	d->rows = (struct ccfc_dump_row *)(void *)d->sorting.items;
	d->spare = (struct ccfc_dump_row *)(void *)d->sorting.spare;
	d->at = 0;
	d->phase = PACK;
}

/* Packs some rows. True: all kinds have been packed. */
static bool pack_rows(struct dump *d, const struct ccfc_index *index)
{
	for (uint32_t left = PACK_ROWS; left && d->at < d->n; left--) {
		d->entries +=
			kind_of(d)->pack(&d->out, index, d->rows[d->at++].id);
		ccfc_arena_clear(&d->out.scratch);
	}
	if (d->at < d->n)
		return false;
	if (++d->kind == OWN_KINDS + CCFC_DUMP_FACTS)
		return true;
	begin_dump_kind(d, index);
	return false;
}

static int step_dump(struct ccfc_sliced *s, const struct ccfc_index *index,
		     struct ccfc_err *err)
{
	struct dump *d = (struct dump *)s;
	int r;

	switch (d->phase) {
	case SUM:
		sum_sessions(d, index);
		break;
	case GATHER:
		gather_rows(d, index);
		break;
	case SORT:
		sort_rows(d);
		break;
	case PACK:
		if (pack_rows(d, index))
			return 0;
		r = ccfc_spool_settle(&d->spool, err);
		if (r)
			return r;
	}
	return CCFC_DEFERRED;
}

static void reset_dump(struct ccfc_sliced *s)
{
	struct dump *d = (struct dump *)s;

	free_dump_rows(d);
	ccfc_arena_release(&d->out.scratch);
	if (d->tallying.out)
		ccfc_spool_release(&d->spool);
	d->tallying.out = NULL;
	d->entries = 0;
	d->kind = 0;
	d->phase = SUM;
}

static int finish_dump(struct ccfc_deferred *deferred, struct ccfc_request *rq,
		       struct ccfc_err *err)
{
	struct dump *d = (struct dump *)deferred;

	(void)err;
	ccfc_methods_body(rq, &d->spool, d->entries);
	return 0;
}

static void release_dump(struct ccfc_deferred *d)
{
	free(d);
}

int ccfc_method_index_dump(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct dump *d = ccfc_calloc(1, sizeof(*d));

	(void)err;
	d->s.step = step_dump;
	d->s.reset = reset_dump;
	d->s.d.finish = finish_dump;
	d->s.d.release = release_dump;
	return ccfc_slice_up(rq, &d->s);
}
