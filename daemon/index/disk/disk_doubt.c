/*
 * Whether an observed change certainly belongs to its command, for the store.
 *
 * The daemon computes this for each question (query/proof.c). For other
 * programs, which read the store with SQL, that would take too long: which
 * commands ran at the time of each event, and which one of a thread's it was.
 * So the answer is stored with the change, and computed again for a file when
 * something arrives on which it depends:
 *
 * - an event of the file, or the loss of one;
 * - a change of the file;
 * - a command that may have run at the time of an event of the file, or turned
 *   out not to: all files with events since it began are touched;
 * - the directories of a session, which decide to whom a file is near.
 */
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <stdlib.h>

/* Events are in order of time, except within this time, in ms. */
#define OUT_OF_ORDER (60 * 1000)

void ccfc_doubt_touch(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_ids *marks = &index->doubts.marks;

	if (ccfc_index_last_seen(index, file) == CCFC_ID_NONE)
		return;
	while (marks->n <= file)
		ccfc_ids_push(marks, 0);
	if (marks->items[file])
		return;
	marks->items[file] = 1;
	ccfc_ids_push(&index->doubts.touched, file);
}

void ccfc_doubt_touch_since(struct ccfc_index *index, int64_t time)
{
	for (uint32_t i = index->disk_events.n; i-- > 0;) {
		const struct ccfc_disk_event *e = &index->disk_events.items[i];

		if (e->time < time - OUT_OF_ORDER)
			break;
		ccfc_doubt_touch(index, e->file);
	}
}

void ccfc_doubt_touch_session(struct ccfc_index *index, uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];

	if (s->commands.n && s->start != CCFC_TIME_NONE)
		ccfc_doubt_touch_since(index, s->start);
}

/* The ids of its rivals as a string of the index. */
static uint32_t rivals_string_of(struct ccfc_index *index,
				 const struct ccfc_change *change)
{
	struct ccfc_ids rivals = { 0 };

	ccfc_query_rivals(&rivals, index, change);
	ccfc_buf_clear(&index->scratch);
	for (uint32_t i = 0; i < rivals.n; i++)
		ccfc_buf_printf(&index->scratch, "%u,", rivals.items[i]);
	free(rivals.items);
	return ccfc_strtab_put(&index->strings, ccfc_buf_view(&index->scratch));
}

static bool is_asked_about(const struct ccfc_change *c)
{
	return (c->shell & CCFC_SHELL_OBSERVED) && c->command != CCFC_ID_NONE &&
	       c->settled;
}

static void update_seen_answer(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];
	uint8_t seen = CCFC_SEEN_UNKNOWN;
	uint32_t rivals = 0;

	if (is_asked_about(c)) {
		bool sure = ccfc_query_is_surely_seen(index, c);

		seen = sure ? CCFC_SEEN_SURE : CCFC_SEEN_IN_DOUBT;
		rivals = sure ? 0 : rivals_string_of(index, c);
	}
	if (c->seen == seen && c->rivals == rivals)
		return;
	c->seen = seen;
	c->rivals = rivals;
	ccfc_index_mark_change(index, change);
}

void ccfc_doubt_settle(struct ccfc_index *index)
{
	struct ccfc_ids *files = &index->doubts.touched;

	for (uint32_t i = 0; i < files->n; i++) {
		uint32_t file = files->items[i];
		const struct ccfc_ids *ids = &index->files.items[file];

		index->doubts.marks.items[file] = 0;
		for (uint32_t k = 0; k < ids->n; k++)
			update_seen_answer(index, ids->items[k]);
	}
	files->n = 0;
}

void ccfc_doubt_load(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (is_asked_about(c) && c->seen == CCFC_SEEN_UNKNOWN)
			ccfc_doubt_touch(index, c->file);
	}
}
