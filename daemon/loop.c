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
#include "loop_impl.h"

#include "base/alloc.h"
#include "base/time.h"
#include "index/gap_marks.h"
#include "index/query/query.h"
#include "notify.h"
#include "os/log.h"
#include "serve/upkeep/compact_texts.h"
#include "signals.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long the first queries wait for the first scan. */
#define GRACE_MS 2000

/* Descriptors that the loop polls by itself. */
#define OWN_FDS 6

/* The last lines of ended clients are written: reads these lines first. */
static void end_clients(struct ccfc_loop *loop)
{
	if (!ccfc_observing_has_ended(loop->observing) || loop->more)
		return;
	ccfc_tree_drain(loop->tree);
	ccfc_ingest_hot(loop->ingest);
	ccfc_observing_end(loop->observing);
	ccfc_ingest_flush(loop->ingest);
}

void ccfc_loop_take_in(struct ccfc_loop *loop, bool asked)
{
	ccfc_tree_drain(loop->tree);
	ccfc_ingest_retry(loop->ingest, asked);
	ccfc_ingest_hot(loop->ingest);
	if (ccfc_observing_take(loop->observing))
		ccfc_ingest_flush(loop->ingest);
	end_clients(loop);
}

/* --- scanning --- */

void ccfc_loop_scan(struct ccfc_loop *loop)
{
	ccfc_ingest_scanning(loop->ingest);
	ccfc_tree_rescan(loop->tree);
	ccfc_ingest_scanned(loop->ingest);
	if (loop->adopt)
		ccfc_ingest_adopt(loop->ingest);
	loop->adopt = false;
	loop->more = loop->seeing = true;
}

static void report_scan(struct ccfc_loop *loop)
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
	/* A first scan frees much memory; give it back. */
	ccfc_alloc_give_back();
}

void ccfc_loop_start_build(struct ccfc_loop *loop)
{
	struct ccfc_loop_build *w = &loop->builds.items[0];

	loop->building = true;
	ccfc_loop_scan(loop);
	ccfc_ingest_rebuild(loop->ingest, ccfc_slice_str(w->project));
}

void ccfc_loop_finish_build(struct ccfc_loop *loop)
{
	struct ccfc_loop_build w = loop->builds.items[0];

	loop->building = false;
	loop->builds.n--;
	memmove(loop->builds.items, loop->builds.items + 1,
		loop->builds.n * sizeof(w));
	w.done(w.arg);
	free(w.project);
}

bool ccfc_loop_somebody_waits(void *ctx)
{
	struct ccfc_loop *loop = ctx;
	struct pollfd fds[] = {
		{ .fd = ccfc_server_fd(loop->server), .events = POLLIN },
		{ .fd = ccfc_worker_fd(loop->worker), .events = POLLIN },
		{ .fd = loop->signals, .events = POLLIN },
	};

	return !loop->finishing && poll(fds, 3, 0) > 0;
}

/* Is there work, so that the loop does not sleep? */
static bool is_busy(const struct ccfc_loop *loop)
{
	return loop->more || ccfc_methods_has_work(loop->methods) ||
	       (loop->forget.step != CCFC_FORGET_EXCHANGE &&
		ccfc_infer_has_work(loop->infer));
}

/* --- inferred changes --- */

void ccfc_loop_note_inferred(struct ccfc_loop *loop)
{
	if (!loop->infer || loop->more || !ccfc_infer_is_done(loop->infer))
		return;
	ccfc_store_set_inferred(loop->store, ccfc_gap_marks_stamp(loop->index));
	loop->note_done = false;
}

/* Infers changes when there is nothing else to do. */
static void infer_changes(struct ccfc_loop *loop)
{
	if (loop->more || ccfc_methods_has_work(loop->methods) ||
	    loop->forget.step == CCFC_FORGET_EXCHANGE)
		return;
	ccfc_infer_work(loop->infer);
	if (loop->note_done)
		ccfc_loop_note_inferred(loop);
}

/* --- working --- */

static void on_compacted(void *ctx)
{
	((struct ccfc_loop *)ctx)->compacting = false;
}

/* Compacts the texts, but not during a removal, which copies the store. */
static void compact_texts(struct ccfc_loop *loop)
{
	if (!loop->compacting && loop->forget.step == CCFC_FORGET_NOTHING)
		loop->compacting =
			ccfc_compact_texts(loop->store, loop->index,
					   loop->worker, on_compacted, loop);
}

