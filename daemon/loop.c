/*
 * The core loop; see loop.h.
 *
 * Freshness: inotify reports a write before the writer's write() returns. After
 * requests were read from a connection, all pending events are processed before
 * the first request is answered. So an answer includes everything written
 * before the question was sent. Only a long first scan is not awaited beyond a
 * grace period: then answers report its progress.
 *
 * Signals arrive as bytes in a pipe (signals.h), polled like the rest.
 */
#include "loop.h"

#include "base/alloc.h"
#include "base/time.h"
#include "forgetting.h"
#include "index/gap_marks.h"
#include "index/query/query.h"
#include "ingest/ingest.h"
#include "notify.h"
#include "observing.h"
#include "os/log.h"
#include "own_files.h"
#include "serve/history/infer_changes.h"
#include "serve/methods.h"
#include "signals.h"
#include "source/tree.h"
#include "web.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long the first queries wait for the first scan. */
#define GRACE_MS 2000

/* Descriptors that the loop polls by itself. */
#define OWN_FDS 6

struct waiter {
	void (*done)(void *arg);
	void *arg;
	char *project;
};

/* A message that waits until all is forgotten that is to be. */
struct held {
	uint64_t conn;
	struct ccfc_buf bytes;
};

struct loop {
	const struct ccfc_config *config;
	struct ccfc_index *index;
	struct ccfc_store *store;
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	struct ccfc_kept *kept;
	struct ccfc_archive *archive; /* NULL: there is none */
	struct ccfc_tree *tree;
	struct ccfc_ingest *ingest;
	struct ccfc_server *server;
	struct ccfc_worker *worker;
	struct ccfc_methods *methods;
	struct ccfc_infer *infer;
	struct ccfc_own_files *own_files;
	struct ccfc_web *web;
	struct ccfc_observing *observing; /* NULL: off */
	struct ccfc_forgetting *forgetting;
	struct {
		struct ccfc_forgotten *list; /* to be; NULL: there is none */
		void (*done)(void *arg, const struct ccfc_err *err,
			     uint64_t bytes, uint32_t undo);
		void *arg;
	} forget;
	struct {
		struct held *items;
		uint32_t n, cap;
	} held;
	struct ccfc_service service;
	struct {
		struct waiter *items;
		uint32_t n, cap;
	} builds; /* items[0] is under way if `building` */
	int64_t grace_ends;
	int *lock;   /* of the state directory */
	int signals; /* where they arrive */
	bool stale;  /* stored by another version: read everything again */
	bool adopt;  /* a new store: the archive may know more */
	bool building;
	bool finishing; /* within service_finish_scan */
	bool more;	/* the cold queue has work */
	bool note_done; /* as soon as all inferred changes are known */
	bool stop;
	struct ccfc_err *failed; /* the reason to end, if any */
	int result;
};

/* Clients that ended have written their last lines; those are read first. */
static void end_clients(struct loop *loop)
{
	if (!ccfc_observing_has_ended(loop->observing) || loop->more)
		return;
	ccfc_tree_drain(loop->tree);
	ccfc_ingest_hot(loop->ingest);
	ccfc_observing_end(loop->observing);
	ccfc_ingest_flush(loop->ingest);
}

/*
 * Takes in what was written. `asked`: for a client, so all that failed is tried
 * again, due or not.
 */
static void take_in(struct loop *loop, bool asked)
{
	ccfc_tree_drain(loop->tree);
	ccfc_ingest_retry(loop->ingest, asked);
	ccfc_ingest_hot(loop->ingest);
	if (ccfc_observing_take(loop->observing))
		ccfc_ingest_flush(loop->ingest);
	end_clients(loop);
}

/* --- callbacks --- */

static void on_batch(void *ctx)
{
	struct loop *loop = ctx;

	if (loop->methods)
		ccfc_methods_publish(loop->methods);
}

static void on_lines(void *ctx)
{
	ccfc_observing_batch(((struct loop *)ctx)->observing);
}

