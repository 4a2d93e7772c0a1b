/*
 * Events, and events.since; see events_since.h.
 *
 * An event is a change as it is now. If a change had several events, only the
 * last one is sent. So a client that missed events loses only intermediate
 * states.
 *
 * The log may be long, so it is read in slices (slices.h), into a spool.
 */
#include "serve/methods/events_since.h"

#include "base/alloc.h"
#include "base/path.h"
#include "index/query/glob.h"
#include "serve/methods/conflict_list.h"
#include "serve/rpc/reply.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Matching one event with one pattern takes at most some milliseconds. */
#define GLOB_STEPS 1000000u
/* Events of the log read in a step. */
#define STEP_EVENTS 128

/* --- wishes --- */

static int set_wish_path(struct ccfc_wish *w, struct ccfc_request *rq,
			 struct ccfc_err *err)
{
	struct ccfc_slice path;
	int r;

	if (!(rq->opt.given & CCFC_OPT(PATH)))
		return 0;
	if (ccfc_glob_is_pattern(rq->opt.path)) {
		r = ccfc_args_glob(&w->glob, rq, CCFC_OPT_PATH, rq->opt.path,
				   err);
		w->filter.glob = w->glob;
		return r;
	}
	r = ccfc_args_path(&path, rq, CCFC_OPT_PATH, rq->opt.path,
			   CCFC_SLICE_NONE, err);
	if (!r)
		w->path = ccfc_arena_copy(&w->arena, path);
	return r;
}

/* Copies a list of the request into the wish's arena. */
static const struct ccfc_slice *copy_list_to_wish(struct ccfc_wish *w,
						  const struct ccfc_slice *list,
						  uint32_t n)
{
	struct ccfc_slice *own = ccfc_arena_alloc(&w->arena, n * sizeof(*own));

	for (uint32_t i = 0; i < n; i++)
		own[i] = ccfc_arena_copy(&w->arena, list[i]);
	return own;
}

int ccfc_wish_init(struct ccfc_wish *w, struct ccfc_request *rq,
		   struct ccfc_err *err)
{
	int r;

	*w = (struct ccfc_wish){ 0 };
	ccfc_arena_init(&w->arena);
	if (rq->opt.states == CCFC_STATE_BIT(CCFC_STATE_PENDING))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "%s: option 'states': a pending change "
				    "is not an event yet",
				    rq->method);
	r = ccfc_args_filter(&w->filter, rq, err);
	if (!r && w->filter.project.len)
		w->filter.project =
			ccfc_arena_copy(&w->arena, w->filter.project);
	if (!r)
		w->filter.tools =
			copy_list_to_wish(w, w->filter.tools, w->filter.ntools);
	if (!r)
		r = set_wish_path(w, rq, err);
	if (!r && (rq->opt.given & CCFC_OPT(SESSION)))
		r = ccfc_query_session(&w->session, rq->index, rq->opt.session,
				       err);
	if (r)
		ccfc_wish_release(w);
	return r;
}

void ccfc_wish_release(struct ccfc_wish *w)
{
	ccfc_glob_free(w->glob);
	ccfc_arena_release(&w->arena);
	*w = (struct ccfc_wish){ 0 };
}

/* Checks everything except the session. */
static bool accepts_change(const struct ccfc_wish *w,
			   const struct ccfc_index *index,
			   const struct ccfc_change *c)
{
	struct ccfc_change gone;

	if (w->glob)
		ccfc_glob_grant(w->glob, GLOB_STEPS);
	if (w->path.len &&
	    !ccfc_path_is_below(ccfc_index_file_path(index, c->file), w->path))
		return false;
	if (c->settled)
		return ccfc_filter_accepts(index, &w->filter, c);
	/* A withdrawn change is sent to those who were sent it before. */
	gone = *c;
	gone.settled = true;
	return ccfc_filter_accepts(index, &w->filter, &gone);
}

bool ccfc_wish_accepts_conflict(const struct ccfc_wish *w,
				const struct ccfc_index *index,
				const struct ccfc_conflict *conflict)
{
	if (w->session && conflict->session[0] != w->session &&
	    conflict->session[1] != w->session)
		return false;
	return accepts_change(w, index,
			      &index->changes.items[conflict->change]);
}

bool ccfc_wish_accepts(const struct ccfc_wish *w,
		       const struct ccfc_index *index,
		       const struct ccfc_event *event)
{
	const struct ccfc_change *c;

	if (ccfc_event_is_conflict(event))
		return ccfc_wish_accepts_conflict(
			w, index, &index->conflicts.items[event->change]);
	c = &index->changes.items[event->change];
	if (w->session && c->session != w->session &&
	    event->previous != w->session)
		return false;
	return accepts_change(w, index, c);
}

