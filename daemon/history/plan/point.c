/*
 * Points in a file's history; see point.h. A word is first looked up in the
 * index, as a change, a session or a time independent of a file; then it is
 * located in the chain of the requested file.
 */
#include "history/plan/point.h"

#include "base/time.h"
#include "index/query/query.h"

#include <stdio.h>

#define BEFORE "before:"
#define CHANGE "toolu_"

/* --- what is meant --- */

static int set_to_change(struct ccfc_at *out, uint32_t change)
{
	out->kind = CCFC_AT_CHANGE;
	out->id = change;
	return 0;
}

static int fail_unknown_word(struct ccfc_slice word, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND,
		     "%.*s: not a known time, change or session",
		     (int)(word.len < 200 ? word.len : 200), word.ptr);
	ccfc_err_hint(err, "give a change's id (toolu_…), a session's id or a "
			   "unique prefix of one, or a time as in RFC 3339");
	return CCFC_ENOTFOUND;
}

static int read_name(struct ccfc_at *out, const struct ccfc_index *index,
		     struct ccfc_slice word, struct ccfc_err *err)
{
	uint32_t id = ccfc_query_change_id(index, word), file;
	int r;

	/* For an inferred change the index may have only its command. */
	if (id != CCFC_ID_NONE || ccfc_query_inferred(&id, &file, index, word))
		return set_to_change(out, id);
	if (ccfc_slice_starts(word, CHANGE)) {
		r = ccfc_query_change(&id, index, word, err);
		return r ? r : set_to_change(out, id);
	}
	r = ccfc_query_session(&id, index, word, err);
	if (!r) {
		out->kind = CCFC_AT_SESSION;
		out->id = id;
	}
	/* Words such as "@-1" can only mean a session. */
	if (r != CCFC_ENOTFOUND || ccfc_query_is_word(word))
		return r;
	r = ccfc_query_change(&id, index, word, err);
	if (!r)
		return set_to_change(out, id);
	return r == CCFC_ENOTFOUND ? fail_unknown_word(word, err) : r;
}

int ccfc_at_read(struct ccfc_at *out, const struct ccfc_index *index,
		 struct ccfc_slice word, struct ccfc_err *err)
{
	const size_t n = sizeof(BEFORE) - 1;

	*out = (struct ccfc_at){ .kind = CCFC_AT_LAST };
	if (!word.len)
		return 0;
	out->before = ccfc_slice_starts(word, BEFORE);
	if (out->before)
		word = ccfc_slice(word.ptr + n, word.len - n);
	out->time = ccfc_time_parse_user(word, true);
	if (!word.len || (out->before && out->time != CCFC_TIME_NONE))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "before: must be followed by a change or "
				    "a session");
	if (out->time == CCFC_TIME_NONE)
		return read_name(out, index, word, err);
	out->kind = CCFC_AT_TIME;
	return 0;
}

/* --- where it is in a chain --- */

struct search {
	const struct ccfc_at *at;
	const struct ccfc_chain *chain;
	const struct ccfc_index *index;
	uint32_t len;
	struct ccfc_slice path;
};

static const struct ccfc_change *change_at(const struct search *s, uint32_t i)
{
	return &s->index->changes.items[ccfc_chain_change(s->chain, i)];
}

static int fail_not_applied(const struct ccfc_change *c, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "change %.*s did not take effect: it is %s",
			    (int)c->id_len, c->id, ccfc_state_text(c->state));
}

static int fail_not_in_file(const struct search *s, const struct ccfc_change *c,
			    struct ccfc_err *err)
{
	struct ccfc_slice path = ccfc_index_file_path(s->index, c->file);

	ccfc_err_set(err, CCFC_ENOTFOUND, "change %.*s did not change %.*s",
		     (int)c->id_len, c->id, (int)s->path.len, s->path.ptr);
	ccfc_err_hint(err, "it changed %.*s", (int)path.len, path.ptr);
	return CCFC_ENOTFOUND;
}

