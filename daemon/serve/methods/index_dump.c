/*
 * index.dump: all that the index says, in one canonical order, with nothing
 * in it that depends on how or when it was read: no clocks, offsets, sources
 * or times of indexing. Two indexes are equal if their dumps are equal byte
 * by byte; that is how the tests compare a daemon with a cold scan.
 */
#include "serve/methods/index_dump.h"

#include "base/alloc.h"

#include <stdlib.h>

/* A thing and the name that it is sorted by. */
struct named {
	struct ccfc_slice name;
	uint32_t part;
	uint32_t id;
};

static int by_name(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int r = ccfc_slice_cmp(a->name, b->name);

	return r ? r : (a->part > b->part) - (a->part < b->part);
}

static void sort(struct named *list, uint32_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), by_name);
}

static void dump_session(struct ccfc_pack *p, const struct ccfc_index *index,
			 uint32_t id, const struct ccfc_tally *tally)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", "session");
	ccfc_pack_kv_str(p, "sessionId", ccfc_index_session_id(index, id));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_ids(p, "gitBranches", index, &s->branches, true);
	ccfc_reply_id(p, "model", index, s->model);
	ccfc_reply_ids(p, "models", index, &s->models, true);
	ccfc_pack_kv_time(p, "sessionStart", s->start);
	ccfc_pack_kv_time(p, "sessionEnd", s->end);
	ccfc_dump_tally(p, index, id, tally);
	ccfc_pack_end(p);
}

static void dump_sessions(struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	struct named *list = ccfc_arena_alloc(
		rq->arena, (index->sessions.n + 1u) * sizeof(*list));
	const struct ccfc_tally *tally = ccfc_tally_all(index, rq->arena);
	uint32_t n = 0;

	for (uint32_t i = 1; i < index->sessions.n; i++)
		if (index->sessions.items[i].seen ||
		    index->sessions.items[i].changes.n)
			list[n++] =
				(struct named){ ccfc_index_session_id(index, i),
						0, i };
	sort(list, n);
	for (uint32_t i = 0; i < n; i++)
		dump_session(rq->pack, index, list[i].id, &tally[list[i].id]);
}

static void dump_file(struct ccfc_request *rq, uint32_t file)
{
	const struct ccfc_filter all = { 0 };
	const struct ccfc_index *index = rq->index;
	struct ccfc_groups groups;
	uint32_t applied = 0;

	ccfc_query_file_sessions(&groups, index, file, &all, rq->arena);
	if (!groups.n)
		return;
	for (uint32_t i = 0; i < groups.n; i++)
		for (uint32_t k = 0; k < groups.items[i].nchanges; k++)
			applied +=
				index->changes.items[groups.items[i].changes[k]]
					.state == CCFC_STATE_APPLIED;
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_cstr(rq->pack, "kind", "file");
	ccfc_pack_kv_str(rq->pack, "path", ccfc_index_file_path(index, file));
	ccfc_pack_kv_uint(rq->pack, "changeCount", applied);
	ccfc_pack_kv_uint(rq->pack, "totalChanges", groups.nchanges);
	ccfc_pack_kv_uint(rq->pack, "sessionCount", groups.n);
	ccfc_pack_end(rq->pack);
}

static void dump_files(struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	struct named *list = ccfc_arena_alloc(rq->arena, (index->files.n + 1u) *
								 sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 1; i < index->files.n; i++)
		if (index->files.items[i].n)
			list[n++] =
				(struct named){ ccfc_index_file_path(index, i),
						0, i };
	sort(list, n);
	for (uint32_t i = 0; i < n; i++)
		dump_file(rq, list[i].id);
}

static void dump_change(struct ccfc_pack *p, const struct ccfc_index *index,
			const struct ccfc_change *c)
{
	ccfc_pack_map(p);
	ccfc_pack_kv_cstr(p, "kind", "change");
	ccfc_reply_str(p, "path", ccfc_index_file_path(index, c->file));
	ccfc_reply_id(p, "version", index, c->call.version);
	ccfc_reply_change_facts(p, index, c);
	ccfc_pack_end(p);
}

static void dump_changes(struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	struct named *list = ccfc_arena_alloc(
		rq->arena, (index->changes.n + 1u) * sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (c->settled)
			list[n++] = (struct named){ ccfc_index_call_id(c),
						    c->part, i };
	}
	sort(list, n);
	for (uint32_t i = 0; i < n; i++)
		dump_change(rq->pack, index, &index->changes.items[list[i].id]);
}

int ccfc_method_index_dump(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	ccfc_pack_array(rq->pack);
	dump_sessions(rq);
	dump_files(rq);
	dump_changes(rq);
	ccfc_dump_said(rq);
	ccfc_pack_end(rq->pack);
	return 0;
}