bool ccfc_wish_accepts_file(const struct ccfc_wish *w,
			    const struct ccfc_index *index, uint32_t file,
			    uint32_t session)
{
	struct ccfc_slice path = ccfc_index_file_path(index, file);

	/* The tool and the result are not known yet. */
	if (w->filter.ntools || w->filter.proofs ||
	    (w->session && session != w->session))
		return false;
	if (w->glob)
		ccfc_glob_grant(w->glob, GLOB_STEPS);
	return (!w->path.len || ccfc_path_is_below(path, w->path)) &&
	       ccfc_filter_accepts_session(index, &w->filter, session) &&
	       ccfc_filter_accepts_path(&w->filter, path);
}

/* --- packing --- */

static void pack_change_event(struct ccfc_pack *p,
			      const struct ccfc_index *index,
			      const struct ccfc_event *event)
{
	const struct ccfc_change *c = &index->changes.items[event->change];
	const struct ccfc_session *s = &index->sessions.items[c->session];
	struct ccfc_disk_effect seen;

	ccfc_reply_str(p, "path", ccfc_index_file_path(index, c->file));
	ccfc_reply_id(p, "projectPath", index, s->project);
	ccfc_reply_id(p, "gitBranch", index, s->branch);
	ccfc_reply_change_fields(p, index, c);
	if (!c->settled)
		ccfc_pack_kv_bool(p, "withdrawn", true);
	if (event->previous)
		ccfc_reply_str(p, "previousSessionId",
			       ccfc_index_session_id(index, event->previous));
	if (!ccfc_index_is_shells(c) && ccfc_index_effect(&seen, index, c))
		ccfc_pack_kv_time(p, "seenAt", seen.time);
}

/* A conflict that was withdrawn is sent as "none". */
static void pack_conflict_event(struct ccfc_pack *p,
				const struct ccfc_index *index,
				const struct ccfc_event *event)
{
	const struct ccfc_conflict *c = &index->conflicts.items[event->change];

	ccfc_reply_conflict(p, index, c);
	if (!ccfc_conflict_is_seen(c))
		ccfc_pack_kv_bool(p, "withdrawn", true);
}

void ccfc_event_pack(struct ccfc_buf *out, const struct ccfc_index *index,
		     const struct ccfc_event *event)
{
	bool conflict = ccfc_event_is_conflict(event);
	char text[CCFC_CLOCK_TEXT_MAX];
	struct ccfc_pack p;

	ccfc_pack_init(&p, out);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "type", conflict ? "conflict" : "change");
	ccfc_pack_kv_cstr(
		&p, "clock",
		ccfc_reply_clock_text(text, index->epoch, event->seq));
	if (conflict)
		pack_conflict_event(&p, index, event);
	else
		pack_change_event(&p, index, event);
	ccfc_pack_cstr(&p, "subscription");
	ccfc_pack_nil(&p);
	ccfc_pack_end(&p);
	out->len--; /* removes the nil, one byte; the map counts its key */
}

/* --- since --- */

static void pack_event(struct ccfc_request *rq, const struct ccfc_event *event,
		       int64_t sub, struct ccfc_buf *scratch)
{
	struct ccfc_pack p;

	ccfc_buf_clear(scratch);
	ccfc_event_pack(scratch, rq->index, event);
	ccfc_pack_init(&p, scratch);
	if (sub)
		ccfc_pack_int(&p, sub);
	else
		ccfc_pack_nil(&p);
	ccfc_pack_raw(rq->pack, ccfc_buf_view(scratch));
}

/* The state of reading the log from some clock on. */
struct reading {
	const struct ccfc_wish *wish;
	int64_t sub;
	/* the clock is not of this index: no events are sent */
	bool fresh;
	uint32_t at, end;  /* positions in the log */
	int64_t left;	   /* events that may still be packed */
	bool is_cut;	   /* there are more events than the limit */
	uint32_t n;	   /* events packed */
	uint64_t last_seq; /* of the last packed event */
	struct ccfc_buf scratch;
};

static void begin_reading(struct reading *r, const struct ccfc_request *rq,
			  const struct ccfc_wish *wish, int64_t sub)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_clock *since = &rq->opt.clock;

	*r = (struct reading){
		.wish = wish,
		.sub = sub,
		.fresh =
			since->epoch != index->epoch || since->seq > index->seq,
		.end = index->log.n,
		.left = rq->opt.limit,
	};
	r->at = r->fresh ? r->end : ccfc_query_log(index, since->seq);
}

/* Is there a later event of the same change or conflict? */
static bool has_later_event(const struct ccfc_index *index,
			    const struct ccfc_event *e)
{
	return e->seq != (ccfc_event_is_conflict(e)
				  ? index->conflicts.items[e->change].seq
				  : index->changes.items[e->change].seq);
}

