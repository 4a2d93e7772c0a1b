/*
 * Files to look at for inferred changes; see gap_marks.h.
 *
 * A look at a file depends on its changes, on the commands with unknown effects
 * that ran before the last of them, on backups, disk events and directories of
 * sessions, and on files that were moved or copied to it. When in doubt, a file
 * is marked: an unnecessary look costs little, a missing one leaves an answer
 * that differs from that of a cold scan.
 */
#include "index/gap_marks.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <stdlib.h>

/* At most so many marks are examined at once. */
#define TAKE_FILES 256u
/* If more backups are marked, all files are marked. */
#define BACKUPS_MAX 4096u
/* Moves and copies that are followed in a row. */
#define MOVED_DEPTH 3u

/* The commands of a session whose effects contents may show. */
struct tellers {
	uint32_t session;
	/* from the first command's beginning to the last command's end */
	struct ccfc_period when;
	struct ccfc_ids commands;
};

struct backup_mark {
	uint32_t backup;
	int64_t time; /* the earliest time affected */
};

/* A command moved or copied a file to another one. */
struct taken_file {
	uint32_t from, to;
};

struct ccfc_gap_marks {
	bool all;
	bool learned; /* `tellers` and `changed` cover the whole index */
	int64_t from; /* files with changes since then; INT64_MAX: none */
	struct ccfc_ids files;
	struct {
		uint8_t *items; /* by file: 0, or one more than the number of
				 * moves that led to it */
		uint32_t n, cap;
	} depth;
	struct {
		struct backup_mark *items;
		uint32_t n, cap;
	} backups;
	struct {
		struct tellers *items;
		uint32_t n, cap;
	} tellers;
	struct {
		struct taken_file *items;
		uint32_t n, cap;
	} taken;
	struct ccfc_ids teller_of; /* by session: one more than its number */
	struct {
		int64_t *items; /* by session: time of its last change */
		uint32_t n, cap;
	} changed;
};

void ccfc_gap_marks_start(struct ccfc_index *index, bool all)
{
	struct ccfc_gap_marks *m = ccfc_calloc(1, sizeof(*m));

	m->all = all;
	m->from = INT64_MAX;
	index->gap_marks = m;
}

static void forget_tellers(struct ccfc_gap_marks *m)
{
	for (uint32_t i = 0; i < m->tellers.n; i++)
		free(m->tellers.items[i].commands.items);
	m->tellers.n = m->teller_of.n = m->changed.n = m->taken.n = 0;
}

void ccfc_gap_marks_free(struct ccfc_gap_marks *m)
{
	if (!m)
		return;
	forget_tellers(m);
	free(m->tellers.items);
	free(m->teller_of.items);
	free(m->changed.items);
	free(m->taken.items);
	free(m->backups.items);
	free(m->depth.items);
	free(m->files.items);
	free(m);
}

uint64_t ccfc_gap_marks_stamp(const struct ccfc_index *index)
{
	uint64_t stamp =
		index->disk_events.n - index->events_gone + index->marked;

	for (uint32_t i = 0; i < index->sources.n; i++) {
		const struct ccfc_source *s = &index->sources.items[i];
		uint64_t all[] = { stamp, s->cursor.offset, s->gen, s->gone };

		stamp = ccfc_hash(all, sizeof(all));
	}
	/* The store's numbers are signed. */
	return stamp & INT64_MAX;
}

/* --- noting --- */

void ccfc_gap_marks_all(struct ccfc_index *index)
{
	if (index->gap_marks)
		index->gap_marks->all = true;
}

static void mark_file(struct ccfc_gap_marks *m, uint32_t file, uint8_t depth)
{
	while (m->depth.n <= file)
		CCFC_VEC_PUSH(m->depth, 0);
	if (!file || (m->depth.items[file] && m->depth.items[file] <= depth))
		return;
	if (!m->depth.items[file])
		ccfc_ids_push(&m->files, file);
	m->depth.items[file] = depth;
}

