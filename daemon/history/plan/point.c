/*
 * Points in a file's history; see point.h. A word is first looked up in the
 * index, where it is a change, a session or a time of no file in particular;
 * then that is looked for in the chain of the file that was asked about.
 */
#include "history/plan/point.h"

#include "base/time.h"
#include "index/query.h"

#include <stdio.h>

#define BEFORE "before:"
#define CHANGE "toolu_"

/* --- what is meant --- */

static int as_change(struct ccfc_at *out, uint32_t change)
{
	out->kind = CCFC_AT_CHANGE;
	out->id = change;
	return 0;
}

static int nothing(struct ccfc_slice word, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ENOTFOUND,
		     "%.*s: no time, change or session is called that",
		     (int)(word.len < 200 ? word.len : 200), word.ptr);
	ccfc_err_hint(err, "give a change's id (toolu_…), a session's id or a "
			   "unique prefix of one, or a time as in RFC 3339");
	return CCFC_ENOTFOUND;
}

static int read_name(struct ccfc_at *out, const struct ccfc_index *index,
		     struct ccfc_slice word, struct ccfc_err *err)
{
	uint32_t id = ccfc_query_change_id(index, word);
	int r;

	if (id != CCFC_ID_NONE)
		return as_change(out, id);
	if (ccfc_slice_starts(word, CHANGE)) {
		r = ccfc_query_change(&id, index, word, err);
		return r ? r : as_change(out, id);
	}
	r = ccfc_query_session(&id, index, word, err);
	if (!r) {
		out->kind = CCFC_AT_SESSION;
		out->id = id;
	}
	if (r != CCFC_ENOTFOUND)
		return r;
	r = ccfc_query_change(&id, index, word, err);
	if (!r)
		return as_change(out, id);
	return r == CCFC_ENOTFOUND ? nothing(word, err) : r;
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
				    "before: has to be followed by a change "
				    "or a session");
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

static int not_applied(const struct ccfc_change *c, struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ENOTFOUND,
			    "change %.*s did not take effect: it is %s",
			    (int)c->id_len, c->id, ccfc_state_text(c->state));
}

static int not_its(const struct search *s, const struct ccfc_change *c,
		   struct ccfc_err *err)
{
	struct ccfc_slice path = ccfc_index_file_path(s->index, c->file);

	ccfc_err_set(err, CCFC_ENOTFOUND, "change %.*s did not change %.*s",
		     (int)c->id_len, c->id, (int)s->path.len, s->path.ptr);
	ccfc_err_hint(err, "it changed %.*s", (int)path.len, path.ptr);
	return CCFC_ENOTFOUND;
}

/* Are both of the same call, "id" and "id#2"? */
static bool is_part_of(const struct ccfc_change *part,
		       const struct ccfc_change *c)
{
	return part->part && part->id_len > c->id_len &&
	       part->id[c->id_len] == '#' &&
	       !memcmp(part->id, c->id, c->id_len);
}

static int find_change(struct ccfc_point *out, const struct search *s,
		       struct ccfc_err *err)
{
	const struct ccfc_change *c = &s->index->changes.items[s->at->id];
	int64_t i = ccfc_chain_find(s->chain, s->at->id);

	for (uint32_t k = 0; i < 0 && k < s->len; k++)
		if (is_part_of(change_at(s, k), c))
			i = k;
	if (i < 0 && c->state != CCFC_STATE_APPLIED)
		return not_applied(c, err);
	if (i < 0)
		return not_its(s, c, err);
	out->i = (uint32_t)i;
	return 0;
}

static int find_session(struct ccfc_point *out, const struct search *s,
			struct ccfc_err *err)
{
	struct ccfc_slice id = ccfc_index_session_id(s->index, s->at->id);
	uint32_t last = change_at(s, s->len - 1)->session;
	bool found = false;

	for (uint32_t i = 0; i < s->len; i++) {
		if (change_at(s, i)->session != s->at->id)
			continue;
		if (!found || !s->at->before)
			out->i = i;
		found = true;
	}
	if (found)
		return 0;
	ccfc_err_set(err, CCFC_ENOTFOUND, "session %.*s did not change %.*s",
		     (int)id.len, id.ptr, (int)s->path.len, s->path.ptr);
	id = ccfc_index_session_id(s->index, last);
	ccfc_err_hint(err, "the last session that did is %.*s", (int)id.len,
		      id.ptr);
	return CCFC_ENOTFOUND;
}

