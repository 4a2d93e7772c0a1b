/*
 * session.list: which sessions there are. All are examined once, in memory; the
 * disk is only asked about those on the page. One pass over everything sums up
 * what they did, so ten thousand sessions cost little more than one.
 */
#include "serve/rpc/reply.h"

#include "base/path.h"
#include "base/time.h"
#include "index/glob.h"
#include "serve/methods/session_summary.h"

#include <stdlib.h>

enum sort { BY_RECENT, BY_CHANGES, BY_TOKENS, BY_DURATION };

static const char *const sorts[] = { "recent", "changes", "tokens", "duration",
				     NULL };

struct wanted {
	struct ccfc_filter filter;
	const char *model; /* or a part of it; NULL: any */
	uint32_t branch;   /* string; CCFC_ID_NONE: one that nobody has */
	int status;	   /* -1: any */
	int sort;
	int64_t now;
	const bool *touched; /* by session; NULL: not asked for */
	const struct ccfc_tally *tallies;
};

/* --- who touched a file --- */

struct touch {
	struct ccfc_slice path; /* this file, or those below it */
	struct ccfc_glob *glob; /* or these; owned */
};

/* A name with [ or { in it that is known means that file. */
static int ask_touch(struct touch *out, struct ccfc_request *rq,
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

static bool is_touch(const struct touch *t, struct ccfc_slice path)
{
	return t->glob ? ccfc_glob_match(t->glob, path)
		       : ccfc_path_is_below(path, t->path);
}

static void mark_file(bool *out, const struct ccfc_index *index,
		      const struct ccfc_ids *changes)
{
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[changes->items[i]];

		if (c->settled && c->state == CCFC_STATE_APPLIED)
			out[c->session] = true;
	}
}

static int find_touched(struct wanted *w, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	const struct ccfc_index *index = rq->index;
	struct touch t = { 0 };
	int r = ask_touch(&t, rq, err);
	bool *marks;

	if (r)
		return r;
	marks = ccfc_arena_alloc(rq->arena, index->sessions.n + 1u);
	memset(marks, 0, index->sessions.n + 1u);
	for (uint32_t f = 1; f < index->files.n; f++)
		if (index->files.items[f].n &&
		    is_touch(&t, ccfc_index_file_path(index, f)))
			mark_file(marks, index, &index->files.items[f]);
	if (t.glob && ccfc_glob_is_spent(t.glob))
		r = ccfc_args_too_costly(rq, err);
	ccfc_glob_free(t.glob);
	w->touched = marks;
	return r;
}

/* --- what is asked for --- */

static int ask_status(struct wanted *w, struct ccfc_request *rq,
		      struct ccfc_err *err)
{
	const char *names[CCFC_STATUS_COMPLETED + 2] = { NULL };

	for (int i = 0; i <= CCFC_STATUS_COMPLETED; i++)
		names[i] = ccfc_status_text((enum ccfc_status)i);
	return ccfc_args_choice(&w->status, rq, CCFC_OPT_STATUS, rq->opt.status,
				names, err);
}

static int ask_session_list(struct wanted *w, struct ccfc_request *rq,
			    struct ccfc_err *err)
{
	const struct ccfc_options *o = &rq->opt;
	int r = ccfc_args_filter(&w->filter, rq, err);

	w->status = -1;
	if (!r)
		r = ask_status(w, rq, err);
	if (!r)
		r = ccfc_args_choice(&w->sort, rq, CCFC_OPT_SORT, o->sort,
				     sorts, err);
	if (!r && (o->given & CCFC_OPT(TOUCHED)))
		r = find_touched(w, rq, err);
	if (r)
		return r;
	if (o->given & CCFC_OPT(MODEL))
		w->model = ccfc_arena_copy(rq->arena, o->model).ptr;
	if (o->given & CCFC_OPT(BRANCH))
		w->branch = ccfc_strtab_find(&rq->index->strings, o->branch);
	w->now = ccfc_time_now();
	w->tallies = ccfc_tally_all(rq->index, rq->arena);
	return 0;
}

