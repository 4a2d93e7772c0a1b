/* Requests about history; see history_job.h. */
#include "serve/rpc/history_job.h"

#include "base/alloc.h"
#include "base/time.h"
#include "history/chain/expected.h"
#include "index/query/totals.h"
#include "serve/rpc/reply.h"
#include "serve/rpc/slices.h"

#include <stdlib.h>

/* Rows copied at once, and in each step of a longer excerpt. */
#define ROWS_AT_ONCE 2048
#define ROWS_A_STEP  256
/* A copy is restarted so often because the index has changed. */
#define ANEW_MAX 2

typedef int (*answer_fn)(struct ccfc_history_job *job, struct ccfc_request *rq,
			 struct ccfc_err *err);

/* --- on the worker --- */

static bool must_job_stop(void *ctx)
{
	struct ccfc_history_job *job = ctx;

	return ccfc_job_cancelled(&job->d.job) ||
	       ccfc_time_monotonic() > job->deadline;
}

bool ccfc_history_job_is_over(const struct ccfc_request *rq)
{
	return ccfc_tail_is_over(ccfc_history_env(rq->history)->tail);
}

static int fail_too_late(const struct ccfc_history_job *job,
			 struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_ETOOBIG, "%s: no answer within %d s",
		     job->d.method, CCFC_HISTORY_JOB_MS / 1000);
	ccfc_err_hint(err, "ask about fewer files, or for a shorter page");
	return CCFC_ETOOBIG;
}

/* Replaces ids of the index by ids of the excerpt. */
static void renumber_to_excerpt(struct ccfc_history_job *job)
{
	const struct ccfc_excerpt *ex = job->excerpt;
	const struct ccfc_groups groups = job->groups;

	job->session = ccfc_homes_find(&ex->sessions, job->session);
	job->file = ccfc_homes_find(&ex->files, job->file);
	job->change = ccfc_homes_find(&ex->changes, job->change);
	if (job->at.kind == CCFC_AT_CHANGE)
		job->at.id = ccfc_homes_find(&ex->changes, job->at.id);
	else if (job->at.kind == CCFC_AT_SESSION)
		job->at.id = ccfc_homes_find(&ex->sessions, job->at.id);
	ccfc_excerpt_groups(&job->groups, ex, &groups, job->by_session,
			    &job->d.arena);
}

static int pack_history_answer(struct ccfc_history_job *job,
			       struct ccfc_history *history,
			       struct ccfc_err *err)
{
	struct ccfc_deferred *d = &job->d;
	struct ccfc_pack pack;
	struct ccfc_request rq = ccfc_deferred_request(d, &pack);

	rq.index = job->excerpt->index;
	rq.history = history;
	rq.texts = &job->texts;
	rq.progress = &job->progress;
	ccfc_pack_init(&pack, &d->result);
	return job->answer(job, &rq, err);
}

/* Copies the periods whose commands the history needs, for the core. */
static void copy_wanted_periods(struct ccfc_history_job *job,
				const struct ccfc_history *history)
{
	const struct ccfc_period *spans =
		ccfc_history_wanted_commands(history, &job->nspans);

	if (!job->nspans)
		return;
	job->spans = ccfc_calloc(job->nspans, sizeof(*spans));
	memcpy(job->spans, spans, job->nspans * sizeof(*spans));
}

static int run_history_job(struct ccfc_deferred *d, struct ccfc_err *err)
{
	struct ccfc_history_job *job = (struct ccfc_history_job *)d;
	const struct ccfc_service *service = job->service;
	struct ccfc_history_env env = {
		.index = job->excerpt->index,
		.excerpt = job->excerpt,
		.kept = service->kept,
		.tail = ccfc_tail_new(service->max_line),
		.parser = ccfc_parser_new(service->tools),
		.roots = service->roots,
		.nroots = service->nroots,
		.blobs = service->blobs,
	};
	struct ccfc_attic_line *expected;
	uint32_t nexpected;
	struct ccfc_history *history;
	int r;

	job->deadline = ccfc_time_monotonic() + CCFC_HISTORY_JOB_MS;
	ccfc_tail_use(env.tail, service->attic);
	ccfc_tail_until(env.tail, must_job_stop, job);
	renumber_to_excerpt(job);
	expected = ccfc_history_expected(env.index, &nexpected);
	ccfc_tail_expect(env.tail, expected, nexpected);
	history = ccfc_history_new(&env);
	r = pack_history_answer(job, history, err);
	if (ccfc_tail_is_over(env.tail))
		r = fail_too_late(job, err);
	else if (!job->plain)
		copy_wanted_periods(job, history);
	/* The requested point may be a change that is not inferred yet. */
	if (job->nspans && r < 0) {
		job->r = r;
		r = 0;
	}
	ccfc_history_free(history);
	ccfc_tail_free(env.tail);
	free(expected);
	ccfc_parser_free(env.parser);
	/* Frees on this thread what the core does not need. */
	ccfc_excerpt_free(job->excerpt);
	job->excerpt = NULL;
	ccfc_arena_release(&job->texts);
	return r;
}

