/*
 * When each session saw a contested file: its reads, and what the client showed
 * it.
 */
#include "index/conflict/contest.h"

#include "base/time.h"

#include <stdlib.h>

static int compare_sights(const void *x, const void *y)
{
	const struct ccfc_sight *a = x, *b = y;

	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

/* The position of the first one that is not before `s`. */
static uint32_t sight_place(const struct ccfc_contest *contest,
			    const struct ccfc_sight *s)
{
	uint32_t lo = 0, hi = contest->sights.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_sights(&contest->sights.items[mid], s) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int64_t ccfc_contest_seen(const struct ccfc_contest *contest, uint32_t session,
			  int64_t until)
{
	struct ccfc_sight s = { until, session };
	uint32_t at = sight_place(contest, &s);

	if (at < contest->sights.n &&
	    !compare_sights(&contest->sights.items[at], &s))
		return until;
	if (at && contest->sights.items[at - 1].session == session)
		return contest->sights.items[at - 1].time;
	return CCFC_TIME_NONE;
}

/* Every session whose transcript has the call saw the file. */
static void gather_read(struct ccfc_contest *contest,
			const struct ccfc_index *index,
			const struct ccfc_read_ref *read)
{
	uint32_t m = index->calls.items[read->call].message;

	for (; read->time != CCFC_TIME_NONE && m != CCFC_ID_NONE;
	     m = index->messages.items[m].next) {
		uint32_t part = index->messages.items[m].session_source;
		struct ccfc_sight s = {
			read->time, index->session_sources.items[part].session
		};

		CCFC_VEC_PUSH(contest->sights, s);
	}
}

void ccfc_contest_gather_sights(struct ccfc_contest *contest,
				const struct ccfc_index *index)
{
	uint32_t i = index->file_reads.items[contest->file];

	contest->sights.n = 0;
	for (; i != CCFC_ID_NONE; i = index->reads.items[i].next)
		gather_read(contest, index, &index->reads.items[i]);
	i = index->file_shown.items[contest->file];
	for (; i != CCFC_ID_NONE; i = index->shown.items[i].next) {
		struct ccfc_sight s = { index->shown.items[i].time,
					index->shown.items[i].session };

		CCFC_VEC_PUSH(contest->sights, s);
	}
	if (contest->sights.n)
		qsort(contest->sights.items, contest->sights.n,
		      sizeof(*contest->sights.items), compare_sights);
}

/*
 * A sight was added or removed: the session's changes after it must be judged.
 */
static void check_sight(struct ccfc_index *index, struct ccfc_contest *contest,
			const struct ccfc_sight *s)
{
	/* Searches from the end: usually it is the latest change. */
	for (uint32_t at = contest->moments.n; at-- > 0;) {
		const struct ccfc_moment *m = &contest->moments.items[at];

		if (m->to < s->time)
			return;
		if (m->session == s->session)
			ccfc_contest_check(index, contest, at);
	}
}

void ccfc_contest_look_again(struct ccfc_index *index,
			     struct ccfc_contest *contest)
{
	struct ccfc_contest old = *contest;
	uint32_t i = 0, k = 0;

	if (!contest->sights_old)
		return;
	contest->sights_old = false;
	memset(&contest->sights, 0, sizeof(contest->sights));
	ccfc_contest_gather_sights(contest, index);
	while (i < old.sights.n || k < contest->sights.n) {
		int r = i == old.sights.n ? 1
			: k == contest->sights.n
				? -1
				: compare_sights(&old.sights.items[i],
						 &contest->sights.items[k]);

		if (r)
			check_sight(index, contest,
				    r < 0 ? &old.sights.items[i]
					  : &contest->sights.items[k]);
		i += r <= 0;
		k += r >= 0;
	}
	free(old.sights.items);
}
