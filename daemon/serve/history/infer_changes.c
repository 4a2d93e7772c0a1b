/*
 * Inferred changes for the whole index; see infer_changes.h. As for any
 * question about history, the commands to copy from the index are known only
 * after the states: so a file may need two jobs (history_job.h).
 */
#include "serve/history/infer_changes.h"

#include "base/alloc.h"
#include "base/time.h"
#include "history/plan/delta.h"
#include "index/gap_marks.h"

#include <stdlib.h>

/* A file that takes longer has no inferred changes. */
#define LOOK_MS 60000

struct ccfc_infer {
	const struct ccfc_service *service;
	void (*settle)(void *ctx);
	struct ccfc_kept *kept; /* chains without the disk */
	bool running;
};

/* The check of one file. */
struct look {
	struct ccfc_job job; /* must be first */
	struct ccfc_infer *infer;
	struct ccfc_excerpt *excerpt;
	uint32_t file, own; /* in the index, in the excerpt */
	int64_t deadline;
	bool over; /* it was not completed */
	struct ccfc_period *spans;
	uint32_t nspans;
	struct {
		struct ccfc_inferred *items;
		uint32_t n, cap;
	} found;
};

/* --- on the worker --- */

static bool must_look_stop(void *ctx)
{
	struct look *look = ctx;

	return ccfc_job_cancelled(&look->job) ||
	       ccfc_time_monotonic() > look->deadline;
}

static void compare_states(struct ccfc_inferred *out, struct ccfc_chain *chain,
			   uint32_t step)
{
	const struct ccfc_delta_form form = { .name = CCFC_SLICE_LIT("x") };
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_content_state before, after;
	struct ccfc_buf buf = CCFC_BUF_INIT;
	struct ccfc_delta delta;

	ccfc_chain_step_before(&before, chain, step, &arena);
	ccfc_chain_step_after(&after, chain, step, &arena);
	out->op = before.exists ? CCFC_OP_MODIFIED : CCFC_OP_CREATED;
	ccfc_delta_states(&delta, &buf, &form, &before, &after);
	if (delta.known && !delta.binary && delta.added < INT32_MAX &&
	    delta.removed < INT32_MAX) {
		out->added = (int32_t)delta.added;
		out->removed = (int32_t)delta.removed;
	}
	ccfc_buf_release(&buf);
	ccfc_arena_release(&arena);
}

/* A command has one change of a file: the first. */
static bool has_inferred(const struct look *look, uint32_t command)
{
	for (uint32_t i = 0; i < look->found.n; i++)
		if (look->found.items[i].command == command)
			return true;
	return false;
}

static void find_changes(struct look *look, struct ccfc_chain *chain)
{
	const struct ccfc_excerpt *ex = look->excerpt;

	for (uint32_t i = 1; i < ccfc_chain_len(chain); i++) {
		uint32_t id = ccfc_chain_inferred(chain, i);
		struct ccfc_inferred found = { .added = CCFC_LINES_UNKNOWN,
					       .removed = CCFC_LINES_UNKNOWN };

		if (id == CCFC_ID_NONE)
			continue;
		found.command =
			ex->changes.items[ex->index->changes.items[id].command];
		if (has_inferred(look, found.command))
			continue;
		compare_states(&found, chain, ccfc_step_of_gap(i));
		CCFC_VEC_PUSH(look->found, found);
	}
}

static void copy_wanted_periods(struct look *look,
				const struct ccfc_history *history)
{
	const struct ccfc_period *spans =
		ccfc_history_wanted_commands(history, &look->nspans);

	if (!look->nspans)
		return;
	look->spans = ccfc_calloc(look->nspans, sizeof(*spans));
	memcpy(look->spans, spans, look->nspans * sizeof(*spans));
}

