/*
 * Marks: the exact times at which a shell command began and ended, reported by
 * the client's hooks (`ccfc mark`). Lines have only the times of the call and
 * of its result, which are less exact.
 *
 * A mark belongs to the call with its tool_use id. It may arrive before or
 * after the line of the call. Until the line arrives, the mark waits in a row
 * of its own; then its times become the command's (query/proof.c uses them),
 * and the row is deleted. Of several marks the widest window counts, so their
 * order does not matter. Marks are in no transcript, only in the store.
 *
 * Everybody who reaches the socket can send marks. So only few may wait, marks
 * without a line are dropped after a day, and a mark can only narrow a
 * command's window, never widen it.
 */
#include "base/hash.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

/* At most so many marks wait for their line. */
#define WAITING_MAX 4096u
/* A mark is not dropped for a newer one before this time, in ms. */
#define WAITING_MS (24 * 60 * 60 * 1000LL)

CCFC_TABLE_FIND(find_mark, marks, struct ccfc_mark, struct ccfc_slice,
		!r->taken && ccfc_slice_eq(ccfc_index_str(index, r->call), *k))

static uint64_t mark_hash(const struct ccfc_index *index,
			  const struct ccfc_mark *mark)
{
	return ccfc_hash_slice(ccfc_index_str(index, mark->call));
}

bool ccfc_index_add_mark(struct ccfc_index *index, const struct ccfc_mark *mark)
{
	struct ccfc_slice call = ccfc_index_str(index, mark->call);
	uint64_t hash = mark_hash(index, mark);

	if (!call.len || find_mark(index, hash, &call) != CCFC_ID_NONE)
		return false;
	CCFC_TABLE_ADD(index->marks, hash, *mark);
	return true;
}

static void mark_as_taken(struct ccfc_index *index, uint32_t id)
{
	index->marks.items[id].taken = true;
	index->marks_taken++;
	CCFC_TABLE_MARK_LIST(index->marks, id);
}

void ccfc_index_drop_mark(struct ccfc_index *index, struct ccfc_slice call)
{
	uint32_t id = index->marks.n
			      ? find_mark(index, ccfc_hash_slice(call), &call)
			      : CCFC_ID_NONE;

	if (id != CCFC_ID_NONE)
		mark_as_taken(index, id);
}

void ccfc_index_drop_taken_marks(struct ccfc_index *index)
{
	uint32_t n = index->marks.n, kept = 0;

	if (!index->marks_taken)
		return;
	ccfc_map_clear(&index->marks.map);
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_mark *mark = &index->marks.items[i];

		if (mark->taken)
			continue;
		ccfc_map_put(&index->marks.map, mark_hash(index, mark), kept);
		index->marks.items[kept++] = *mark;
	}
	index->marks.n = kept;
	index->marks_taken = 0;
}

/* --- merging --- */

/*
 * Takes the earliest beginning and the latest end; true: something has changed.
 */
static bool widen_period(int64_t *began, int64_t *ended,
			 const struct ccfc_mark *mark)
{
	bool is_new = ccfc_index_take_time(began, mark->began, true);

	return ccfc_index_take_time(ended, mark->ended, false) || is_new;
}

uint64_t ccfc_index_moments(const struct ccfc_change *command)
{
	uint64_t sum = 0;

	if (command->began != CCFC_TIME_NONE)
		sum += (uint64_t)command->began;
	if (command->ended != CCFC_TIME_NONE)
		sum += 3 * (uint64_t)command->ended;
	return sum;
}

bool ccfc_index_adopt_times(struct ccfc_index *index,
			    struct ccfc_change *command,
			    const struct ccfc_mark *mark)
{
	bool is_new;

	index->marked -= ccfc_index_moments(command);
	is_new = widen_period(&command->began, &command->ended, mark);
	index->marked += ccfc_index_moments(command);
	return is_new;
}

void ccfc_index_adopt_mark(struct ccfc_index *index, uint32_t command)
{
	struct ccfc_change *c = &index->changes.items[command];
	struct ccfc_slice call = ccfc_slice(c->id, c->id_len);
	uint32_t id;

	if (!index->marks.n)
		return;
	id = find_mark(index, ccfc_hash_slice(call), &call);
	if (id == CCFC_ID_NONE)
		return;
	ccfc_index_adopt_times(index, c, &index->marks.items[id]);
	mark_as_taken(index, id);
}

/* Is it the call of another tool, or a command that is not kept? */
static bool is_no_command(const struct ccfc_index *index,
			  struct ccfc_slice call)
{
	uint32_t id = ccfc_index_find_call(index, ccfc_hash_slice(call));

	return id != CCFC_ID_NONE && index->calls.items[id].called;
}

static int64_t moment_of_mark(const struct ccfc_mark *mark)
{
	return mark->began == CCFC_TIME_NONE ? mark->ended : mark->began;
}

/* Is there room for one more? Drops marks that have waited too long. */
static bool make_room(struct ccfc_index *index, const struct ccfc_mark *fresh)
{
	if (index->marks.n - index->marks_taken < WAITING_MAX)
		return true;
	for (uint32_t i = 0; i < index->marks.n; i++) {
		const struct ccfc_mark *mark = &index->marks.items[i];

		if (!mark->taken &&
		    moment_of_mark(mark) < moment_of_mark(fresh) - WAITING_MS)
			mark_as_taken(index, i);
	}
	return index->marks.n - index->marks_taken < WAITING_MAX;
}

static bool store_waiting_mark(struct ccfc_index *index,
			       struct ccfc_slice session,
			       struct ccfc_slice call, struct ccfc_mark mark)
{
	uint32_t id = find_mark(index, ccfc_hash_slice(call), &call);

	if (id == CCFC_ID_NONE) {
		if (!make_room(index, &mark))
			return false;
		mark.call = ccfc_strtab_put(&index->strings, call);
		mark.session = ccfc_strtab_put(&index->strings, session);
		id = index->marks.n;
		ccfc_index_add_mark(index, &mark);
	} else {
		struct ccfc_mark *old = &index->marks.items[id];

		if (!widen_period(&old->began, &old->ended, &mark))
			return true;
	}
	CCFC_TABLE_MARK_LIST(index->marks, id);
	return true;
}

bool ccfc_index_mark(struct ccfc_index *index, struct ccfc_slice session,
		     struct ccfc_slice call, int64_t began, int64_t ended)
{
	struct ccfc_mark mark = { .began = began, .ended = ended };
	uint32_t id = ccfc_index_find_change(index, call);
	struct ccfc_change old, *c;

	if (id == CCFC_ID_NONE)
		return !is_no_command(index, call) &&
		       store_waiting_mark(index, session, call, mark);
	c = &index->changes.items[id];
	if (!ccfc_index_is_command(c))
		return false;
	old = *c;
	ccfc_gap_marks_touch(index, id);
	if (ccfc_index_adopt_times(index, c, &mark)) {
		if (c->settled)
			ccfc_index_join_again(index, id, &old);
		ccfc_index_mark_change(index, id);
		ccfc_index_touch_change(index, id);
	}
	return true;
}