/* Reads at most `rows` events; true: there are more. */
static bool read_some_events(struct ccfc_request *rq, struct reading *r,
			     uint32_t rows)
{
	const struct ccfc_index *index = rq->index;

	for (; r->at < r->end && !r->is_cut; r->at++) {
		const struct ccfc_event *e = &index->log.items[r->at];

		if (!rows)
			return true;
		rows--;
		if (has_later_event(index, e) ||
		    !ccfc_wish_accepts(r->wish, index, e))
			continue;
		if (!r->left--) {
			r->is_cut = true;
			break;
		}
		r->last_seq = e->seq;
		r->n++;
		pack_event(rq, e, r->sub, &r->scratch);
	}
	return false;
}

static void pack_clock(struct ccfc_request *rq, const struct reading *r)
{
	char text[CCFC_CLOCK_TEXT_MAX];

	if (!r->is_cut) {
		ccfc_reply_asked(rq);
		return;
	}
	ccfc_pack_kv_cstr(
		rq->pack, "clock",
		ccfc_reply_clock_text(text, rq->index->epoch, r->last_seq));
}

/* --- in slices --- */

struct since {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_request rq;
	struct ccfc_pack pack;
	struct ccfc_spool spool; /* the events */
	struct ccfc_follower follower;
	struct ccfc_wish own; /* the filter if there is no follower */
	struct reading reading;
	bool begun;
};

static int begin_since(struct since *w, struct ccfc_err *err)
{
	const struct ccfc_follower *f = &w->follower;
	int r = 0;

	ccfc_sliced_request(&w->rq, &w->pack, &w->s);
	ccfc_pack_init(&w->pack, &w->spool.mem);
	w->spool.dir = w->rq.service->state_dir;
	if (!f->wish)
		r = ccfc_wish_init(&w->own, &w->rq, err);
	if (r)
		return r;
	begin_reading(&w->reading, &w->rq, f->wish ? f->wish : &w->own, f->id);
	w->begun = true;
	return 0;
}

/*
 * Reads the events that came since the last step. A follower is sent all events
 * after the answer, so the answer must have all earlier ones, even if the work
 * is not started over any more.
 */
static void read_new_events(struct since *w, const struct ccfc_index *index)
{
	struct reading *r = &w->reading;

	if (w->s.clock.epoch != index->epoch) {
		/* The events read so far are of the last epoch. */
		ccfc_spool_release(&w->spool);
		r->fresh = true;
		r->n = 0;
	}
	w->s.clock = (struct ccfc_clock){ index->epoch, index->seq };
	r->end = index->log.n;
	if (r->fresh)
		r->at = r->end;
}

static int step_since(struct ccfc_sliced *s, const struct ccfc_index *index,
		      struct ccfc_err *err)
{
	struct since *w = (struct since *)s;
	int r = w->begun ? 0 : begin_since(w, err);
	bool more;

	if (r)
		return r;
	if (w->follower.wish)
		read_new_events(w, index);
	more = read_some_events(&w->rq, &w->reading, STEP_EVENTS);
	ccfc_spool_settle_some(&w->spool);
	return more ? CCFC_DEFERRED : 0;
}

static int finish_since(struct ccfc_deferred *d, struct ccfc_request *rq,
			struct ccfc_err *err)
{
	struct since *w = (struct since *)d;
	struct ccfc_follower *f = &w->follower;
	int r = f->wish ? f->follow(rq, f, err) : 0;

	if (r)
		return r;
	rq->clock = w->rq.clock;
	rq->progress = w->rq.progress;
	ccfc_pack_map(rq->pack);
	if (f->id)
		ccfc_pack_kv_int(rq->pack, "subscription", f->id);
	ccfc_pack_kv_bool(rq->pack, "fresh", w->reading.fresh);
	ccfc_pack_cstr(rq->pack, "events");
	ccfc_methods_body(rq, &w->spool, w->reading.n);
	pack_clock(rq, &w->reading);
	ccfc_pack_end(rq->pack);
	return 0;
}

static void reset_since(struct ccfc_sliced *s)
{
	struct since *w = (struct since *)s;

	ccfc_buf_release(&w->reading.scratch);
	ccfc_wish_release(&w->own);
	ccfc_spool_release(&w->spool);
	w->begun = false;
}

static void release_since(struct ccfc_deferred *d)
{
	struct since *w = (struct since *)d;

	if (w->follower.subscription)
		w->follower.release(w->follower.subscription);
	free(w);
}

int ccfc_events_since(struct ccfc_request *rq,
		      const struct ccfc_follower *follower)
{
	struct since *w = ccfc_calloc(1, sizeof(*w));

	if (follower)
		w->follower = *follower;
	ccfc_spool_init(&w->spool, NULL);
	w->s.step = step_since;
	w->s.reset = reset_since;
	w->s.goes_on = true;
	w->s.d.finish = finish_since;
	w->s.d.release = release_since;
	return ccfc_slice_up(rq, &w->s);
}

int ccfc_method_events_since(struct ccfc_request *rq, struct ccfc_err *err)
{
	(void)err;
	return ccfc_events_since(rq, NULL);
}
