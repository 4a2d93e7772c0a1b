/*
 * session.reads and file.readers: who read which file. Only successful reads
 * count; an agent's reads count for its session.
 */
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/time.h"
#include "serve/methods/session_summary.h"

#include <stdlib.h>

/* Reads of one file, or of one session. */
struct looks {
	uint32_t key;
	uint32_t n;
	int64_t first, last;
	struct ccfc_slice name;
};

struct all_looks {
	const struct ccfc_index *index;
	const struct ccfc_filter *filter;
	bool by_session;
	uint64_t total;
	struct looks *items; /* owned */
	uint32_t n, cap;
};

static void on_look(void *ctx, const struct ccfc_look *look)
{
	struct all_looks *all = ctx;
	struct looks one = { all->by_session ? look->session : look->file, 1,
			     look->time, look->time, CCFC_SLICE_NONE };

	if (look->error || !one.key ||
	    !ccfc_filter_accepts_time(all->filter, look->time) ||
	    !ccfc_filter_accepts_session(all->index, all->filter,
					 look->session))
		return;
	all->total++;
	CCFC_VEC_PUSH(*all, one);
}

static int by_key(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

static void join_session_reads(struct looks *to, const struct looks *one)
{
	to->n++;
	if (one->first == CCFC_TIME_NONE)
		return;
	if (to->first == CCFC_TIME_NONE || one->first < to->first)
		to->first = one->first;
	if (one->last > to->last)
		to->last = one->last;
}

/* Joins all reads with the same key. */
static void join_all(struct all_looks *all)
{
	const struct ccfc_strtab *names = all->by_session
						  ? &all->index->session_ids
						  : &all->index->file_paths;
	uint32_t n = 0;

	if (all->n)
		qsort(all->items, all->n, sizeof(*all->items), by_key);
	for (uint32_t i = 0; i < all->n; i++) {
		if (n && all->items[n - 1].key == all->items[i].key) {
			join_session_reads(&all->items[n - 1], &all->items[i]);
			continue;
		}
		all->items[n] = all->items[i];
		all->items[n].name = ccfc_strtab_get(names, all->items[n].key);
		n++;
	}
	all->n = n;
}

static void find_looks(struct all_looks *all, uint32_t file, uint32_t session,
		       int (*order)(const void *, const void *))
{
	ccfc_tally_looks(all->index, file, session, on_look, all);
	join_all(all);
	if (all->n)
		qsort(all->items, all->n, sizeof(*all->items), order);
}

/* --- session.reads --- */

static int by_first(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

/* By file: did the session change it? */
static const bool *find_modified(struct ccfc_request *rq, uint32_t session)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_ids *ids = &index->sessions.items[session].changes;
	bool *marks = ccfc_arena_alloc(rq->arena, index->files.n + 1u);

	memset(marks, 0, index->files.n + 1u);
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (c->settled && c->state == CCFC_STATE_APPLIED)
			marks[c->file] = true;
	}
	return marks;
}