static void on_early(void *ctx, const struct ccfc_disk_event *event)
{
	struct loop *loop = ctx;

	if (loop->methods)
		ccfc_methods_early(loop->methods, event);
}

static void on_requests(void *ctx)
{
	take_in(ctx, true);
}

static void on_look(void *ctx, const char *path, const struct ccfc_name *name)
{
	ccfc_ingest_on_look(((struct loop *)ctx)->ingest, path, name);
}

static void on_message(void *ctx, uint64_t conn, struct ccfc_slice bytes)
{
	struct loop *loop = ctx;
	struct held held = { .conn = conn };

	if (!loop->forget.list) {
		ccfc_methods_message(loop->methods, conn, bytes);
		return;
	}
	ccfc_buf_slice(&held.bytes, bytes);
	CCFC_VEC_PUSH(loop->held, held);
}

static void on_close(void *ctx, uint64_t conn)
{
	struct loop *loop = ctx;

	for (uint32_t i = 0; i < loop->held.n; i++)
		if (loop->held.items[i].conn == conn)
			ccfc_buf_clear(&loop->held.items[i].bytes);
	ccfc_methods_closed(loop->methods, conn);
}

static void on_drained(void *ctx, uint64_t conn)
{
	ccfc_methods_drained(((struct loop *)ctx)->methods, conn);
}

static void on_full(void *ctx, uint64_t conn)
{
	ccfc_methods_full(((struct loop *)ctx)->methods, conn);
}

/* --- scanning --- */

static void scan(struct loop *loop)
{
	ccfc_ingest_scanning(loop->ingest);
	ccfc_tree_rescan(loop->tree);
	ccfc_ingest_scanned(loop->ingest);
	if (loop->adopt)
		ccfc_ingest_adopt(loop->ingest);
	loop->adopt = false;
	loop->more = true;
}

static void report_scan(struct loop *loop)
{
	struct ccfc_totals t;

	ccfc_query_totals(&t, loop->index);
	ccfc_log(CCFC_LOG_INFO,
		 "indexed: %llu transcripts, %llu sessions, "
		 "%llu applied changes",
		 (unsigned long long)t.sources_present,
		 (unsigned long long)t.sessions,
		 (unsigned long long)t.by_state[CCFC_STATE_APPLIED]);
	ccfc_notify("STATUS=watching %llu transcripts, %llu changes",
		    (unsigned long long)t.sources_present,
		    (unsigned long long)t.by_state[CCFC_STATE_APPLIED]);
	/* A first scan leaves much that was freed; give it back. */
	ccfc_alloc_give_back();
}

static void start_build(struct loop *loop)
{
	struct waiter *w = &loop->builds.items[0];

	loop->building = true;
	scan(loop);
	ccfc_ingest_rebuild(loop->ingest, ccfc_slice_str(w->project));
}

static void finish_build(struct loop *loop)
{
	struct waiter w = loop->builds.items[0];

	loop->building = false;
	loop->builds.n--;
	memmove(loop->builds.items, loop->builds.items + 1,
		loop->builds.n * sizeof(w));
	w.done(w.arg);
	free(w.project);
}

/*
 * Does a client, a worker or a signal wait? New lines can wait for the slice.
 */
static bool somebody_waits(void *ctx)
{
	struct loop *loop = ctx;
	struct pollfd fds[] = {
		{ .fd = ccfc_server_fd(loop->server), .events = POLLIN },
		{ .fd = ccfc_worker_fd(loop->worker), .events = POLLIN },
		{ .fd = loop->signals, .events = POLLIN },
	};

	return !loop->finishing && poll(fds, 3, 0) > 0;
}

/* Is there something to go on with, so that the loop does not sleep? */
static bool is_busy(const struct loop *loop)
{
	return loop->more || ccfc_methods_has_work(loop->methods) ||
	       (!loop->forget.list && ccfc_infer_has_work(loop->infer));
}

