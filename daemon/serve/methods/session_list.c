/*
 * session.list: which sessions there are. All sessions are checked in memory;
 * the disk is asked only about those on the page. One pass over the whole index
 * sums up what all sessions did, so ten thousand sessions cost little more than
 * one. That pass is long, so the request runs in slices (slices.h).
 */
#include "serve/rpc/reply.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/query/glob.h"
#include "index/query/sorting.h"
#include "serve/methods/session_summary.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Limits of one step. */
#define ROWS	  256
#define PACK_ROWS 16

enum sort { BY_RECENT, BY_CHANGES, BY_TOKENS, BY_DURATION };

static const char *const sorts[] = { "recent", "changes", "tokens", "duration",
				     NULL };

struct wanted {
	struct ccfc_filter filter;
	const char *model; /* a model's name or a part of it; NULL: any */
	/* a string of the index; CCFC_ID_NONE: no session has it */
	uint32_t branch;
	int status;  /* -1: any */
	bool tagged; /* only sessions with `tag`, a string or ID_NONE */
	uint32_t tag;
	int sort;
	int64_t now;
	/* by session: did it touch the file? NULL: not asked for */
	bool *touched;
	/* by session: does the given name mean it? NULL: not asked for */
	bool *meant;
};

struct touch {
	struct ccfc_slice path; /* this file, or the files below it */
	struct ccfc_glob *glob; /* or the files that match; owned */
};

struct row {
	uint64_t key; /* descending */
	int64_t end;  /* then descending by this */
	struct ccfc_slice id;
	uint32_t session;
};

struct session_list {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct wanted wanted;
	struct touch touch;
	struct ccfc_tallying tallying;
	struct row *rows;
	uint32_t n;
	/* Progress: */
	int phase;
	uint32_t at; /* the next file, session or row */
	struct ccfc_sorting sorting;
};

/* --- who touched a file --- */

/* A path with [ or { is a pattern only if no known file has that name. */
static int read_touched_option(struct touch *out, struct ccfc_request *rq,
			       struct ccfc_err *err)
{
	struct ccfc_slice given = rq->opt.touched;
	bool pattern = ccfc_glob_is_pattern(given);
	struct ccfc_err *quiet = pattern ? NULL : err;
	int r = ccfc_args_path(&out->path, rq, CCFC_OPT_TOUCHED, given,
			       CCFC_SLICE_NONE, quiet);

	if (!pattern || (!r && ccfc_query_file(rq->index, out->path)))
		return r;
	r = ccfc_args_glob(&out->glob, rq, CCFC_OPT_TOUCHED, given, err);
	if (!r)
		ccfc_args_grant(out->glob, rq);
	return r;
}

static bool is_touched_path(const struct touch *t, struct ccfc_slice path)
{
	return t->glob ? ccfc_glob_match(t->glob, path)
		       : ccfc_path_is_below(path, t->path);
}

static void mark_sessions_of_file(const struct session_list *w,
				  const struct ccfc_ids *changes)
{
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct ccfc_change *c =
			&w->rq.index->changes.items[changes->items[i]];

		if (c->settled && c->state == CCFC_STATE_APPLIED &&
		    c->session < w->tallying.nsessions)
			w->wanted.touched[c->session] = true;
	}
}

static int begin_marking_touched(struct session_list *w, struct ccfc_err *err)
{
	size_t n = w->tallying.nsessions + (size_t)1;

	w->wanted.touched = ccfc_arena_alloc(&w->s.memory, n);
	memset(w->wanted.touched, 0, n);
	return read_touched_option(&w->touch, &w->rq, err);
}

/* Checks some files; true: there are more. */
static bool mark_some_files(struct session_list *w)
{
	const struct ccfc_index *index = w->rq.index;

	if (!w->wanted.touched)
		return false;
	for (uint32_t left = ROWS; w->at < index->files.n; w->at++) {
		const struct ccfc_ids *changes = &index->files.items[w->at];

		if (!left--)
			return true;
		if (w->at && changes->n &&
		    is_touched_path(&w->touch,
				    ccfc_index_file_path(index, w->at)))
			mark_sessions_of_file(w, changes);
	}
	return false;
}

/* --- what is asked for --- */

static int read_status_option(struct wanted *w, struct ccfc_request *rq,
			      struct ccfc_err *err)
{
	const char *names[CCFC_STATUS_COMPLETED + 2] = { NULL };

	for (int i = 0; i <= CCFC_STATUS_COMPLETED; i++)
		names[i] = ccfc_status_text((enum ccfc_status)i);
	return ccfc_args_choice(&w->status, rq, CCFC_OPT_STATUS, rq->opt.status,
				names, err);
}