/* Do both belong to the same call, as "id" and "id#2"? */
static bool is_part_of(const struct ccfc_change *part,
		       const struct ccfc_change *c)
{
	return part->part && part->id_len > c->id_len &&
	       part->id[c->id_len] == '#' &&
	       !memcmp(part->id, c->id, c->id_len);
}

/*
 * Did a command make the gap before change i? If `change` is given, that change
 * or that command.
 */
static bool find_inferred_change(struct ccfc_point *out, const struct search *s,
				 uint32_t i, uint32_t change)
{
	uint32_t id = i ? ccfc_chain_inferred(s->chain, i) : CCFC_ID_NONE;

	if (id == CCFC_ID_NONE ||
	    (change != CCFC_ID_NONE && id != change &&
	     s->index->changes.items[id].command != change))
		return false;
	out->i = i;
	out->made = id;
	return true;
}

static int find_change(struct ccfc_point *out, const struct search *s,
		       struct ccfc_err *err)
{
	const struct ccfc_change *c = &s->index->changes.items[s->at->id];
	int64_t i = ccfc_chain_find(s->chain, s->at->id);

	for (uint32_t k = 0; i < 0 && k < s->len; k++)
		if (is_part_of(change_at(s, k), c))
			i = k;
	for (uint32_t k = 1; i < 0 && k <= s->len; k++)
		if (find_inferred_change(out, s, k, s->at->id))
			return 0;
	if (i < 0 && c->state != CCFC_STATE_APPLIED)
		return fail_not_applied(c, err);
	if (i < 0)
		return fail_not_in_file(s, c, err);
	out->i = (uint32_t)i;
	return 0;
}

/*
 * For a file that only snapshots name: the last state in the session's backups,
 * or the first one for "before:".
 */
static bool find_seen_by(struct ccfc_point *out, const struct search *s)
{
	uint32_t k = ccfc_chain_seen(s->chain, 0, INT64_MAX);

	if (s->len)
		return false;
	for (; k != CCFC_ID_NONE; k = ccfc_chain_seen_before(s->chain, k)) {
		if (ccfc_chain_seen_session(s->chain, k) != s->at->id)
			continue;
		out->seen = k;
		if (!s->at->before)
			break;
	}
	out->before = true;
	return out->seen != CCFC_ID_NONE;
}

static int find_session(struct ccfc_point *out, const struct search *s,
			struct ccfc_err *err)
{
	struct ccfc_slice id = ccfc_index_session_id(s->index, s->at->id);
	bool found = find_seen_by(out, s);

	for (uint32_t step = 1; step <= ccfc_step_of_gap(s->len); step++) {
		uint32_t change = ccfc_chain_step_change(s->chain, step);

		if (change == CCFC_ID_NONE ||
		    s->index->changes.items[change].session != s->at->id ||
		    (found && s->at->before))
			continue;
		found = true;
		out->i = step / 2;
		out->made = step % 2 ? CCFC_ID_NONE : change;
	}
	if (found)
		return 0;
	ccfc_err_set(err, CCFC_ENOTFOUND, "session %.*s did not change %.*s",
		     (int)id.len, id.ptr, (int)s->path.len, s->path.ptr);
	if (!s->len)
		return CCFC_ENOTFOUND;
	id = ccfc_index_session_id(s->index, change_at(s, s->len - 1)->session);
	ccfc_err_hint(err, "the last session that did is %.*s", (int)id.len,
		      id.ptr);
	return CCFC_ENOTFOUND;
}

/*
 * Listings show the time of a change's call; the file changes a little later,
 * at its result. A given time that equals a shown one means that change, also
 * to the second.
 */