/* --- inferred changes --- */

static void settle_inferred(void *ctx)
{
	ccfc_ingest_flush(((struct loop *)ctx)->ingest);
}

/* So that the next start need not look again. */
static void note_inferred(struct loop *loop)
{
	if (!loop->infer || loop->more || !ccfc_infer_is_done(loop->infer))
		return;
	ccfc_store_set_inferred(loop->store, ccfc_gap_marks_stamp(loop->index));
	loop->note_done = false;
}

/* When there is nothing else to do. */
static void infer(struct loop *loop)
{
	if (loop->more || ccfc_methods_has_work(loop->methods) ||
	    loop->forget.list)
		return;
	ccfc_infer_work(loop->infer);
	if (loop->note_done)
		note_inferred(loop);
}

/* Works off a slice of the cold queue, and starts what waits for its end. */
static void work_loop(struct loop *loop)
{
	loop->more = ccfc_ingest_cold(loop->ingest);
	ccfc_methods_progress(loop->methods);
	if (loop->more)
		return;
	report_scan(loop);
	ccfc_ingest_flush(loop->ingest);
	ccfc_observing_scanned(loop->observing);
	end_clients(loop);
	if (loop->building)
		finish_build(loop);
	if (loop->builds.n)
		start_build(loop);
}

/* --- the service --- */

static void service_save(void *ctx)
{
	ccfc_ingest_flush(((struct loop *)ctx)->ingest);
}

/* What was imported goes to the cold queue. */
static void service_archived(void *ctx)
{
	struct loop *loop = ctx;
	struct ccfc_scan_progress progress;

	if (!loop->archive)
		return;
	ccfc_ingest_archived(loop->ingest);
	ccfc_ingest_progress(loop->ingest, &progress);
	loop->more |= progress.running;
}

static void service_finish_scan(void *ctx)
{
	struct loop *loop = ctx;

	/* The client waits for the scan, so slices are not cut for others. */
	loop->finishing = true;
	while (loop->more && !loop->building &&
	       ccfc_time_monotonic() < loop->grace_ends)
		work_loop(loop);
	loop->finishing = false;
}

static void service_build(void *ctx, struct ccfc_slice project,
			  void (*done)(void *arg), void *arg)
{
	struct loop *loop = ctx;
	struct waiter w = { done, arg, ccfc_strndup(project.ptr, project.len) };

	CCFC_VEC_PUSH(loop->builds, w);
	/* A scan under way is finished first. */
	if (!loop->more)
		start_build(loop);
}

static void service_progress(void *ctx, struct ccfc_scan_progress *out)
{
	ccfc_ingest_progress(((struct loop *)ctx)->ingest, out);
}

static void service_watch_stats(void *ctx, struct ccfc_tree_stats *out)
{
	ccfc_tree_stats(((struct loop *)ctx)->tree, out);
}

static void service_failed(void *ctx, const struct ccfc_failed *out[2])
{
	struct loop *loop = ctx;

	out[0] = ccfc_ingest_failures(loop->ingest);
	out[1] = ccfc_tree_failures(loop->tree);
}

static int64_t service_last_indexed(void *ctx)
{
	return ccfc_ingest_last(((struct loop *)ctx)->ingest);
}

static uint64_t service_store_bytes(void *ctx)
{
	return ccfc_store_bytes(((struct loop *)ctx)->store);
}

static const char *service_store_past(void *ctx, struct ccfc_store_past *out)
{
	struct loop *loop = ctx;

	ccfc_store_past(loop->store, out);
	return ccfc_ingest_store_error(loop->ingest);
}

static void service_texts_damaged(void *ctx)
{
	ccfc_store_texts_damaged(((struct loop *)ctx)->store);
}

static void service_texts(void *ctx, struct ccfc_texts_view *out)
{
	ccfc_store_texts(((struct loop *)ctx)->store, out);
}

