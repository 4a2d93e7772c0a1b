/*
 * The evidence of a change, and other calls that may have made it.
 *
 * A client records what changed on the disk while a command ran, whoever
 * changed it. So a recorded change is ambiguous if another call, of another
 * session or agent, may have changed the file at that time: a rival. Calls of
 * one thread run one after another and are no rivals.
 *
 * A command of another session is a rival, too, if its effects are not known.
 *
 * If only one command's text names the file, the change is that command's. A
 * change of a write tool is certainly its own, and counts as named.
 *
 * The result depends only on the changes of the file and the commands of the
 * session, not on earlier results, so not on the order of lines. Inferred
 * changes are such earlier results, and do not count.
 */
#include "base/alloc.h"
#include "base/path.h"
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <stdlib.h>

#define LONGEST_RUN                                                            \
	(10 * 60 * 1000) /* of a command that never ended, in ms               \
			  */

enum named { NOT_NAMED, MAYBE_NAMED, NAMED };

struct doubt {
	const struct ccfc_index *index;
	const struct ccfc_change *c;
	struct ccfc_period when;
	struct ccfc_slice name; /* the file's, without directories */
	uint32_t rivals;
	enum named named;      /* the best of the rivals */
	struct ccfc_ids *list; /* of rivals; may be NULL */
};

/* A row that has the call's times: a shell change's are its command's. */
static const struct ccfc_change *call_row(const struct ccfc_index *index,
					  const struct ccfc_change *c)
{
	const struct ccfc_change *command = ccfc_index_command(index, c);

	return command ? command : c;
}

static int64_t add_ms(int64_t time, int64_t ms)
{
	return time > INT64_MAX - ms ? INT64_MAX : time + ms;
}

/* As the times of its lines have it; they are known. */
static struct ccfc_period window_of_lines(const struct ccfc_change *c)
{
	struct ccfc_period w = { ccfc_index_time(c), INT64_MAX };

	if (!c->result.known && ccfc_index_is_witnessed(c)) {
		w.to = add_ms(c->shell_time, CCFC_WINDOW_LATE);
		return w;
	}
	if (!c->result.known) {
		w.to = add_ms(w.from, LONGEST_RUN);
	} else if (c->result.run & CCFC_RUN_BACKGROUND) {
		if (c->shell_time != CCFC_TIME_NONE)
			w.to = add_ms(c->shell_time, CCFC_WINDOW_LATE);
	} else if (c->result.time != CCFC_TIME_NONE) {
		w.to = add_ms(c->result.time, CCFC_WINDOW_LATE);
	}
	if (w.to < w.from)
		w.to = add_ms(w.from, CCFC_WINDOW_LATE);
	return w;
}

/*
 * Marks are taken while the command does not run yet, and when it does not run
 * any more. So they lie within what the lines say, or one of the clocks was
 * set: then they are not believed. What runs in the background goes on after
 * the mark of its end.
 */
static bool narrow_by_marks(struct ccfc_period *w, const struct ccfc_change *c)
{
	struct ccfc_period marked = *w;
	bool ends = c->ended != CCFC_TIME_NONE && c->ended < w->to &&
		    !(c->result.run & CCFC_RUN_BACKGROUND);

	if (c->began != CCFC_TIME_NONE && c->began > w->from)
		marked.from = c->began;
	if (ends)
		marked.to = c->ended;
	if (marked.from > marked.to)
		return false;
	*w = marked;
	return ends;
}

struct ccfc_period ccfc_query_window(const struct ccfc_index *index,
				     const struct ccfc_change *change)
{
	bool exact;

	return ccfc_query_exact_window(index, change, &exact);
}

struct ccfc_period ccfc_query_exact_window(const struct ccfc_index *index,
					   const struct ccfc_change *change,
					   bool *exact_end)
{
	const struct ccfc_change *c = call_row(index, change);
	struct ccfc_period w = { INT64_MIN, INT64_MAX };

	*exact_end = false;
	if (ccfc_index_time(c) == CCFC_TIME_NONE)
		return w;
	w = window_of_lines(c);
	*exact_end = narrow_by_marks(&w, c);
	return w;
}