static bool is_shown_time(const struct search *s, uint32_t i)
{
	int64_t shown = ccfc_index_time(change_at(s, i));
	int64_t asked = s->at->time;

	if (shown == CCFC_TIME_NONE)
		return false;
	return shown == asked ||
	       (asked % 1000 == 0 && shown - asked > 0 && shown - asked < 1000);
}

/*
 * Uses the last backup before change i that is not later than the given time.
 */
static void use_seen_state(struct ccfc_point *out, const struct search *s,
			   uint32_t i)
{
	out->seen = ccfc_chain_seen(s->chain, i, s->at->time);
	/* The backup was made at exactly this time: nothing is uncertain. */
	if (out->seen != CCFC_ID_NONE &&
	    ccfc_chain_seen_time(s->chain, out->seen) == s->at->time)
		out->by_time = false;
}

/* Had the command that made the gap ended by then? */
static bool find_inferred_by_time(struct ccfc_point *out,
				  const struct search *s, uint32_t i)
{
	return ccfc_chain_inferred(s->chain, i) != CCFC_ID_NONE &&
	       ccfc_chain_step_time(s->chain, ccfc_step_of_gap(i)) <=
		       s->at->time &&
	       find_inferred_change(out, s, i, CCFC_ID_NONE);
}

/* Fails: the time is before all changes and backups. */
static int fail_too_early(const struct search *s, struct ccfc_err *err)
{
	char asked[CCFC_TIME_TEXT_MAX], first[CCFC_TIME_TEXT_MAX];
	const struct ccfc_change *c;

	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: %s is before its first %s",
		     (int)s->path.len, s->path.ptr,
		     ccfc_time_format(asked, s->at->time),
		     s->len ? "change" : "backup");
	if (!s->len)
		return CCFC_ENOTFOUND;
	c = change_at(s, 0);
	ccfc_err_hint(err,
		      "the first change is %.*s of %s; before:%.*s is what "
		      "was there before it",
		      (int)c->id_len, c->id,
		      ccfc_time_format(first, ccfc_chain_time(s->chain, 0)),
		      (int)c->id_len, c->id);
	return CCFC_ENOTFOUND;
}

static int find_time(struct ccfc_point *out, const struct search *s,
		     struct ccfc_err *err)
{
	out->time = s->at->time;
	for (uint32_t i = s->len; i--;) {
		if (find_inferred_by_time(out, s, i + 1))
			return 0;
		if (ccfc_chain_time(s->chain, i) <= s->at->time ||
		    is_shown_time(s, i)) {
			out->i = i;
			use_seen_state(out, s, i + 1);
			return 0;
		}
	}
	out->before = true;
	out->i = 0;
	use_seen_state(out, s, 0);
	return out->seen == CCFC_ID_NONE ? fail_too_early(s, err) : 0;
}

int ccfc_at_find(struct ccfc_point *out, const struct ccfc_at *at,
		 const struct ccfc_chain *chain, const struct ccfc_index *index,
		 struct ccfc_err *err)
{
	struct search s = { at, chain, index, ccfc_chain_len(chain),
			    CCFC_SLICE_NONE };

	s.path = ccfc_index_file_path(index, ccfc_chain_file(chain));
	*out = (struct ccfc_point){ .i = s.len ? s.len - 1 : 0,
				    .before = at->before,
				    .by_time = at->kind == CCFC_AT_TIME,
				    .made = CCFC_ID_NONE,
				    .seen = CCFC_ID_NONE };
	switch (at->kind) {
	case CCFC_AT_CHANGE:
		return find_change(out, &s, err);
	case CCFC_AT_SESSION:
		return find_session(out, &s, err);
	case CCFC_AT_TIME:
		return find_time(out, &s, err);
	default:
		*out = ccfc_point_end(chain);
		return 0;
	}
}

struct ccfc_point ccfc_point_last(const struct ccfc_chain *chain, uint32_t i)
{
	struct ccfc_point point = { .i = i,
				    .made = CCFC_ID_NONE,
				    .seen = ccfc_chain_seen(chain, i + 1,
							    INT64_MAX) };

