/*
 * Files that several sessions changed; see contest.h. The state of a file is a
 * number: unknown, one session's, or the number of its contest.
 *
 * A change that is settled is removed from its place and inserted again, and
 * the changes after it that look back to it are judged again. So the work is
 * proportional to what was appended, and the result is that of judging all
 * changes once.
 */
#include "index/conflict/contest.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

enum { NOT_LOOKED, ONE_SESSION, FIRST_CONTEST };

/* --- order --- */

/* <0: a is before b. */
static int compare_moments(const struct ccfc_index *index,
			   const struct ccfc_moment *a,
			   const struct ccfc_moment *b)
{
	const struct ccfc_change *x = &index->changes.items[a->change];
	const struct ccfc_change *y = &index->changes.items[b->change];

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return ccfc_slice_cmp(ccfc_slice(x->id, x->id_len),
			      ccfc_slice(y->id, y->id_len));
}

/*
 * Does the change count, and when was it? It must have taken effect, and its
 * session must be certain: it is a file tool's change, or the text of the
 * command names the file.
 */
bool ccfc_contest_moment(struct ccfc_moment *out,
			 const struct ccfc_index *index, uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];

	*out = (struct ccfc_moment){ .from = ccfc_index_time(c),
				     .to = c->result.time,
				     .change = change,
				     .session = c->session,
				     .other = CCFC_ID_NONE,
				     .contact = CCFC_ID_NONE,
				     .pair = CCFC_ID_NONE };
	if (!c->settled || c->state != CCFC_STATE_APPLIED || !c->session ||
	    !c->file || ccfc_index_is_command(c) ||
	    (ccfc_index_is_shells(c) && !(c->shell & CCFC_SHELL_PARSED)) ||
	    out->from == CCFC_TIME_NONE)
		return false;
	if (!c->result.known || out->to < out->from)
		out->to = out->from;
	if (!c->several && !c->shell)
		out->original = c->result.original;
	return true;
}

/*
 * The position of the first one that is not before `m`, searched from the end.
 */
