/*
 * Conflicts: rows, and events. judge.c says which changes are in conflict; a
 * row is made of it, which stays when the conflict turns out to be none, so
 * that whoever was told of it can be told.
 *
 * - A lost update or a stale change has a row of its own: one event for each.
 * - Two sessions that are at work in one file have one row for the pair,
 *   however often they take turns there. Its change is the first one that
 *   followed upon the other session's (the contact, judge.c). It is
 *   `concurrent` if the other session has written a line since that change
 *   began: it lives. Until then the row waits for such a line. If that first
 *   change is a conflict by itself, the pair is none.
 *
 * All this follows from the changes, the reads and the last line of each
 * session, so the order in which lines came does not matter.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "index/conflict/contest.h"

const char *ccfc_conflict_text(int kind)
{
#define X(sym, num, text) [num] = (text),
	static const char *const texts[] = { CCFC_CONFLICT_LIST(X) };
#undef X

	return kind >= 0 && kind < CCFC_CONFLICT_COUNT ? texts[kind] : "none";
}

/* --- rows --- */

static bool is_same_pair(const struct ccfc_conflict *a,
			 const struct ccfc_conflict *b)
{
	bool swap = a->session[0] != b->session[0];

	return a->session[0] == b->session[swap] &&
	       a->session[1] == b->session[!swap];
}

CCFC_TABLE_FIND(find_conflict, conflicts, struct ccfc_conflict,
		struct ccfc_conflict,
		r->is_pair == k->is_pair &&
			(k->is_pair ? r->file == k->file && is_same_pair(r, k)
				    : r->change == k->change))

static uint64_t conflict_hash(const struct ccfc_conflict *c)
{
	bool swap = c->session[0] > c->session[1];
	uint32_t key[3] = { c->file, c->session[swap], c->session[!swap] };

	return c->is_pair ? ccfc_hash(key, sizeof(key))
			  : ccfc_hash(&c->change, sizeof(c->change));
}

/* CCFC_ID_NONE: the change has none of its own. */
static uint32_t find_own(const struct ccfc_index *index, uint32_t change)
{
	struct ccfc_conflict key = { .change = change };

	return find_conflict(index, conflict_hash(&key), &key);
}

/* One of the file's rows, or CCFC_ID_NONE. */
static uint32_t rows_of(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *of = &index->contests.rows;

	return file < of->n ? of->items[file] : CCFC_ID_NONE;
}

static void chain_row(struct ccfc_index *index, uint32_t row)
{
	struct ccfc_conflict *c = &index->conflicts.items[row];
	struct ccfc_ids *of = &index->contests.rows;

	while (of->n <= c->file)
		ccfc_ids_push(of, CCFC_ID_NONE);
	c->next = of->items[c->file];
	of->items[c->file] = row;
}

static void unchain_row(struct ccfc_index *index, uint32_t row)
{
	const struct ccfc_conflict *c = &index->conflicts.items[row];
	uint32_t *at = &index->contests.rows.items[c->file];

	while (*at != row)
		at = &index->conflicts.items[*at].next;
	*at = c->next;
}

static uint32_t add_row(struct ccfc_index *index,
			const struct ccfc_conflict *row)
{
	CCFC_TABLE_ADD(index->conflicts, conflict_hash(row), *row);
	chain_row(index, index->conflicts.n - 1);
	return index->conflicts.n - 1;
}

/* Counts a conflict that is seen for its sessions, or no longer. */
static void count_conflict(struct ccfc_index *index, uint32_t row, bool more)
{
	const struct ccfc_conflict *c = &index->conflicts.items[row];

	if (!ccfc_conflict_is_seen(c))
		return;
	for (int i = 0; i < 2; i++) {
		struct ccfc_session *s = &index->sessions.items[c->session[i]];

		s->conflicts += more ? 1 : (uint32_t)-1;
	}
	ccfc_ids_push(&index->contests.marks, c->change);
}

void ccfc_index_mark_conflicts(struct ccfc_index *index)
{
	struct ccfc_ids *marks = &index->contests.marks;

	for (uint32_t i = 0; i < marks->n; i++) {
		struct ccfc_change *c = &index->changes.items[marks->items[i]];
		uint32_t row = rows_of(index, c->file);

		c->conflict = CCFC_CONFLICT_NONE;
		for (; row != CCFC_ID_NONE;
		     row = index->conflicts.items[row].next) {
			const struct ccfc_conflict *r =
				&index->conflicts.items[row];

			if (r->change == marks->items[i] &&
			    ccfc_conflict_is_seen(r) && r->kind > c->conflict)
				c->conflict = r->kind;
		}
	}
	marks->n = 0;
}

/*
 * A conflict is this now. Whoever was told of it is told if its kind has
 * changed, or if it is none any more.
 */