static void service_state(void *ctx, struct ccfc_state_news *out)
{
	ccfc_own_files_state(((struct loop *)ctx)->own_files, out);
}

static bool service_observed(void *ctx, struct ccfc_observe_stats *stats,
			     struct ccfc_blob_stats *kept)
{
	struct loop *loop = ctx;

	if (ccfc_observing_fd(loop->observing) < 0)
		return false;
	ccfc_observer_stats(ccfc_observing_observer(loop->observing), stats);
	ccfc_blobs_stats(ccfc_observing_blobs(loop->observing), kept);
	return true;
}

static int service_web_start(void *ctx, int port, struct ccfc_err *err)
{
	return ccfc_web_start(((struct loop *)ctx)->web, port, err);
}

static void service_web_stop(void *ctx)
{
	ccfc_web_stop(((struct loop *)ctx)->web);
}

static int service_web_port(void *ctx, struct ccfc_buf *url)
{
	struct loop *loop = ctx;

	ccfc_web_url(url, loop->web);
	return ccfc_web_port(loop->web);
}

static bool service_inferring(void *ctx)
{
	struct loop *loop = ctx;

	return loop->more || !ccfc_infer_is_done(loop->infer);
}

static bool service_excluded(void *ctx, struct ccfc_slice dir)
{
	struct loop *loop = ctx;

	return ccfc_excluded_has(ccfc_forgetting_excluded(loop->forgetting),
				 dir);
}

static void service_forget(void *ctx, struct ccfc_forgotten *list,
			   void (*done)(void *arg, const struct ccfc_err *err,
					uint64_t bytes, uint32_t undo),
			   void *arg)
{
	struct loop *loop = ctx;

	loop->forget.list = list;
	loop->forget.done = done;
	loop->forget.arg = arg;
}

static void service_stop(void *ctx)
{
	((struct loop *)ctx)->stop = true;
}

/* Without an archive everything else works as well. */
static void open_archive(struct loop *loop)
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

static void init_service(struct loop *loop)
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
		.archived = service_archived,
		.finish_scan = service_finish_scan,
		.somebody_waits = somebody_waits,
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
		.excluded = config->exclude ? service_excluded : NULL,
		.stop = service_stop,
	};
}

/* --- start and end --- */

static void init_own_files(struct loop *loop)
{
	const struct ccfc_own_files_env env = {
		.socket_path = loop->config->socket_path,
		.state_dir = loop->config->state_dir,
		.server = loop->server,
		.store = loop->store,
		.index = loop->index,
		.lock = loop->lock,
	};

	loop->own_files = ccfc_own_files_new(&env);
}

static void init_observing(struct loop *loop)
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

/* The store, and what reads into it. */
static int open_state(struct loop *loop, struct ccfc_err *err)
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
	ccfc_ingest_yield(loop->ingest, somebody_waits);
	loop->adopt = !loop->index->sources.n;
	open_archive(loop);
	return 0;
}

/* What works with the index. */
static void start_state(struct loop *loop)
{
	loop->note_done = ccfc_store_inferred(loop->store) !=
			  ccfc_gap_marks_stamp(loop->index);
	/* What follows from the rows that were loaded is no news. */
	ccfc_index_settle(loop->index);
	ccfc_gap_marks_start(loop->index, loop->note_done);
	loop->infer = ccfc_infer_new(&loop->service, settle_inferred);
}

static int open_all(struct loop *loop, struct ccfc_err *err)
{
	const struct ccfc_config *config = loop->config;
	struct ccfc_server_handlers handlers = { loop,	   on_message,
						 on_close, on_drained,
						 on_full,  on_requests };
	int r = ccfc_forgetting_new(&loop->forgetting, config, err);

	loop->tail = ccfc_tail_new(config->max_line);
	loop->parser = ccfc_parser_new(&config->tools);
	if (!r)
		r = open_state(loop, err);
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
	loop->web = ccfc_web_new(config->socket_path, config->state_dir);
	init_service(loop);
	loop->methods = ccfc_methods_new(&loop->service);
	start_state(loop);
	r = ccfc_server_new(&loop->server, config->socket_path, &handlers, err);
	if (r)
		return r;
	ccfc_server_spool_in(loop->server, config->state_dir);
	loop->service.server = loop->server;
	init_own_files(loop);
	init_observing(loop);
	return ccfc_own_files_look(loop->own_files, err);
}