/* --- choosing --- */

static bool has_branch(const struct wanted *w, const struct ccfc_session *s)
{
	if (!w->branch)
		return true;
	for (uint32_t i = 0; i < s->branches.n; i++)
		if (s->branches.items[i] == w->branch)
			return true;
	return false;
}

static bool has_model(const struct wanted *w, const struct ccfc_index *index,
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

/* Was it at work between the dates? */
static bool is_within(const struct ccfc_filter *f, const struct ccfc_session *s)
{
	if ((f->has_from || f->has_to) && s->start == CCFC_TIME_NONE)
		return false;
	return (!f->has_from || s->end >= f->from) &&
	       (!f->has_to || s->start <= f->to);
}

static bool is_wanted(const struct wanted *w, const struct ccfc_index *index,
		      uint32_t id)
{
	const struct ccfc_session *s = &index->sessions.items[id];

	if (!s->seen || (w->touched && !w->touched[id]))
		return false;
	if (!is_within(&w->filter, s) ||
	    !ccfc_filter_accepts_session(index, &w->filter, id))
		return false;
	if (!has_branch(w, s) || !has_model(w, index, s))
		return false;
	return w->status < 0 ||
	       (int)ccfc_tally_status(index, id, w->now) == w->status;
}

/* --- ordering --- */

struct row {
	uint64_t key; /* greatest first */
	int64_t end;  /* then latest first */
	struct ccfc_slice id;
	uint32_t session;
};

static uint64_t key_of_session_list(const struct wanted *w,
				    const struct ccfc_session *s, uint32_t id)
{
	const struct ccfc_tally *t = &w->tallies[id];

	switch ((enum sort)w->sort) {
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

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return ccfc_slice_cmp(a->id, b->id);
}

static uint32_t find_rows(struct row **out, const struct wanted *w,
			  struct ccfc_request *rq)
{
	const struct ccfc_index *index = rq->index;
	struct row *rows = ccfc_arena_alloc(
		rq->arena, (index->sessions.n + 1u) * sizeof(*rows));
	uint32_t n = 0;

	for (uint32_t i = 1; i < index->sessions.n; i++) {
		const struct ccfc_session *s = &index->sessions.items[i];

		if (!is_wanted(w, index, i))
			continue;
		rows[n++] = (struct row){ key_of_session_list(w, s, i), s->end,
					  ccfc_index_session_id(index, i), i };
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare_rows);
	*out = rows;
	return n;
}

/* --- the reply --- */

static void pack_rows(struct ccfc_request *rq, const struct wanted *w,
		      const struct row *rows, uint32_t n)
{
	uint64_t i = (uint64_t)rq->opt.offset, left = (uint64_t)rq->opt.limit;

	ccfc_pack_cstr(rq->pack, "sessions");
	ccfc_pack_array(rq->pack);
	for (; left && i < n; i++, left--) {
		uint32_t id = rows[i].session;

		ccfc_pack_map(rq->pack);
		ccfc_reply_session(rq->pack, rq->index, id, &w->tallies[id],
				   w->now);
		ccfc_pack_end(rq->pack);
	}
	ccfc_pack_end(rq->pack);
}

static int none(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_totals totals;

	ccfc_query_totals(&totals, rq->index);
	if (!totals.sessions)
		return ccfc_err_set(err, CCFC_ENOTFOUND,
				    "no sessions are known");
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "none of the %llu sessions is like that",
			    (unsigned long long)totals.sessions);
}

int ccfc_method_session_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct wanted w = { 0 };
	struct row *rows;
	uint32_t n;
	int r = ask_session_list(&w, rq, err);

	if (r)
		return r;
	n = find_rows(&rows, &w, rq);
	r = n ? ccfc_args_offset(rq, n, "sessions", err) : none(rq, err);
	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	pack_rows(rq, &w, rows, n);
	ccfc_pack_kv_uint(rq->pack, "totalSessions", n);
	ccfc_reply_clock(rq->pack, rq->service);
	ccfc_pack_end(rq->pack);
	return 0;
}