static uint32_t find_moment_position(const struct ccfc_index *index,
				     const struct ccfc_contest *contest,
				     const struct ccfc_moment *m)
{
	uint32_t lo = 0, hi = contest->moments.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (compare_moments(index, &contest->moments.items[mid], m) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct ccfc_moment *ccfc_contest_find(const struct ccfc_index *index,
				      const struct ccfc_contest *contest,
				      uint32_t change)
{
	struct ccfc_moment m;
	uint32_t at;

	if (change == CCFC_ID_NONE || !index->changes.items[change].ordered ||
	    !ccfc_contest_moment(&m, index, change))
		return NULL;
	at = find_moment_position(index, contest, &m);
	if (at == contest->moments.n ||
	    contest->moments.items[at].change != change)
		return NULL;
	return &contest->moments.items[at];
}

/* --- what is to be judged --- */

static void touch_contest(struct ccfc_index *index,
			  struct ccfc_contest *contest)
{
	if (contest->touched)
		return;
	contest->touched = true;
	contest->check_from = UINT32_MAX;
	contest->check_to = 0;
	ccfc_ids_push(&index->contests.touched,
		      (uint32_t)(contest - index->contests.items));
}

void ccfc_contest_check(struct ccfc_index *index, struct ccfc_contest *contest,
			uint32_t at)
{
	touch_contest(index, contest);
	contest->moments.items[at].check = true;
	if (at < contest->check_from)
		contest->check_from = at;
	if (at > contest->check_to)
		contest->check_to = at;
}

/* The moments that look back to `at`. */
static void check_behind(struct ccfc_index *index, struct ccfc_contest *contest,
			 uint32_t at)
{
	touch_contest(index, contest);
	for (uint32_t i = 0; i <= CCFC_CONTEST_REACH; i++)
		if (at + i < contest->moments.n)
			ccfc_contest_check(index, contest, at + i);
}

/* --- contests --- */

/* The conflicts of the file may have changed. */
static void queue_rows_to_judge(struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *of = &index->contests.rows;
	uint32_t row = file < of->n ? of->items[file] : CCFC_ID_NONE;

	for (; row != CCFC_ID_NONE; row = index->conflicts.items[row].next)
		ccfc_ids_push(&index->contests.anew, row);
}

/* Grows when a file's number is first requested. */
static uint32_t *contest_slot_of(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_ids *of = &index->contests.of_file;

	while (of->n <= file)
		ccfc_ids_push(of, NOT_LOOKED);
	return &of->items[file];
}

struct ccfc_contest *ccfc_contest_of(const struct ccfc_index *index,
				     uint32_t file)
{
	const struct ccfc_ids *of = &index->contests.of_file;

	if (file >= of->n || of->items[file] < FIRST_CONTEST)
		return NULL;
	return &index->contests.items[of->items[file] - FIRST_CONTEST];
}

struct sorted {
	const struct ccfc_index *index;
	struct ccfc_moment moment;
};

static int compare_sorted(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;

	return compare_moments(a->index, &a->moment, &b->moment);
}

static void gather_moments(struct ccfc_contest *contest,
			   struct ccfc_index *index)
{
	const struct ccfc_ids *ids = &index->files.items[contest->file];
	struct sorted *list = ccfc_calloc(ids->n + 1u, sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < ids->n; i++) {
		uint32_t id = ids->items[i];

		list[n].index = index;
		if (!ccfc_contest_moment(&list[n].moment, index, id))
			continue;
		index->changes.items[id].ordered = true;
		n++;
	}
	qsort(list, n, sizeof(*list), compare_sorted);
	for (uint32_t i = 0; i < n; i++) {
		CCFC_VEC_PUSH(contest->moments, list[i].moment);
		ccfc_contest_check(index, contest, i);
	}
	free(list);
}

static void new_contest(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_contest fresh = { .file = file };
	struct ccfc_contest *contest;

	CCFC_VEC_PUSH(index->contests, fresh);
	*contest_slot_of(index, file) = index->contests.n - 1 + FIRST_CONTEST;
	contest = &index->contests.items[index->contests.n - 1];
	queue_rows_to_judge(index, file);
	ccfc_contest_gather_sights(contest, index);
	gather_moments(contest, index);
}

/* Has another session changed the file of this change? */
static bool is_contested(struct ccfc_index *index, const struct ccfc_change *c)
{
	const struct ccfc_ids *ids = &index->files.items[c->file];
	uint32_t *known = contest_slot_of(index, c->file);
	/* If all changes belong to one session, two of them are enough. */
	uint32_t n = *known == ONE_SESSION && ids->n > 2 ? 2 : ids->n;

	*known = ONE_SESSION;
	for (uint32_t i = 0; i < n; i++)
		if (index->changes.items[ids->items[i]].session != c->session)
			return true;
	return false;
}

/* The file's contest, or NULL: it is one session's. */
static struct ccfc_contest *check_file(struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];

	if (*contest_slot_of(index, file) == NOT_LOOKED && ids->n > 1 &&
	    is_contested(index, &index->changes.items[ids->items[0]]))
		new_contest(index, file);
	return ccfc_contest_of(index, file);
}

void ccfc_contest_see(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_contest *contest = check_file(index, file);

	ccfc_outside_touch(index, file);
	if (!contest)
		return;
	contest->sights_old = true;
	touch_contest(index, contest);
}

void ccfc_contest_leave(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_contest *contest;
	uint32_t at;

	if (!c->settled || ccfc_index_is_command(c))
		return;
	ccfc_outside_touch(index, c->file);
	contest = check_file(index, c->file);
	if (!c->ordered)
		return;
	c->ordered = false;
	at = contest->moments.n;
	do
		at--;
	while (contest->moments.items[at].change != change);
	if (contest->moments.items[at].pair != CCFC_ID_NONE)
		ccfc_ids_push(&index->contests.anew,
			      contest->moments.items[at].pair);
	if (contest->moments.items[at].kind)
		queue_rows_to_judge(index, c->file);
	contest->moments.n--;
	memmove(contest->moments.items + at, contest->moments.items + at + 1,
		(contest->moments.n - at) * sizeof(*contest->moments.items));
	check_behind(index, contest, at);
}

void ccfc_contest_enter(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	struct ccfc_contest *contest;
	struct ccfc_moment m;
	uint32_t at, n;

	if (!c->settled || !c->file || c->ordered)
		return;
	ccfc_outside_touch(index, c->file);
	contest = ccfc_contest_of(index, c->file);
	if (!contest) {
		if (is_contested(index, c))
			new_contest(index, c->file);
		return;
	}
	if (!ccfc_contest_moment(&m, index, change))
		return;
	at = find_moment_position(index, contest, &m);
	n = contest->moments.n;
	CCFC_VEC_PUSH(contest->moments, m);
	memmove(contest->moments.items + at + 1, contest->moments.items + at,
		(n - at) * sizeof(m));
	contest->moments.items[at] = m;
	c->ordered = true;
	/* The moments after it have moved. */
	if (contest->touched && contest->check_to >= at)
		contest->check_to++;
	check_behind(index, contest, at);
}

void ccfc_contested_release(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->contests.n; i++) {
		free(index->contests.items[i].moments.items);
		free(index->contests.items[i].sights.items);
	}
	free(index->contests.items);
	free(index->contests.of_file.items);
	free(index->contests.touched.items);
	free(index->contests.anew.items);
	free(index->contests.rows.items);
	free(index->contests.marks.items);
	free(index->contests.outside.items);
}