void ccfc_gap_marks_put(struct ccfc_index *index, uint32_t file)
{
	if (index->gap_marks && !index->gap_marks->all)
		mark_file(index->gap_marks, file, 1);
}

/* The result's time, or the end of the window, whichever is later. */
static int64_t end_of_command(const struct ccfc_index *index,
			      const struct ccfc_change *c)
{
	return ccfc_query_window(index, c).to;
}

static void note_taken(struct ccfc_gap_marks *m, uint32_t from, uint32_t to)
{
	const struct taken_file taken = { from, to };

	for (uint32_t i = m->taken.n; i-- > 0;)
		if (m->taken.items[i].from == from &&
		    m->taken.items[i].to == to)
			return;
	CCFC_VEC_PUSH(m->taken, taken);
}

static void note_changed(struct ccfc_gap_marks *m,
			 const struct ccfc_index *index,
			 const struct ccfc_change *c)
{
	int64_t end = end_of_command(index, c);

	while (m->changed.n <= c->session)
		CCFC_VEC_PUSH(m->changed, INT64_MIN);
	if (end > m->changed.items[c->session])
		m->changed.items[c->session] = end;
	if (ccfc_index_is_taken(c))
		note_taken(m, c->other_file, c->file);
}

/* Can it be the command of an inferred change (history/gap/inferred.c)? */
static bool is_teller(const struct ccfc_change *c)
{
	return c->settled && (c->shell & CCFC_SHELL_TELLS) &&
	       c->state == CCFC_STATE_APPLIED && ccfc_index_is_unknown(c) &&
	       c->result.known && c->result.time != CCFC_TIME_NONE &&
	       !(c->result.run & CCFC_RUN_BACKGROUND);
}

static void note_teller(struct ccfc_gap_marks *m,
			const struct ccfc_index *index, uint32_t command)
{
	const struct ccfc_change *c = &index->changes.items[command];
	struct ccfc_period w = ccfc_query_window(index, c);
	struct tellers *t;

	while (m->teller_of.n <= c->session)
		ccfc_ids_push(&m->teller_of, 0);
	if (!m->teller_of.items[c->session]) {
		struct tellers fresh = { .session = c->session, .when = w };

		CCFC_VEC_PUSH(m->tellers, fresh);
		m->teller_of.items[c->session] = m->tellers.n;
	}
	t = &m->tellers.items[m->teller_of.items[c->session] - 1];
	if (w.from < t->when.from)
		t->when.from = w.from;
	if (w.to > t->when.to)
		t->when.to = w.to;
	ccfc_ids_add(&t->commands, command);
}

/* Files that were changed after the command began depend on it. */
static void touch_command(struct ccfc_index *index, uint32_t command)
{
	struct ccfc_gap_marks *m = index->gap_marks;
	const struct ccfc_change *c = &index->changes.items[command];
	struct ccfc_period w = ccfc_query_window(index, c);
	uint32_t id = c->next_file;

	if (w.from < m->from)
		m->from = w.from;
	if (is_teller(c))
		note_teller(m, index, command);
	for (; id != CCFC_ID_NONE; id = index->changes.items[id].next_file)
		if (!ccfc_index_is_inferred(&index->changes.items[id])) {
			note_changed(m, index, &index->changes.items[id]);
			mark_file(m, index->changes.items[id].call.file, 1);
		}
}

void ccfc_gap_marks_touch(struct ccfc_index *index, uint32_t change)
{
	const struct ccfc_change *c = &index->changes.items[change];

	if (!index->gap_marks || index->gap_marks->all || !c->settled)
		return;
	if (ccfc_index_is_command(c)) {
		touch_command(index, change);
		return;
	}
	note_changed(index->gap_marks, index, c);
	mark_file(index->gap_marks, c->file, 1);
}

void ccfc_gap_marks_touch_session(struct ccfc_index *index, uint32_t session)
{
	const struct ccfc_session *s = &index->sessions.items[session];
	struct ccfc_gap_marks *m = index->gap_marks;

	if (m && s->commands.n && s->start < m->from)
		m->from = s->start;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
	return b != CCFC_TIME_NONE && b < a ? b : a;
}

