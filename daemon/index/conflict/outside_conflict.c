/*
 * Conflicts of a session with a person, or with another program, who is in no
 * transcript. Their edits are the disk events that belong neither to a tool nor
 * to a command (ccfc_index_is_outside).
 *
 * E is such an edit of a file that session S knew: S had read or changed it, or
 * was shown it. An edit that only undoes a change of S is not an E: it is a
 * rewind by the user.
 *
 * - `stale`: S edited the file after E, and had not seen it since E.
 * - `lost_update`: the same, and S replaced the whole file.
 * - `concurrent`: S had changed the file less than ten minutes before E, had
 *   not looked at it in between, and has written a line since E. The line shows
 *   that S is alive, and that E was not made by a command of S whose lines are
 *   still to come. Until there is such a line, the row waits. Its change is
 *   that of S before E.
 *
 * Of several edits between two changes of S, without a look of S in between,
 * the first one counts. So there is one row for S and E, whatever its kind. A
 * file is judged as a whole whenever a change, a look, an event or the time of
 * a command may make a difference. The result depends only on the rows.
 */
#include "base/time.h"
#include "index/conflict/conflict_rows.h"
#include "index/conflict/contest.h"

#include <stdlib.h>

/* The latest events of a file are considered, at most so many. */
#define EDITS_MAX 256u

enum answer { NOT_ASKED, IS_OUTSIDE, IS_NOT };

/* An event that may be an edit from outside. */
struct edit {
	const struct ccfc_disk_event *event;
	enum answer answer;
};

/* A file that is judged. */
struct scene {
	const struct ccfc_index *index;
	struct ccfc_contest of; /* its moments by session, then in order */
	struct edit edits[EDITS_MAX];
	uint32_t first; /* of the edits, which are in order of time */
	struct {
		struct ccfc_conflict *items;
		uint32_t n, cap;
	} found;
};

/* --- gathering --- */

static bool may_be_edit(const struct ccfc_disk_event *e)
{
	if (e->gone || e->client)
		return false;
	if (e->before == CCFC_DISK_ABSENT && e->after == CCFC_DISK_ABSENT)
		return false;
	return !e->before_key || e->before_key != e->after_key;
}

static void gather_edits(struct scene *s)
{
	uint32_t id = ccfc_index_last_seen(s->index, s->of.file);
	const struct ccfc_disk_event *e;

	s->first = EDITS_MAX;
	for (; id != CCFC_ID_NONE && s->first; id = e->next) {
		e = &s->index->disk_events.items[id];
		if (may_be_edit(e))
			s->edits[--s->first] = (struct edit){ e, NOT_ASKED };
	}
}

/* Comparing numbers of changes instead of ids gives the same result. */
static int by_session(const void *x, const void *y)
{
	const struct ccfc_moment *a = x, *b = y;

	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->change > b->change) - (a->change < b->change);
}

static void gather_changes(struct scene *s)
{
	const struct ccfc_ids *ids = &s->index->files.items[s->of.file];
	struct ccfc_moment m;

	for (uint32_t i = 0; i < ids->n; i++)
		if (ccfc_contest_moment(&m, s->index, ids->items[i]))
			CCFC_VEC_PUSH(s->of.moments, m);
	if (s->of.moments.n)
		qsort(s->of.moments.items, s->of.moments.n,
		      sizeof(*s->of.moments.items), by_session);
}

/* --- judging --- */

static int64_t first_edit_time(const struct scene *s)
{
	return s->edits[s->first].event->time;
}

/* Does the session have a conflict there with an edit that no longer exists? */
static bool has_old_row(const struct scene *s, uint32_t session, int64_t after,
			int64_t before)
{
	uint32_t row = ccfc_conflict_rows(s->index, s->of.file);
	const struct ccfc_conflict *c;

	for (; row != CCFC_ID_NONE; row = c->next) {
		c = &s->index->conflicts.items[row];
		if (c->outside && c->kind && c->session[0] == session &&
		    c->outside > after && c->outside < before &&
		    c->outside < first_edit_time(s))
			return true;
	}
	return false;
}

/*
 * Does the file have the content again that the session's client had replaced?
 * Then it is a rewind, which the client does in place and without a line, or
 * somebody undid the session's change. Without contents this cannot be known.
 */
static bool is_taken_back(const struct scene *s, const struct edit *edit,
			  uint32_t session)
{
	struct ccfc_slice id = ccfc_index_session_id(s->index, session);
	uint32_t at = edit->event->next;
	const struct ccfc_disk_event *e;

	for (uint32_t n = 0; at != CCFC_ID_NONE && n < EDITS_MAX; n++) {
		e = &s->index->disk_events.items[at];
		at = e->next;
		if (e->gone || !e->by || e->before != edit->event->after ||
		    e->before_key != edit->event->after_key ||
		    !ccfc_slice_eq(ccfc_index_str(s->index, e->by), id))
			continue;
		if (e->before_key || e->before == CCFC_DISK_ABSENT)
			return true;
	}
	return false;
}

static bool is_outside(struct scene *s, struct edit *edit)
{
	if (edit->answer == NOT_ASKED)
		edit->answer = ccfc_index_is_outside(s->index, edit->event)
				       ? IS_OUTSIDE
				       : IS_NOT;
	return edit->answer == IS_OUTSIDE;
}