static void set_conflict(struct ccfc_index *index, uint32_t row,
			 const struct ccfc_conflict *now)
{
	struct ccfc_conflict *c = &index->conflicts.items[row];
	uint8_t was = ccfc_conflict_is_seen(c) ? c->kind : CCFC_CONFLICT_NONE;
	uint8_t is =
		ccfc_conflict_is_seen(now) ? now->kind : CCFC_CONFLICT_NONE;

	if (c->kind == now->kind && c->change == now->change &&
	    c->other == now->other && c->session[0] == now->session[0] &&
	    c->session[1] == now->session[1] && c->file == now->file)
		return;
	count_conflict(index, row, false);
	if (c->file != now->file) {
		unchain_row(index, row);
		c->file = now->file;
		chain_row(index, row);
	}
	c->kind = now->kind;
	c->change = now->change;
	c->other = now->other;
	memcpy(c->session, now->session, sizeof(c->session));
	count_conflict(index, row, true);
	if (is != was)
		c->seq = ccfc_index_raise(index, row, CCFC_ID_NONE);
	CCFC_TABLE_MARK_FLAG(index->conflicts, row);
	index->revision++;
}

static void end_conflict(struct ccfc_index *index, uint32_t row)
{
	struct ccfc_conflict now = index->conflicts.items[row];

	now.kind = CCFC_CONFLICT_NONE;
	set_conflict(index, row, &now);
}

static void wait_for_line(struct ccfc_index *index, uint32_t row)
{
	const struct ccfc_conflict *c = &index->conflicts.items[row];

	if (c->kind == CCFC_CONFLICT_WAITING)
		ccfc_ids_add(&index->sessions.items[c->session[1]].waiting,
			     row);
}

void ccfc_index_add_conflict(struct ccfc_index *index,
			     const struct ccfc_conflict *conflict)
{
	uint32_t row = add_row(index, conflict);

	if (conflict->seq > index->seq)
		index->seq = conflict->seq;
	count_conflict(index, row, true);
	wait_for_line(index, row);
}

/* --- conflicts of a change --- */

static void settle_own(struct ccfc_index *index, const struct ccfc_contest *of,
		       const struct ccfc_moment *m)
{
	uint32_t row = find_own(index, m->change);
	struct ccfc_conflict now = { .kind = m->kind,
				     .file = of->file,
				     .change = m->change,
				     .other = m->other };

	if (!m->kind) {
		if (row != CCFC_ID_NONE)
			end_conflict(index, row);
		return;
	}
	now.session[0] = m->session;
	now.session[1] = index->changes.items[m->other].session;
	if (row == CCFC_ID_NONE) {
		struct ccfc_conflict fresh = now;

		fresh.kind = CCFC_CONFLICT_NONE;
		row = add_row(index, &fresh);
	}
	set_conflict(index, row, &now);
}

/* --- pairs of sessions --- */

/* Is a pair's first contact a conflict, as things are? */
static uint8_t pair_kind(const struct ccfc_index *index,
			 const struct ccfc_conflict *c)
{
	const struct ccfc_change *change = &index->changes.items[c->change];
	const struct ccfc_session *other =
		&index->sessions.items[c->session[1]];
	uint32_t own = find_own(index, c->change);

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
	set_conflict(index, row, &now);
	wait_for_line(index, row);
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

/* Does the pair's first change stand before the moment? */
static bool is_moment_later(const struct ccfc_index *index,
			    const struct ccfc_moment *m, uint32_t change)
{
	struct ccfc_moment first;

	return change != CCFC_ID_NONE && change != m->change &&
	       index->changes.items[change].ordered &&
	       ccfc_contest_moment(&first, index, change) &&
	       ccfc_contest_compare(index, &first, m) < 0;
}

static void settle_contact(struct ccfc_index *index,
			   const struct ccfc_contest *of, struct ccfc_moment *m)
{
	struct ccfc_conflict pair;
	uint32_t row;

	read_pair(&pair, index, of->file, m);
	row = find_conflict(index, conflict_hash(&pair), &pair);
	if (row == CCFC_ID_NONE)
		row = add_row(index, &pair);
	if (is_moment_later(index, m, index->conflicts.items[row].change))
		return;
	m->pair = row;
	resolve_pair(index, row, m);
}

/* Finds the first contact of a pair, whose first one may be none any more. */
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
		if (!is_same_pair(&pair, c))
			continue;
		m->pair = row;
		resolve_pair(index, row, m);
		return;
	}
	end_conflict(index, row);
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

			if (now.kind == CCFC_CONFLICT_WAITING) {
				now.kind = pair_kind(index, &now);
				set_conflict(index, row, &now);
			}
			if (now.kind == CCFC_CONFLICT_WAITING)
				s->waiting.items[kept++] = row;
		}
		s->waiting.n = kept;
	}
}

/* Rows whose change or contact may not be there any more. */
static void settle_gone(struct ccfc_index *index)
{
	struct ccfc_contests *all = &index->contests;

	for (uint32_t i = 0; i < all->anew.n; i++) {
		uint32_t row = all->anew.items[i];
		const struct ccfc_conflict *c = &index->conflicts.items[row];

		if (c->is_pair)
			find_first(index, row);
		else if (!index->changes.items[c->change].ordered)
			end_conflict(index, row);
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
	ccfc_index_mark_conflicts(index);
}
