/*
 * Finds the events with lines. A change of a file tool that took effect has
 * made at most one event, at some time between its call and its result. So
 * events and changes are paired, as many as possible: from the last event
 * backwards, each with the change that began last. Certain pairs by their times
 * come first, then possible ones; changes in the transcripts of the event's
 * session come first, then changes of others without an event, since the note
 * of a client may be older than its session. The remaining events have no line.
 * If exactly one call without a result remains, and may have made such an
 * event, the event is assigned to it: the change took effect.
 */
#include "index/disk/witness.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

/*
 * A file's own time may be TICK ms too early; clocks may differ by more: SLACK.
 */
#define TICK  10
#define SLACK 1000
/* A call without a result has its effect within this time, in ms. */
#define LONGEST (10 * 60 * 1000)
/* The latest events of a file are considered, at most so many. */
#define LOOK_MAX 4096u
/* Calls of a file without a result; with more, none of them is certain. */
#define OPEN_MAX 64u

/* --- gathering --- */

static void gather_traces(struct ccfc_traced *s)
{
	uint32_t id = ccfc_index_last_seen(s->index, s->file);

	for (uint32_t n = 0; id != CCFC_ID_NONE && n < LOOK_MAX; n++) {
		const struct ccfc_disk_event *e =
			&s->index->disk_events.items[id];
		struct ccfc_trace trace = { id, CCFC_ID_NONE };

		if (ccfc_trace_is(e))
			CCFC_VEC_PUSH(s->traces, trace);
		id = e->next;
	}
}

/* When it may have written its file. */
static void set_period(struct ccfc_claim *claim, const struct ccfc_index *index,
		       const struct ccfc_change *c)
{
	struct ccfc_period w = { c->call.time, c->call.time };

	if (c->result.known)
		w = ccfc_query_window(index, c);
	else if (c->call.time != CCFC_TIME_NONE)
		w.to += LONGEST;
	claim->sure = w;
	if (w.from != INT64_MIN)
		claim->sure.from -= TICK;
	if (c->result.known && w.to != INT64_MAX)
		claim->sure.to -= CCFC_WINDOW_LATE;
	/* With a result alone, the time of the call is not known. */
	if (!c->call.known && w.from != INT64_MIN)
		w.from -= CCFC_WITNESS_GONE_ON;
	if (w.from > INT64_MIN + SLACK)
		w.from -= SLACK;
	claim->when = w;
}

static int by_from(const void *x, const void *y)
{
	const struct ccfc_claim *a = x, *b = y;

	if (a->when.from != b->when.from)
		return a->when.from < b->when.from ? -1 : 1;
	return (a->when.to > b->when.to) - (a->when.to < b->when.to);
}

static void sort_claims(struct ccfc_claims *claims)
{
	if (claims->n)
		qsort(claims->items, claims->n, sizeof(*claims->items),
		      by_from);
}

static bool is_tool(const struct ccfc_change *c)
{
	return c->settled &&
	       (!c->shell || (ccfc_index_is_witnessed(c) && c->call.known));
}

static void gather_claims(struct ccfc_traced *s)
{
	const struct ccfc_ids *ids = &s->index->files.items[s->file];

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&s->index->changes.items[ids->items[i]];
		struct ccfc_claim claim = { .change = ids->items[i] };

		if (!is_tool(c))
			continue;
		if (c->shell)
			ccfc_ids_push(&s->was, ids->items[i]);
		set_period(&claim, s->index, c);
		if (!c->result.known)
			CCFC_VEC_PUSH(s->open, claim);
		else if (c->result.state == CCFC_STATE_APPLIED)
			CCFC_VEC_PUSH(s->applied, claim);
	}
	sort_claims(&s->applied);
	sort_claims(&s->open);
}

/* --- pairs --- */