static bool is_same_thread(const struct ccfc_change *a,
			   const struct ccfc_change *b)
{
	return a->session == b->session &&
	       ccfc_index_agent(a) == ccfc_index_agent(b);
}

/* --- names in texts --- */

static bool is_word_char(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c >= 0x80;
}

/* Neither the end nor the beginning of a longer name. */
static bool stands_alone(struct ccfc_slice text, size_t at, size_t len)
{
	const unsigned char *p = (const unsigned char *)text.ptr;
	size_t end = at + len;

	if (at && (is_word_char(p[at - 1]) || p[at - 1] == '.'))
		return false;
	if (end < text.len && is_word_char(p[end]))
		return false;
	return end + 1 >= text.len || p[end] != '.' ||
	       !is_word_char(p[end + 1]);
}

static bool has_name(struct ccfc_slice text, struct ccfc_slice name)
{
	for (size_t i = 0; name.len && i + name.len <= text.len; i++)
		if (!memcmp(text.ptr + i, name.ptr, name.len) &&
		    stands_alone(text, i, name.len))
			return true;
	return false;
}

static enum named named_by(const struct doubt *d, const struct ccfc_change *c)
{
	const struct ccfc_change *command = call_row(d->index, c);

	if (!ccfc_index_is_shells(command) || (c->shell & CCFC_SHELL_PARSED))
		return NAMED;
	if (has_name(ccfc_index_str(d->index, command->text), d->name))
		return NAMED;
	return !command->text || (command->shell & CCFC_SHELL_CUT) ? MAYBE_NAMED
								   : NOT_NAMED;
}

/* --- rivals --- */

/* Can a call in that state have changed a file? */
static bool may_have_run(const struct ccfc_change *c)
{
	if (!ccfc_index_is_shells(c))
		return c->state == CCFC_STATE_APPLIED;
	return c->state != CCFC_STATE_DENIED && c->state != CCFC_STATE_STAGED;
}

static void weigh_change(struct doubt *d, uint32_t id)
{
	const struct ccfc_change *c = &d->index->changes.items[id];
	struct ccfc_period w;
	enum named named;

	if (c == d->c || !c->settled || !may_have_run(c) ||
	    ccfc_index_is_inferred(c) || is_same_thread(c, d->c))
		return;
	w = ccfc_query_window(d->index, c);
	if (w.from > d->when.to || w.to < d->when.from)
		return;
	named = named_by(d, c);
	if (named > d->named)
		d->named = named;
	d->rivals++;
	if (d->list)
		ccfc_ids_push(d->list, id);
}

/* Has the command a change of this file? That is weighed for it. */
static bool has_change(const struct ccfc_index *index,
		       const struct ccfc_change *command, uint32_t file)
{
	uint32_t id = command->next_file;

	for (; id != CCFC_ID_NONE; id = index->changes.items[id].next_file)
		if (index->changes.items[id].file == file &&
		    index->changes.items[id].settled &&
		    !ccfc_index_is_inferred(&index->changes.items[id]))
			return true;
	return false;
}

/* May a command of the session have run in the period? */
static bool was_session_active(const struct ccfc_session *s,
			       const struct ccfc_period *when)
{
	return (s->start == CCFC_TIME_NONE || s->start <= when->to) &&
	       (s->end == CCFC_TIME_NONE ||
		add_ms(s->end, LONGEST_RUN) >= when->from);
}

/* A background command without a known end counts for a limited time. */
static bool is_background_over(const struct doubt *d,
			       const struct ccfc_change *c)
{
	return (c->result.run & CCFC_RUN_BACKGROUND) &&
	       c->shell_time == CCFC_TIME_NONE &&
	       add_ms(ccfc_index_time(c), LONGEST_RUN) < d->when.from;
}

