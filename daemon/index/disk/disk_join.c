/*
 * Joins disk events with the commands that ran at that time.
 *
 * A shell command ran from its call to its result, by the times of the lines; a
 * background command until the note of its end. A file that changed in that
 * time, in a directory of the session, is a change of the command: a row like
 * those that its text or its result names, with the bit OBSERVED. Commands of
 * one thread run one after another, so an event belongs to at most one of them.
 * Several threads may each have a running command; proof.c reports that doubt.
 *
 * Lines usually arrive after the events, but not always. So the join happens
 * from both sides: when a command has ended, and when an event is added.
 * Whether another command ran at the same time is computed for each question,
 * since its lines may arrive even later.
 *
 * A write of a client's file tool does not belong to a command: its event has
 * the client's process, or the tool's own change has the same time.
 */
#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

/* Events are in order of time, except within this time, in ms. */
#define OUT_OF_ORDER (60 * 1000)
/* The latest commands of a session are considered, at most so many. */
#define RECENT_COMMANDS 256u

/* --- times --- */

/* Has it ended, so that its time is known? */
static bool has_ended(const struct ccfc_change *command)
{
	if (!command->result.known || command->result.time == CCFC_TIME_NONE ||
	    ccfc_index_time(command) == CCFC_TIME_NONE)
		return false;
	return !(command->result.run & CCFC_RUN_BACKGROUND) ||
	       command->shell_time != CCFC_TIME_NONE;
}

static bool may_write(const struct ccfc_change *command)
{
	return command->settled && command->state != CCFC_STATE_DENIED &&
	       command->state != CCFC_STATE_STAGED;
}

/*
 * Had the call begun before the event? A file's own time comes from a coarse
 * clock, and so do the marks of beginnings; lines have finer times.
 */
static bool has_begun(const struct ccfc_change *call,
		      const struct ccfc_period *w,
		      const struct ccfc_disk_event *event)
{
	bool ticks = call->began == w->from && event->time < event->since;

	return (ticks ? event->time : event->since) >= w->from;
}

enum ccfc_within ccfc_index_within(const struct ccfc_index *index,
				   const struct ccfc_change *call,
				   const struct ccfc_disk_event *event)
{
	bool exact;
	struct ccfc_period w = ccfc_query_exact_window(index, call, &exact);
	int64_t sure = w.to;

	/* An event without its own time may be late. */
	if (exact && !event->own)
		w.to += CCFC_WINDOW_LATE;
	else if (!exact && has_ended(call))
		sure -= CCFC_WINDOW_LATE;
	if (!has_begun(call, &w, event) || event->time > w.to)
		return CCFC_WITHIN_NOT;
	return event->time > sure ? CCFC_WITHIN_LATE : CCFC_WITHIN;
}

/* --- places --- */

/* Is the file in a directory of the session, or above one? */
static bool is_near(const struct ccfc_index *index,
		    const struct ccfc_session *session, uint32_t file)
{
	struct ccfc_slice path = ccfc_index_file_path(index, file);
	struct ccfc_slice dir = path;

	dir.len -= ccfc_path_basename(path).len;
	while (dir.len > 1 && dir.ptr[dir.len - 1] == '/')
		dir.len--;
	for (uint32_t i = 0; i < session->roots.n; i++) {
		struct ccfc_slice root =
			ccfc_index_str(index, session->roots.items[i]);

		if (ccfc_path_is_below(path, root) ||
		    ccfc_path_is_below(root, dir))
			return true;
	}
	return false;
}

/* --- which command of a session --- */

static bool is_same_agent(const struct ccfc_change *a,
			  const struct ccfc_change *b)
{
	return ccfc_index_agent(a) == ccfc_index_agent(b);
}

/*
 * Of two possible commands of a thread: one that was certainly still running
 * wins over one that had just ended. Of two others, the one that ended first
 * wins, because the other one had not begun.
 */
static bool is_better(const struct ccfc_index *index,
		      const struct ccfc_change *a, const struct ccfc_change *b,
		      const struct ccfc_disk_event *event)
{
	enum ccfc_within x = ccfc_index_within(index, a, event);
	enum ccfc_within y = ccfc_index_within(index, b, event);

	if (x != y)
		return x > y;
	return has_ended(a) &&
	       (!has_ended(b) || a->result.time < b->result.time);
}

/* May the command have done it, and no other one of its thread rather? */
static bool is_only_possible_command(const struct ccfc_index *index,
				     const struct ccfc_change *command,
				     const struct ccfc_disk_event *event)
{
	const struct ccfc_ids *ids =
		&index->sessions.items[command->session].commands;
	uint32_t n = ids->n;

	if (!may_write(command) || !ccfc_index_within(index, command, event))
		return false;
	for (uint32_t i = 0; i < n && i < RECENT_COMMANDS; i++) {
		const struct ccfc_change *other =
			&index->changes.items[ids->items[n - 1 - i]];

		if (other != command && may_write(other) &&
		    is_same_agent(other, command) &&
		    ccfc_index_within(index, other, event) &&
		    is_better(index, other, command, event))
			return false;
	}
	return true;
}

