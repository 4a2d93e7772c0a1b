/* The rows of conflicts; see conflict_rows.h. */
#include "index/conflict/conflict_rows.h"

#include "base/alloc.h"
#include "base/hash.h"

const char *ccfc_conflict_text(int kind)
{
#define X(sym, num, text) [num] = (text),
	static const char *const texts[] = { CCFC_CONFLICT_LIST(X) };
#undef X

	return kind >= 0 && kind < CCFC_CONFLICT_COUNT ? texts[kind] : "none";
}

/* --- rows --- */

bool ccfc_conflict_is_same_pair(const struct ccfc_conflict *a,
				const struct ccfc_conflict *b)
{
	bool swap = a->session[0] != b->session[0];

	return a->session[0] == b->session[swap] &&
	       a->session[1] == b->session[!swap];
}

CCFC_TABLE_FIND(find_conflict, conflicts, struct ccfc_conflict,
		struct ccfc_conflict,
		r->is_pair == k->is_pair && r->outside == k->outside &&
			(k->outside ? r->file == k->file &&
					      r->session[0] == k->session[0]
			 : k->is_pair ? r->file == k->file &&
						ccfc_conflict_is_same_pair(r, k)
				      : r->change == k->change))

static uint64_t conflict_hash(const struct ccfc_conflict *c)
{
	bool swap = c->session[0] > c->session[1];
	uint32_t key[3] = { c->file, c->session[swap], c->session[!swap] };

	if (c->outside)
		return ccfc_hash(&c->outside, sizeof(c->outside)) ^
		       ccfc_hash(key, sizeof(key));
	return c->is_pair ? ccfc_hash(key, sizeof(key))
			  : ccfc_hash(&c->change, sizeof(c->change));
}

uint32_t ccfc_conflict_find(const struct ccfc_index *index,
			    const struct ccfc_conflict *like)
{
	return find_conflict(index, conflict_hash(like), like);
}

uint32_t ccfc_conflict_find_own(const struct ccfc_index *index, uint32_t change)
{
	struct ccfc_conflict key = { .change = change };

	return ccfc_conflict_find(index, &key);
}

uint32_t ccfc_conflict_rows(const struct ccfc_index *index, uint32_t file)
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

uint32_t ccfc_conflict_add(struct ccfc_index *index,
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
	for (int i = 0; i < 2 && c->session[i]; i++) {
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
		uint32_t row = ccfc_conflict_rows(index, c->file);

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

void ccfc_conflict_set(struct ccfc_index *index, uint32_t row,
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

uint32_t ccfc_conflict_put(struct ccfc_index *index,
			   const struct ccfc_conflict *now)
{
	uint32_t row = ccfc_conflict_find(index, now);

	if (row == CCFC_ID_NONE) {
		struct ccfc_conflict fresh = *now;

		fresh.kind = CCFC_CONFLICT_NONE;
		row = ccfc_conflict_add(index, &fresh);
	}
	ccfc_conflict_set(index, row, now);
	return row;
}

void ccfc_conflict_end(struct ccfc_index *index, uint32_t row)
{
	struct ccfc_conflict now = index->conflicts.items[row];

	now.kind = CCFC_CONFLICT_NONE;
	ccfc_conflict_set(index, row, &now);
}

void ccfc_conflict_wait(struct ccfc_index *index, uint32_t row)
{
	const struct ccfc_conflict *c = &index->conflicts.items[row];

	if (c->kind == CCFC_CONFLICT_WAITING)
		ccfc_ids_add(
			&index->sessions.items[c->session[!c->outside]].waiting,
			row);
}

void ccfc_index_add_conflict(struct ccfc_index *index,
			     const struct ccfc_conflict *conflict)
{
	uint32_t row = ccfc_conflict_add(index, conflict);

	if (conflict->seq > index->seq)
		index->seq = conflict->seq;
	count_conflict(index, row, true);
	ccfc_conflict_wait(index, row);
}