/*
 * Weighs commands of another session with unknown effects. Depending on its
 * mode, that session's client may not record changes although this one does.
 */
static void weigh_unknown(struct doubt *d, uint32_t session)
{
	const struct ccfc_session *s = &d->index->sessions.items[session];
	struct ccfc_slice path = ccfc_index_file_path(d->index, d->c->file);

	if (session == d->c->session || !s->commands.n || !s->project ||
	    !was_session_active(s, &d->when) ||
	    !ccfc_path_is_below(path, ccfc_index_str(d->index, s->project)))
		return;
	for (uint32_t i = 0; i < s->commands.n; i++) {
		const struct ccfc_change *c =
			&d->index->changes.items[s->commands.items[i]];

		if (c->settled && ccfc_index_is_unknown(c) &&
		    !is_background_over(d, c) &&
		    !has_change(d->index, c, d->c->file))
			weigh_change(d, s->commands.items[i]);
	}
}

static void weigh_all_changes(struct doubt *d)
{
	const struct ccfc_index *index = d->index;
	const struct ccfc_ids *ids = &index->files.items[d->c->file];

	for (uint32_t i = 0; i < ids->n; i++)
		weigh_change(d, ids->items[i]);
	for (uint32_t s = 1; s < index->sessions.n; s++)
		weigh_unknown(d, s);
	if (!(d->c->result.run & CCFC_RUN_SHARED))
		return;
	/* The client saw another of its own commands run at the same time. */
	ids = &index->sessions.items[d->c->session].commands;
	for (uint32_t i = 0; i < ids->n; i++)
		if (!has_change(index, &index->changes.items[ids->items[i]],
				d->c->file))
			weigh_change(d, ids->items[i]);
}

/* Is the change in doubt? `list` (may be NULL) gets the rivals. */
static bool is_doubtful(const struct ccfc_index *index,
			const struct ccfc_change *c, struct ccfc_ids *list)
{
	struct doubt d = {
		.index = index,
		.c = c,
		.when = ccfc_query_window(index, c),
		.name = ccfc_path_basename(
			ccfc_index_file_path(index, c->file)),
		.list = list,
	};

	weigh_all_changes(&d);
	if (!d.rivals)
		return c->result.run & CCFC_RUN_SHARED;
	return named_by(&d, c) != NAMED || d.named != NOT_NAMED;
}

/* --- what was seen on disk --- */

/*
 * Weighs other authors by the time of the sighting: calls of other threads that
 * were running then, whether or not they have ended.
 */
static void weigh_seen(struct doubt *d, const struct ccfc_disk_event *event)
{
	const struct ccfc_ids *ids = &d->index->files.items[d->c->file];
	struct ccfc_ids ran = { 0 };

	ccfc_index_commands_at(&ran, d->index, event);
	for (uint32_t i = 0; i < ids->n; i++)
		if (!ccfc_index_is_shells(
			    &d->index->changes.items[ids->items[i]]) &&
		    ccfc_index_within(d->index,
				      &d->index->changes.items[ids->items[i]],
				      event) == CCFC_WITHIN)
			ccfc_ids_push(&ran, ids->items[i]);
	for (uint32_t i = 0; i < ran.n; i++) {
		const struct ccfc_change *c =
			&d->index->changes.items[ran.items[i]];
		enum named named;

		if (ran.items[i] == d->c->command || !may_have_run(c) ||
		    is_same_thread(c, d->c))
			continue;
		named = named_by(d, c);
		if (named > d->named)
			d->named = named;
		d->rivals++;
		if (d->list)
			ccfc_ids_push(d->list, ran.items[i]);
	}
	free(ran.items);
}

