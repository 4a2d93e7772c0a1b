/*
 * Whose change is it? Resumed, forked and re-opened sessions copy records
 * into other transcripts, so one tool_use id can be observed in several
 * sessions. The owner is found over the set of observations alone, never by
 * the order in which they were read:
 *
 * 1. the earliest time of the call (a resume that rewrites times is later);
 * 2. if the times are equal (forks copy times): within one session, the session
 *    itself before its agents (some agent files are copies of the
 *    conversation). Between two sessions, compare the earliest records that
 *    only one of them has: the session with the older one wins. A fork's own
 *    records begin with the fork. A session without a record of its own is the
 *    beginning of the other one, and wins;
 * 3. then the smaller id.
 *
 * Rule 2 compares two sessions at a time and need not be transitive over three.
 * Usually one session beats all others; else the owner is the session that
 * beats most others.
 *
 * The facts for rule 2 are kept for each pair of sessions that was ever
 * compared (a tie), and updated with the prompts of a batch: a prompt costs one
 * step for each tie of its session, however long the sessions are.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"
#include "index/index_internal.h"

static int64_t call_time(const struct ccfc_observation *obs)
{
	return obs->time == CCFC_TIME_NONE ? INT64_MAX : obs->time;
}

static int compare_strings(const struct ccfc_index *index, uint32_t a,
			   uint32_t b)
{
	return a == b ? 0
		      : ccfc_slice_cmp(ccfc_index_str(index, a),
				       ccfc_index_str(index, b));
}

static int compare_uuids(const struct ccfc_index *index,
			 const struct ccfc_observation *a,
			 const struct ccfc_observation *b)
{
	char text_a[64], text_b[64];

	return ccfc_slice_cmp(ccfc_index_uuid(index, a, text_a),
			      ccfc_index_uuid(index, b, text_b));
}

static int compare_sessions(const struct ccfc_index *index, uint32_t a,
			    uint32_t b)
{
	return a == b ? 0
		      : ccfc_slice_cmp(ccfc_index_session_id(index, a),
				       ccfc_index_session_id(index, b));
}

/* Compares the fields of two calls, in a fixed order. */
static int compare_facts(const struct ccfc_index *index,
			 const struct ccfc_observation *a,
			 const struct ccfc_observation *b)
{
	int r = compare_strings(index, a->tool, b->tool);

	if (!r && a->file != b->file)
		r = ccfc_slice_cmp(ccfc_index_file_path(index, a->file),
				   ccfc_index_file_path(index, b->file));
	if (!r)
		r = compare_strings(index, a->model, b->model);
	if (!r)
		r = compare_strings(index, a->version, b->version);
	if (!r)
		r = a->sidechain - b->sidechain;
	if (!r)
		r = (a->added > b->added) - (a->added < b->added);
	return r ? r : (a->removed > b->removed) - (a->removed < b->removed);
}

int ccfc_index_compare_obs(const struct ccfc_index *index,
			   const struct ccfc_observation *a,
			   const struct ccfc_observation *b)
{
	const struct ccfc_source *sources = index->sources.items;
	int r;

	if (call_time(a) != call_time(b))
		return call_time(a) < call_time(b) ? -1 : 1;
	r = compare_sessions(index, a->session, b->session);
	if (!r)
		r = compare_strings(index, a->agent, b->agent);
	if (!r)
		r = a->relayed - b->relayed;
	if (!r)
		r = compare_uuids(index, a, b);
	if (!r)
		r = compare_facts(index, a, b);
	return r ? r
		 : compare_strings(index, sources[a->place.source].path,
				   sources[b->place.source].path);
}

/* --- ties --- */

int64_t ccfc_index_own_since(const struct ccfc_index *index, uint32_t session,
			     uint32_t other)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	int64_t least = s->born == CCFC_TIME_NONE ? INT64_MAX : s->born;

	for (uint32_t id = s->prompts; id != CCFC_ID_NONE;
	     id = index->prompts.items[id].next) {
		const struct ccfc_prompt *p = &index->prompts.items[id];

		if (p->time < least &&
		    ccfc_index_find_prompt(index, other, p->uuid) ==
			    CCFC_ID_NONE)
			least = p->time;
	}
	return least;
}

CCFC_TABLE_FIND(find_tie, ties, struct ccfc_tie, uint32_t,
		r->session[0] == k[0] && r->session[1] == k[1])

