/*
 * Edits of clients that are in no transcript, because the client was killed
 * before it wrote its line. A client replaces a file by way of a temporary name
 * that contains its pid, and the note of that process names the session. So the
 * session, the time and the content are known; only the tool is not. Files that
 * a client writes on its own behalf are not changes: its settings are
 * recognized by their names, and a rewind writes in place, without such a
 * temporary name.
 *
 * Such an event is a change of its session without a call and a result,
 * "seen_<hash of session, path and time>". No line will follow if
 *
 * - the client has ended, and its transcripts were read since (`ended`), or
 * - its session has a line that is a minute later.
 *
 * Until then the event waits. If a line follows after all, the row is
 * withdrawn: the two are one change, that of the line.
 *
 * witness_pairs.c finds the events with lines. If exactly one call without a
 * result remains, and may have made an event without a line, the event is
 * assigned to it: the change took effect.
 *
 * All this depends only on the events, the changes and the sessions' last
 * lines, not on the order in which they arrived.
 */
#include "index/disk/witness.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/time.h"

#include <stdlib.h>

/* --- rows --- */

static uint8_t operation_of(const struct ccfc_disk_event *e)
{
	if (e->after == CCFC_DISK_ABSENT)
		return CCFC_OP_DELETED;
	return e->before == CCFC_DISK_ABSENT ? CCFC_OP_CREATED
					     : CCFC_OP_MODIFIED;
}

/* The id of an event's own row; valid until the next use of `scratch`. */
static struct ccfc_slice row_key(struct ccfc_index *index,
				 const struct ccfc_disk_event *e)
{
	struct ccfc_buf *out = &index->scratch;
	uint64_t hash;

	ccfc_buf_clear(out);
	ccfc_buf_slice(out, ccfc_index_str(index, e->by));
	ccfc_buf_putc(out, '\n');
	ccfc_buf_slice(out, ccfc_index_file_path(index, e->file));
	ccfc_buf_printf(out, "\n%lld", (long long)e->time);
	hash = ccfc_hash_slice(ccfc_buf_view(out));
	ccfc_buf_clear(out);
	ccfc_buf_printf(out, "seen_%016llx", (unsigned long long)hash);
	return ccfc_buf_view(out);
}

/* Does the row depend on disk events only? */
static bool is_alone(const struct ccfc_change *c)
{
	return ccfc_index_is_witnessed(c) && !c->call.known && !c->result.known;
}

/* A change that was put on the list of its file, or taken off. */
static void republish_change(struct ccfc_index *index, uint32_t change)
{
	ccfc_index_mark_change(index, change);
	ccfc_index_settle_change(index, change);
	index->revision++;
}

static void hide_row(struct ccfc_index *index, const struct ccfc_disk_event *e)
{
	uint32_t id = ccfc_index_find_change(index, row_key(index, e));

	if (id == CCFC_ID_NONE || !index->changes.items[id].settled ||
	    !is_alone(&index->changes.items[id]))
		return;
	ccfc_index_withdraw(index, id);
	index->revision++;
}

static void show_row(struct ccfc_index *index, const struct ccfc_disk_event *e)
{
	struct ccfc_slice key = row_key(index, e);
	uint32_t id = ccfc_index_find_change(index, key);
	struct ccfc_change *c;

	if (id == CCFC_ID_NONE) {
		id = ccfc_index_add_change(index, key);
		index->changes.items[id].shell = CCFC_SHELL_OBSERVED;
	}
	c = &index->changes.items[id];
	/* An id that only looks like ours. */
	if (!is_alone(c) || c->settled)
		return;
	c->shell = CCFC_SHELL_OBSERVED;
	c->shell_time = c->result.time = e->time;
	c->result.file = e->file;
	c->result.op = operation_of(e);
	c->result.state = CCFC_STATE_APPLIED;
	c->call.added = c->call.removed = CCFC_LINES_UNKNOWN;
	c->result.session =
		ccfc_index_session(index, ccfc_index_str(index, e->by));
	if (!index->sessions.items[c->result.session].seen) {
		index->sessions.items[c->result.session].seen = true;
		ccfc_index_mark_session(index, c->result.session);
	}
	republish_change(index, id);
}