/* Another daemon has the state directory: nothing can be stored any more. */
static void end_if(struct loop *loop, int r)
{
	if (!r)
		return;
	loop->result = r;
	loop->stop = true;
}

/* --- forgetting --- */

/* All that is open of the state directory, and goes by the old index. */
static void close_state(struct loop *loop)
{
	take_in(loop, false);
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
static int reopen_state(struct loop *loop, struct ccfc_err *err)
{
	struct ccfc_index *old = loop->index;
	int r = open_state(loop, err);

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
	start_state(loop);
	ccfc_own_files_store(loop->own_files, loop->store, loop->index);
	init_observing(loop);
	scan(loop);
	if (loop->stale)
		ccfc_ingest_rebuild(loop->ingest, CCFC_SLICE_NONE);
	return 0;
}

/* Messages that came meanwhile; one may be another wish to forget. */
static void take_held(struct loop *loop)
{
	uint32_t i = 0;

	for (; i < loop->held.n && !loop->forget.list && !loop->stop; i++) {
		struct held *held = &loop->held.items[i];

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
static void forget(struct loop *loop)
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
	end_if(loop, opened);
	take_held(loop);
}

static void drop_builds(struct loop *loop)
{
	/* Their connections are gone; `done` frees what it holds. */
	while (loop->builds.n)
		finish_build(loop);
	free(loop->builds.items);
}

/* The next start does it; nobody waits for the answer any more. */
static void drop_forget(struct loop *loop)
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

/*
 * A job that cannot be interrupted, inside SQLite or a system call, does not
 * delay the end: the store and the connections are closed as always. The job
 * may still use other memory, so nothing else is freed and the process ends
 * here.
 */
static void end_without(struct loop *loop)
{
	ccfc_log(CCFC_LOG_WARN, "a question did not end and is abandoned");
	ccfc_tree_free(loop->tree);
	ccfc_store_free(loop->store);
	ccfc_server_free(loop->server);
	_exit(0);
}

static void close_all(struct loop *loop)
{
	/* Its connections are clients: they go first. */
	ccfc_web_free(loop->web);
	loop->web = NULL;
	/* What it has seen last is stored below. */
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
	drop_forget(loop);
	if (!ended)
		end_without(loop);
	note_inferred(loop);
	ccfc_infer_free(loop->infer);
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

/* That the port is taken is no reason not to run. */
static void start_web(struct loop *loop)
{
	struct ccfc_err err;

	if (loop->config->web_port != CCFC_WEB_OFF &&
	    ccfc_web_start(loop->web, loop->config->web_port, &err))
		ccfc_log(CCFC_LOG_WARN, "the web is off: %s", err.what);
}

static void say_ready(const struct ccfc_config *config)
{
	bool said = false;

	ccfc_log(CCFC_LOG_INFO, "listening on %s", config->socket_path);
	ccfc_notify("READY=1\nSTATUS=reading transcripts");
	if (config->ready_fd < 0)
		return;
	/* A starter waits for this byte: try twice. */
	for (int i = 0; i < 2 && !said; i++)
		said = write(config->ready_fd, "1", 1) == 1;
	if (!said)
		ccfc_log(CCFC_LOG_DEBUG, "nobody waits at --ready-fd");
	close(config->ready_fd);
}

static void take_signals(struct loop *loop)
{
	bool look = false;

	for (int n; (n = ccfc_signals_next(loop->signals));) {
		if (n == SIGHUP)
			look = true;
		else
			loop->stop = true;
	}
	if (!look)
		return;
	/* A client that sends SIGHUP waits for the socket. */
	end_if(loop, ccfc_own_files_look(loop->own_files, loop->failed));
	scan(loop);
}

/* The shorter of two times to wait; negative is without end. */
static int sooner(int a, int b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

/* Sleep until the next poll or retry is due. */
static int timeout_ms(struct loop *loop)
{
	int failed = ccfc_failed_timeout_ms(ccfc_ingest_failures(loop->ingest));
	int own_files = ccfc_own_files_timeout_ms(loop->own_files);
	int unread = ccfc_server_timeout_ms(loop->server);

	if (is_busy(loop))
		return 0;
	return sooner(sooner(ccfc_tree_timeout_ms(loop->tree), unread),
		      sooner(failed, own_files));
}

static void sleep_until_news(struct loop *loop)
{
	struct pollfd fds[OWN_FDS + CCFC_OWN_FILES_FDS] = {
		{ .fd = ccfc_tree_fd(loop->tree), .events = POLLIN },
		{ .fd = ccfc_server_fd(loop->server), .events = POLLIN },
		{ .fd = loop->signals, .events = POLLIN },
		{ .fd = ccfc_worker_fd(loop->worker), .events = POLLIN },
		{ .fd = ccfc_observing_fd(loop->observing), .events = POLLIN },
		{ .fd = loop->archive ? ccfc_archive_fd(loop->archive) : -1,
		  .events = POLLIN },
	};
	int n;

	ccfc_own_files_poll(loop->own_files, fds + OWN_FDS);
	n = poll(fds, OWN_FDS + CCFC_OWN_FILES_FDS, timeout_ms(loop));
	if (n < 0)
		return;
	end_if(loop, ccfc_own_files_dispatch(loop->own_files, fds + OWN_FDS,
					     loop->failed));
	if (fds[5].revents)
		service_archived(loop);
	if (fds[2].revents)
		take_signals(loop);
	/* A client first: on_requests takes in what was written. */
	if (fds[1].revents || ccfc_server_timeout_ms(loop->server) == 0)
		ccfc_server_dispatch(loop->server);
	if (fds[3].revents)
		ccfc_worker_dispatch(loop->worker);
	if (fds[0].revents || fds[4].revents || (!n && !is_busy(loop)))
		take_in(loop, false);
}

static void run_loop(struct loop *loop)
{
	while (!loop->stop) {
		sleep_until_news(loop);
		if (loop->more && !loop->stop)
			work_loop(loop);
		if (!loop->stop)
			ccfc_methods_work(loop->methods);
		if (!loop->stop)
			forget(loop);
		if (!loop->stop)
			infer(loop);
	}
	ccfc_log(CCFC_LOG_INFO, "stopping");
	ccfc_notify("STOPPING=1");
}

int ccfc_loop_run(const struct ccfc_config *config, int *lock,
		  struct ccfc_err *err)
{
	struct loop loop = { .config = config, .lock = lock, .failed = err };
	int r;

	loop.signals = ccfc_signals_start(err);
	if (loop.signals < 0)
		return loop.signals;
	r = open_all(&loop, err);
	if (!r) {
		loop.grace_ends =
			ccfc_time_monotonic() + ccfc_time_patience(GRACE_MS);
		/*
		 * Reports that it listens first: queries may come during the
		 * scan.
		 */
		say_ready(config);
		start_web(&loop);
		scan(&loop);
		/*
		 * After the scan: it recognizes moved files by what was read of
		 * them.
		 */
		if (loop.stale) {
			ccfc_log(CCFC_LOG_INFO,
				 "the index was made by another version: all "
				 "transcripts are read again");
			ccfc_ingest_rebuild(loop.ingest, CCFC_SLICE_NONE);
		}
		run_loop(&loop);
		r = loop.result;
	}
	close_all(&loop);
	return r;
}
