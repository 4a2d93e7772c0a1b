/*
 * The core loop; see loop.h.
 *
 * Freshness: inotify tells of a write before the writer's write() returns, so
 * taking in all pending events before a query answers it from everything that
 * was written before it was asked. Only the first scan of a large history is
 * not waited for beyond a grace period: then answers say how far it is.
 *
 * Signals come as bytes in a pipe (signals.h), polled like the rest.
 */
#include "loop.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/time.h"
#include "index/query.h"
#include "ingest.h"
#include "notify.h"
#include "serve/methods.h"
#include "signals.h"
#include "source/tree.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* How long the first queries wait for the first scan. */
#define GRACE_MS 2000

struct waiter {
	void (*done)(void *arg);
	void *arg;
	char *project;
};

struct loop {
	const struct ccfc_config *config;
	struct ccfc_index *index;
	struct ccfc_store *store;
	struct ccfc_tail *tail;
	struct ccfc_parser *parser;
	struct ccfc_history *history;
	struct ccfc_tree *tree;
	struct ccfc_ingest *ingest;
	struct ccfc_server *server;
	struct ccfc_worker *worker;
	struct ccfc_methods *methods;
	struct ccfc_service service;
	struct {
		struct waiter *items;
		uint32_t n, cap;
	} builds; /* items[0] is under way if `building` */
	int64_t grace_ends;
	int signals; /* where they arrive */
	bool stale;  /* another version's reading: read all anew */
	bool building;
	bool scanning; /* looks go to the cold queue */
	bool more;     /* the cold queue has work */
	bool stop;
};

static int64_t monotonic_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* --- callbacks --- */

static void on_look(void *ctx, const char *path, const struct ccfc_name *name)
{
	struct loop *loop = ctx;

	ccfc_ingest_look(loop->ingest, path, name, !loop->scanning);
}

static void on_batch(void *ctx)
{
	struct loop *loop = ctx;

	if (loop->methods)
		ccfc_methods_publish(loop->methods);
}

static void on_message(void *ctx, uint64_t conn, struct ccfc_slice bytes)
{
	ccfc_methods_message(((struct loop *)ctx)->methods, conn, bytes);
}

static void on_close(void *ctx, uint64_t conn)
{
	ccfc_methods_closed(((struct loop *)ctx)->methods, conn);
}

static void on_drained(void *ctx, uint64_t conn)
{
	ccfc_methods_drained(((struct loop *)ctx)->methods, conn);
}

/* --- scanning --- */