/* The event is the effect of the call. */
static void give_event_to_change(struct ccfc_index *index, uint32_t change,
				 const struct ccfc_disk_event *e)
{
	struct ccfc_change *c = &index->changes.items[change];

	if (c->shell && c->shell_time == e->time)
		return;
	c->shell = CCFC_SHELL_OBSERVED;
	c->shell_time = e->time;
	c->result.op = operation_of(e);
	republish_change(index, change);
}

/* The call's event belongs to another call, or the result has arrived. */
static void take_event_from_change(struct ccfc_index *index, uint32_t change)
{
	struct ccfc_change *c = &index->changes.items[change];

	c->shell = 0;
	c->shell_time = CCFC_TIME_NONE;
	if (!c->result.known)
		c->result.op = CCFC_OP_MODIFIED;
	republish_change(index, change);
}

/* --- waiting --- */

static bool has_session_ended(const struct ccfc_index *index,
			      const struct ccfc_disk_event *e)
{
	uint32_t session = ccfc_trace_session(index, e);
	int64_t end =
		session ? index->sessions.items[session].end : CCFC_TIME_NONE;

	return e->ended ||
	       (end != CCFC_TIME_NONE && end - e->time >= CCFC_WITNESS_GONE_ON);
}

static void forget_waiting(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_witness *w = &index->witness;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->waiting.n; i++)
		if (w->waiting.items[i].file != file)
			w->waiting.items[kept++] = w->waiting.items[i];
	w->waiting.n = kept;
}

static void wait_for(struct ccfc_index *index, const struct ccfc_disk_event *e)
{
	struct ccfc_unclaimed entry = { e->time + CCFC_WITNESS_GONE_ON, e->file,
					e->by, e->client };

	CCFC_VEC_PUSH(index->witness.waiting, entry);
}

/* --- judging --- */

static bool contains_id(const struct ccfc_ids *ids, uint32_t id)
{
	for (uint32_t i = 0; i < ids->n; i++)
		if (ids->items[i] == id)
			return true;
	return false;
}

/*
 * Files of a project that clients write on their own behalf, when the user
 * allows a tool or adds a server. If a file tool writes them, there is a line.
 */
static bool is_clients_own(const struct ccfc_index *index, uint32_t file)
{
	static const char *const names[] = { "/.claude/settings.json",
					     "/.claude/settings.local.json",
					     "/.mcp.json" };
	struct ccfc_slice path = ccfc_index_file_path(index, file);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (ccfc_slice_ends(path, names[i]))
			return true;
	return false;
}

/*
 * Handles an event without a line; returns the call to which it is assigned, or
 * ID_NONE.
 */
static uint32_t put_left(struct ccfc_index *index, const struct ccfc_traced *s,
			 uint32_t trace, const struct ccfc_disk_event *e)
{
	uint32_t call = CCFC_ID_NONE;
	bool over = has_session_ended(index, e);

	if (over)
		call = ccfc_traces_open(s, trace);
	else
		wait_for(index, e);
	if (over && call == CCFC_ID_NONE && !is_clients_own(index, e->file))
		show_row(index, e);
	else
		hide_row(index, e);
	if (call != CCFC_ID_NONE)
		give_event_to_change(index, call, e);
	return call;
}

/* Makes rows and calls agree with the pairs. */
static void put_rows(struct ccfc_index *index, const struct ccfc_traced *s)
{
	struct ccfc_ids given = { 0 };

	for (uint32_t i = 0; i < s->traces.n; i++) {
		const struct ccfc_trace *t = &s->traces.items[i];
		struct ccfc_disk_event e = index->disk_events.items[t->event];

		if (t->change == CCFC_ID_NONE)
			ccfc_ids_push(&given, put_left(index, s, i, &e));
		else
			hide_row(index, &e);
	}
	for (uint32_t i = 0; i < s->was.n; i++)
		if (!contains_id(&given, s->was.items[i]))
			take_event_from_change(index, s->was.items[i]);
	free(given.items);
}

