/*
 * Forgetting while the daemon runs.
 *
 * What is forgotten is removed from a closed state directory (forgetting.h), so
 * the store, the archive and everything else that has it open is closed, and
 * opened again with another index. Answers under way refer to the old index:
 * the loop first waits until there are none, and holds new messages back until
 * the new index is there.
 */
#include "loop_impl.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* All that is open of the state directory, and goes by the old index. */
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

/* The same again, with another index. */
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

/* Messages that came meanwhile; one may be another wish to forget. */
static void take_held(struct ccfc_loop *loop)
{
	uint32_t i = 0;

	for (; i < loop->held.n && !loop->forget.list && !loop->stop; i++) {
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

/* Once no question is under way: their answers have the old index. */
void ccfc_loop_forget(struct ccfc_loop *loop)
{
	struct ccfc_forgetting_result result;
	struct ccfc_err err = { 0 };
	int r, opened;

	if (!loop->forget.list || !ccfc_methods_is_quiet(loop->methods))
		return;
	close_state(loop);
	ccfc_forgetting_take(loop->forgetting, loop->forget.list);
	r = ccfc_forgetting_remove(&result, loop->forgetting, &err);
	if (r)
		ccfc_err_hint(&err, "the next start of the daemon tries again");
	opened = reopen_state(loop, loop->failed);
	loop->forget.list = NULL;
	loop->forget.done(loop->forget.arg, r ? &err : NULL, result.bytes,
			  result.undo);
	ccfc_loop_end_if(loop, opened);
	take_held(loop);
}

/* The next start does it; nobody waits for the answer any more. */
void ccfc_loop_drop_forget(struct ccfc_loop *loop)
{
	const struct ccfc_err err = { .code = CCFC_EAGAIN,
				      .what = "the daemon ends" };

	if (loop->forget.list)
		loop->forget.done(loop->forget.arg, &err, 0, 0);
	ccfc_forgotten_free(loop->forget.list);
	for (uint32_t i = 0; i < loop->held.n; i++)
		ccfc_buf_release(&loop->held.items[i].bytes);
	free(loop->held.items);
}
