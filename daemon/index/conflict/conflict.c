/*
 * Conflicts between sessions. judge.c says which changes are in conflict; this
 * file makes rows of them (conflict_rows.h).
 *
 * - A lost update or a stale change has a row of its own: one event for each.
 * - Two sessions that work on one file have one row, however often they take
 *   turns. Its change is the first one after a change of the other session (the
 *   contact, judge.c). The row becomes `concurrent` when the other session
 *   writes a line after the beginning of that change: then it is alive. Until
 *   then the row waits. There is no such row if the change itself is a conflict
 *   already.
 *
 * All this follows from the changes, the reads and the last line of each
 * session, so the order in which lines came does not matter.
 */
#include "index/conflict/conflict_rows.h"
#include "index/conflict/contest.h"

/* --- conflicts of a change --- */

static void settle_own(struct ccfc_index *index, const struct ccfc_contest *of,
		       const struct ccfc_moment *m)
{
	uint32_t row = ccfc_conflict_find_own(index, m->change);
	struct ccfc_conflict now = { .kind = m->kind,
				     .file = of->file,
				     .change = m->change,
				     .other = m->other };

	if (!m->kind) {
		if (row != CCFC_ID_NONE)
			ccfc_conflict_end(index, row);
		return;
	}
	now.session[0] = m->session;
	now.session[1] = index->changes.items[m->other].session;
	ccfc_conflict_put(index, &now);
}

/* --- pairs of sessions --- */

/* Is a pair's first contact a conflict, as things are? */
static uint8_t pair_kind(const struct ccfc_index *index,
			 const struct ccfc_conflict *c)
{
	const struct ccfc_change *change = &index->changes.items[c->change];
	const struct ccfc_session *other =
		&index->sessions.items[c->session[1]];
	uint32_t own = ccfc_conflict_find_own(index, c->change);

	if (own != CCFC_ID_NONE && index->conflicts.items[own].kind)
		return CCFC_CONFLICT_NONE;
	return other->end >= ccfc_index_time(change) ? CCFC_CONFLICT_CONCURRENT
						     : CCFC_CONFLICT_WAITING;
}

static void resolve_pair(struct ccfc_index *index, uint32_t row,
			 const struct ccfc_moment *m)
{
	struct ccfc_conflict now = index->conflicts.items[row];

	now.change = m->change;
	now.other = m->contact;
	now.session[0] = m->session;
	now.session[1] = index->changes.items[m->contact].session;
	now.kind = pair_kind(index, &now);
	ccfc_conflict_set(index, row, &now);
	ccfc_conflict_wait(index, row);
}

/* Sets the pair that the moment is a contact of. */
static void read_pair(struct ccfc_conflict *out, const struct ccfc_index *index,
		      uint32_t file, const struct ccfc_moment *m)
{
	*out = (struct ccfc_conflict){ .is_pair = true,
				       .file = file,
				       .change = CCFC_ID_NONE,
				       .other = CCFC_ID_NONE };
	out->session[0] = m->session;
	out->session[1] = index->changes.items[m->contact].session;
}

/*
 * Is the row's change a contact of the pair before this one? A row keeps a
 * change that once was the first contact, even if a change of another session
 * came in between.
 */
static bool has_earlier_contact(const struct ccfc_index *index,
				const struct ccfc_contest *of, uint32_t row,
				const struct ccfc_moment *m)
{
	const struct ccfc_moment *first = ccfc_contest_find(
		index, of, index->conflicts.items[row].change);

	return first && first->pair == row && first < m;
}

static void settle_contact(struct ccfc_index *index,
			   const struct ccfc_contest *of, struct ccfc_moment *m)
{
	struct ccfc_conflict pair;
	uint32_t row;

	read_pair(&pair, index, of->file, m);
	row = ccfc_conflict_find(index, &pair);
	if (row == CCFC_ID_NONE)
		row = ccfc_conflict_add(index, &pair);
	if (has_earlier_contact(index, of, row, m))
		return;
	m->pair = row;
	resolve_pair(index, row, m);
}

/*
 * Finds the first contact of a pair; the row's present one may no longer be a
 * contact.
 */
static void find_first(struct ccfc_index *index, uint32_t row)
{
	const struct ccfc_conflict *c = &index->conflicts.items[row];
	struct ccfc_contest *of = ccfc_contest_of(index, c->file);

	for (uint32_t i = 0; of && i < of->moments.n; i++) {
		struct ccfc_moment *m = &of->moments.items[i];
		struct ccfc_conflict pair;

		if (m->contact == CCFC_ID_NONE)
			continue;
		read_pair(&pair, index, of->file, m);
		if (!ccfc_conflict_is_same_pair(&pair, c))
			continue;
		m->pair = row;
		resolve_pair(index, row, m);
		return;
	}
	ccfc_conflict_end(index, row);
}

/* --- a batch --- */

static void settle_moment(struct ccfc_index *index, struct ccfc_contest *of,
			  uint32_t at)
{
	struct ccfc_moment *m = &of->moments.items[at];

	m->check = false;
	ccfc_contest_judge(index, of, at);
	if (m->pair != CCFC_ID_NONE)
		ccfc_ids_push(&index->contests.anew, m->pair);
	m->pair = CCFC_ID_NONE;
	settle_own(index, of, m);
	if (m->contact != CCFC_ID_NONE)
		settle_contact(index, of, m);
}

static void settle_contest(struct ccfc_index *index, struct ccfc_contest *of)
{
	ccfc_contest_look_again(index, of);
	for (uint32_t i = of->check_from;
	     i < of->moments.n && i <= of->check_to; i++)
		if (of->moments.items[i].check)
			settle_moment(index, of, i);
	of->touched = false;
}

/* Sessions that have written a line are alive. */
static void settle_waiting(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->sessions.dirty.n; i++) {
		struct ccfc_session *s =
			&index->sessions.items[index->sessions.dirty.items[i]];
		uint32_t kept = 0;

		for (uint32_t k = 0; k < s->waiting.n; k++) {
			uint32_t row = s->waiting.items[k];
			struct ccfc_conflict now = index->conflicts.items[row];

			if (now.outside) {
				ccfc_outside_touch(index, now.file);
			} else if (now.kind == CCFC_CONFLICT_WAITING) {
				now.kind = pair_kind(index, &now);
				ccfc_conflict_set(index, row, &now);
			}
			if (now.kind == CCFC_CONFLICT_WAITING)
				s->waiting.items[kept++] = row;
		}
		s->waiting.n = kept;
	}
}

/* Judges rows whose change or contact may no longer exist. */
static void settle_gone(struct ccfc_index *index)
{
	struct ccfc_contests *all = &index->contests;

	for (uint32_t i = 0; i < all->anew.n; i++) {
		uint32_t row = all->anew.items[i];
		const struct ccfc_conflict *c = &index->conflicts.items[row];

		if (c->outside)
			ccfc_outside_touch(index, c->file);
		else if (c->is_pair)
			find_first(index, row);
		else if (!index->changes.items[c->change].ordered)
			ccfc_conflict_end(index, row);
	}
	all->anew.n = 0;
}

void ccfc_index_settle_conflicts(struct ccfc_index *index)
{
	struct ccfc_contests *all = &index->contests;

	for (uint32_t i = 0; i < all->touched.n; i++)
		settle_contest(index, &all->items[all->touched.items[i]]);
	all->touched.n = 0;
	settle_gone(index);
	settle_waiting(index);
	ccfc_outside_settle(index);
	ccfc_index_mark_conflicts(index);
}
