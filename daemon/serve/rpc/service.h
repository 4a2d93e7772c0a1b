/*
 * What the methods need of the rest of the daemon, so that serve/ does not
 * know the loop. Implemented by daemon/loop.c. Core thread.
 */
#ifndef CCFC_SERVE_RPC_SERVICE_H
#define CCFC_SERVE_RPC_SERVICE_H

#include "history/history.h"
#include "index/index.h"
#include "serve/net/server.h"
#include "serve/rpc/worker.h"
#include "source/scan_progress.h"
#include "source/tree.h"
#include "store/texts/texts.h"
#include "transcript/record.h"

struct ccfc_service {
	void *ctx;
	struct ccfc_index *index;
	struct ccfc_tail *tail; /* for content on request */
	struct ccfc_parser *parser;
	struct ccfc_history *history;
	struct ccfc_server *server;
	struct ccfc_worker *worker; /* for what takes long */
	const char *socket_path;
	const char *state_dir;
	const char *const *roots;
	size_t nroots;
	const char *home;
	int64_t started;

	/*
	 * Takes in all that was written before now. With `wait`, a scan that
	 * is nearly done is finished first.
	 */
	void (*refresh)(void *ctx, bool wait);
	/*
	 * Starts reading everything anew; `done` is called when it is. When
	 * a build runs already, waits for it and then starts. `project`
	 * (normal path) may be empty.
	 */
	void (*build)(void *ctx, struct ccfc_slice project,
		      void (*done)(void *arg), void *arg);
	void (*progress)(void *ctx, struct ccfc_scan_progress *out);
	void (*watch_stats)(void *ctx, struct ccfc_tree_stats *out);
	int64_t (*last_indexed)(void *ctx);
	uint64_t (*store_bytes)(void *ctx);
	/* What was said, as far as it was taken in; the caller releases it. */
	void (*texts)(void *ctx, struct ccfc_texts_view *out);
	void (*stop)(void *ctx);
};

#endif