/* The time of the first edit from outside in between, or CCFC_TIME_NONE. */
static int64_t first_between(struct scene *s, uint32_t session, int64_t after,
			     int64_t before)
{
	if (before <= first_edit_time(s) ||
	    has_old_row(s, session, after, before))
		return CCFC_TIME_NONE;
	for (uint32_t i = s->first; i < EDITS_MAX; i++) {
		int64_t time = s->edits[i].event->time;

		if (time >= before)
			break;
		if (time > after && is_outside(s, &s->edits[i]) &&
		    !is_taken_back(s, &s->edits[i], session))
			return time;
	}
	return CCFC_TIME_NONE;
}

/* One row for a session and an edit; the later kind is the worse one. */
static void put_found(struct scene *s, const struct ccfc_moment *m,
		      int64_t edit, enum ccfc_conflict_kind kind)
{
	struct ccfc_conflict c = { .outside = edit,
				   .file = s->of.file,
				   .change = m->change,
				   .other = CCFC_ID_NONE,
				   .session = { m->session },
				   .kind = (uint8_t)kind };
	uint32_t n = s->found.n;

	if (n && s->found.items[n - 1].session[0] == m->session &&
	    s->found.items[n - 1].outside == edit)
		s->found.items[n - 1] = c;
	else
		CCFC_VEC_PUSH(s->found, c);
}

/* Did an edit from outside follow the change, before `until`? */
static void judge_after(struct scene *s, const struct ccfc_moment *m,
			int64_t until)
{
	int64_t edit = first_between(s, m->session, m->to, until);
	int64_t end = s->index->sessions.items[m->session].end;

	if (edit == CCFC_TIME_NONE || edit - m->to >= CCFC_CONTEST_RECENT ||
	    ccfc_contest_seen(&s->of, m->session, edit) > m->to)
		return;
	put_found(s, m, edit,
		  end >= edit ? CCFC_CONFLICT_CONCURRENT
			      : CCFC_CONFLICT_WAITING);
}

/*
 * Was there an edit from outside between the session's last sight of the file
 * and its change?
 */
static void judge_before(struct scene *s, const struct ccfc_moment *m,
			 int64_t known)
{
	int64_t seen = ccfc_contest_seen(&s->of, m->session, m->from);
	int64_t edit;

	if (seen > known)
		known = seen;
	if (known == CCFC_TIME_NONE || s->index->changes.items[m->change].shell)
		return;
	edit = first_between(s, m->session, known, m->from);
	if (edit != CCFC_TIME_NONE)
		put_found(s, m, edit,
			  ccfc_contest_replaces(s->index, m->change)
				  ? CCFC_CONFLICT_LOST_UPDATE
				  : CCFC_CONFLICT_STALE);
}

static void judge_all_moments(struct scene *s)
{
	const struct ccfc_moment *all = s->of.moments.items;
	uint32_t n = s->of.moments.n;

	for (uint32_t i = 0; i < n; i++) {
		bool is_first = !i || all[i - 1].session != all[i].session;
		bool is_last =
			i + 1 == n || all[i + 1].session != all[i].session;

		judge_before(s, &all[i],
			     is_first ? CCFC_TIME_NONE : all[i - 1].to);
		judge_after(s, &all[i], is_last ? INT64_MAX : all[i + 1].from);
	}
}

/* --- rows --- */

static bool is_found(const struct scene *s, const struct ccfc_conflict *c)
{
	for (uint32_t i = 0; i < s->found.n; i++)
		if (s->found.items[i].session[0] == c->session[0] &&
		    s->found.items[i].outside == c->outside)
			return true;
	return false;
}

/* Makes the rows of the file from the findings. */
static void put_rows(struct ccfc_index *index, const struct scene *s)
{
	uint32_t row = ccfc_conflict_rows(index, s->of.file);

	for (; row != CCFC_ID_NONE; row = index->conflicts.items[row].next) {
		const struct ccfc_conflict *c = &index->conflicts.items[row];

		if (c->outside >= first_edit_time(s) && !is_found(s, c))
			ccfc_conflict_end(index, row);
	}
	for (uint32_t i = 0; i < s->found.n; i++)
		ccfc_conflict_wait(
			index, ccfc_conflict_put(index, &s->found.items[i]));
}

static void settle_file(struct ccfc_index *index, uint32_t file)
{
	struct scene s;

	s.index = index;
	s.of = (struct ccfc_contest){ .file = file };
	memset(&s.found, 0, sizeof(s.found));
	gather_edits(&s);
	if (s.first == EDITS_MAX)
		return;
	gather_changes(&s);
	if (s.of.moments.n) {
		ccfc_contest_gather_sights(&s.of, index);
		judge_all_moments(&s);
	}
	put_rows(index, &s);
	free(s.of.moments.items);
	free(s.of.sights.items);
	free(s.found.items);
}

void ccfc_outside_touch(struct ccfc_index *index, uint32_t file)
{
	if (ccfc_index_last_seen(index, file) != CCFC_ID_NONE &&
	    index->files.items[file].n)
		ccfc_ids_push(&index->contests.outside, file);
}

static int compare_numbers(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

void ccfc_outside_settle(struct ccfc_index *index)
{
	struct ccfc_ids *files = &index->contests.outside;

	if (files->n)
		qsort(files->items, files->n, sizeof(*files->items),
		      compare_numbers);
	for (uint32_t i = 0; i < files->n; i++)
		if (!i || files->items[i] != files->items[i - 1])
			settle_file(index, files->items[i]);
	files->n = 0;
}