	/* The disk shows what a command made of the last state. */
	if (i + 1 == ccfc_chain_len(chain)) {
		point.made = ccfc_chain_inferred(chain, i + 1);
		point.i += point.made != CCFC_ID_NONE;
	}
	return point;
}

struct ccfc_point ccfc_point_end(const struct ccfc_chain *chain)
{
	uint32_t n = ccfc_chain_len(chain);

	if (n)
		return ccfc_point_last(chain, n - 1);
	return (struct ccfc_point){ .before = true,
				    .made = CCFC_ID_NONE,
				    .seen = ccfc_chain_seen(chain, 0,
							    INT64_MAX) };
}

/* --- what was there --- */

/* The last known state before a moment, and the first one after it. */
struct between {
	int64_t from, to; /* `to` NONE: there is no later state */
	enum ccfc_gap gap;
	bool made; /* an inferred change lies in between */
};

static struct between find_surroundings(struct ccfc_chain *chain,
					const struct ccfc_point *point)
{
	uint32_t next = point->i + !point->before;
	struct between b = { .to = CCFC_TIME_NONE };

	if (point->made != CCFC_ID_NONE)
		next = point->i;
	b.made = ccfc_chain_inferred(chain, next) != CCFC_ID_NONE;
	if (point->seen == CCFC_ID_NONE) {
		b.from = ccfc_chain_time(chain, point->made == CCFC_ID_NONE
							? point->i
							: point->i - 1);
		b.gap = ccfc_chain_gap(chain, next);
	} else {
		b.from = ccfc_chain_seen_time(chain, point->seen);
		b.gap = ccfc_chain_seen_gap(chain, point->seen);
	}
	if (next < ccfc_chain_len(chain)) {
		b.to = ccfc_chain_time(chain, next);
		if (b.gap == CCFC_GAP_NONE &&
		    ccfc_chain_is_assumed(chain, next))
			b.gap = CCFC_GAP_UNKNOWN;
	}
	return b;
}

/* Prints "between A and B", or "after A" without a later state. */
static void format_window(char *out, size_t size, const struct between *b)
{
	char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];

	ccfc_time_format(from, b->from);
	if (b->to == CCFC_TIME_NONE)
		snprintf(out, size, "after %s", from);
	else
		snprintf(out, size, "between %s and %s", from,
			 ccfc_time_format(to, b->to));
}

static void weaken_between(struct ccfc_content_state *state,
			   const struct between *b, struct ccfc_arena *arena)
{
	char when[2 * CCFC_TIME_TEXT_MAX + 32], text[512];
	bool more = state->fidelity == CCFC_FIDELITY_RECONSTRUCTED;

	format_window(when, sizeof(when), b);
	if (b->made)
		snprintf(text, sizeof(text),
			 "%.256s%schanged %s, while a command ran, as the "
			 "contents tell",
			 more ? state->why : "", more ? "; " : "", when);
	else if (b->gap == CCFC_GAP_OUTSIDE || b->gap == CCFC_GAP_RETURNED ||
		 b->gap == CCFC_GAP_HOOK)
		snprintf(text, sizeof(text),
			 "%.256s%schanged outside %s; the moment is not known",
			 more ? state->why : "", more ? "; " : "", when);
	else
		snprintf(text, sizeof(text),
			 "%.256s%swhether it was changed outside %s is not "
			 "known",
			 more ? state->why : "", more ? "; " : "", when);
	state->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
	if (state->assumed < CCFC_ASSUMED_MOMENT)
		state->assumed = CCFC_ASSUMED_MOMENT;
	state->why = ccfc_arena_copy(arena, ccfc_slice_str(text)).ptr;
}

/* The change after the point. */
static uint32_t next_change(const struct ccfc_point *point)
{
	return point->made != CCFC_ID_NONE ? point->i
					   : point->i + !point->before;
}