/* --- on the core --- */

/* Did a command run in any of the periods? */
static bool has_commands_in_periods(const struct ccfc_index *index,
				    const struct ccfc_history_job *job)
{
	struct ccfc_ids ids = { 0 };
	bool any;

	ccfc_query_commands(&ids, index, job->spans, job->nspans);
	any = ids.n;
	free(ids.items);
	return any;
}

static int finish_history_job(struct ccfc_deferred *d, struct ccfc_request *rq,
			      struct ccfc_err *err)
{
	struct ccfc_history_job *job = (struct ccfc_history_job *)d;

	if (job->nspans && has_commands_in_periods(rq->index, job)) {
		rq->spans = job->spans;
		rq->nspans = job->nspans;
		return rq->answered_by(rq, err);
	}
	if (job->r)
		return job->r; /* `err` has the reason */
	ccfc_methods_packed(rq, &d->result, 1);
	return 0;
}

static void release_history_job(struct ccfc_deferred *d)
{
	struct ccfc_history_job *job = (struct ccfc_history_job *)d;
	const struct ccfc_attic *attic = job->service->attic;

	if (attic)
		attic->end_hold(attic->ctx);
	free(job->spans);
	if (job->copying)
		job->excerpt = ccfc_excerpt_end(job->copying);
	ccfc_excerpt_free(job->excerpt);
	free(job);
}

struct ccfc_history_job *ccfc_history_job_new(struct ccfc_request *rq,
					      struct ccfc_excerpting *e,
					      answer_fn answer)
{
	struct ccfc_history_job *job = ccfc_calloc(1, sizeof(*job));

	job->d.work = run_history_job;
	job->d.finish = finish_history_job;
	job->d.release = release_history_job;
	job->answer = answer;
	job->service = rq->service;
	/* A second job may answer the same question. */
	if (job->service->attic)
		job->service->attic->hold(job->service->attic->ctx);
	if (rq->nspans)
		ccfc_excerpt_add_commands(e, rq->spans, rq->nspans);
	job->copying = ccfc_excerpt_begin(e);
	job->revision = rq->index->revision;
	rq->service->progress(rq->service->ctx, &job->progress);
	return job;
}

void ccfc_history_job_groups(struct ccfc_history_job *job,
			     const struct ccfc_groups *groups, bool by_session)
{
	struct ccfc_arena *arena = &job->d.arena;
	struct ccfc_groups *to = &job->groups;
	size_t n = 0;
	uint32_t *ids;

	for (uint32_t i = 0; i < groups->n; i++)
		n += groups->items[i].nchanges;
	ids = ccfc_arena_alloc(arena, (n + 1) * sizeof(*ids));
	*to = *groups;
	to->items =
		ccfc_arena_alloc(arena, (groups->n + 1u) * sizeof(*to->items));
	for (uint32_t i = 0; i < groups->n; i++) {
		const struct ccfc_group *from = &groups->items[i];

		to->items[i] = *from;
		to->items[i].changes = ids;
		if (from->nchanges)
			memcpy(ids, from->changes,
			       from->nchanges * sizeof(*ids));
		ids += from->nchanges;
	}
	job->by_session = by_session;
}

bool ccfc_history_job_is_needed(const struct ccfc_request *rq)
{
	return rq->opt.changes && (rq->opt.content || rq->opt.prompts);
}

struct ccfc_history_job *
ccfc_history_job_changes(struct ccfc_request *rq,
			 const struct ccfc_groups *groups, bool by_session,
			 uint32_t more, answer_fn answer)
{
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;

	if (rq->opt.prompts)
		more |= CCFC_EXCERPT_PROMPTS;
	ccfc_excerpt_init(&e, rq->index, more);
	/* Then all groups belong to one session. */
	if (more & CCFC_EXCERPT_COMMANDS && groups->n)
		ccfc_excerpt_add_session(
			&e,
			rq->index->changes.items[groups->items[0].changes[0]]
				.session);
	for (uint32_t i = 0; i < groups->n; i++)
		ccfc_excerpt_add_changes(&e, groups->items[i].changes,
					 groups->items[i].nchanges);
	job = ccfc_history_job_new(rq, &e, answer);
	ccfc_history_job_groups(job, groups, by_session);
	return job;
}

/* --- the excerpt in slices --- */

struct copied {
	struct ccfc_sliced s; /* must be first */
	struct ccfc_history_job *job;
};

static bool is_excerpt_outdated(const struct copied *w,
				const struct ccfc_index *index)
{
	return w->job->revision != index->revision;
}

/* The copy must show one moment: it is restarted if the index has changed. */
static int step_excerpt(struct ccfc_sliced *s, const struct ccfc_index *index,
			struct ccfc_err *err)
{
	struct copied *w = (struct copied *)s;

	(void)err;
	if (is_excerpt_outdated(w, index) ||
	    !ccfc_excerpt_some(w->job->copying, ROWS_A_STEP))
		return 0;
	return CCFC_DEFERRED;
}

