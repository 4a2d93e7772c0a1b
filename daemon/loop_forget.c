/*
 * Forgetting while the daemon runs.
 *
 * A removal (serve/forget/removal.h) does the long work on a worker: it makes a
 * new store beside the old one. The loop only exchanges the two: it closes the
 * store, the archive and everything else in the state directory, and opens it
 * again with the new index. Running questions refer to the old index: the loop
 * first waits until there are none, and holds new messages back until the new
 * index is there.
 */
#include "loop_impl.h"

#include "base/alloc.h"
#include "serve/forget/removal.h"

#include <stdlib.h>
#include <string.h>

/* Closes all that is open in the state directory or refers to the old index. */
static void close_state(struct ccfc_loop *loop)
{
	ccfc_loop_take_in(loop, false);
	ccfc_infer_free(loop->infer);
	ccfc_observing_free(loop->observing);
	ccfc_kept_free(loop->kept);
	ccfc_archive_free(loop->archive);
	ccfc_ingest_free(loop->ingest);
	ccfc_store_free(loop->store);
	loop->infer = NULL;
	loop->observing = NULL;
	loop->archive = NULL;
	loop->ingest = NULL;
	loop->store = NULL;
}

/* Opens the state directory again, with the new index. */
static int reopen_state(struct ccfc_loop *loop, struct ccfc_err *err)
{
	struct ccfc_index *old = loop->index;
	int r = ccfc_loop_open_state(loop, err);

	loop->kept = ccfc_kept_new();
	loop->service.kept = loop->kept;
	if (r) {
		loop->index = old;
		return r;
	}
	ccfc_removal_carry(loop->forget.removal, loop->index, old,
			   loop->forget.seen);
	loop->service.index = loop->index;
	loop->service.archive = loop->archive;
	loop->service.attic =
		loop->archive ? ccfc_archive_attic(loop->archive) : NULL;
	loop->service.forgotten = ccfc_forgetting_list(loop->forgetting);
	ccfc_methods_reindexed(loop->methods, old);
	ccfc_index_free(old);
	ccfc_loop_start_state(loop);
	ccfc_own_files_store(loop->own_files, loop->store, loop->index);
	ccfc_loop_init_observing(loop);
	/* Some of the lines read meanwhile may be in the archive only. */
	loop->adopt = true;
	ccfc_loop_scan(loop);
	if (loop->stale)
		ccfc_ingest_rebuild(loop->ingest, CCFC_SLICE_NONE);
	return 0;
}

void ccfc_loop_hold(struct ccfc_loop *loop, uint64_t conn,
		    struct ccfc_slice bytes)
{
	struct ccfc_loop_message held = { .conn = conn };

	ccfc_buf_slice(&held.bytes, bytes);
	CCFC_VEC_PUSH(loop->held, held);
}

void ccfc_loop_drop_held(struct ccfc_loop *loop, uint64_t conn)
{
	for (uint32_t i = 0; i < loop->held.n; i++)
		if (loop->held.items[i].conn == conn)
			ccfc_buf_clear(&loop->held.items[i].bytes);
}

/* Handles the messages that were held back. */
static void handle_held_messages(struct ccfc_loop *loop)
{
	uint32_t i = 0;

	for (; i < loop->held.n && !loop->stop; i++) {
		struct ccfc_loop_message *held = &loop->held.items[i];

		if (held->bytes.len)
			ccfc_methods_message(loop->methods, held->conn,
					     ccfc_buf_view(&held->bytes));
		ccfc_buf_release(&loop->held.items[i].bytes);
	}
	if (i)
		memmove(loop->held.items, loop->held.items + i,
			(loop->held.n - i) * sizeof(*loop->held.items));
	loop->held.n -= i;
}

/* A step on a worker has ended. */
static void on_step(struct ccfc_loop *loop, const struct ccfc_err *failed,
		    enum ccfc_loop_forget_step next)
{
	if (failed)
		loop->forget.err = *failed;
	loop->forget.step = failed ? CCFC_FORGET_DONE : next;
}