uint32_t ccfc_trace_session(const struct ccfc_index *index,
			    const struct ccfc_disk_event *e)
{
	uint32_t id = ccfc_strtab_find(&index->session_ids,
				       ccfc_index_str(index, e->by));

	return id == CCFC_ID_NONE ? 0 : id;
}

/* It changed at some moment between the two. */
static bool is_during(const struct ccfc_period *w,
		      const struct ccfc_disk_event *e)
{
	int64_t first = e->held < e->time ? e->held : e->time;

	if (e->since < first)
		first = e->since;
	return w->from <= e->time && w->to >= first;
}

/* How well a change and an event fit; greater is better. */
enum fit { FIT_TIME, FIT_SESSION, FIT_SURELY };

static bool is_fit(const struct ccfc_index *index,
		   const struct ccfc_claim *claim,
		   const struct ccfc_disk_event *e, enum fit fit)
{
	return is_during(fit == FIT_SURELY ? &claim->sure : &claim->when, e) &&
	       (fit == FIT_TIME ||
		ccfc_index_shows(index, claim->change,
				 ccfc_trace_session(index, e)));
}

/* The change of the first `n` that began last and may have made it. */
static uint32_t claim_event(struct ccfc_traced *s,
			    const struct ccfc_disk_event *e, uint32_t n,
			    enum fit fit)
{
	while (n-- > 0) {
		struct ccfc_claim *claim = &s->applied.items[n];

		if (claim->taken || !is_fit(s->index, claim, e, fit))
			continue;
		claim->taken = true;
		return claim->change;
	}
	return CCFC_ID_NONE;
}

/* Pairs events with changes that fit at least so well. */
static void pair_events(struct ccfc_traced *s, enum fit fit)
{
	const struct ccfc_index *index = s->index;
	const struct ccfc_claim *claims = s->applied.items;
	uint32_t last = s->applied.n;

	for (uint32_t i = 0; i < s->traces.n; i++) {
		struct ccfc_trace *t = &s->traces.items[i];
		const struct ccfc_disk_event *e =
			&index->disk_events.items[t->event];

		/* It does not fit earlier events either. */
		while (last && (claims[last - 1].taken ||
				claims[last - 1].when.from > e->time))
			last--;
		if (t->change == CCFC_ID_NONE)
			t->change = claim_event(s, e, last, fit);
	}
}

/* Events without a line that the call may have made. */
static uint32_t count_left(const struct ccfc_traced *s,
			   const struct ccfc_claim *claim)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->traces.n; i++) {
		const struct ccfc_trace *t = &s->traces.items[i];
		const struct ccfc_disk_event *e =
			&s->index->disk_events.items[t->event];

		n += t->change == CCFC_ID_NONE &&
		     is_fit(s->index, claim, e, FIT_SESSION);
	}
	return n;
}

uint32_t ccfc_traces_open(const struct ccfc_traced *s, uint32_t trace)
{
	uint32_t found = CCFC_ID_NONE, calls = 0;
	const struct ccfc_disk_event *e =
		&s->index->disk_events.items[s->traces.items[trace].event];

	for (uint32_t i = 0; i < s->open.n && s->open.n <= OPEN_MAX; i++) {
		const struct ccfc_claim *claim = &s->open.items[i];

		if (!is_fit(s->index, claim, e, FIT_SESSION))
			continue;
		calls++;
		if (count_left(s, claim) == 1)
			found = claim->change;
	}
	return calls == 1 ? found : CCFC_ID_NONE;
}

void ccfc_traces_pair(struct ccfc_traced *out)
{
	gather_traces(out);
	if (!out->traces.n)
		return;
	gather_claims(out);
	pair_events(out, FIT_SURELY);
	pair_events(out, FIT_SESSION);
	pair_events(out, FIT_TIME);
}

void ccfc_traces_release(struct ccfc_traced *traced)
{
	free(traced->applied.items);
	free(traced->open.items);
	free(traced->was.items);
	free(traced->traces.items);
}