static void reset_excerpt(struct ccfc_sliced *s)
{
	(void)s;
}

static int give_to_worker(struct ccfc_request *rq, struct ccfc_history_job *job,
			  struct ccfc_err *err)
{
	job->excerpt = ccfc_excerpt_end(job->copying);
	job->copying = NULL;
	return ccfc_defer(rq, &job->d, err);
}

static int finish_excerpt(struct ccfc_deferred *d, struct ccfc_request *rq,
			  struct ccfc_err *err)
{
	struct copied *w = (struct copied *)d;
	struct ccfc_history_job *job = w->job;

	if (is_excerpt_outdated(w, rq->index)) {
		rq->anew++;
		return rq->answered_by(rq, err);
	}
	w->job = NULL;
	return give_to_worker(rq, job, err);
}

static void release_excerpt_work(struct ccfc_deferred *d)
{
	struct copied *w = (struct copied *)d;

	if (w->job)
		ccfc_deferred_release(&w->job->d);
	free(w);
}

int ccfc_history_job_start(struct ccfc_request *rq,
			   struct ccfc_history_job *job, struct ccfc_err *err)
{
	bool last = rq->anew >= ANEW_MAX;
	struct copied *w;

	if (!ccfc_excerpt_some(job->copying, last ? UINT32_MAX : ROWS_AT_ONCE))
		return give_to_worker(rq, job, err);
	w = ccfc_calloc(1, sizeof(*w));
	w->job = job;
	w->s.step = step_excerpt;
	w->s.reset = reset_excerpt;
	w->s.d.finish = finish_excerpt;
	w->s.d.release = release_excerpt_work;
	return ccfc_slice_up(rq, &w->s);
}

/*
 * Adds the change or session of `at` to the excerpt, because the reply names
 * it.
 */
static void add_point_to_excerpt(struct ccfc_excerpting *e,
				 const struct ccfc_at *at)
{
	if (at->kind == CCFC_AT_CHANGE)
		ccfc_excerpt_add_changes(e, &at->id, 1);
	else if (at->kind == CCFC_AT_SESSION)
		ccfc_excerpt_add_session(e, at->id);
}

static int start_file_job(struct ccfc_request *rq, uint32_t more, bool seen,
			  answer_fn answer, struct ccfc_err *err)
{
	const struct ccfc_filter applied = { .states = CCFC_STATES_APPLIED };
	struct ccfc_slice path = CCFC_SLICE_NONE;
	struct ccfc_ids sessions = { 0 };
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;
	struct ccfc_at at;
	uint32_t file;
	int r = ccfc_at_read(&at, rq->index, rq->opt.at, err);

	if (r)
		return r;
	r = ccfc_args_file(&path, &file, rq, &applied, err);
	if (r && !(seen && r == CCFC_ENOTFOUND &&
		   ccfc_args_seen_file(&path, &sessions, rq)))
		return r;
	ccfc_excerpt_init(&e, rq->index, more);
	file = ccfc_excerpt_add_path(&e, path);
	for (uint32_t i = 0; i < sessions.n; i++)
		ccfc_excerpt_add_session(&e, sessions.items[i]);
	free(sessions.items);
	add_point_to_excerpt(&e, &at);
	job = ccfc_history_job_new(rq, &e, answer);
	job->at = at;
	job->path = ccfc_arena_copy(&job->d.arena, path);
	job->file = file;
	return ccfc_history_job_start(rq, job, err);
}

int ccfc_history_job_file(struct ccfc_request *rq, uint32_t more,
			  answer_fn answer, struct ccfc_err *err)
{
	return start_file_job(rq, more, false, answer, err);
}

int ccfc_history_job_seen_file(struct ccfc_request *rq, uint32_t more,
			       answer_fn answer, struct ccfc_err *err)
{
	return start_file_job(rq, more, true, answer, err);
}

int ccfc_history_job_session_files(struct ccfc_request *rq, uint32_t more,
				   uint32_t session,
				   const struct ccfc_groups *files,
				   answer_fn answer, struct ccfc_err *err)
{
	struct ccfc_history_job *job;
	struct ccfc_excerpting e;

	ccfc_excerpt_init(&e, rq->index, more);
	ccfc_excerpt_add_session(&e, session);
	for (uint32_t i = 0; i < files->n; i++)
		ccfc_excerpt_add_file(&e, files->items[i].key);
	job = ccfc_history_job_new(rq, &e, answer);
	job->session = session;
	job->status = ccfc_status_text(
		ccfc_tally_status(rq->index, session, ccfc_time_now()));
	ccfc_history_job_groups(job, files, false);
	return ccfc_history_job_start(rq, job, err);
}

int ccfc_history_job_session(struct ccfc_request *rq, uint32_t more,
			     answer_fn answer, struct ccfc_err *err)
{
	struct ccfc_groups files;
	uint32_t session;
	int r = ccfc_args_session_files(&session, &files, rq, err);

	return r ? r
		 : ccfc_history_job_session_files(rq, more, session, &files,
						  answer, err);
}