static int find_time(struct ccfc_point *out, const struct search *s,
		     struct ccfc_err *err)
{
	char asked[CCFC_TIME_TEXT_MAX], first[CCFC_TIME_TEXT_MAX];
	const struct ccfc_change *c;

	for (uint32_t i = s->len; i--;) {
		if (ccfc_chain_time(s->chain, i) <= s->at->time) {
			out->i = i;
			return 0;
		}
	}
	c = change_at(s, 0);
	ccfc_err_set(err, CCFC_ENOTFOUND, "%.*s: %s is before its first change",
		     (int)s->path.len, s->path.ptr,
		     ccfc_time_format(asked, s->at->time));
	ccfc_err_hint(err,
		      "the first change is %.*s of %s; before:%.*s is what "
		      "was there before it",
		      (int)c->id_len, c->id,
		      ccfc_time_format(first, ccfc_chain_time(s->chain, 0)),
		      (int)c->id_len, c->id);
	return CCFC_ENOTFOUND;
}

int ccfc_at_find(struct ccfc_point *out, const struct ccfc_at *at,
		 const struct ccfc_chain *chain, const struct ccfc_index *index,
		 struct ccfc_err *err)
{
	struct search s = { at, chain, index, ccfc_chain_len(chain),
			    CCFC_SLICE_NONE };

	s.path = ccfc_index_file_path(index, change_at(&s, 0)->file);
	*out = (struct ccfc_point){ .i = s.len - 1,
				    .before = at->before,
				    .by_time = at->kind == CCFC_AT_TIME };
	switch (at->kind) {
	case CCFC_AT_CHANGE:
		return find_change(out, &s, err);
	case CCFC_AT_SESSION:
		return find_session(out, &s, err);
	case CCFC_AT_TIME:
		return find_time(out, &s, err);
	default:
		return 0;
	}
}

/* --- what was there --- */

/* "between A and B", or "after A" where no change follows. */
static void window(char *out, size_t size, const struct ccfc_chain *chain,
		   uint32_t i)
{
	char from[CCFC_TIME_TEXT_MAX], to[CCFC_TIME_TEXT_MAX];
	bool last = i + 1 == ccfc_chain_len(chain);

	ccfc_time_format(from, ccfc_chain_time(chain, i));
	if (last)
		snprintf(out, size, "after %s", from);
	else
		snprintf(out, size, "between %s and %s", from,
			 ccfc_time_format(to, ccfc_chain_time(chain, i + 1)));
}

static void doubt(struct ccfc_content_state *state,
		  const struct ccfc_chain *chain, uint32_t i, enum ccfc_gap gap,
		  struct ccfc_arena *arena)
{
	char when[2 * CCFC_TIME_TEXT_MAX + 32], text[512];
	bool more = state->fidelity == CCFC_FIDELITY_RECONSTRUCTED;

	window(when, sizeof(when), chain, i);
	if (gap == CCFC_GAP_OUTSIDE)
		snprintf(text, sizeof(text),
			 "%.256s%schanged outside %s; the moment is not known",
			 more ? state->why : "", more ? "; " : "", when);
	else
		snprintf(text, sizeof(text),
			 "%.256s%swhether it was changed outside %s is not "
			 "known",
			 more ? state->why : "", more ? "; " : "", when);
	state->fidelity = CCFC_FIDELITY_RECONSTRUCTED;
	state->why = ccfc_arena_copy(arena, ccfc_slice_str(text)).ptr;
}

void ccfc_at_state(struct ccfc_content_state *out, struct ccfc_chain *chain,
		   const struct ccfc_point *point, struct ccfc_arena *arena)
{
	enum ccfc_gap gap;

	if (point->before)
		ccfc_chain_before(out, chain, point->i, arena);
	else
		ccfc_chain_after(out, chain, point->i, arena);
	if (!point->by_time || out->fidelity < CCFC_FIDELITY_RECONSTRUCTED)
		return;
	gap = ccfc_chain_gap(chain, point->i + 1);
	if (gap != CCFC_GAP_NONE)
		doubt(out, chain, point->i, gap, arena);
}
