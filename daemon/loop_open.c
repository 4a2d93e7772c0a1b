/*
 * The start and the end of the core loop: everything that it works with is
 * opened and closed here, in an order in which each part can use those before
 * it.
 */
#include "loop_impl.h"

#include "base/time.h"
#include "index/gap_marks.h"
#include "os/log.h"

#include <stdlib.h>
#include <unistd.h>

/* --- callbacks --- */

static void on_batch(void *ctx)
{
	struct ccfc_loop *loop = ctx;

	if (loop->methods)
		ccfc_methods_publish(loop->methods);
}

static void on_lines(void *ctx)
{
	ccfc_observing_batch(((struct ccfc_loop *)ctx)->observing);
}

static void on_early(void *ctx, const struct ccfc_disk_event *event)
{
	struct ccfc_loop *loop = ctx;

	if (loop->methods)
		ccfc_methods_early(loop->methods, event);
}

static void on_requests(void *ctx)
{
	ccfc_loop_take_in(ctx, true);
}

static void on_look(void *ctx, const char *path, const struct ccfc_name *name)
{
	ccfc_ingest_on_look(((struct ccfc_loop *)ctx)->ingest, path, name);
}

static void on_message(void *ctx, uint64_t conn, struct ccfc_slice bytes)
{
	struct ccfc_loop *loop = ctx;

	if (loop->forget.step == CCFC_FORGET_EXCHANGE)
		ccfc_loop_hold(loop, conn, bytes);
	else
		ccfc_methods_message(loop->methods, conn, bytes);
}

static void on_close(void *ctx, uint64_t conn)
{
	struct ccfc_loop *loop = ctx;

	ccfc_loop_drop_held(loop, conn);
	ccfc_methods_closed(loop->methods, conn);
}

static void on_drained(void *ctx, uint64_t conn)
{
	ccfc_methods_drained(((struct ccfc_loop *)ctx)->methods, conn);
}

static void on_full(void *ctx, uint64_t conn)
{
	ccfc_methods_full(((struct ccfc_loop *)ctx)->methods, conn);
}

static void settle_inferred(void *ctx)
{
	ccfc_ingest_flush(((struct ccfc_loop *)ctx)->ingest);
}

/* --- start --- */

/* Without an archive everything else works as well. */
static void open_archive(struct ccfc_loop *loop)
{
	const struct ccfc_config *config = loop->config;
	struct ccfc_err err;

	if (ccfc_archive_new(&loop->archive, config->state_dir,
			     &config->archive, &err)) {
		ccfc_log(CCFC_LOG_ERROR, "archive: %s", err.what);
		loop->archive = NULL;
		return;
	}
	ccfc_archive_sift(loop->archive,
			  ccfc_forgetting_sieve(loop->forgetting));
	ccfc_ingest_archive(loop->ingest, loop->archive, config->archive.mode);
}

/*
 * The list of forgotten items and the archive were in the removed directory.
 * Existing transcripts are archived again.
 */
static void on_restored(void *ctx)
{
	struct ccfc_loop *loop = ctx;

	ccfc_forgetting_restore(loop->forgetting);
	if (loop->archive) {
		ccfc_archive_restore(loop->archive);
		ccfc_ingest_keep_anew(loop->ingest);
	}
}

static void init_own_files(struct ccfc_loop *loop)
{
	const struct ccfc_own_files_env env = {
		.socket_path = loop->config->socket_path,
		.state_dir = loop->config->state_dir,
		.server = loop->server,
		.store = loop->store,
		.index = loop->index,
		.lock = loop->lock,
		.restored = on_restored,
		.ctx = loop,
	};

	loop->own_files = ccfc_own_files_new(&env);
}

void ccfc_loop_init_observing(struct ccfc_loop *loop)
{
	const struct ccfc_config *config = loop->config;
	const struct ccfc_observing_env env = {
		.settings = &config->observe,
		.roots = (const char *const *)config->roots.items,
		.nroots = config->roots.n,
		.state_dir = config->state_dir,
		.home = config->home,
		.index = loop->index,
		.store = loop->store,
		.early = on_early,
		.ignores = ccfc_forgetting_ignores,
		.ignoring = loop->forgetting,
		.ctx = loop,
	};

	loop->observing = ccfc_observing_new(&env);
	loop->service.blobs = ccfc_observing_blobs(loop->observing);
	ccfc_ingest_on_lines(loop->ingest, on_lines);
}