/* As is_doubtful, for an observed change; true if its sighting is gone. */
static bool is_doubtful_seen(const struct ccfc_index *index,
			     const struct ccfc_change *c, struct ccfc_ids *list)
{
	struct doubt d = {
		.index = index,
		.c = c,
		.name = ccfc_path_basename(
			ccfc_index_file_path(index, c->file)),
		.list = list,
	};
	struct ccfc_disk_event event;

	if (!ccfc_index_observed_at(index, c, &event))
		return true;
	weigh_seen(&d, &event);
	return d.rivals && (named_by(&d, c) != NAMED || d.named != NOT_NAMED);
}

bool ccfc_query_is_surely_seen(const struct ccfc_index *index,
			       const struct ccfc_change *change)
{
	return !is_doubtful_seen(index, change, NULL);
}

/* --- gaps --- */

/* The period from the file's change before `c` to the change after it. */
static struct ccfc_period gap_around_change(const struct ccfc_index *index,
					    const struct ccfc_change *c)
{
	const struct ccfc_ids *ids = &index->files.items[c->file];
	struct ccfc_period own = ccfc_query_window(index, c);
	struct ccfc_period gap = { INT64_MIN, INT64_MAX };

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *other =
			&index->changes.items[ids->items[i]];
		struct ccfc_period w = ccfc_query_window(index, other);

		if (other == c || other->state != CCFC_STATE_APPLIED ||
		    ccfc_index_is_inferred(other))
			continue;
		if (w.to <= own.to && w.to > gap.from)
			gap.from = w.to;
		else if (w.to > own.to && w.from < gap.to)
			gap.to = w.from;
	}
	/* After the last change only the file's own time helps. */
	if (gap.to == INT64_MAX)
		gap.to = own.to;
	return gap;
}

static bool has_unknown(const struct ccfc_index *index, uint32_t session,
			const struct ccfc_period *gap, uint32_t own)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].commands;

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *command =
			&index->changes.items[ids->items[i]];
		struct ccfc_period w;

		if (ids->items[i] == own || !command->settled ||
		    !ccfc_index_is_unknown(command))
			continue;
		w = ccfc_query_window(index, command);
		if (w.from <= gap->to && w.to >= gap->from)
			return true;
	}
	return false;
}

static bool ran_in_periods(const struct ccfc_period *w,
			   const struct ccfc_period *spans, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (w->from <= spans[i].to && w->to >= spans[i].from)
			return true;
	return false;
}

static void add_commands(struct ccfc_ids *out, const struct ccfc_index *index,
			 const struct ccfc_ids *ids,
			 const struct ccfc_period *spans, uint32_t n)
{
	for (uint32_t i = 0; i < ids->n && out->n <= CCFC_QUERY_COMMANDS_MAX;
	     i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];
		struct ccfc_period w;

		if (!c->settled || !ccfc_index_is_unknown(c))
			continue;
		w = ccfc_query_window(index, c);
		if (ran_in_periods(&w, spans, n))
			ccfc_ids_push(out, ids->items[i]);
	}
}

bool ccfc_query_commands(struct ccfc_ids *out, const struct ccfc_index *index,
			 const struct ccfc_period *spans, uint32_t n)
{
	struct ccfc_period all = { INT64_MAX, INT64_MIN };

	for (uint32_t i = 0; i < n; i++) {
		if (spans[i].from < all.from)
			all.from = spans[i].from;
		if (spans[i].to > all.to)
			all.to = spans[i].to;
	}
	for (uint32_t s = 1; n && s < index->sessions.n; s++)
		if (was_session_active(&index->sessions.items[s], &all))
			add_commands(out, index,
				     &index->sessions.items[s].commands, spans,
				     n);
	return out->n <= CCFC_QUERY_COMMANDS_MAX;
}

bool ccfc_query_is_alone(const struct ccfc_index *index,
			 const struct ccfc_change *c)
{
	struct ccfc_period gap = gap_around_change(index, c);
	uint32_t project = index->sessions.items[c->session].project;

	for (uint32_t s = 1; s < index->sessions.n; s++)
		if ((s == c->session ||
		     index->sessions.items[s].project == project) &&
		    has_unknown(index, s, &gap, c->command))
			return false;
	return true;
}

