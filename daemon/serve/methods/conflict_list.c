/*
 * conflict.list: conflicts, the latest first. There are few, so each request
 * reads all of them.
 */
#include "serve/methods/conflict_list.h"

#include "base/alloc.h"
#include "base/time.h"
#include "serve/methods/events_since.h"
#include "serve/rpc/reply.h"

#include <stdlib.h>

/* A session without a new line for this long is not live, in ms. */
#define LIVE (5 * 60 * 1000LL)

/* A conflict and its sort key. */
struct found {
	int64_t time;
	struct ccfc_slice id;
	uint32_t row;
};

static int compare_conflict_times(const void *x, const void *y)
{
	const struct found *a = x, *b = y;
	int r = (a->time < b->time) - (a->time > b->time);

	if (!r)
		r = ccfc_slice_cmp(a->id, b->id);
	return r ? r : (a->row > b->row) - (a->row < b->row);
}

static void pack_other_change(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_conflict *c)
{
	const struct ccfc_change *other;

	ccfc_pack_kv_cstr(p, "otherParty", c->outside ? "outside" : "session");
	ccfc_reply_str(p, "otherSessionId",
		       ccfc_index_session_id(index, c->session[1]));
	if (c->outside) {
		ccfc_reply_str(p, "otherChangeId", CCFC_SLICE_LIT(""));
		ccfc_pack_kv_time(p, "otherTimestamp", c->outside);
		return;
	}
	other = &index->changes.items[c->other];
	ccfc_pack_kv_str(p, "otherChangeId",
			 ccfc_slice(other->id, other->id_len));
	ccfc_pack_kv_time(p, "otherTimestamp", ccfc_index_time(other));
}

void ccfc_reply_conflict(struct ccfc_pack *p, const struct ccfc_index *index,
			 const struct ccfc_conflict *c)
{
	const struct ccfc_change *change = &index->changes.items[c->change];
	const struct ccfc_session *s = &index->sessions.items[c->session[0]];

	ccfc_pack_kv_cstr(p, "kind", ccfc_conflict_text(c->kind));
	ccfc_reply_str(p, "path", ccfc_index_file_path(index, c->file));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_pack_kv_time(p, "timestamp", ccfc_index_time(change));
	ccfc_reply_str(p, "sessionId",
		       ccfc_index_session_id(index, c->session[0]));
	ccfc_pack_kv_str(p, "changeId", ccfc_slice(change->id, change->id_len));
	ccfc_reply_str(p, "tool", ccfc_index_tool(index, change));
	pack_other_change(p, index, c);
}

/* Have both sessions written something recently? */
static bool are_sessions_live(const struct ccfc_index *index,
			      const struct ccfc_conflict *c, int64_t now)
{
	for (int i = 0; i < 2 && c->session[i]; i++)
		if (index->sessions.items[c->session[i]].end < now - LIVE)
			return false;
	return true;
}

static uint32_t find_conflicts(struct found *out, const struct ccfc_request *rq,
			       const struct ccfc_wish *wish)
{
	const struct ccfc_index *index = rq->index;
	int64_t now = ccfc_time_now();
	uint32_t n = 0;

	for (uint32_t i = 0; i < index->conflicts.n; i++) {
		const struct ccfc_conflict *c = &index->conflicts.items[i];
		const struct ccfc_change *change;

		if (!ccfc_conflict_is_seen(c) ||
		    !ccfc_wish_accepts_conflict(wish, index, c) ||
		    (rq->opt.live && !are_sessions_live(index, c, now)))
			continue;
		change = &index->changes.items[c->change];
		out[n].time = ccfc_index_time(change);
		out[n].id = ccfc_slice(change->id, change->id_len);
		out[n++].row = i;
	}
	qsort(out, n, sizeof(*out), compare_conflict_times);
	return n;
}

static void pack_conflicts(struct ccfc_request *rq, const struct found *found,
			   uint32_t total)
{
	uint64_t i = (uint64_t)rq->opt.offset, n = (uint64_t)rq->opt.limit;
	struct ccfc_pack *p = rq->pack;

	ccfc_pack_map(p);
	ccfc_pack_kv_uint(p, "totalConflicts", total);
	ccfc_pack_cstr(p, "conflicts");
	ccfc_pack_array(p);
	for (; n && i < total; i++, n--) {
		ccfc_pack_map(p);
		ccfc_reply_conflict(p, rq->index,
				    &rq->index->conflicts.items[found[i].row]);
		ccfc_pack_end(p);
	}
	ccfc_pack_end(p);
	ccfc_pack_kv_bool(p, "truncated", i < total);
	ccfc_reply_clock(p, rq->service);
	ccfc_pack_end(p);
}

int ccfc_method_conflict_list(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_wish wish;
	struct found *found;
	uint32_t n;
	int r = ccfc_wish_init(&wish, rq, err);

	if (r)
		return r;
	found = ccfc_calloc(rq->index->conflicts.n + 1u, sizeof(*found));
	n = find_conflicts(found, rq, &wish);
	/* An empty list is an answer, not an error. */
	if (rq->opt.offset)
		r = ccfc_args_offset(rq, n, "conflicts", err);
	if (!r)
		pack_conflicts(rq, found, n);
	free(found);
	ccfc_wish_release(&wish);
	return r;
}