/* Marks the sessions that the given name may mean. */
static void mark_meant_sessions(struct session_list *list)
{
	struct ccfc_request *rq = &list->rq;
	size_t n = list->tallying.nsessions + (size_t)1;
	struct ccfc_ids ids = { 0 };

	list->wanted.meant = ccfc_arena_alloc(&list->s.memory, n);
	memset(list->wanted.meant, 0, n);
	ccfc_query_meant(&ids, rq->index, rq->opt.session);
	for (uint32_t i = 0; i < ids.n; i++)
		list->wanted.meant[ids.items[i]] = true;
	free(ids.items);
}

static int read_list_options(struct session_list *list, struct ccfc_err *err)
{
	struct ccfc_request *rq = &list->rq;
	const struct ccfc_options *o = &rq->opt;
	struct wanted *w = &list->wanted;
	int r;

	ccfc_sliced_request(rq, &list->pack, &list->s);
	*w = (struct wanted){ .status = -1, .now = ccfc_time_now() };
	ccfc_tally_begin(&list->tallying, rq->index, &list->s.memory);
	r = ccfc_args_filter(&w->filter, rq, err);
	if (!r)
		r = read_status_option(w, rq, err);
	if (!r)
		r = ccfc_args_choice(&w->sort, rq, CCFC_OPT_SORT, o->sort,
				     sorts, err);
	if (!r && (o->given & CCFC_OPT(TOUCHED)))
		r = begin_marking_touched(list, err);
	if (r)
		return r;
	if (o->given & CCFC_OPT(SESSION))
		mark_meant_sessions(list);
	if (o->given & CCFC_OPT(MODEL))
		w->model = ccfc_arena_copy(rq->arena, o->model).ptr;
	if (o->given & CCFC_OPT(BRANCH))
		w->branch = ccfc_strtab_find(&rq->index->strings, o->branch);
	w->tagged = o->given & CCFC_OPT(TAG);
	if (w->tagged)
		w->tag = ccfc_strtab_find(&rq->index->strings, o->tag);
	return 0;
}

/* --- choosing --- */

static bool has_wanted_branch(const struct wanted *w,
			      const struct ccfc_session *s)
{
	if (!w->branch)
		return true;
	for (uint32_t i = 0; i < s->branches.n; i++)
		if (s->branches.items[i] == w->branch)
			return true;
	return false;
}

static bool has_wanted_model(const struct wanted *w,
			     const struct ccfc_index *index,
			     const struct ccfc_session *s)
{
	if (!w->model)
		return true;
	for (uint32_t i = 0; i < s->models.n; i++)
		if (ccfc_slice_contains(
			    ccfc_index_str(index, s->models.items[i]),
			    w->model))
			return true;
	return false;
}

/* Was it active between the dates? */
static bool is_active_between(const struct ccfc_filter *f,
			      const struct ccfc_session *s)
{
	if ((f->has_from || f->has_to) && s->start == CCFC_TIME_NONE)
		return false;
	return (!f->has_from || s->end >= f->from) &&
	       (!f->has_to || s->start <= f->to);
}

static bool has_wanted_tag(const struct wanted *w, const struct ccfc_session *s)
{
	for (uint32_t i = 0; w->tagged && i < s->tags.n; i++)
		if (s->tags.items[i] == w->tag)
			return true;
	return !w->tagged;
}

static bool is_wanted_session(const struct wanted *w,
			      const struct ccfc_index *index, uint32_t id)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	if (!s->seen || (w->touched && !w->touched[id]) ||
	    (w->meant && !w->meant[id]))
		return false;
	if (!is_active_between(&w->filter, s) ||
	    !ccfc_filter_accepts_session(index, &w->filter, id))
		return false;
	if (!has_wanted_branch(w, s) || !has_wanted_model(w, index, s) ||
	    !has_wanted_tag(w, s))
		return false;
	return w->status < 0 ||
	       (int)ccfc_tally_status(index, id, w->now) == w->status;
}

/* --- ordering --- */

static uint64_t sort_key(const struct session_list *w,
			 const struct ccfc_session *s, uint32_t id)
{
	const struct ccfc_tally *t = &w->tallying.out[id];

	switch ((enum sort)w->wanted.sort) {
	case BY_CHANGES:
		return t->changes;
	case BY_TOKENS:
		return ccfc_tokens_sum(&t->main.tokens) +
		       ccfc_tokens_sum(&t->agents.tokens);
	case BY_DURATION:
		return s->start == CCFC_TIME_NONE
			       ? 0
			       : (uint64_t)s->end - (uint64_t)s->start;
	case BY_RECENT:
		break;
	}
	return 0;
}

static int compare_session_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return ccfc_slice_cmp(a->id, b->id);
}

