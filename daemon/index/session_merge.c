/*
 * Merges a line's facts about its session: times, directories, branches, models
 * and file history. All are minima, maxima or unions over (rank, time, text),
 * see merge.c.
 */
#include "base/alloc.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/index_internal.h"

/* At most so many branches, models and directories of a session are kept. */
#define NAMES_MAX 256u
#define NAMES_FEW 4u

static struct ccfc_source *source_of_line(const struct ccfc_incoming *line)
{
	return &line->index->sources.items[line->place.source];
}

static bool from_agent(const struct ccfc_incoming *line)
{
	return line->aside;
}

static void merge_times(const struct ccfc_incoming *line,
			struct ccfc_session *s)
{
	int64_t time = line->record->time, start = s->start, end = s->end;

	if (time == CCFC_TIME_NONE)
		return;
	if (s->start == CCFC_TIME_NONE || time < s->start)
		s->start = time;
	if (time > s->end)
		s->end = time;
	/* The session started earlier, or ended later, than known before. */
	if (s->start != start || s->end > end + CCFC_LONGEST_SILENCE)
		ccfc_doubt_touch_session(line->index, line->session);
}

/*
 * The first directory of the main thread; an agent's counts only if there is
 * none.
 */
static void merge_project(const struct ccfc_incoming *line,
			  struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;
	bool agent = from_agent(line);
	int64_t mine = r->time == CCFC_TIME_NONE ? INT64_MAX : r->time;
	int64_t best = s->project_time;

	if (!line->cwd.len)
		return;
	if (s->project) {
		if (agent != s->project_from_agent) {
			if (agent)
				return;
		} else if (mine != best) {
			if (mine > best)
				return;
		} else if (ccfc_slice_cmp(line->cwd,
					  ccfc_index_str(line->index,
							 s->project)) >= 0) {
			return;
		}
	}
	if (!s->project ||
	    !ccfc_slice_eq(line->cwd, ccfc_index_str(line->index, s->project)))
		ccfc_gap_marks_touch_session(line->index, line->session);
	s->project = ccfc_strtab_put(&line->index->strings, line->cwd);
	s->project_time = mine;
	s->project_from_agent = agent;
}

/* Nearly every line names what the lines before it named. */
static uint32_t find_in_few(const struct ccfc_index *index,
			    const struct ccfc_ids *set, struct ccfc_slice name)
{
	for (uint32_t i = 0; i < set->n && i < NAMES_FEW; i++)
		if (ccfc_slice_eq(ccfc_index_str(index, set->items[i]), name))
			return set->items[i];
	return 0;
}

/*
 * Adds a name to a set that is sorted by text and keeps the least NAMES_MAX:
 * bounded, and still the same in whatever order they come. Names with a
 * newline are none that git or the client would make; the store has one a
 * line.
 */
uint32_t ccfc_index_add_name(struct ccfc_index *index, struct ccfc_ids *set,
			     struct ccfc_slice name)
{
	uint32_t lo = 0, hi = set->n, id;

	if (!name.len)
		return 0;
	id = find_in_few(index, set, name);
	if (id)
		return id;
	if (memchr(name.ptr, '\n', name.len))
		return 0;
	id = ccfc_strtab_put(&index->strings, name);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint32_t at = set->items[mid];