/* Opens the store, and what fills it. */
int ccfc_loop_open_state(struct ccfc_loop *loop, struct ccfc_err *err)
{
	const struct ccfc_config *config = loop->config;
	int r = ccfc_store_start(&loop->store, &loop->index, config->state_dir,
				 config->home, &loop->stale, err);

	if (r)
		return r;
	loop->ingest = ccfc_ingest_new(loop->index, loop->store, loop->tail,
				       loop->parser, on_batch, loop);
	ccfc_ingest_forget(loop->ingest, ccfc_forgetting_list(loop->forgetting),
			   config->home);
	ccfc_ingest_exclude(loop->ingest,
			    ccfc_forgetting_excluded(loop->forgetting));
	ccfc_ingest_yield(loop->ingest, ccfc_loop_somebody_waits);
	loop->adopt = !loop->index->sources.n;
	open_archive(loop);
	return 0;
}

/* Starts what works with the index. */
void ccfc_loop_start_state(struct ccfc_loop *loop)
{
	loop->note_done = ccfc_store_inferred(loop->store) !=
			  ccfc_gap_marks_stamp(loop->index);
	/* Facts that follow from loaded rows are no news. */
	ccfc_index_settle(loop->index);
	ccfc_gap_marks_start(loop->index, loop->note_done);
	loop->infer = ccfc_infer_new(&loop->service, settle_inferred);
}

int ccfc_loop_open(struct ccfc_loop *loop, struct ccfc_err *err)
{
	const struct ccfc_config *config = loop->config;
	struct ccfc_server_handlers handlers = { loop,	   on_message,
						 on_close, on_drained,
						 on_full,  on_requests };
	int r = ccfc_forgetting_new(&loop->forgetting, config, err);

	loop->tail = ccfc_tail_new(config->max_line);
	loop->parser = ccfc_parser_new(&config->tools);
	if (!r)
		r = ccfc_loop_open_state(loop, err);
	if (r)
		return r;
	r = ccfc_tree_new(&loop->tree, (const char *const *)config->roots.items,
			  config->roots.n, 0, on_look, loop, err);
	if (r)
		return r;
	r = ccfc_worker_new(&loop->worker, err);
	if (r)
		return r;
	loop->kept = ccfc_kept_new();
	loop->seen_import = ccfc_seen_import_new();
	loop->web = ccfc_web_new(config->socket_path, config->state_dir);
	ccfc_loop_init_service(loop);
	loop->methods = ccfc_methods_new(&loop->service);
	ccfc_loop_start_state(loop);
	r = ccfc_server_new(&loop->server, config->socket_path, &handlers, err);
	if (r)
		return r;
	ccfc_server_spool_in(loop->server, config->state_dir);
	loop->service.server = loop->server;
	init_own_files(loop);
	ccfc_loop_init_observing(loop);
	return ccfc_own_files_look(loop->own_files, err);
}

/* --- end --- */

static void drop_builds(struct ccfc_loop *loop)
{
	/* Their connections are gone; `done` frees what it holds. */
	while (loop->builds.n)
		ccfc_loop_finish_build(loop);
	free(loop->builds.items);
}

/*
 * A job that cannot be interrupted, inside SQLite or a system call, does not
 * delay the end: the watches, the store and the connections are closed as
 * always. The job may still use other memory, so nothing else is freed and the
 * process ends here.
 */
static void exit_without_job(struct ccfc_loop *loop)
{
	ccfc_log(CCFC_LOG_WARN, "a question did not end and is abandoned");
	ccfc_tree_free(loop->tree);
	ccfc_store_free(loop->store);
	ccfc_server_free(loop->server);
	_exit(0);
}

void ccfc_loop_close(struct ccfc_loop *loop)
{
	/* The web's connections are clients: they go first. */
	ccfc_web_free(loop->web);
	loop->web = NULL;
	/* The observer's last sightings are stored, too. */
	if (ccfc_observing_take(loop->observing))
		ccfc_ingest_flush(loop->ingest);
	ccfc_own_files_free(loop->own_files);
	loop->service.state = NULL;
	/* Jobs may use everything below until they end. */
	bool ended = ccfc_worker_free(loop->worker);

	loop->service.worker = NULL;
	if (loop->server)
		ccfc_server_flush(loop->server, 1000);
	drop_builds(loop);
	ccfc_loop_drop_forget(loop);
	if (!ended)
		exit_without_job(loop);
	ccfc_loop_note_inferred(loop);
	ccfc_infer_free(loop->infer);
	ccfc_seen_import_free(loop->seen_import);
	ccfc_observing_free(loop->observing);
	loop->observing = NULL;
	ccfc_kept_free(loop->kept);
	ccfc_archive_free(loop->archive);
	ccfc_ingest_free(loop->ingest);
	ccfc_tree_free(loop->tree);
	ccfc_parser_free(loop->parser);
	ccfc_tail_free(loop->tail);
	ccfc_store_free(loop->store);
	/* Hanging up shows `ccfc stop` that everything else is done. */
	ccfc_server_free(loop->server);
	ccfc_methods_free(loop->methods);
	ccfc_index_free(loop->index);
	ccfc_forgetting_free(loop->forgetting);
}
