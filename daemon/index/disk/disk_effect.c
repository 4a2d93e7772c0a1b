/*
 * The effect of a change on its file, by the disk events: the content before
 * and after, and the time. Known for an observed change of a command, and for a
 * change of a file tool whose client was seen to replace the file.
 *
 * There is no answer in ambiguous cases: a tool that may have made several of
 * the events, or an event that several tools may have made.
 */
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <stdlib.h>

/* The latest events of a file are considered, at most so many. */
#define LOOK_MAX 4096
/* Events are in order of time, except within this time, in ms. */
#define SLACK 1000

static void put_effect(struct ccfc_disk_effect *out,
		       const struct ccfc_disk_event *first,
		       const struct ccfc_disk_event *last)
{
	*out = (struct ccfc_disk_effect){
		.since = first->since,
		.time = last->time,
		.held = first->held,
		.before = first->before,
		.before_key = first->before_key,
		.after = last->after,
		.after_key = last->after_key,
	};
}

static bool is_tool(const struct ccfc_change *c)
{
	return !c->shell && c->settled && c->state == CCFC_STATE_APPLIED &&
	       c->result.known && c->result.time != CCFC_TIME_NONE &&
	       ccfc_index_time(c) != CCFC_TIME_NONE;
}

/* --- commands --- */

bool ccfc_disk_leads_to(const struct ccfc_disk_event *e,
			const struct ccfc_disk_event *later)
{
	if (e->after != later->before)
		return false;
	return e->after == CCFC_DISK_ABSENT ||
	       (e->after_key && e->after_key == later->before_key);
}

/* Had the command ended while another one was running? */
static bool is_late(const struct ccfc_index *index,
		    const struct ccfc_change *command,
		    const struct ccfc_disk_event *e)
{
	struct ccfc_ids ran = { 0 };
	bool late = false;

	if (ccfc_index_within(index, command, e) != CCFC_WITHIN_LATE)
		return false;
	ccfc_index_commands_at(&ran, index, e);
	for (uint32_t i = 0; i < ran.n; i++)
		late |= ccfc_index_within(index,
					  &index->changes.items[ran.items[i]],
					  e) == CCFC_WITHIN;
	free(ran.items);
	return late;
}

/*
 * Several changes may have happened between two looks. If a tool wrote the file
 * in that time, the content before and after the command is not known.
 */
static bool has_tool_in(const struct ccfc_index *index,
			const struct ccfc_disk_event *e)
{
	const struct ccfc_ids *ids = &index->files.items[e->file];

	if (e->held >= e->time || e->held >= e->since)
		return false;
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (is_tool(c) && ccfc_index_time(c) <= e->time &&
		    c->result.time >= e->held)
			return true;
	}
	return false;
}

/*
 * The last event of the command, and the events that lead to it without an
 * event of others in between. `late`: also events that another command more
 * likely made.
 */
static bool follow_events(struct ccfc_disk_effect *out,
			  const struct ccfc_index *index,
			  const struct ccfc_change *change, bool late)
{
	const struct ccfc_change *command = ccfc_index_command(index, change);
	const struct ccfc_disk_event *first = NULL, *last = NULL, *e;
	uint32_t id = ccfc_index_last_seen(index, change->file);

	for (int n = 0; id != CCFC_ID_NONE && n < LOOK_MAX; n++, id = e->next) {
		bool mine;

		e = &index->disk_events.items[id];
		mine = !e->gone && ccfc_index_is_event_of(index, command, e) &&
		       !has_tool_in(index, e) &&
		       (late || !is_late(index, command, e));
		if (!last && mine)
			first = last = e;
		else if (last && mine && ccfc_disk_leads_to(e, first))
			first = e;
		else if (last)
			break;
	}
	if (last)
		put_effect(out, first, last);
	return last;
}

/* --- tools --- */

/* The end of the tool that the same session used on the file before. */
static int64_t end_before(const struct ccfc_index *index,
			  const struct ccfc_change *change)
{
	const struct ccfc_ids *ids = &index->files.items[change->file];
	int64_t end = INT64_MIN;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (c != change && is_tool(c) &&
		    c->session == change->session &&
		    c->result.time < change->result.time &&
		    c->result.time > end)
			end = c->result.time;
	}
	return end;
}

static bool may_be_tools(const struct ccfc_index *index,
			 const struct ccfc_change *c,
			 const struct ccfc_disk_event *e)
{
	if (!is_tool(c) || ccfc_index_within(index, c, e) != CCFC_WITHIN ||
	    e->since <= end_before(index, c))
		return false;
	return !e->by ||
	       ccfc_slice_eq(ccfc_index_str(index, e->by),
			     ccfc_index_session_id(index, c->session));
}

/* May another tool have made it, too? */
static bool is_contested(const struct ccfc_index *index,
			 const struct ccfc_change *change,
			 const struct ccfc_disk_event *e)
{
	const struct ccfc_ids *ids = &index->files.items[change->file];

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (c != change && may_be_tools(index, c, e))
			return true;
	}
	return false;
}

static bool effect_of_tool(struct ccfc_disk_effect *out,
			   const struct ccfc_index *index,
			   const struct ccfc_change *change)
{
	const struct ccfc_disk_event *found = NULL, *e;
	uint32_t id = ccfc_index_last_seen(index, change->file);
	int64_t from = ccfc_index_time(change);

	if (!is_tool(change))
		return false;
	for (int n = 0; id != CCFC_ID_NONE && n < LOOK_MAX; n++, id = e->next) {
		e = &index->disk_events.items[id];
		/* A file's own time may be a tick early. */
		if (e->time < from - SLACK)
			break;
		if (e->gone || !e->client || !may_be_tools(index, change, e))
			continue;
		if (found)
			return false;
		found = e;
	}
	if (!found || is_contested(index, change, found))
		return false;
	put_effect(out, found, found);
	return true;
}

bool ccfc_index_effect(struct ccfc_disk_effect *out,
		       const struct ccfc_index *index,
		       const struct ccfc_change *change)
{
	const struct ccfc_disk_event *e;

	if (!change->settled || !change->file)
		return false;
	if (ccfc_index_is_witnessed(change)) {
		e = ccfc_witness_event(index, change);
		if (e)
			put_effect(out, e, e);
		return e;
	}
	if (change->shell & CCFC_SHELL_OBSERVED)
		return follow_events(out, index, change, false) ||
		       follow_events(out, index, change, true);
	return !change->shell && effect_of_tool(out, index, change);
}

static int by_change(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct ccfc_disk_effect *)item)->change;

	return (a > b) - (a < b);
}

const struct ccfc_disk_effect *
ccfc_index_find_effect(const struct ccfc_index *index, uint32_t change)
{
	if (!index->effects_seen.n)
		return NULL;
	return bsearch(&change, index->effects_seen.items,
		       index->effects_seen.n,
		       sizeof(*index->effects_seen.items), by_change);
}