void ccfc_index_commands_at(struct ccfc_ids *out,
			    const struct ccfc_index *index,
			    const struct ccfc_disk_event *event)
{
	for (uint32_t s = 1; s < index->sessions.n; s++) {
		const struct ccfc_session *session = &index->sessions.items[s];
		uint32_t n = session->commands.n;

		if (session->start > event->time ||
		    session->end < event->time - CCFC_LONGEST_SILENCE || !n ||
		    !is_near(index, session, event->file))
			continue;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t id = session->commands.items[n - 1 - i];

			if (is_only_possible_command(
				    index, &index->changes.items[id], event))
				ccfc_ids_push(out, id);
		}
	}
}

/* --- bringing together --- */

/* Did a client write it with a tool that names its file? */
static bool is_a_tools(const struct ccfc_index *index,
		       const struct ccfc_disk_event *event)
{
	const struct ccfc_ids *ids = &index->files.items[event->file];

	if (event->client)
		return true;
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		if (!c->shell && c->state == CCFC_STATE_APPLIED &&
		    c->result.known &&
		    /* The write comes before the result. */
		    ccfc_index_within(index, c, event) == CCFC_WITHIN)
			return true;
	}
	return false;
}

bool ccfc_index_is_event_of(const struct ccfc_index *index,
			    const struct ccfc_change *command,
			    const struct ccfc_disk_event *event)
{
	return is_only_possible_command(index, command, event) &&
	       !is_a_tools(index, event);
}

/*
 * The effect on a file of all events that belong to the command. False: there
 * are none, or the file is missing before and after.
 */
static bool whole_effect(const struct ccfc_index *index,
			 const struct ccfc_change *command, uint32_t file,
			 uint8_t *op)
{
	const struct ccfc_disk_event *first = NULL, *last = NULL, *e;
	uint32_t id = ccfc_index_last_seen(index, file);
	int64_t from = ccfc_query_window(index, command).from - OUT_OF_ORDER;

	for (; id != CCFC_ID_NONE; id = e->next) {
		e = &index->disk_events.items[id];
		if (e->time < from)
			break;
		if (e->gone || !ccfc_index_is_event_of(index, command, e))
			continue;
		first = e;
		if (!last)
			last = e;
	}
	if (!first || (first->before == CCFC_DISK_ABSENT &&
		       last->after == CCFC_DISK_ABSENT))
		return false;
	*op = last->after == CCFC_DISK_ABSENT	  ? CCFC_OP_DELETED
	      : first->before == CCFC_DISK_ABSENT ? CCFC_OP_CREATED
						  : CCFC_OP_MODIFIED;
	return true;
}

/* True: the command's changes are different now. */
static bool attach_to_command(struct ccfc_index *index, uint32_t command,
			      uint32_t file)
{
	uint8_t op = CCFC_OP_MODIFIED, was;
	struct ccfc_change *c;
	uint32_t id;
	bool seen =
		whole_effect(index, &index->changes.items[command], file, &op);

	id = ccfc_index_shell_change(index, command, file);
	if (id == CCFC_ID_NONE)
		return false;
	c = &index->changes.items[id];
	was = c->shell;
	c->shell &= (uint8_t)~CCFC_SHELL_OBSERVED;
	if (seen)
		c->shell |= CCFC_SHELL_OBSERVED;
	if (!(c->shell & CCFC_SHELL_PARSED))
		c->target_op = op;
	ccfc_index_mark_change(index, id);
	return c->shell != was;
}

/* Does the command have an observed change of this file? */
static bool has_seen(const struct ccfc_index *index,
		     const struct ccfc_change *command, uint32_t file)
{
	uint32_t id = command->next_file;

	for (; id != CCFC_ID_NONE; id = index->changes.items[id].next_file)
		if (index->changes.items[id].call.file == file)
			return index->changes.items[id].shell &
			       CCFC_SHELL_OBSERVED;
	return false;
}

/* Assigns an event to one of the session's commands. */
static void join_session(struct ccfc_index *index, uint32_t session,
			 const struct ccfc_disk_event *event,
			 struct ccfc_ids *news)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].commands;
	bool tools = is_a_tools(index, event);
	uint32_t n = ids->n;

	for (uint32_t i = 0; i < n && i < RECENT_COMMANDS; i++) {
		uint32_t id = ids->items[n - 1 - i];
		const struct ccfc_change *c = &index->changes.items[id];

		if (!c->settled || !has_ended(c) ||
		    !ccfc_index_within(index, c, event))
			continue;
		if (((!tools && is_only_possible_command(index, c, event)) ||
		     has_seen(index, c, event->file)) &&
		    attach_to_command(index, id, event->file))
			ccfc_ids_add(news, id);
	}
}

