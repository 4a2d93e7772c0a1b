/*
 * What methods may ask of the core loop (serve/rpc/service.h). Each callback
 * passes the question to the part of the loop that knows the answer.
 */
#include "loop_impl.h"

#include "base/alloc.h"
#include "base/time.h"

#include <stdlib.h>

static void service_save(void *ctx)
{
	ccfc_ingest_flush(((struct ccfc_loop *)ctx)->ingest);
}

static void look_for_seen(struct ccfc_loop *loop)
{
	char *dir = ccfc_archive_seen(loop->archive);

	loop->seeing |= dir != NULL;
	free(dir);
}

void ccfc_loop_archived(void *ctx)
{
	struct ccfc_loop *loop = ctx;
	struct ccfc_scan_progress progress;

	if (!loop->archive)
		return;
	ccfc_ingest_archived(loop->ingest);
	ccfc_ingest_progress(loop->ingest, &progress);
	look_for_seen(loop);
	loop->more |= progress.running || loop->seeing;
}

static void service_finish_scan(void *ctx)
{
	struct ccfc_loop *loop = ctx;

	/* The client waits for the scan, so slices are not cut for others. */
	loop->finishing = true;
	while (loop->more && !loop->building &&
	       ccfc_time_monotonic() < loop->grace_ends)
		ccfc_loop_work(loop);
	loop->finishing = false;
}

static void service_build(void *ctx, struct ccfc_slice project,
			  void (*done)(void *arg), void *arg)
{
	struct ccfc_loop *loop = ctx;
	struct ccfc_loop_build w = { done, arg,
				     ccfc_strndup(project.ptr, project.len) };

	CCFC_VEC_PUSH(loop->builds, w);
	/* A scan under way is finished first. */
	if (!loop->more)
		ccfc_loop_start_build(loop);
}

static void service_progress(void *ctx, struct ccfc_scan_progress *out)
{
	struct ccfc_loop *loop = ctx;

	ccfc_ingest_progress(loop->ingest, out);
	out->running |= loop->more && loop->seeing;
}

static void service_watch_stats(void *ctx, struct ccfc_tree_stats *out)
{
	ccfc_tree_stats(((struct ccfc_loop *)ctx)->tree, out);
}

static void service_failed(void *ctx, const struct ccfc_failed *out[2])
{
	struct ccfc_loop *loop = ctx;

	out[0] = ccfc_ingest_failures(loop->ingest);
	out[1] = ccfc_tree_failures(loop->tree);
}

static int64_t service_last_indexed(void *ctx)
{
	return ccfc_ingest_last(((struct ccfc_loop *)ctx)->ingest);
}

static uint64_t service_store_bytes(void *ctx)
{
	return ccfc_store_bytes(((struct ccfc_loop *)ctx)->store);
}

static const char *service_store_past(void *ctx, struct ccfc_store_past *out)
{
	struct ccfc_loop *loop = ctx;

	ccfc_store_past(loop->store, out);
	return ccfc_ingest_store_error(loop->ingest);
}

static void service_texts_damaged(void *ctx)
{
	ccfc_store_texts_damaged(((struct ccfc_loop *)ctx)->store);
}

static void service_texts(void *ctx, struct ccfc_texts_view *out)
{
	ccfc_store_texts(((struct ccfc_loop *)ctx)->store, out);
}

static void service_state(void *ctx, struct ccfc_state_news *out)
{
	ccfc_own_files_state(((struct ccfc_loop *)ctx)->own_files, out);
}

static bool service_observed(void *ctx, struct ccfc_observe_stats *stats,
			     struct ccfc_blob_stats *kept)
{
	struct ccfc_loop *loop = ctx;

	if (ccfc_observing_fd(loop->observing) < 0)
		return false;
	ccfc_observer_stats(ccfc_observing_observer(loop->observing), stats);
	ccfc_blobs_stats(ccfc_observing_blobs(loop->observing), kept);
	return true;
}

static int service_web_start(void *ctx, int port, struct ccfc_err *err)
{
	return ccfc_web_start(((struct ccfc_loop *)ctx)->web, port, err);
}

static void service_web_stop(void *ctx)
{
	ccfc_web_stop(((struct ccfc_loop *)ctx)->web);
}

static int service_web_port(void *ctx, struct ccfc_buf *url)
{
	struct ccfc_loop *loop = ctx;

	ccfc_web_url(url, loop->web);
	return ccfc_web_port(loop->web);
}

static bool service_inferring(void *ctx)
{
	struct ccfc_loop *loop = ctx;

	return loop->more || !ccfc_infer_is_done(loop->infer);
}

static bool service_excluded(void *ctx, struct ccfc_slice dir)
{
	struct ccfc_loop *loop = ctx;

	return ccfc_excluded_has(ccfc_forgetting_excluded(loop->forgetting),
				 dir);
}

static bool service_forgetting(void *ctx)
{
	return ((struct ccfc_loop *)ctx)->forget.step != CCFC_FORGET_NOTHING;
}

static void service_forget(void *ctx, struct ccfc_forgotten *list,
			   void (*done)(void *arg, const struct ccfc_err *err,
					uint64_t bytes, uint32_t undo),
			   void *arg)
{
	struct ccfc_loop *loop = ctx;

	loop->forget.step = CCFC_FORGET_WANTED;
	loop->forget.list = list;
	loop->forget.done = done;
	loop->forget.arg = arg;
}

static void service_stop(void *ctx)
{
	((struct ccfc_loop *)ctx)->stop = true;
}

void ccfc_loop_init_service(struct ccfc_loop *loop)
{
	const struct ccfc_config *config = loop->config;

	loop->service = (struct ccfc_service){
		.ctx = loop,
		.index = loop->index,
		.kept = loop->kept,
		.tools = &config->tools,
		.max_line = config->max_line,
		.attic = loop->archive ? ccfc_archive_attic(loop->archive)
				       : NULL,
		.archive = loop->archive,
		.worker = loop->worker,
		.socket_path = config->socket_path,
		.state_dir = config->state_dir,
		.roots = (const char *const *)config->roots.items,
		.nroots = config->roots.n,
		.home = config->home,
		.started = ccfc_time_now(),
		.save = service_save,
		.archived = ccfc_loop_archived,
		.finish_scan = service_finish_scan,
		.somebody_waits = ccfc_loop_somebody_waits,
		.build = service_build,
		.progress = service_progress,
		.watch_stats = service_watch_stats,
		.failed = service_failed,
		.last_indexed = service_last_indexed,
		.store_bytes = service_store_bytes,
		.store_past = service_store_past,
		.texts = service_texts,
		.state = service_state,
		.texts_damaged = service_texts_damaged,
		.observed = service_observed,
		.observe_mode = config->observe.mode,
		.web_start = service_web_start,
		.web_stop = service_web_stop,
		.web_port = service_web_port,
		.inferring = service_inferring,
		.forgotten = ccfc_forgetting_list(loop->forgetting),
		.forget = service_forget,
		.forgetting = service_forgetting,
		.excluded = config->exclude ? service_excluded : NULL,
		.stop = service_stop,
	};
}