static uint32_t add_tie(struct ccfc_index *index, const uint32_t *pair,
			uint64_t hash)
{
	struct ccfc_tie tie = { .session = { pair[0], pair[1] } };

	tie.since[0] = ccfc_index_own_since(index, pair[0], pair[1]);
	tie.since[1] = ccfc_index_own_since(index, pair[1], pair[0]);
	for (int i = 0; i < 2; i++)
		ccfc_ids_push(&index->sessions.items[pair[i]].ties,
			      index->ties.n);
	ccfc_map_put(&index->ties.map, hash, index->ties.n);
	CCFC_VEC_PUSH(index->ties, tie);
	return index->ties.n - 1;
}

/* <0: the tie's first session is the older one. */
static int compare_since(const struct ccfc_index *index,
			 const struct ccfc_tie *tie)
{
	int64_t a = tie->since[0] == INT64_MAX ? INT64_MIN : tie->since[0];
	int64_t b = tie->since[1] == INT64_MAX ? INT64_MIN : tie->since[1];

	if (a != b)
		return a < b ? -1 : 1;
	return compare_sessions(index, tie->session[0], tie->session[1]);
}

int ccfc_index_compare_tied(struct ccfc_index *index, uint32_t a, uint32_t b)
{
	bool swap = a > b;
	uint32_t pair[2] = { swap ? b : a, swap ? a : b };
	uint64_t hash = ccfc_hash(pair, sizeof(pair));
	uint32_t tie;
	int r;

	if (a == b)
		return 0;
	tie = find_tie(index, hash, pair);
	if (tie == CCFC_ID_NONE)
		tie = add_tie(index, pair, hash);
	r = compare_since(index, &index->ties.items[tie]);
	return swap ? -r : r;
}

/* <0: a is the owner rather than b. Both have the same time. */
static int compare_tied(struct ccfc_index *index,
			const struct ccfc_observation *a,
			const struct ccfc_observation *b)
{
	if (a->session == b->session)
		return ccfc_index_compare_obs(index, a, b);
	return ccfc_index_compare_tied(index, a->session, b->session);
}

/* --- the owner --- */

static struct ccfc_observation *observation_at(struct ccfc_index *index,
					       struct ccfc_change *change,
					       uint32_t id)
{
	return id == CCFC_ID_NONE ? &change->call : &index->obs.items[id];
}

static bool is_better(struct ccfc_index *index,
		      const struct ccfc_observation *a,
		      const struct ccfc_observation *b)
{
	if (call_time(a) != call_time(b))
		return call_time(a) < call_time(b);
	return compare_tied(index, a, b) < 0;
}

/* The number of observations of the same time that `a` wins against. */
static uint32_t count_session_wins(struct ccfc_index *index,
				   const struct ccfc_change *c,
				   const struct ccfc_observation *a,
				   uint32_t *others)
{
	const struct ccfc_observation *b = &c->call;
	uint32_t n = 0;

	*others = 0;
	for (;;) {
		if (b != a && call_time(b) == call_time(a)) {
			*others += 1;
			n += compare_tied(index, a, b) < 0;
		}
		if (b->next == CCFC_ID_NONE)
			return n;
		b = &index->obs.items[b->next];
	}
}

/*
 * No observation wins against all others: the one with the most wins, then the
 * first in the order of observations.
 */
static uint32_t most_wins(struct ccfc_index *index, struct ccfc_change *c,
			  uint32_t best)
{
	const int64_t time = call_time(observation_at(index, c, best));
	uint32_t others, most = 0;
	uint32_t id = CCFC_ID_NONE;

	do {
		const struct ccfc_observation *obs =
			observation_at(index, c, id);
		uint32_t n =
			call_time(obs) == time
				? count_session_wins(index, c, obs, &others)
				: 0;

		if (n > most ||
		    (n && n == most &&
		     ccfc_index_compare_obs(
			     index, obs, observation_at(index, c, best)) < 0)) {
			most = n;
			best = id;
		}
		id = obs->next;
	} while (id != CCFC_ID_NONE);
	return best;
}

static void note_tie(struct ccfc_index *index, uint32_t change)
{
	if (index->changes.items[change].tied)
		return;
	index->changes.items[change].tied = true;
	ccfc_ids_push(&index->tied, change);
}