		if (at == id)
			return id;
		if (ccfc_slice_cmp(ccfc_index_str(index, at), name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (set->n == NAMES_MAX) {
		if (lo == set->n)
			return id;
		set->n--;
	}
	ccfc_ids_push(set, id);
	memmove(set->items + lo + 1, set->items + lo,
		(set->n - 1 - lo) * sizeof(*set->items));
	set->items[lo] = id;
	return id;
}

/*
 * All directories of its records, and added ones: where it may have changed
 * files.
 */
static void merge_roots(const struct ccfc_incoming *line,
			struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;
	uint32_t n = s->roots.n;

	ccfc_index_add_name(line->index, &s->roots, line->cwd);
	for (uint32_t i = 0; i < r->nadded; i++)
		ccfc_index_add_name(
			line->index, &s->roots,
			ccfc_index_directory(line->index, r->added[i]));
	if (s->roots.n == n)
		return;
	ccfc_gap_marks_touch_session(line->index, line->session);
	ccfc_doubt_touch_session(line->index, line->session);
}

/* Is (time, text) later than the best so far? */
static bool is_fact_later(const struct ccfc_index *index, int64_t time,
			  struct ccfc_slice text, int64_t best,
			  uint32_t best_text)
{
	if (!best_text || time > best)
		return true;
	return time == best &&
	       ccfc_slice_cmp(text, ccfc_index_str(index, best_text)) > 0;
}

static void merge_branch(const struct ccfc_incoming *line,
			 struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;
	uint32_t branch =
		ccfc_index_add_name(line->index, &s->branches, r->branch);

	if (branch && is_fact_later(line->index, r->time, r->branch,
				    s->branch_time, s->branch)) {
		s->branch = branch;
		s->branch_time = r->time;
	}
}

/*
 * The latest model of the main thread; an agent's counts only if there is none.
 */
static void merge_model(const struct ccfc_incoming *line,
			struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;
	bool agent = from_agent(line);
	uint32_t model = ccfc_index_add_name(line->index, &s->models, r->model);

	if (!model)
		return;
	if (s->model && agent != s->model_from_agent) {
		if (agent)
			return;
	} else if (!is_fact_later(line->index, r->time, r->model, s->model_time,
				  s->model)) {
		return;
	}
	s->model = model;
	s->model_time = r->time;
	s->model_from_agent = agent;
}

/*
 * Forks copy messages with their uuids. Records without a uuid (queue
 * operations and the like) belong to one session only, so they show when it was
 * born.
 */
static void merge_birth(const struct ccfc_incoming *line,
			struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;

	if (r->uuid.len || r->time == CCFC_TIME_NONE || !r->session.len)
		return;
	if (s->born == CCFC_TIME_NONE || r->time < s->born) {
		s->born = r->time;
		s->news = true;
	}
}

/* The beginning of the main thread's first prompt. */
static void merge_opening(const struct ccfc_incoming *line,
			  struct ccfc_session *s)
{
	const struct ccfc_record *r = line->record;
	int64_t mine = r->time == CCFC_TIME_NONE ? INT64_MAX : r->time;

	if (!r->asked || !r->typed.len || line->aside)
		return;
	if (s->opening &&
	    (mine > s->opening_time ||
	     (mine == s->opening_time &&
	      ccfc_slice_cmp(r->typed,
			     ccfc_index_str(line->index, s->opening)) >= 0)))
		return;
	s->opening = ccfc_strtab_put(&line->index->strings, r->typed);
	s->opening_time = mine;
}

void ccfc_index_merge_session(const struct ccfc_incoming *line)
{
	struct ccfc_session *s;

	if (!line->session)
		return;
	s = &line->index->sessions.items[line->session];
	s->seen = true;
	merge_times(line, s);
	ccfc_index_note_end(line->index, s);
	merge_project(line, s);
	merge_roots(line, s);
	merge_branch(line, s);
	merge_model(line, s);
	merge_birth(line, s);
	ccfc_index_add_name(line->index, &s->pull_requests,
			    line->record->pull_request);
	merge_opening(line, s);
	/* Nearly all lines of a source belong to one session. */
	if (source_of_line(line)->last_session != line->session)
		ccfc_ids_add(&s->sources, line->place.source);
	source_of_line(line)->last_session = line->session;
	if (!from_agent(line))
		ccfc_index_merge_prompt(line);
	ccfc_index_mark_session(line->index, line->session);
}

/* Keeps the lesser or the greater of two times; a known time wins over none. */
bool ccfc_index_take_time(int64_t *time, int64_t fresh, bool least)
{
	if (fresh == CCFC_TIME_NONE || fresh == *time)
		return false;
	if (*time != CCFC_TIME_NONE && (fresh < *time) != least)
		return false;
	*time = fresh;
	return true;
}

void ccfc_index_merge_backup(const struct ccfc_incoming *line,
			     const struct ccfc_backup *backup)
{
	struct ccfc_index *index = line->index;
	struct ccfc_backup_ref like = {
		.version = backup->version,
		.made = backup->made,
		.first = backup->time,
		.last = backup->time,
		.session = line->session,
		.key = ccfc_strtab_put(&index->strings, backup->path),
		.name = ccfc_strtab_put(&index->strings, backup->name),
	};
	uint32_t id = ccfc_index_find_backup(index, &like);
	struct ccfc_backup_ref *ref, old = like;
	bool news = id == CCFC_ID_NONE;

	if (news)
		id = ccfc_index_add_backup(index, &like);
	ref = &index->backups.items[id];
	if (!news)
		old = *ref;
	news |= ccfc_index_take_time(&ref->made, like.made, false);
	news |= ccfc_index_take_time(&ref->first, like.first, true);
	news |= ccfc_index_take_time(&ref->last, like.last, false);
	if (!news)
		return;
	ccfc_ids_push(&index->backups.dirty, id);
	ccfc_gap_marks_touch_backup(index, id, &old);
}