void ccfc_gap_marks_touch_backup(struct ccfc_index *index, uint32_t backup,
				 const struct ccfc_backup_ref *old)
{
	struct ccfc_gap_marks *m = index->gap_marks;
	const struct ccfc_backup_ref *ref;
	struct backup_mark mark = { backup, INT64_MAX };

	if (!m || m->all)
		return;
	ref = &index->backups.items[backup];
	if (ref->made != old->made || ref->first != old->first ||
	    old->last == ref->last)
		mark.time = earlier_of(earlier_of(mark.time, ref->made),
				       ref->first);
	/* The backup no longer shows the file at its previous last snapshot. */
	mark.time = earlier_of(mark.time, old->last);
	CCFC_VEC_PUSH(m->backups, mark);
	m->all = m->backups.n > BACKUPS_MAX;
}

/* --- from notes to files --- */

/* Its changes that are steps of its chain: how many, and when. */
static uint32_t span_of(struct ccfc_period *out, const struct ccfc_index *index,
			uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];
	uint32_t n = 0;

	*out = (struct ccfc_period){ INT64_MAX, INT64_MIN };
	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];
		struct ccfc_period w;

		if (c->state != CCFC_STATE_APPLIED || ccfc_index_is_inferred(c))
			continue;
		w = ccfc_query_window(index, c);
		if (w.from < out->from)
			out->from = w.from;
		if (w.to > out->to)
			out->to = w.to;
		n++;
	}
	return n;
}

static void mark_backed_up(struct ccfc_index *index, uint32_t file,
			   int64_t time)
{
	struct ccfc_period span;

	if (span_of(&span, index, file) && time <= span.to)
		mark_file(index->gap_marks, file, 1);
}

/*
 * A key that means no known file: marks every file of that name that the
 * session changed.
 */
static void mark_named(struct ccfc_index *index,
		       const struct ccfc_backup_ref *ref, int64_t time)
{
	const struct ccfc_ids *ids =
		&index->sessions.items[ref->session].changes;
	struct ccfc_slice end =
		ccfc_path_basename(ccfc_index_str(index, ref->key));

	for (uint32_t i = 0; i < ids->n; i++) {
		uint32_t file = index->changes.items[ids->items[i]].file;

		if (ccfc_slice_eq(ccfc_path_basename(
					  ccfc_index_file_path(index, file)),
				  end))
			mark_backed_up(index, file, time);
	}
}

static void mark_backups(struct ccfc_index *index)
{
	struct ccfc_gap_marks *m = index->gap_marks;

	for (uint32_t i = 0; i < m->backups.n; i++) {
		const struct ccfc_backup_ref *ref =
			&index->backups.items[m->backups.items[i].backup];
		uint32_t file = 0;

		ccfc_buf_clear(&index->scratch);
		if (ccfc_path_normalise(
			    &index->scratch, ccfc_index_str(index, ref->key),
			    ccfc_index_str(index,
					   index->sessions.items[ref->session]
						   .project),
			    ccfc_slice_str(index->home)))
			file = ccfc_query_file(index,
					       ccfc_buf_view(&index->scratch));
		if (file)
			mark_backed_up(index, file, m->backups.items[i].time);
		else
			mark_named(index, ref, m->backups.items[i].time);
	}
	m->backups.n = 0;
}

static void mark_since(struct ccfc_index *index)
{
	struct ccfc_gap_marks *m = index->gap_marks;

	for (uint32_t s = 1; s < m->changed.n; s++) {
		const struct ccfc_ids *ids = &index->sessions.items[s].changes;

		if (m->changed.items[s] < m->from)
			continue;
		for (uint32_t i = 0; i < ids->n; i++) {
			const struct ccfc_change *c =
				&index->changes.items[ids->items[i]];

			if (!ccfc_index_is_inferred(c) &&
			    end_of_command(index, c) >= m->from)
				mark_file(m, c->file, 1);
		}
	}
	m->from = INT64_MAX;
}

