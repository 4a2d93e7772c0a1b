/*
 * Events, and events.since; see events_since.h. An event is a change as it
 * stands now: of several events of one change only the last is ever given,
 * which is why a client that missed some loses nothing but steps in between.
 */
#include "serve/methods/events_since.h"

#include "base/path.h"
#include "index/glob.h"
#include "serve/rpc/reply.h"

/* Of one event, against one pattern: some milliseconds. */
#define GLOB_STEPS 1000000u

/* --- wishes --- */

static int wish_path(struct ccfc_wish *w, struct ccfc_request *rq,
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

/* A list of the request's, as the wish's own. */
static const struct ccfc_slice *
own_list(struct ccfc_wish *w, const struct ccfc_slice *list, uint32_t n)
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
				    "is no event yet",
				    rq->method);
	r = ccfc_args_filter(&w->filter, rq, err);
	if (!r && w->filter.project.len)
		w->filter.project =
			ccfc_arena_copy(&w->arena, w->filter.project);
	if (!r)
		w->filter.tools =
			own_list(w, w->filter.tools, w->filter.ntools);
	if (!r)
		r = wish_path(w, rq, err);
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

bool ccfc_wish_accepts(const struct ccfc_wish *w,
		       const struct ccfc_index *index,
		       const struct ccfc_event *event)
{
	const struct ccfc_change *c = &index->changes.items[event->change];

	if (w->session && c->session != w->session &&
	    event->previous != w->session)
		return false;
	if (w->glob)
		ccfc_glob_grant(w->glob, GLOB_STEPS);
	if (w->path.len &&
	    !ccfc_path_is_below(ccfc_index_file_path(index, c->file), w->path))
		return false;
	return ccfc_filter_accepts(index, &w->filter, c);
}

/* --- packing --- */

void ccfc_event_pack(struct ccfc_buf *out, const struct ccfc_index *index,
		     const struct ccfc_event *event)
{
	const struct ccfc_change *c = &index->changes.items[event->change];
	const struct ccfc_session *s = &index->sessions.items[c->session];
	char text[CCFC_CLOCK_TEXT_MAX];
	struct ccfc_pack p;

	ccfc_pack_init(&p, out);
	ccfc_pack_map(&p);
	ccfc_pack_kv_cstr(&p, "type", "change");
	ccfc_pack_kv_cstr(
		&p, "clock",
		ccfc_reply_clock_text(text, index->epoch, event->seq));
	ccfc_reply_str(&p, "path", ccfc_index_file_path(index, c->file));
	ccfc_reply_id(&p, "projectPath", index, s->project);
	ccfc_reply_id(&p, "gitBranch", index, s->branch);
	ccfc_reply_change_fields(&p, index, c);
	if (event->previous)
		ccfc_reply_str(&p, "previousSessionId",
			       ccfc_index_session_id(index, event->previous));
	ccfc_pack_cstr(&p, "subscription");
	ccfc_pack_nil(&p);
	ccfc_pack_end(&p);
	out->len--; /* the nil: one byte, and the map counts it */
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

/* Packs the events and returns the clock that the reply stands for. */
static uint64_t pack_events(struct ccfc_request *rq,
			    const struct ccfc_wish *wish, int64_t sub)
{
	const struct ccfc_index *index = rq->index;
	struct ccfc_buf scratch = CCFC_BUF_INIT;
	int64_t left = rq->opt.limit;
	uint64_t seq = index->seq, last = 0;

	for (uint32_t i = ccfc_query_log(index, rq->opt.clock.seq);
	     i < index->log.n; i++) {
		const struct ccfc_event *e = &index->log.items[i];

		if (index->changes.items[e->change].seq != e->seq ||
		    !ccfc_wish_accepts(wish, index, e))
			continue;
		if (!left--) {
			seq = last;
			break;
		}
		last = e->seq;
		pack_event(rq, e, sub, &scratch);
	}
	ccfc_buf_release(&scratch);
	return seq;
}

void ccfc_events_since(struct ccfc_request *rq, const struct ccfc_wish *wish,
		       int64_t sub)
{
	const struct ccfc_index *index = rq->index;
	const struct ccfc_clock *since = &rq->opt.clock;
	bool fresh = since->epoch != index->epoch || since->seq > index->seq;
	char text[CCFC_CLOCK_TEXT_MAX];
	uint64_t seq = index->seq;

	ccfc_pack_kv_bool(rq->pack, "fresh", fresh);
	ccfc_pack_cstr(rq->pack, "events");
	ccfc_pack_array(rq->pack);
	if (!fresh)
		seq = pack_events(rq, wish, sub);
	ccfc_pack_end(rq->pack);
	if (seq != index->seq)
		ccfc_pack_kv_cstr(
			rq->pack, "clock",
			ccfc_reply_clock_text(text, index->epoch, seq));
	else
		ccfc_reply_clock(rq->pack, rq->service);
}

int ccfc_method_events_since(struct ccfc_request *rq, struct ccfc_err *err)
{
	struct ccfc_wish wish;
	int r = ccfc_wish_init(&wish, rq, err);

	if (r)
		return r;
	ccfc_pack_map(rq->pack);
	ccfc_events_since(rq, &wish, 0);
	ccfc_pack_end(rq->pack);
	ccfc_wish_release(&wish);
	return 0;
}
