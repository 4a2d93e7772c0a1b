/*
 * session.reads and file.readers: who read which file. Only successful reads
 * count; an agent's reads count for its session. Both run in slices (slices.h):
 * session.reads checks all reads, file.readers those of one file.
 */
#include "serve/rpc/reply.h"
#include "serve/rpc/slices.h"

#include "base/alloc.h"
#include "base/time.h"
#include "index/query/grouping.h"
#include "serve/methods/session_summary.h"

#include <stdlib.h>

/* Limits of one step. */
#define READ_ROWS  256u
#define GROUP_ROWS 256

/* The reads of one file by one session. */
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
	uint32_t session; /* only reads of this session; 0: of all */
	uint64_t total;
	struct looks *items; /* owned */
	uint32_t n, cap;
};

static void add_read(struct all_looks *all, const struct ccfc_read_fact *look)
{
	struct looks one = { all->by_session ? look->session : look->file, 1,
			     look->time, look->time, CCFC_SLICE_NONE };

	if (look->error || !one.key ||
	    (all->session && look->session != all->session) ||
	    !ccfc_filter_accepts_time(all->filter, look->time) ||
	    !ccfc_filter_accepts_session(all->index, all->filter,
					 look->session))
		return;
	all->total++;
	CCFC_VEC_PUSH(*all, one);
}