/*
 * Called when there is work for the first time, so that the start is not
 * delayed.
 */
static void note_all_changes(struct ccfc_index *index)
{
	struct ccfc_gap_marks *m = index->gap_marks;

	m->learned = true;
	forget_tellers(m);
	for (uint32_t i = 0; i < index->changes.n; i++) {
		const struct ccfc_change *c = &index->changes.items[i];

		if (!ccfc_index_is_command(c) && c->settled)
			note_changed(m, index, c);
		else if (is_teller(c))
			note_teller(m, index, i);
	}
}

static void mark_all_files(struct ccfc_index *index)
{
	struct ccfc_gap_marks *m = index->gap_marks;

	m->all = m->learned = false;
	m->from = INT64_MAX;
	m->backups.n = 0;
	for (uint32_t i = 1; i < index->files.n; i++)
		if (index->files.items[i].n > 1)
			mark_file(m, i, 1);
}

/* The state of a file depends on the files that were moved or copied to it. */
static void mark_taken(struct ccfc_gap_marks *m, uint32_t file, uint8_t depth)
{
	for (uint32_t i = 0; depth <= MOVED_DEPTH && i < m->taken.n; i++)
		if (m->taken.items[i].from == file)
			mark_file(m, m->taken.items[i].to,
				  (uint8_t)(depth + 1));
}

/* --- taking marks --- */

bool ccfc_gap_marks_any(const struct ccfc_index *index)
{
	const struct ccfc_gap_marks *m = index->gap_marks;

	return m &&
	       (m->all || m->files.n || m->backups.n || m->from != INT64_MAX);
}

bool ccfc_gap_marks_has(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_gap_marks *m = index->gap_marks;

	return m->all || (file < m->depth.n && m->depth.items[file]);
}

static bool has_told(const struct ccfc_index *index, const struct tellers *t,
		     const struct ccfc_period *span)
{
	for (uint32_t i = 0; i < t->commands.n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[t->commands.items[i]];
		struct ccfc_period w = ccfc_query_window(index, c);

		if (c->session == t->session && is_teller(c) &&
		    w.from <= span->to && w.to >= span->from)
			return true;
	}
	return false;
}

static bool has_inferred(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_ids *ids = &index->files.items[file];

	for (uint32_t i = 0; i < ids->n; i++)
		if (ccfc_index_is_inferred(
			    &index->changes.items[ids->items[i]]))
			return true;
	return false;
}

/*
 * The times of the changes are asked for last: a file may have thousands, and
 * is marked whenever it is changed.
 */
static bool is_worth_a_look(const struct ccfc_index *index, uint32_t file)
{
	const struct ccfc_gap_marks *m = index->gap_marks;
	struct ccfc_slice path = ccfc_index_file_path(index, file);
	struct ccfc_period span;
	bool timed = false;

	if (has_inferred(index, file))
		return true;
	for (uint32_t i = 0; i < m->tellers.n; i++) {
		const struct tellers *t = &m->tellers.items[i];

		if (!ccfc_query_is_at_home(index, t->session, path))
			continue;
		if (!timed && span_of(&span, index, file) < 2)
			return false;
		timed = true;
		if (t->when.from <= span.to && t->when.to >= span.from &&
		    has_told(index, t, &span))
			return true;
	}
	return false;
}

uint32_t ccfc_gap_marks_take(struct ccfc_index *index)
{
	struct ccfc_gap_marks *m = index->gap_marks;

	if (m->all)
		mark_all_files(index);
	if (!m->learned)
		note_all_changes(index);
	if (m->from != INT64_MAX)
		mark_since(index);
	mark_backups(index);
	for (uint32_t n = 0; n < TAKE_FILES; n++) {
		uint32_t file;
		uint8_t depth;

		if (!m->files.n)
			return 0;
		file = m->files.items[--m->files.n];
		depth = m->depth.items[file];
		m->depth.items[file] = 0;
		mark_taken(m, file, depth);
		if (is_worth_a_look(index, file))
			return file;
	}
	return CCFC_ID_NONE;
}