/* Checks some sessions; true: there are more. */
static bool find_some_sessions(struct session_list *w)
{
	const struct ccfc_index *index = w->rq.index;
	const uint32_t end = w->tallying.nsessions;

	if (!w->rows)
		w->rows =
			ccfc_arena_alloc(&w->s.memory, end * sizeof(*w->rows));
	for (uint32_t left = ROWS; w->at < end; w->at++) {
		const struct ccfc_session *s = &index->sessions.items[w->at];

		if (!left--)
			return true;
		if (w->at && is_wanted_session(&w->wanted, index, w->at))
			w->rows[w->n++] = (struct row){
				sort_key(w, s, w->at), s->end,
				ccfc_index_session_id(index, w->at), w->at
			};
	}
	return false;
}

/* Sorts some rows; true: there are more. */
static bool sort_some_rows(struct session_list *w)
{
	if (!w->at++)
		ccfc_sorting_init(
			&w->sorting, w->rows,
			ccfc_arena_alloc(&w->s.memory, w->n * sizeof(*w->rows)),
			w->n, sizeof(*w->rows), compare_session_rows);
	if (ccfc_sorting_some(&w->sorting, ROWS))
		return true;
	w->rows = (struct row *)(void *)w->sorting.items;
	return false;
}

/* --- the reply --- */

static int fail_no_sessions(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_totals totals;

	ccfc_query_totals(&totals, rq->index);
	if (!totals.sessions)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no sessions are known");
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "none of the %llu sessions matches",
			    (unsigned long long)totals.sessions);
}

/* Packs everything before the sessions. */
static int pack_list_head(struct session_list *w, struct ccfc_err *err)
{
	struct ccfc_request *rq = &w->rq;
	int r = w->n ? ccfc_args_offset(rq, w->n, "sessions", err)
		     : fail_no_sessions(rq, err);

	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	ccfc_pack_cstr(rq->pack, "sessions");
	ccfc_pack_array(rq->pack);
	return 0;
}

/* Packs some sessions of the page; true: there are more. */
static bool pack_some_sessions(struct session_list *w)
{
	struct ccfc_request *rq = &w->rq;
	uint64_t from = (uint64_t)rq->opt.offset, i = from + w->at;

	for (uint32_t left = PACK_ROWS;
	     i < w->n && i - from < (uint64_t)rq->opt.limit; i++, w->at++) {
		uint32_t id = w->rows[i].session;

		if (!left--)
			return true;
		ccfc_pack_map(rq->pack);
		ccfc_reply_session(rq->pack, rq->index, id,
				   &w->tallying.out[id], w->wanted.now);
		ccfc_pack_end(rq->pack);
	}
	ccfc_pack_end(rq->pack);
	ccfc_pack_kv_uint(rq->pack, "totalSessions", w->n);
	ccfc_reply_asked(rq);
	ccfc_pack_end(rq->pack);
	return false;
}

enum phase { ASK, TOUCH, TALLY, FIND, SORT, HEAD, PACK };

/* Does one step of the phase; CCFC_DEFERRED: there are more. */
static int step_phase(struct session_list *w, struct ccfc_err *err)
{
	bool more = false;

	switch ((enum phase)w->phase) {
	case ASK:
		return read_list_options(w, err);
	case TOUCH:
		more = mark_some_files(w);
		if (!more && w->touch.glob && ccfc_glob_is_spent(w->touch.glob))
			return ccfc_args_too_costly(&w->rq, err);
		break;
	case TALLY:
		more = ccfc_tally_some(&w->tallying, ROWS);
		break;
	case FIND:
		more = find_some_sessions(w);
		break;
	case SORT:
		more = sort_some_rows(w);
		break;
	case HEAD:
		return pack_list_head(w, err);
	case PACK:
		more = pack_some_sessions(w);
		break;
	}
	return more ? CCFC_DEFERRED : 0;
}

static int step_session_list(struct ccfc_sliced *s,
			     const struct ccfc_index *index,
			     struct ccfc_err *err)
{
	struct session_list *w = (struct session_list *)s;
	int r = step_phase(w, err);

	(void)index;
	if (r)
		return r;
	w->at = 0;
	return w->phase++ < PACK ? CCFC_DEFERRED : 0;
}

static void reset_session_list(struct ccfc_sliced *s)
{
	struct session_list *w = (struct session_list *)s;

	ccfc_glob_free(w->touch.glob);
	w->touch = (struct touch){ 0 };
	w->rows = NULL;
	w->n = w->at = 0;
	w->phase = ASK;
}

static void release_session_list(struct ccfc_deferred *d)
{
	free(d);
}

int ccfc_method_session_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct session_list *w = ccfc_calloc(1, sizeof(*w));

	(void)err;
	w->s.step = step_session_list;
	w->s.reset = reset_session_list;
	w->s.goes_on = true;
	w->s.d.release = release_session_list;
	return ccfc_slice_up(rq, &w->s);
}