bool ccfc_loop_take_seen(struct ccfc_loop *loop)
{
	const struct ccfc_seen_import_env env = {
		.archive = loop->archive,
		.index = loop->index,
		.ingest = loop->ingest,
		.observing = loop->observing,
		.forgotten = ccfc_forgetting_list(loop->forgetting),
		.excluded = ccfc_forgetting_excluded(loop->forgetting),
	};

	if (loop->seeing)
		loop->seeing = ccfc_seen_import_step(loop->seen_import, &env);
	loop->service.blobs = ccfc_observing_blobs(loop->observing);
	return loop->seeing;
}

void ccfc_loop_work(struct ccfc_loop *loop)
{
	/* The transcripts first: then commands and sessions are known. */
	loop->more =
		ccfc_ingest_cold(loop->ingest) || ccfc_loop_take_seen(loop);
	ccfc_methods_progress(loop->methods);
	if (loop->more)
		return;
	report_scan(loop);
	ccfc_ingest_flush(loop->ingest);
	ccfc_observing_scanned(loop->observing);
	end_clients(loop);
	if (loop->building)
		ccfc_loop_finish_build(loop);
	if (loop->builds.n)
		ccfc_loop_start_build(loop);
}

void ccfc_loop_end_if(struct ccfc_loop *loop, int r)
{
	if (!r)
		return;
	loop->result = r;
	loop->stop = true;
}

/* --- running --- */

/* The daemon also runs if the port is taken. */
static void start_web(struct ccfc_loop *loop)
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

static void handle_signals(struct ccfc_loop *loop)
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
	ccfc_loop_end_if(loop,
			 ccfc_own_files_look(loop->own_files, loop->failed));
	ccfc_loop_scan(loop);
}

/* Sleep until the next poll or retry is due. */
static int timeout_ms(struct ccfc_loop *loop)
{
	int failed = ccfc_failed_timeout_ms(ccfc_ingest_failures(loop->ingest));
	int own_files = ccfc_own_files_timeout_ms(loop->own_files);
	int unread = ccfc_server_timeout_ms(loop->server);

	if (is_busy(loop))
		return 0;
	return ccfc_time_sooner(
		ccfc_time_sooner(ccfc_tree_timeout_ms(loop->tree), unread),
		ccfc_time_sooner(failed, own_files));
}

static void sleep_until_news(struct ccfc_loop *loop)
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
	ccfc_loop_end_if(loop,
			 ccfc_own_files_dispatch(loop->own_files, fds + OWN_FDS,
						 loop->failed));
	if (fds[5].revents)
		ccfc_loop_archived(loop);
	if (fds[2].revents)
		handle_signals(loop);
	/* A client first: on_requests takes in what was written. */
	if (fds[1].revents || ccfc_server_timeout_ms(loop->server) == 0)
		ccfc_server_dispatch(loop->server);
	if (fds[3].revents)
		ccfc_worker_dispatch(loop->worker);
	if (fds[0].revents || fds[4].revents || (!n && !is_busy(loop)))
		ccfc_loop_take_in(loop, false);
}

static void run_until_stop(struct ccfc_loop *loop)
{
	while (!loop->stop) {
		sleep_until_news(loop);
		if (loop->more && !loop->stop)
			ccfc_loop_work(loop);
		if (!loop->stop)
			ccfc_methods_work(loop->methods);
		if (!loop->stop)
			ccfc_loop_forget(loop);
		if (!loop->stop && !loop->more)
			compact_texts(loop);
		if (!loop->stop)
			infer_changes(loop);
	}
	ccfc_log(CCFC_LOG_INFO, "stopping");
	ccfc_notify("STOPPING=1");
}

int ccfc_loop_run(const struct ccfc_config *config, int *lock,
		  struct ccfc_err *err)
{
	struct ccfc_loop loop = { .config = config,
				  .lock = lock,
				  .failed = err };
	int r;

	loop.signals = ccfc_signals_start(err);
	if (loop.signals < 0)
		return loop.signals;
	r = ccfc_loop_open(&loop, err);
	if (!r) {
		loop.grace_ends =
			ccfc_time_monotonic() + ccfc_time_patience(GRACE_MS);
		/*
		 * Reports that it listens first: queries may come during the
		 * scan.
		 */
		say_ready(config);
		start_web(&loop);
		ccfc_loop_scan(&loop);
		/*
		 * After the scan, which recognizes moved files by the lines
		 * that were read before.
		 */
		if (loop.stale) {
			ccfc_log(CCFC_LOG_INFO,
				 "the index was made by another version: all "
				 "transcripts are read again");
			ccfc_ingest_rebuild(loop.ingest, CCFC_SLICE_NONE);
		}
		run_until_stop(&loop);
		r = loop.result;
	}
	ccfc_loop_close(&loop);
	return r;
}