static void pack_files_session_reads(struct ccfc_request *rq,
				     const struct all_looks *all,
				     const bool *modified)
{
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_cstr(p, "files");
	ccfc_pack_array(p);
	for (; n && i < all->n; i++, n--) {
		const struct looks *l = &all->items[i];

		ccfc_pack_map(p);
		ccfc_pack_kv_str(p, "path", l->name);
		ccfc_pack_kv_uint(p, "readCount", l->n);
		ccfc_pack_kv_time(p, "firstRead", l->first);
		ccfc_pack_kv_time(p, "lastRead", l->last);
		ccfc_pack_kv_bool(p, "modified", modified[l->key]);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
}

int ccfc_method_session_reads(struct ccfc_request *rq, struct ccfc_err *err)
{
	const struct ccfc_filter filter = { 0 };
	struct all_looks all = { .index = rq->index, .filter = &filter };
	uint32_t session;
	int r = ccfc_query_session(&session, rq->index, rq->opt.session, err);

	if (r)
		return r;
	find_looks(&all, 0, session, by_first);
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_str(rq->pack, "sessionId",
			 ccfc_index_session_id(rq->index, session));
	ccfc_pack_kv_uint(rq->pack, "totalFiles", all.n);
	ccfc_pack_kv_uint(rq->pack, "totalReads", all.total);
	pack_files_session_reads(rq, &all, find_modified(rq, session));
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	free(all.items);
	return 0;
}

/* --- file.readers --- */

static int by_last(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

/* How often each session changed the file. */
static const uint32_t *count_changes(struct ccfc_request *rq, uint32_t file,
				     const struct ccfc_filter *filter)
{
	size_t n = (rq->index->sessions.n + (size_t)1) * sizeof(uint32_t);
	uint32_t *counts = ccfc_arena_alloc(rq->arena, n);
	struct ccfc_groups groups;

	memset(counts, 0, n);
	ccfc_query_file_sessions(&groups, rq->index, file, filter, rq->arena);
	for (uint32_t i = 0; i < groups.n; i++)
		counts[groups.items[i].key] = groups.items[i].nchanges;
	return counts;
}

static void pack_reader(struct ccfc_request *rq, const struct looks *l,
			const uint32_t *changes)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_session *s = &index->sessions.items[l->key];
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "sessionId", l->name);
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_title(p, index, l->key);
	ccfc_pack_kv_uint(p, "readCount", l->n);
	ccfc_pack_kv_time(p, "firstRead", l->first);
	ccfc_pack_kv_time(p, "lastRead", l->last);
	ccfc_pack_kv_uint(p, "changeCount", changes[l->key]);
	ccfc_reply_source(p, ccfc_index_session_where(index, l->key));
	ccfc_pack_end(p);
}

static void pack_readers(struct ccfc_request *rq, const struct all_looks *all,
			 uint32_t file)
{
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct ccfc_pack *p = rq->pack;
	const uint32_t *changes = count_changes(rq, file, all->filter);

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(rq->index, file));
	ccfc_pack_kv_uint(p, "totalSessions", all->n);
	ccfc_pack_kv_uint(p, "totalReads", all->total);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	for (; n && i < all->n; i++, n--)
		pack_reader(rq, &all->items[i], changes);
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", i < all->n);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
}

static int nobody(struct ccfc_request *rq, struct ccfc_slice path,
		  struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: no session read it",
		     (int)path.len, path.ptr);
	ccfc_args_elsewhere(rq, path, err);
	return CCFC_ENOTFOUND;
}

/* The first of `path` and `alternatives` that was read; 0: none. */
static uint32_t find_file(struct all_looks *all, struct ccfc_request *rq,
			  struct ccfc_slice path)
{
	const struct ccfc_slices *more = &rq->opt.alternatives;

	for (uint32_t i = 0;; i++) {
		uint32_t file = ccfc_query_file(rq->index, path);

		if (file)
			find_looks(all, file, 0, by_last);
		if (all->n)
			return file;
		if (i == more->n)
			return 0;
		path = more->items[i];
	}
}

int ccfc_method_file_readers(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_filter filter = { 0 };
	struct all_looks all = { .index = rq->index,
				 .filter = &filter,
				 .by_session = true };
	struct ccfc_slice path = CCFC_SLICE_NONE;
	uint32_t file;
	int r = ccfc_args_filter(&filter, rq, err);

	if (!r)
		r = ccfc_args_path(&path, rq, CCFC_OPT_PATH, rq->opt.path,
				   CCFC_SLICE_NONE, err);
	if (!r)
		r = ccfc_args_paths(&rq->opt.alternatives, rq,
				    CCFC_OPT_ALTERNATIVES, CCFC_SLICE_NONE,
				    err);
	if (r)
		return r;
	file = find_file(&all, rq, path);
	r = file ? ccfc_args_offset(rq, all.n, "sessions", err)
		 : nobody(rq, path, err);
	if (!r)
		pack_readers(rq, &all, file);
	free(all.items);
	return r;
}