static void judge_file(struct ccfc_index *index, uint32_t file)
{
	struct ccfc_traced s = { .index = index, .file = file };

	ccfc_traces_pair(&s);
	if (s.traces.n) {
		forget_waiting(index, file);
		put_rows(index, &s);
	}
	ccfc_traces_release(&s);
}

void ccfc_witness_touch(struct ccfc_index *index, uint32_t file)
{
	if (ccfc_index_last_seen(index, file) != CCFC_ID_NONE)
		ccfc_ids_push(&index->witness.touched, file);
}

static int compare_numbers(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

/* Sessions that have gone on since. */
static void touch_waiting(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->witness.waiting.n; i++) {
		const struct ccfc_unclaimed *u =
			&index->witness.waiting.items[i];
		uint32_t session = ccfc_strtab_find(
			&index->session_ids, ccfc_index_str(index, u->by));

		if (session != CCFC_ID_NONE &&
		    index->sessions.items[session].end >= u->due)
			ccfc_witness_touch(index, u->file);
	}
}

void ccfc_witness_settle(struct ccfc_index *index)
{
	struct ccfc_ids *files = &index->witness.touched;

	touch_waiting(index);
	if (files->n)
		qsort(files->items, files->n, sizeof(*files->items),
		      compare_numbers);
	for (uint32_t i = 0; i < files->n; i++)
		if (!i || files->items[i] != files->items[i - 1])
			judge_file(index, files->items[i]);
	files->n = 0;
}

/* No more lines will follow for the client's edits of this file. */
static void end_events(struct ccfc_index *index, const struct ccfc_unclaimed *u)
{
	uint32_t id = ccfc_index_last_seen(index, u->file);

	for (; id != CCFC_ID_NONE; id = index->disk_events.items[id].next) {
		struct ccfc_disk_event *e = &index->disk_events.items[id];

		if (e->client != u->client || e->by != u->by || e->ended)
			continue;
		e->ended = true;
		CCFC_TABLE_MARK_LIST(index->disk_events, id);
	}
	ccfc_witness_touch(index, u->file);
}

void ccfc_index_client_ended(struct ccfc_index *index,
			     struct ccfc_slice session, uint32_t client)
{
	for (uint32_t i = 0; i < index->witness.waiting.n; i++) {
		const struct ccfc_unclaimed *u =
			&index->witness.waiting.items[i];

		if (u->client == client &&
		    ccfc_slice_eq(ccfc_index_str(index, u->by), session))
			end_events(index, u);
	}
}

/* Rows that were stored are right; what waited waits again. */
void ccfc_witness_load(struct ccfc_index *index)
{
	for (uint32_t i = 0; i < index->disk_events.n; i++) {
		const struct ccfc_disk_event *e = &index->disk_events.items[i];

		if (ccfc_trace_is(e) && !has_session_ended(index, e))
			ccfc_witness_touch(index, e->file);
	}
}

static bool is_its(const struct ccfc_change *c, const struct ccfc_disk_event *e)
{
	return c->settled && ccfc_index_is_witnessed(c) && ccfc_trace_is(e) &&
	       c->shell_time == e->time;
}

bool ccfc_witness_needs(const struct ccfc_index *index,
			const struct ccfc_disk_event *event)
{
	const struct ccfc_ids *ids = &index->files.items[event->file];

	for (uint32_t i = 0; i < ids->n; i++)
		if (is_its(&index->changes.items[ids->items[i]], event))
			return true;
	return false;
}

const struct ccfc_disk_event *ccfc_witness_event(const struct ccfc_index *index,
						 const struct ccfc_change *c)
{
	uint32_t id = ccfc_index_last_seen(index, c->file);

	while (id != CCFC_ID_NONE && !is_its(c, &index->disk_events.items[id]))
		id = index->disk_events.items[id].next;
	return id == CCFC_ID_NONE ? NULL : &index->disk_events.items[id];
}