static void scan(struct loop *loop)
{
	loop->scanning = true;
	ccfc_tree_rescan(loop->tree);
	loop->scanning = false;
	ccfc_ingest_scanned(loop->ingest);
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
#ifdef __GLIBC__
	/* A first scan leaves much that was freed; give it back. */
	malloc_trim(0);
#endif
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

/* One slice of the cold queue, and what is due when it is empty. */
static void work_loop(struct loop *loop)
{
	loop->more = ccfc_ingest_cold(loop->ingest);
	ccfc_methods_progress(loop->methods);
	if (loop->more)
		return;
	report_scan(loop);
	if (loop->building)
		finish_build(loop);
	if (loop->builds.n)
		start_build(loop);
}

/* --- the service --- */

static void take_in(struct loop *loop)
{
	ccfc_tree_drain(loop->tree);
	ccfc_ingest_hot(loop->ingest);
}

static void service_refresh(void *ctx, bool wait)
{
	struct loop *loop = ctx;

	while (wait && loop->more && !loop->building &&
	       monotonic_ms() < loop->grace_ends)
		work_loop(loop);
	take_in(loop);
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

static int64_t service_last_indexed(void *ctx)
{
	return ccfc_ingest_last(((struct loop *)ctx)->ingest);
}

static uint64_t service_store_bytes(void *ctx)
{
	return ccfc_store_bytes(((struct loop *)ctx)->store);
}

static void service_texts(void *ctx, struct ccfc_texts_view *out)
{
	ccfc_store_texts(((struct loop *)ctx)->store, out);
}

static void service_stop(void *ctx)
{
	((struct loop *)ctx)->stop = true;
}

static void init_history(struct loop *loop)
{
	const struct ccfc_history_env env = {
		.index = loop->index,
		.tail = loop->tail,
		.parser = loop->parser,
		.roots = (const char *const *)loop->config->roots.items,
		.nroots = loop->config->roots.n,
	};

	loop->history = ccfc_history_new(&env);
}

static void init_service(struct loop *loop)
{
	const struct ccfc_config *config = loop->config;

	loop->service = (struct ccfc_service){
		.ctx = loop,
		.index = loop->index,
		.tail = loop->tail,
		.parser = loop->parser,
		.history = loop->history,
		.worker = loop->worker,
		.socket_path = config->socket_path,
		.state_dir = config->state_dir,
		.roots = (const char *const *)config->roots.items,
		.nroots = config->roots.n,
		.home = config->home,
		.started = ccfc_time_now(),
		.refresh = service_refresh,
		.build = service_build,
		.progress = service_progress,
		.watch_stats = service_watch_stats,
		.last_indexed = service_last_indexed,
		.store_bytes = service_store_bytes,
		.texts = service_texts,
		.stop = service_stop,
	};
}

/* --- start and end --- */

static int open_all(struct loop *loop, struct ccfc_err *err)
{
	const struct ccfc_config *config = loop->config;
	struct ccfc_server_handlers handlers = { loop,	   on_message,
						 on_close, on_drained,
						 NULL,	   NULL };
	int r = ccfc_store_start(&loop->store, &loop->index, config->state_dir,
				 config->home, &loop->stale, err);

	if (r)
		return r;
	loop->tail = ccfc_tail_new(config->max_line);
	loop->parser = ccfc_parser_new(&config->tools);
	loop->ingest = ccfc_ingest_new(loop->index, loop->store, loop->tail,
				       loop->parser, on_batch, loop);
	r = ccfc_tree_new(&loop->tree, (const char *const *)config->roots.items,
			  config->roots.n, 0, on_look, loop, err);
	if (r)
		return r;
	r = ccfc_worker_new(&loop->worker, err);
	if (r)
		return r;
	init_history(loop);
	init_service(loop);
	loop->methods = ccfc_methods_new(&loop->service);
	r = ccfc_server_new(&loop->server, config->socket_path, &handlers, err);
	if (r)
		return r;
	loop->service.server = loop->server;
	return 0;
}

static void drop_builds(struct loop *loop)
{
	/* Their connections are gone; `done` frees what it holds. */
	while (loop->builds.n)
		finish_build(loop);
	free(loop->builds.items);
}

static void close_all(struct loop *loop)
{
	/* Its jobs end with a look at all of the rest. */
	ccfc_worker_free(loop->worker);
	loop->service.worker = NULL;
	if (loop->server)
		ccfc_server_flush(loop->server, 1000);
	drop_builds(loop);
	ccfc_history_free(loop->history);
	ccfc_ingest_free(loop->ingest);
	ccfc_tree_free(loop->tree);
	ccfc_parser_free(loop->parser);
	ccfc_tail_free(loop->tail);
	ccfc_store_free(loop->store);
	/* Hanging up tells `ccfc stop` that all the rest is done. */
	ccfc_server_free(loop->server);
	ccfc_methods_free(loop->methods);
	ccfc_index_free(loop->index);
}

static void say_ready(const struct ccfc_config *config)
{
	ccfc_log(CCFC_LOG_INFO, "listening on %s", config->socket_path);
	ccfc_notify("READY=1\nSTATUS=reading transcripts");
	if (config->ready_fd < 0)
		return;
	if (write(config->ready_fd, "1", 1) != 1)
		ccfc_log(CCFC_LOG_DEBUG, "nobody waits at --ready-fd");
	close(config->ready_fd);
}

static void take_signals(struct loop *loop)
{
	for (int n; (n = ccfc_signals_next(loop->signals));) {
		if (n == SIGHUP)
			scan(loop);
		else
			loop->stop = true;
	}
}

static void sleep_until_news(struct loop *loop)
{
	struct pollfd fds[] = {
		{ .fd = ccfc_tree_fd(loop->tree), .events = POLLIN },
		{ .fd = ccfc_server_fd(loop->server), .events = POLLIN },
		{ .fd = loop->signals, .events = POLLIN },
		{ .fd = ccfc_worker_fd(loop->worker), .events = POLLIN },
	};
	int ms = loop->more ? 0 : ccfc_tree_timeout_ms(loop->tree);

	if (poll(fds, 4, ms) < 0)
		return;
	if (fds[2].revents)
		take_signals(loop);
	/* A client first: its query takes in the rest by itself. */
	if (fds[1].revents)
		ccfc_server_dispatch(loop->server);
	if (fds[3].revents)
		ccfc_worker_dispatch(loop->worker);
	if (fds[0].revents || (ms > 0 && !fds[1].revents && !fds[3].revents))
		take_in(loop);
}

static void run_loop(struct loop *loop)
{
	while (!loop->stop) {
		sleep_until_news(loop);
		if (loop->more && !loop->stop)
			work_loop(loop);
	}
	ccfc_log(CCFC_LOG_INFO, "stopping");
	ccfc_notify("STOPPING=1");
}

int ccfc_loop_run(const struct ccfc_config *config, struct ccfc_err *err)
{
	struct loop loop = { .config = config };
	int r;

	loop.signals = ccfc_signals_start(err);
	if (loop.signals < 0)
		return loop.signals;
	r = open_all(&loop, err);
	if (!r) {
		loop.grace_ends = monotonic_ms() + GRACE_MS;
		/* Listening is said first: queries may come while we scan. */
		say_ready(config);
		scan(&loop);
		/* After the scan, which knows files that were moved by what
		 * was read of them. */
		if (loop.stale) {
			ccfc_log(CCFC_LOG_INFO,
				 "the index is another version's: all "
				 "transcripts are read anew");
			ccfc_ingest_rebuild(loop.ingest, CCFC_SLICE_NONE);
		}
		run_loop(&loop);
	}
	close_all(&loop);
	return r;
}
