/*
 * Disk events. The rows of a file are chained, the last one first. An event is
 * not a change: its owner follows from the times of commands, and is computed
 * for each question, since lines may arrive later than the events.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

#include <stdlib.h>

/* At most so many are kept; above that, the older half is deleted. */
#define EVENTS_MAX 200000u
/* Events that changes depend on are kept, at most so many. */
#define NEEDED_MAX 50000u

struct event_key {
	int64_t since, time;
	uint32_t file;
};

CCFC_TABLE_FIND(find_event, disk_events, struct ccfc_disk_event,
		struct event_key,
		r->file == k->file && r->time == k->time &&
			r->since == k->since)

static uint64_t event_hash(const struct ccfc_disk_event *e)
{
	uint64_t all[] = { (uint64_t)e->since, (uint64_t)e->time, e->file };

	return ccfc_hash(all, sizeof(all));
}

uint32_t ccfc_index_last_seen(const struct ccfc_index *index, uint32_t file)
{
	return file < index->file_events.n ? index->file_events.items[file]
					   : CCFC_ID_NONE;
}

/* Inserts a row into the list of its file, in order of time. */
static void chain_event(struct ccfc_index *index, uint32_t id)
{
	struct ccfc_disk_event *e = &index->disk_events.items[id];
	uint32_t *at;

	while (index->file_events.n <= e->file)
		ccfc_ids_push(&index->file_events, CCFC_ID_NONE);
	at = &index->file_events.items[e->file];
	while (*at != CCFC_ID_NONE &&
	       index->disk_events.items[*at].time > e->time)
		at = &index->disk_events.items[*at].next;
	e->next = *at;
	*at = id;
}

bool ccfc_index_add_disk_event(struct ccfc_index *index,
			       const struct ccfc_disk_event *event)
{
	struct event_key key = { event->since, event->time, event->file };
	uint64_t hash = event_hash(event);

	if (find_event(index, hash, &key) != CCFC_ID_NONE)
		return false;
	CCFC_TABLE_ADD(index->disk_events, hash, *event);
	chain_event(index, index->disk_events.n - 1);
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Deletes the older half. */
static void let_go(struct ccfc_index *index)
{
	uint32_t n = index->disk_events.n;
	int64_t *times = ccfc_calloc(n, sizeof(*times));
	int64_t middle;
	uint32_t needed = 0;

	for (uint32_t i = 0; i < n; i++)
		times[i] = index->disk_events.items[i].time;
	qsort(times, n, sizeof(*times), compare_numbers);
	middle = times[n / 2];
	free(times);
	for (uint32_t i = 0; i < n; i++) {
		struct ccfc_disk_event *e = &index->disk_events.items[i];

		if (e->gone || e->time >= middle)
			continue;
		if (needed < NEEDED_MAX && e->by &&
		    ccfc_witness_needs(index, e)) {
			needed++;
			continue;
		}
		e->gone = true;
		index->events_gone++;
		ccfc_doubt_touch(index, e->file);
		CCFC_TABLE_MARK_LIST(index->disk_events, i);
	}
}

/* Marks the consequences of an event to be computed, again if necessary. */
static void touch_event(struct ccfc_index *index, uint32_t id)
{
	uint32_t file = index->disk_events.items[id].file;

	CCFC_TABLE_MARK_LIST(index->disk_events, id);
	index->revision++;
	ccfc_gap_marks_put(index, file);
	ccfc_index_join_event(index, id);
	ccfc_outside_touch(index, file);
	ccfc_witness_touch(index, file);
	ccfc_doubt_touch(index, file);
	if (index->disk_events.n - index->events_gone > EVENTS_MAX)
		let_go(index);
}

void ccfc_index_note_disk_event(struct ccfc_index *index,
				const struct ccfc_disk_event *event)
{
	struct ccfc_disk_event e = *event;

	/*
	 * Of two within a millisecond, the one added later gets a later time.
	 */
	while (!ccfc_index_add_disk_event(index, &e))
		e.time++;
	touch_event(index, index->disk_events.n - 1);
}

void ccfc_index_see_imported(struct ccfc_index *index,
			     const struct ccfc_disk_event *event)
{
	struct event_key key = { event->since, event->time, event->file };
	struct ccfc_disk_event *old;
	uint32_t id;

	if (ccfc_index_add_disk_event(index, event)) {
		touch_event(index, index->disk_events.n - 1);
		return;
	}
	id = find_event(index, event_hash(event), &key);
	old = &index->disk_events.items[id];
	if (old->gone ||
	    ((old->by || !event->by) && (old->ended || !event->ended)))
		return;
	if (!old->by)
		old->by = event->by;
	old->ended |= event->ended;
	touch_event(index, id);
}

void ccfc_index_drop_gone(struct ccfc_index *index)
{
	uint32_t n = index->disk_events.n, kept = 0;

	if (!index->events_gone)
		return;
	ccfc_map_clear(&index->disk_events.map);
	for (uint32_t i = 0; i < index->file_events.n; i++)
		index->file_events.items[i] = CCFC_ID_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (!index->disk_events.items[i].gone)
			index->disk_events.items[kept++] =
				index->disk_events.items[i];
	index->disk_events.n = kept;
	for (uint32_t i = 0; i < kept; i++) {
		ccfc_map_put(&index->disk_events.map,
			     event_hash(&index->disk_events.items[i]), i);
		chain_event(index, i);
	}
	index->events_gone = 0;
	index->revision++;
}