/* --- answers --- */

enum ccfc_proof ccfc_query_proof(const struct ccfc_index *index,
				 const struct ccfc_change *c)
{
	bool parsed = c->shell & CCFC_SHELL_PARSED;

	if (!c->shell)
		return CCFC_PROOF_RESULT;
	/* The temporary name that the client used identifies its session. */
	if (ccfc_index_is_witnessed(c))
		return CCFC_PROOF_OBSERVED;
	if (c->judged)
		return (enum ccfc_proof)(c->judged - 1);
	if ((c->shell & CCFC_SHELL_RECORDED) && !is_doubtful(index, c, NULL))
		return CCFC_PROOF_RECORDED;
	if ((c->shell & CCFC_SHELL_OBSERVED) &&
	    !is_doubtful_seen(index, c, NULL))
		return CCFC_PROOF_OBSERVED;
	if (parsed)
		return CCFC_PROOF_PARSED;
	/* A change without any evidence left was withdrawn. */
	return c->shell & (CCFC_SHELL_RECORDED | CCFC_SHELL_OBSERVED)
		       ? CCFC_PROOF_AMBIGUOUS
		       : CCFC_PROOF_INFERRED;
}

struct by_time {
	int64_t time;
	struct ccfc_slice name;
	uint32_t id;
};

static int compare_by_time(const void *x, const void *y)
{
	const struct by_time *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return ccfc_slice_cmp(a->name, b->name);
}

static void sort_by_time(const struct ccfc_index *index, struct ccfc_ids *ids)
{
	struct by_time *list = ccfc_calloc(ids->n + 1u, sizeof(*list));

	for (uint32_t i = 0; i < ids->n; i++) {
		const struct ccfc_change *c =
			&index->changes.items[ids->items[i]];

		list[i] = (struct by_time){ ccfc_index_time(c),
					    ccfc_slice(c->id, c->id_len),
					    ids->items[i] };
	}
	qsort(list, ids->n, sizeof(*list), compare_by_time);
	for (uint32_t i = 0; i < ids->n; i++)
		ids->items[i] = list[i].id;
	free(list);
}

void ccfc_query_rivals(struct ccfc_ids *out, const struct ccfc_index *index,
		       const struct ccfc_change *change)
{
	uint32_t id = (uint32_t)(change - index->changes.items);

	out->n = 0;
	if (!change->judged) {
		if (change->shell & CCFC_SHELL_OBSERVED)
			is_doubtful_seen(index, change, out);
		else
			is_doubtful(index, change, out);
		sort_by_time(index, out);
		return;
	}
	for (uint32_t i = 0; i < index->rivals.n; i++)
		if (index->rivals.items[i].change == id)
			ccfc_ids_push(out, index->rivals.items[i].rival);
}

/*
 * Does the session have the number of its unknown commands? Sessions in an
 * excerpt do, and of its commands they have only the unknown ones.
 */
static bool is_counted(const struct ccfc_index *index, uint32_t session)
{
	return index->sessions.items[session].unknown_commands != 0;
}

uint32_t ccfc_query_unknown(const struct ccfc_index *index, uint32_t session)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].commands;
	uint32_t n = index->sessions.items[session].unknown_commands;

	for (uint32_t i = 0; !is_counted(index, session) && i < ids->n; i++)
		n += ccfc_index_is_unknown(
			&index->changes.items[ids->items[i]]);
	return n;
}

void ccfc_query_unknown_commands(struct ccfc_ids *out,
				 const struct ccfc_index *index,
				 uint32_t session)
{
	const struct ccfc_ids *ids = &index->sessions.items[session].commands;
	bool all = is_counted(index, session);

	out->n = 0;
	for (uint32_t i = 0; i < ids->n; i++)
		if (all ||
		    ccfc_index_is_unknown(&index->changes.items[ids->items[i]]))
			ccfc_ids_push(out, ids->items[i]);
	sort_by_time(index, out);
}