/*
 * Is it the last event of its file in the command's time? Earlier ones are
 * included in it.
 */
static bool is_last_in_command(const struct ccfc_index *index, uint32_t event,
			       const struct ccfc_change *command)
{
	uint32_t file = index->disk_events.items[event].file;
	uint32_t id = ccfc_index_last_seen(index, file);

	while (id != event && !ccfc_index_within(index, command,
						 &index->disk_events.items[id]))
		id = index->disk_events.items[id].next;
	return id == event;
}

void ccfc_index_join_command(struct ccfc_index *index, uint32_t command,
			     struct ccfc_ids *news)
{
	const struct ccfc_change *c = &index->changes.items[command];
	uint32_t session = c->session;
	int64_t from;
	bool writes;

	if (!index->disk_events.n || !ccfc_index_is_command(c))
		return;
	writes = may_write(c);
	from = ccfc_query_window(index, c).from;
	for (uint32_t i = index->disk_events.n; i-- > 0;) {
		struct ccfc_disk_event e = index->disk_events.items[i];

		if (e.time < from - OUT_OF_ORDER)
			break;
		/* The set of commands that ran at that time has changed. */
		ccfc_outside_touch(index, e.file);
		ccfc_doubt_touch(index, e.file);
		/* Rows may have moved. */
		c = &index->changes.items[command];
		if (writes && !e.gone && ccfc_index_within(index, c, &e) &&
		    is_last_in_command(index, i, c) &&
		    is_near(index, &index->sessions.items[session], e.file))
			join_session(index, session, &e, news);
	}
}

/* Assigns an event again, among the commands of a session. */
static void join_event_again(struct ccfc_index *index, uint32_t command,
			     const struct ccfc_disk_event *event,
			     struct ccfc_ids *news)
{
	const struct ccfc_change *c = &index->changes.items[command];
	uint32_t session = c->session;

	ccfc_outside_touch(index, event->file);
	ccfc_doubt_touch(index, event->file);
	if (has_seen(index, c, event->file))
		attach_to_command(index, command, event->file);
	if (is_near(index, &index->sessions.items[session], event->file))
		join_session(index, session, event, news);
}

void ccfc_index_join_again(struct ccfc_index *index, uint32_t command,
			   const struct ccfc_change *old)
{
	int64_t from = ccfc_query_window(index, old).from;
	struct ccfc_ids news = { 0 };

	for (uint32_t i = index->disk_events.n; i-- > 0;) {
		struct ccfc_disk_event e = index->disk_events.items[i];

		if (e.time < from - OUT_OF_ORDER)
			break;
		if (!e.gone &&
		    ccfc_index_within(index, old, &e) !=
			    ccfc_index_within(
				    index, &index->changes.items[command], &e))
			join_event_again(index, command, &e, &news);
	}
	for (uint32_t i = 0; i < news.n; i++)
		ccfc_index_touch_change(index, news.items[i]);
	free(news.items);
}

bool ccfc_index_is_outside(const struct ccfc_index *index,
			   const struct ccfc_disk_event *event)
{
	struct ccfc_ids ran = { 0 };

	if (is_a_tools(index, event))
		return false;
	ccfc_index_commands_at(&ran, index, event);
	free(ran.items);
	return !ran.n;
}

void ccfc_index_join_event(struct ccfc_index *index, uint32_t event)
{
	struct ccfc_disk_event e = index->disk_events.items[event];
	struct ccfc_ids ran = { 0 };

	if (is_a_tools(index, &e))
		return;
	ccfc_index_commands_at(&ran, index, &e);
	for (uint32_t i = 0; i < ran.n; i++)
		if (has_ended(&index->changes.items[ran.items[i]]) &&
		    attach_to_command(index, ran.items[i], e.file))
			ccfc_index_touch_change(index, ran.items[i]);
	free(ran.items);
}

bool ccfc_index_observed_at(const struct ccfc_index *index,
			    const struct ccfc_change *change,
			    struct ccfc_disk_event *out)
{
	const struct ccfc_change *command = ccfc_index_command(index, change);
	uint32_t id = ccfc_index_last_seen(index, change->file);

	if (!command || !(change->shell & CCFC_SHELL_OBSERVED))
		return false;
	for (; id != CCFC_ID_NONE; id = out->next) {
		*out = index->disk_events.items[id];
		if (!out->gone && ccfc_index_within(index, command, out))
			return true;
	}
	return false;
}