static void on_prepared(void *ctx, const struct ccfc_err *failed)
{
	on_step(ctx, failed, CCFC_FORGET_EXCHANGE);
}

static void on_swept(void *ctx, const struct ccfc_err *failed)
{
	on_step(ctx, failed, CCFC_FORGET_DONE);
}

/*
 * Puts the list in force and stores everything read so far: the removal starts
 * from there.
 */
static void begin_forget(struct ccfc_loop *loop)
{
	if (loop->forget.list) {
		ccfc_ingest_forget(loop->ingest, loop->forget.list,
				   loop->config->home);
		ccfc_forgetting_take(loop->forgetting, loop->forget.list);
		loop->forget.list = NULL;
		loop->forget.err = (struct ccfc_err){ 0 };
		loop->forget.removal =
			ccfc_forgetting_removal(loop->forgetting);
		loop->service.forgotten =
			ccfc_forgetting_list(loop->forgetting);
	}
	ccfc_loop_take_in(loop, false);
	/*
	 * Imported events are checked against the list when they are taken in.
	 */
	while (ccfc_loop_take_seen(loop))
		;
	ccfc_ingest_flush(loop->ingest);
	loop->forget.seen = loop->index->disk_events.n;
	if (!ccfc_removal_start(loop->forget.removal, loop->worker,
				CCFC_REMOVAL_PREPARE, loop->archive, NULL,
				on_prepared, loop))
		loop->forget.step = CCFC_FORGET_RUNS;
}

/* No question is running: answers would come from the old index. */
static void exchange_state(struct ccfc_loop *loop)
{
	int r, opened;

	close_state(loop);
	r = ccfc_removal_exchange(loop->forget.removal, &loop->forget.err);
	loop->forget.step = r ? CCFC_FORGET_DONE : CCFC_FORGET_SWEEP;
	opened = reopen_state(loop, loop->failed);
	ccfc_loop_end_if(loop, opened);
	handle_held_messages(loop);
}

static void sweep_forgotten(struct ccfc_loop *loop)
{
	if (!ccfc_removal_start(loop->forget.removal, loop->worker,
				CCFC_REMOVAL_SWEEP, loop->archive,
				ccfc_observing_blobs(loop->observing), on_swept,
				loop))
		loop->forget.step = CCFC_FORGET_RUNS;
}

static void end_forget(struct ccfc_loop *loop)
{
	struct ccfc_removal_result result;
	struct ccfc_err *err = &loop->forget.err;

	if (!err->code)
		ccfc_forgetting_done(loop->forgetting, err);
	if (err->code)
		ccfc_err_hint(err, "the next start of the daemon tries again");
	ccfc_removal_result(loop->forget.removal, &result);
	ccfc_removal_free(loop->forget.removal);
	loop->forget.removal = NULL;
	loop->forget.step = CCFC_FORGET_NOTHING;
	loop->forget.done(loop->forget.arg, err->code ? err : NULL,
			  result.bytes, result.undo);
}

void ccfc_loop_forget(struct ccfc_loop *loop)
{
	if (loop->forget.step == CCFC_FORGET_WANTED && !loop->compacting)
		begin_forget(loop);
	if (loop->forget.step == CCFC_FORGET_EXCHANGE &&
	    ccfc_methods_is_quiet(loop->methods))
		exchange_state(loop);
	if (loop->forget.step == CCFC_FORGET_SWEEP)
		sweep_forgotten(loop);
	if (loop->forget.step == CCFC_FORGET_DONE)
		end_forget(loop);
}

/* The next start continues; nobody waits for the answer any more. */
void ccfc_loop_drop_forget(struct ccfc_loop *loop)
{
	const struct ccfc_err err = { .code = CCFC_EAGAIN,
				      .what = "the daemon ends" };

	if (loop->forget.step != CCFC_FORGET_NOTHING)
		loop->forget.done(loop->forget.arg, &err, 0, 0);
	ccfc_removal_free(loop->forget.removal);
	ccfc_forgotten_free(loop->forget.list);
	for (uint32_t i = 0; i < loop->held.n; i++)
		ccfc_buf_release(&loop->held.items[i].bytes);
	free(loop->held.items);
}
