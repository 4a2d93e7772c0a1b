/*
 * The title and the status of a session, and its own transcript, for listings.
 * If several transcripts show a session, one is chosen, independent of the
 * order of reading.
 */
#include "base/time.h"
#include "index/query/totals.h"

#define ACTIVE_MS (5 * 60 * 1000)
#define WAIT_MS	  (24 * 60 * 60 * 1000)
#define WRITE_MS  (10 * 1000) /* longer than writing a file takes */

const char *ccfc_title_text(enum ccfc_title from)
{
	static const char *const names[] = { "",   "prompt", "summary",
					     "ai", "custom", "name" };

	return names[from];
}

static const char *const status_names[] = { "waiting", "active", "failed",
					    "completed" };

const char *ccfc_status_text(enum ccfc_status status)
{
	return status_names[status];
}

int ccfc_status_from_text(struct ccfc_slice text)
{
	for (int i = 0; i <= CCFC_STATUS_COMPLETED; i++)
		if (ccfc_slice_is(text, status_names[i]))
			return i;
	return -1;
}

static int compare_paths(const struct ccfc_index *index, uint32_t a, uint32_t b)
{
	const struct ccfc_source *sources = index->sources.items;

	return ccfc_slice_cmp(ccfc_index_str(index, sources[a].path),
			      ccfc_index_str(index, sources[b].path));
}

/* Is the transcript named after the session? */
static bool is_own(const struct ccfc_index *index, uint32_t source,
		   uint32_t session)
{
	const struct ccfc_source *s = &index->sources.items[source];

	return !s->is_agent && s->session == session;
}

/*
 * Which of two transcripts of a session counts: its own, then the one that was
 * written last. >0: a does; 0: undecided.
 */
static int compare_rank(const struct ccfc_index *index,
			const struct ccfc_session_source *a,
			const struct ccfc_session_source *b)
{
	bool mine = is_own(index, a->source, a->session);
	bool theirs = is_own(index, b->source, b->session);

	if (mine != theirs)
		return mine - theirs;
	return (a->time > b->time) - (a->time < b->time);
}

static bool is_before(const struct ccfc_index *index,
		      const struct ccfc_session_source *a,
		      const struct ccfc_session_source *b)
{
	int rank = compare_rank(index, a, b);

	return rank ? rank > 0 : compare_paths(index, a->source, b->source) < 0;
}

static uint32_t title_of(const struct ccfc_session_source *part, bool custom)
{
	return custom ? part->custom : part->ai;
}

/* The view `sessions` (store/sql/views.c) has the same rule. */
static bool is_better_title(const struct ccfc_index *index,
			    const struct ccfc_session_source *a,
			    const struct ccfc_session_source *b, bool custom)
{
	int rank = compare_rank(index, a, b);

	return rank ? rank > 0
		    : ccfc_slice_cmp(
			      ccfc_index_str(index, title_of(a, custom)),
			      ccfc_index_str(index, title_of(b, custom))) > 0;
}

static uint32_t find_title(const struct ccfc_index *index, uint32_t session,
			   bool custom)
{
	const struct ccfc_session_source *items = index->session_sources.items;
	const struct ccfc_session_source *best = NULL;

	for (uint32_t i = index->sessions.items[session].session_sources;
	     i != CCFC_ID_NONE; i = items[i].next)
		if (title_of(&items[i], custom) &&
		    (!best || is_better_title(index, &items[i], best, custom)))
			best = &items[i];
	return best ? title_of(best, custom) : 0;
}

enum ccfc_title ccfc_tally_title(struct ccfc_slice *out,
				 const struct ccfc_index *index,
				 uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	enum ccfc_title from = CCFC_TITLE_NAME;
	uint32_t title = s->name;

	if (!title) {
		from = CCFC_TITLE_CUSTOM;
		title = find_title(index, session, true);
	}
	if (!title) {
		from = CCFC_TITLE_AI;
		title = find_title(index, session, false);
	}
	if (!title) {
		from = CCFC_TITLE_SUMMARY;
		title = s->summary;
	}
	if (!title) {
		from = CCFC_TITLE_PROMPT;
		title = s->opening;
	}
	*out = ccfc_index_str(index, title);
	return title ? from : CCFC_TITLE_NONE;
}

/* Of the present parts, the one with the latest last record (or result). */
static const struct ccfc_session_source *
last_session_source(const struct ccfc_index *index, uint32_t session,
		    bool results)
{
	const struct ccfc_session_source *items = index->session_sources.items;
	const struct ccfc_session_source *best = NULL;
	int64_t latest = 0;

	for (uint32_t i = index->sessions.items[session].session_sources;
	     i != CCFC_ID_NONE; i = items[i].next) {
		const struct ccfc_session_source *p = &items[i];
		int64_t time = results ? p->result_time : p->time;

		if (p->gen != index->sources.items[p->source].gen ||
		    (results ? !p->results : !(p->user[0] + p->assistant[0])))
			continue;
		if (!best || time > latest ||
		    (time == latest && is_before(index, p, best))) {
			best = p;
			latest = time;
		}
	}
	return best;
}

/*
 * An abandoned question does not wait for an answer. Later activity shows that:
 * if any session has a record more than a day later, the user has gone on
 * without an answer. Time without activity does not count.
 */
static bool is_left(const struct ccfc_index *index, int64_t end, int64_t now)
{
	int64_t latest = index->latest < now ? index->latest : now;

	return end != CCFC_TIME_NONE && latest > end && latest - end > WAIT_MS;
}

/* A file is written at once: a call that takes long wants permission. */
static bool wants_leave(const struct ccfc_session_source *last, int64_t now)
{
	return last->edits && last->time != CCFC_TIME_NONE &&
	       now - last->time > WRITE_MS;
}

enum ccfc_status ccfc_tally_status(const struct ccfc_index *index,
				   uint32_t session, int64_t now)
{
	const struct ccfc_session_source *last =
		last_session_source(index, session, false);
	int64_t end = index->sessions.items[session].end;

	if (last && (last->asks || wants_leave(last, now)) &&
	    !is_left(index, end, now))
		return CCFC_STATUS_WAITING;
	if (end != CCFC_TIME_NONE && end > now - ACTIVE_MS)
		return CCFC_STATUS_ACTIVE;
	last = last_session_source(index, session, true);
	return last && last->error ? CCFC_STATUS_FAILED : CCFC_STATUS_COMPLETED;
}

uint32_t ccfc_tally_source(const struct ccfc_index *index, uint32_t session)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].sources;
	uint32_t best = CCFC_ID_NONE;
	int best_rank = 0;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_source *s =
			&index->sources.items[ids->items[i]];
		/* Better: it exists; then it has the session's name. */
		int rank = 1 + 2 * (int)ccfc_source_where(s) +
			   (s->session == session);

		if (s->is_agent)
			continue;
		if (rank > best_rank ||
		    (rank == best_rank &&
		     compare_paths(index, ids->items[i], best) < 0)) {
			best = ids->items[i];
			best_rank = rank;
		}
	}
	return best;
}