static uint32_t find_owner(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	uint32_t best = CCFC_ID_NONE;
	uint32_t others;

	for (uint32_t id = c->call.next; id != CCFC_ID_NONE;
	     id = index->obs.items[id].next)
		if (is_better(index, &index->obs.items[id],
			      observation_at(index, c, best)))
			best = id;
	if (count_session_wins(index, c, observation_at(index, c, best),
			       &others) < others)
		best = most_wins(index, c, best);
	if (others)
		note_tie(index, change);
	return best;
}

void ccfc_index_pick_owner(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_observation moved;
	uint32_t best, next;

	if (c->call.next == CCFC_ID_NONE)
		return;
	best = find_owner(index, change);
	if (best == CCFC_ID_NONE)
		return;
	/* Swaps the contents, not the chain. */
	moved = index->obs.items[best];
	next = c->call.next;
	c->call.next = moved.next;
	index->obs.items[best] = c->call;
	c->call = moved;
	c->call.next = next;
	ccfc_ids_push(&index->obs.dirty, best);
	ccfc_index_mark_change(index, change);
}

/* --- news --- */

/* A prompt is new, or its time became earlier. */
static void note_prompt(struct ccfc_index *index, uint32_t prompt)
{
	const struct ccfc_prompt *p = &index->prompts.items[prompt];
	const struct ccfc_ids *ties = &index->sessions.items[p->session].ties;

	for (uint32_t i = 0; i < ties->n; i++) {
		struct ccfc_tie *tie = &index->ties.items[ties->items[i]];
		int me = tie->session[1] == p->session;
		uint32_t twin = ccfc_index_find_prompt(index, tie->session[!me],
						       p->uuid);

		/*
		 * The prompt now belongs to one session alone, or no longer
		 * does.
		 */
		if (twin == CCFC_ID_NONE)
			tie->stale[me] |= p->time < tie->since[me];
		else if (tie->since[!me] >= index->prompts.items[twin].time)
			tie->stale[!me] = true;
	}
}

static void note_birth(struct ccfc_index *index, const struct ccfc_session *s)
{
	for (uint32_t i = 0; i < s->ties.n; i++) {
		struct ccfc_tie *tie = &index->ties.items[s->ties.items[i]];

		tie->stale[0] = tie->stale[1] = true;
	}
}

/* Computes the session's ties; true if one changed direction. */
static bool refresh_ties(struct ccfc_index *index, const struct ccfc_session *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->ties.n; i++) {
		struct ccfc_tie *tie = &index->ties.items[s->ties.items[i]];
		int before = compare_since(index, tie);

		for (int k = 0; k < 2; k++) {
			if (tie->stale[k])
				tie->since[k] = ccfc_index_own_since(
					index, tie->session[k],
					tie->session[!k]);
			tie->stale[k] = false;
		}
		if ((before < 0) == (compare_since(index, tie) < 0))
			continue;
		index->sessions.items[tie->session[0]].turned = true;
		index->sessions.items[tie->session[1]].turned = true;
		any = true;
	}
	return any;
}

static bool hangs_on_turned(const struct ccfc_index *index,
			    const struct ccfc_change *c)
{
	const struct ccfc_observation *obs = &c->call;

	for (;;) {
		if (index->sessions.items[obs->session].turned)
			return true;
		if (obs->next == CCFC_ID_NONE)
			return false;
		obs = &index->obs.items[obs->next];
	}
}

static void touch_turned(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->tied.n; i++) {
		uint32_t id = index->tied.items[i];

		if (hangs_on_turned(index, &index->changes.items[id]))
			ccfc_index_touch_change(index, id);
	}
	ccfc_index_touch_turned_messages(index);
	for (uint32_t i = 0; i < index->ties.n; i++)
		for (int k = 0; k < 2; k++)
			index->sessions.items[index->ties.items[i].session[k]]
				.turned = false;
}

void ccfc_index_settle_ties(struct ccfc_index *index)
{
	bool any = false;

	for (uint32_t i = 0; i < index->prompts.dirty.n; i++)
		note_prompt(index, index->prompts.dirty.items[i]);
	for (uint32_t i = 0; i < index->sessions.dirty.n; i++) {
		struct ccfc_session *s =
			&index->sessions.items[index->sessions.dirty.items[i]];

		if (s->news)
			note_birth(index, s);
		s->news = false;
		any |= refresh_ties(index, s);
	}
	if (any)
		touch_turned(index);
}