static int compare_keys(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

static void join_reads(struct looks *to, const struct looks *one)
{
	to->n++;
	if (one->first == CCFC_TIME_NONE)
		return;
	if (to->first == CCFC_TIME_NONE || one->first < to->first)
		to->first = one->first;
	if (one->last > to->last)
		to->last = one->last;
}

/* Joins the reads with the same key. */
static void join_equal_reads(struct all_looks *all)
{
	const struct ccfc_strtab *names = all->by_session
						  ? &all->index->session_ids
						  : &all->index->file_paths;
	uint32_t n = 0;

	if (all->n)
		qsort(all->items, all->n, sizeof(*all->items), compare_keys);
	for (uint32_t i = 0; i < all->n; i++) {
		if (n && all->items[n - 1].key == all->items[i].key) {
			join_reads(&all->items[n - 1], &all->items[i]);
			continue;
		}
		all->items[n] = all->items[i];
		all->items[n].name = ccfc_strtab_get(names, all->items[n].key);
		n++;
	}
	all->n = n;
}

static void sort_reads(struct all_looks *all,
		       int (*order)(const void *, const void *))
{
	join_equal_reads(all);
	if (all->n)
		qsort(all->items, all->n, sizeof(*all->items), order);
}

/* --- in slices --- */

struct reads_work {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_filter filter;
	struct all_looks all;
	/* Progress: */
	int phase;
	uint32_t read; /* the next row */
	/* For file.readers: */
	struct ccfc_slice path;
	uint32_t file;	/* the file whose reads are listed */
	uint32_t tried; /* number of alternatives tried */
	struct ccfc_grouping grouping;
};

/* Reads some rows; false: there are no more. */
static bool gather_some_reads(struct reads_work *w)
{
	const struct ccfc_index *index = w->rq.index;
	struct ccfc_read_fact look;

	for (uint32_t n = 0; n < READ_ROWS; n++) {
		/* CCFC_ID_NONE ends the list of a file. */
		if (w->read >= index->reads.n)
			return false;
		if (ccfc_tally_read_at(&look, index, w->read))
			add_read(&w->all, &look);
		w->read = w->file ? index->reads.items[w->read].next
				  : w->read + 1;
	}
	return true;
}

static void begin_reads(struct reads_work *w)
{
	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	w->filter = (struct ccfc_filter){ 0 };
	w->all = (struct all_looks){ .index = w->rq.index,
				     .filter = &w->filter };
	w->read = w->file = w->tried = 0;
}

static void reset_reads(struct ccfc_sliced *s)
{
	struct reads_work *w = (struct reads_work *)s;

	free(w->all.items);
	w->all.items = NULL;
	w->phase = 0;
}

static void release_reads(struct ccfc_deferred *d)
{
	free(d);
}

static int start_reads_slices(struct ccfc_request *rq,
			      int (*step)(struct ccfc_sliced *,
					  const struct ccfc_index *,
					  struct ccfc_err *))
{
	struct reads_work *w = ccfc_calloc(1, sizeof(*w));

	w->s.step = step;
	w->s.reset = reset_reads;
	w->s.goes_on = true;
	w->s.d.release = release_reads;
	return ccfc_slice_up(rq, &w->s);
}

/* --- session.reads --- */

static int compare_first_reads(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

/* By file: did the session change it? */
static const bool *find_modified_files(struct ccfc_request *rq,
				       uint32_t session)
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

static void pack_read_files(struct ccfc_request *rq,
			    const struct all_looks *all, const bool *modified)
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

static void pack_reads_of_session(struct ccfc_request *rq,
				  const struct all_looks *all)
{
	ccfc_pack_map(rq->pack);
	ccfc_pack_kv_str(rq->pack, "sessionId",
			 ccfc_index_session_id(rq->index, all->session));
	ccfc_pack_kv_uint(rq->pack, "totalFiles", all->n);
	ccfc_pack_kv_uint(rq->pack, "totalReads", all->total);
	pack_read_files(rq, all, find_modified_files(rq, all->session));
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
}

static int step_session_reads(struct ccfc_sliced *s,
			      const struct ccfc_index *index,
			      struct ccfc_err *err)
{
	struct reads_work *w = (struct reads_work *)s;
	int r;

	if (!w->phase) {
		begin_reads(w);
		w->phase++;
		r = ccfc_query_session(&w->all.session, index,
				       w->rq.opt.session, err);
		return r ? r : CCFC_DEFERRED;
	}
	if (gather_some_reads(w))
		return CCFC_DEFERRED;
	sort_reads(&w->all, compare_first_reads);
	pack_reads_of_session(&w->rq, &w->all);
	return 0;
}

int ccfc_method_session_reads(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	return start_reads_slices(rq, step_session_reads);
}

/* --- file.readers --- */

static int compare_last_reads(const void *x, const void *y)
{
	const struct looks *a = x, *b = y;

	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

/* By session: how often did it change the file? */
static const uint32_t *
count_changes_by_session(struct ccfc_request *rq,
			 const struct ccfc_groups *groups)
{
	size_t n = (rq->index->sessions.n + (size_t)1) * sizeof(uint32_t);
	uint32_t *counts = ccfc_arena_alloc(rq->arena, n);

	memset(counts, 0, n);
	for (uint32_t i = 0; i < groups->n; i++)
		counts[groups->items[i].key] = groups->items[i].nchanges;
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

static void pack_readers(struct reads_work *w)
{
	struct ccfc_request *rq = &w->rq;
	const struct all_looks *all = &w->all;
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct ccfc_pack *p = rq->pack;
	const uint32_t *changes =
		count_changes_by_session(rq, &w->grouping.out);

	ccfc_pack_map(p);
	ccfc_pack_kv_str(p, "path", ccfc_index_file_path(rq->index, w->file));
	ccfc_pack_kv_uint(p, "totalSessions", all->n);
	ccfc_pack_kv_uint(p, "totalReads", all->total);
	ccfc_pack_cstr(p, "sessions");
	ccfc_pack_array(p);
	for (; n && i < all->n; i++, n--)
		pack_reader(rq, &all->items[i], changes);
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", i < all->n);
	ccfc_reply_asked(rq);
	ccfc_pack_end(p);
}

static int fail_no_readers(struct ccfc_request *rq, struct ccfc_slice path,
			   struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: no session read it",
		     (int)path.len, path.ptr);
	ccfc_args_elsewhere(rq, path, err);
	return CCFC_ENOTFOUND;
}

/* Sets the path whose reads are listed next. */
static void begin_path(struct reads_work *w, struct ccfc_slice path)
{
	const struct ccfc_index *index = w->rq.index;

	w->file = ccfc_query_file(index, path);
	w->read = w->file && w->file < index->file_reads.n
			  ? index->file_reads.items[w->file]
			  : CCFC_ID_NONE;
}

static int read_readers_options(struct reads_work *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	int r;

	begin_reads(w);
	w->all.by_session = true;
	r = ccfc_args_filter(&w->filter, rq, err);
	if (!r)
		r = ccfc_args_path(&w->path, rq, CCFC_OPT_PATH, rq->opt.path,
				   CCFC_SLICE_NONE, err);
	if (!r)
		r = ccfc_args_paths(&rq->opt.alternatives, rq,
				    CCFC_OPT_ALTERNATIVES, CCFC_SLICE_NONE,
				    err);
	if (!r)
		begin_path(w, w->path);
	return r;
}

/* Answers for the first of `path` and `alternatives` that was read. */
static int finish_path(struct reads_work *w, struct ccfc_err *err)
{
	const struct ccfc_slices *more = &w->rq.opt.alternatives;

	if (!w->all.n && w->tried == more->n)
		return fail_no_readers(&w->rq, w->path, err);
	if (!w->all.n) {
		begin_path(w, more->items[w->tried++]);
		return CCFC_DEFERRED;
	}
	sort_reads(&w->all, compare_last_reads);
	ccfc_group_by_session(&w->grouping, w->rq.index, w->file, &w->filter,
			      &w->s.memory);
	return ccfc_args_offset(&w->rq, w->all.n, "sessions", err);
}

static int step_readers(struct ccfc_sliced *s, const struct ccfc_index *index,
			struct ccfc_err *err)
{
	enum { ASK, LOOK, GROUP };
	struct reads_work *w = (struct reads_work *)s;
	int r = 0;

	(void)index;
	switch (w->phase) {
	case ASK:
		r = read_readers_options(w, err);
		break;
	case LOOK:
		r = gather_some_reads(w) ? CCFC_DEFERRED : finish_path(w, err);
		break;
	case GROUP:
		if (ccfc_grouping_some(&w->grouping, GROUP_ROWS))
			return CCFC_DEFERRED;
		pack_readers(w);
		return 0;
	}
	w->phase += !r;
	return r ? r : CCFC_DEFERRED;
}

int ccfc_method_file_readers(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	return start_reads_slices(rq, step_readers);
}