static void run_look(struct ccfc_job *job)
{
	struct look *look = (struct look *)job;
	const struct ccfc_service *service = look->infer->service;
	struct ccfc_history_env env = {
		.index = look->excerpt->index,
		.excerpt = look->excerpt,
		.kept = look->infer->kept,
		.tail = ccfc_tail_new(service->max_line),
		.parser = ccfc_parser_new(service->tools),
		.roots = service->roots,
		.nroots = service->nroots,
		.blobs = service->blobs,
		.no_disk = true,
	};
	struct ccfc_history *history;
	struct ccfc_chain *chain;

	look->deadline = ccfc_time_monotonic() + LOOK_MS;
	ccfc_tail_until(env.tail, must_look_stop, look);
	history = ccfc_history_new(&env);
	chain = ccfc_chain_open(history, look->own);
	if (chain)
		find_changes(look, chain);
	copy_wanted_periods(look, history);
	look->over = ccfc_tail_is_over(env.tail);
	ccfc_history_free(history);
	ccfc_tail_free(env.tail);
	ccfc_parser_free(env.parser);
	ccfc_excerpt_free(look->excerpt);
	look->excerpt = NULL;
}

/* --- on the core --- */

static void free_look(struct look *look)
{
	ccfc_excerpt_free(look->excerpt);
	free(look->found.items);
	free(look->spans);
	free(look);
}

static void begin_look(struct ccfc_infer *infer, uint32_t file,
		       const struct ccfc_period *spans, uint32_t nspans);

/* Did commands run that may explain the open gaps? */
static bool has_commands(const struct look *look)
{
	struct ccfc_ids ids = { 0 };
	bool any;

	ccfc_query_commands(&ids, look->infer->service->index, look->spans,
			    look->nspans);
	any = ids.n;
	free(ids.items);
	return any;
}

static void done_look(struct ccfc_job *job)
{
	struct look *look = (struct look *)job;
	struct ccfc_infer *infer = look->infer;
	struct ccfc_index *index = infer->service->index;

	infer->running = false;
	if (ccfc_job_cancelled(job) || ccfc_gap_marks_has(index, look->file)) {
		/* It will be examined again. */
		ccfc_gap_marks_put(index, look->file);
	} else if (look->nspans && !look->over && has_commands(look)) {
		begin_look(infer, look->file, look->spans, look->nspans);
	} else if (!look->over) {
		ccfc_index_infer(index, look->file, look->found.items,
				 look->found.n);
		infer->settle(infer->service->ctx);
	}
	free_look(look);
}

static void begin_look(struct ccfc_infer *infer, uint32_t file,
		       const struct ccfc_period *spans, uint32_t nspans)
{
	struct look *look = ccfc_calloc(1, sizeof(*look));
	struct ccfc_index *index = infer->service->index;
	struct ccfc_excerpting e;

	ccfc_excerpt_init(&e, index, CCFC_EXCERPT_CHAINS);
	ccfc_excerpt_add_file(&e, file);
	if (nspans)
		ccfc_excerpt_add_commands(&e, spans, nspans);
	look->job.run = run_look;
	look->job.done = done_look;
	look->infer = infer;
	look->file = file;
	look->excerpt = ccfc_excerpt_finish(&e);
	look->own = ccfc_homes_find(&look->excerpt->files, file);
	infer->running =
		!ccfc_worker_submit(infer->service->worker, &look->job, NULL);
	if (infer->running)
		return;
	/* Too many questions wait: continues when one has been answered. */
	ccfc_gap_marks_put(index, file);
	free_look(look);
}

struct ccfc_infer *ccfc_infer_new(const struct ccfc_service *service,
				  void (*settle)(void *ctx))
{
	struct ccfc_infer *infer = ccfc_calloc(1, sizeof(*infer));

	infer->service = service;
	infer->settle = settle;
	infer->kept = ccfc_kept_new();
	return infer;
}

void ccfc_infer_free(struct ccfc_infer *infer)
{
	if (!infer)
		return;
	ccfc_kept_free(infer->kept);
	free(infer);
}

void ccfc_infer_work(struct ccfc_infer *infer)
{
	uint32_t file;

	if (!ccfc_infer_has_work(infer))
		return;
	file = ccfc_gap_marks_take(infer->service->index);
	if (file && file != CCFC_ID_NONE)
		begin_look(infer, file, NULL, 0);
}

bool ccfc_infer_has_work(const struct ccfc_infer *infer)
{
	uint32_t running, waiting;

	if (infer->running || !ccfc_gap_marks_any(infer->service->index))
		return false;
	/* Requests go first; the end of each wakes the core. */
	ccfc_worker_count(infer->service->worker, &running, &waiting);
	return !waiting;
}

bool ccfc_infer_is_done(const struct ccfc_infer *infer)
{
	return !infer->running && !ccfc_gap_marks_any(infer->service->index);
}
