/*
 * The methods' interface to the rest of the daemon, so that serve/ does not
 * know the loop. Implemented by daemon/loop.c. Core thread.
 */
#ifndef CCFC_SERVE_RPC_SERVICE_H
#define CCFC_SERVE_RPC_SERVICE_H

#include "archive/archive.h"
#include "history/history.h"
#include "index/index.h"
#include "observe/observe.h"
#include "serve/net/server.h"
#include "serve/rpc/worker.h"
#include "source/scan_progress.h"
#include "source/tree.h"
#include "store/store.h"
#include "store/texts/texts.h"
#include "transcript/record.h"

/* What happened to the state directory while the daemon ran. */
struct ccfc_state_news {
	const char *problem;	/* why it is gone; NULL: it is there */
	int64_t lost, restored; /* the last times of either; 0: never */
};

struct ccfc_service {
	void *ctx;
	struct ccfc_index *index;
	struct ccfc_kept *kept; /* kept history, between requests */
	/* the tools of those who read lines again */
	const struct ccfc_tools *tools;
	size_t max_line;
	/* Deleted transcripts, kept; for any thread. May be NULL. */
	const struct ccfc_attic *attic;
	struct ccfc_archive *archive; /* May be NULL. */
	struct ccfc_server *server;
	struct ccfc_worker *worker; /* for long requests */
	const char *socket_path;
	const char *state_dir;
	const char *const *roots;
	size_t nroots;
	const char *home;
	int64_t started;

	/* Called when the archive has changed. May be NULL. */
	void (*archived)(void *ctx);
	/* Stores what a method has changed in the index. May be NULL. */
	void (*save)(void *ctx);
	/* Finishes a first scan that is nearly complete. */
	void (*finish_scan)(void *ctx);
	/* Is anything else waiting for the core? NULL: never. */
	bool (*somebody_waits)(void *ctx);
	/*
	 * Starts reading everything again; calls `done` at the end. If a build
	 * is running, the new one starts after it. `project` (a normal path)
	 * may be empty.
	 */
	void (*build)(void *ctx, struct ccfc_slice project,
		      void (*done)(void *arg), void *arg);
	void (*progress)(void *ctx, struct ccfc_scan_progress *out);
	void (*watch_stats)(void *ctx, struct ccfc_tree_stats *out);
	/*
	 * Transcripts and directories that could not be read and will be tried
	 * again.
	 */
	void (*failed)(void *ctx, const struct ccfc_failed *out[2]);
	int64_t (*last_indexed)(void *ctx);
	uint64_t (*store_bytes)(void *ctx);
	/*
	 * Past damage of the store. Returns why the store cannot be written, or
	 * "". May be NULL.
	 */
	const char *(*store_past)(void *ctx, struct ccfc_store_past *out);
	/* Called when a check found damaged texts. May be NULL. */
	void (*texts_damaged)(void *ctx);
	/* The stored texts of messages; the caller releases the view. */
	void (*texts)(void *ctx, struct ccfc_texts_view *out);
	void (*state)(void *ctx, struct ccfc_state_news *out);
	/*
	 * What is observed on disk; the caller releases `stats`. False, or
	 * NULL: nothing is observed.
	 */
	bool (*observed)(void *ctx, struct ccfc_observe_stats *stats,
			 struct ccfc_blob_stats *kept);
	enum ccfc_observe_mode observe_mode;
	struct ccfc_blobs *blobs; /* may be NULL */
	/*
	 * The REST API: on, on a port (0: any free one); off; the port, or a
	 * negative number if it is off, and the address appended to `url`.
	 */
	int (*web_start)(void *ctx, int port, struct ccfc_err *err);
	void (*web_stop)(void *ctx);
	int (*web_port)(void *ctx, struct ccfc_buf *url);
	/* Are files being checked for inferred changes? May be NULL. */
	bool (*inferring)(void *ctx);
	/*
	 * Does the directory belong to an excluded project? NULL: no project is
	 * excluded.
	 */
	bool (*excluded)(void *ctx, struct ccfc_slice dir);
	/* The forgotten items. May be NULL. */
	const struct ccfc_forgotten *forgotten;
	/*
	 * Removes what is on `list`, which is saved and becomes this service's
	 * (it is taken), while questions are answered. Then `done` is called:
	 * with an error if something could not be removed, or with how many
	 * bytes of the state directory and entries of the undo area went. Not
	 * while something is being forgotten.
	 */
	void (*forget)(void *ctx, struct ccfc_forgotten *list,
		       void (*done)(void *arg, const struct ccfc_err *err,
				    uint64_t bytes, uint32_t undo),
		       void *arg);
	bool (*forgetting)(void *ctx);
	void (*stop)(void *ctx);
};

#endif