/* A later change whose effect may have been there by then; -1: none. */
static int64_t find_overlapping_change(const struct ccfc_chain *chain,
				       const struct ccfc_point *point)
{
	for (uint32_t i = next_change(point); i < ccfc_chain_len(chain); i++)
		if (ccfc_chain_start(chain, i) != CCFC_TIME_NONE &&
		    ccfc_chain_start(chain, i) <= point->time)
			return i;
	return -1;
}

static void weaken_moment(struct ccfc_content_state *state, const char *why,
			  struct ccfc_arena *arena)
{
	char text[512];
	bool more = state->fidelity == CCFC_FIDELITY_RECONSTRUCTED;

	snprintf(text, sizeof(text), "%.256s%s%s", more ? state->why : "",
		 more ? "; " : "", why);
	state->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
	if (state->assumed < CCFC_ASSUMED_MOMENT)
		state->assumed = CCFC_ASSUMED_MOMENT;
	state->why = ccfc_arena_copy(arena, ccfc_slice_str(text)).ptr;
}

static void weaken_overlapping(struct ccfc_content_state *state,
			       struct ccfc_chain *chain, uint32_t i,
			       struct ccfc_arena *arena)
{
	char when[CCFC_TIME_TEXT_MAX], text[128];

	snprintf(text, sizeof(text), "the change that ended at %s had begun",
		 ccfc_time_format(when, ccfc_chain_time(chain, i)));
	weaken_moment(state, text, arena);
}

/* The state at the point, not yet weakened. */
static void state_of_point(struct ccfc_content_state *out,
			   struct ccfc_chain *chain,
			   const struct ccfc_point *point,
			   struct ccfc_arena *arena)
{
	if (point->seen != CCFC_ID_NONE)
		ccfc_chain_seen_state(out, chain, point->seen, arena);
	else if (point->made != CCFC_ID_NONE && point->before)
		ccfc_chain_step_before(out, chain, ccfc_step_of_gap(point->i),
				       arena);
	else if (point->made != CCFC_ID_NONE)
		ccfc_chain_step_after(out, chain, ccfc_step_of_gap(point->i),
				      arena);
	else if (point->before)
		ccfc_chain_before(out, chain, point->i, arena);
	else
		ccfc_chain_after(out, chain, point->i, arena);
}

void ccfc_at_state(struct ccfc_content_state *out, struct ccfc_chain *chain,
		   const struct ccfc_point *point, struct ccfc_arena *arena)
{
	struct between b;
	enum ccfc_held held;
	int64_t begun;

	state_of_point(out, chain, point, arena);
	if (!point->by_time || out->fidelity < CCFC_FIDELITY_RECONSTRUCTED)
		return;
	if (ccfc_chain_may_have_changed(chain, next_change(point),
					point->time)) {
		weaken_moment(out,
			      "it changed about then; the moment is not known",
			      arena);
		return;
	}
	held = ccfc_chain_seen_held(chain, next_change(point), point->time,
				    out);
	if (held == CCFC_HELD_NO) {
		weaken_moment(out,
			      "it changed later without being seen; the moment "
			      "is not known",
			      arena);
		return;
	}
	/* It was seen on disk, byte by byte, until after that moment. */
	if (held == CCFC_HELD_YES && point->seen == CCFC_ID_NONE &&
	    !point->before) {
		out->fidelity = CCFC_FIDELITY_EXACT;
		out->assumed = CCFC_ASSUMED_NOTHING;
		out->why = "";
		return;
	}
	b = find_surroundings(chain, point);
	/* The next change itself overwrote it. */
	if (b.gap != CCFC_GAP_NONE && b.gap != CCFC_GAP_OVERWRITTEN)
		weaken_between(out, &b, arena);
	begun = find_overlapping_change(chain, point);
	if (begun >= 0)
		weaken_overlapping(out, chain, (uint32_t)begun, arena);
}
