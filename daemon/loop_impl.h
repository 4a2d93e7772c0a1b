/*
 * Shared by the files of the core loop only: loop.c (waiting and working),
 * loop_open.c (start and end), loop_service.c (what methods may ask of the
 * loop), loop_forget.c (forgetting while the daemon runs). Core thread.
 */
#ifndef CCFC_LOOP_IMPL_H
#define CCFC_LOOP_IMPL_H

#include "loop.h"

#include "forgetting.h"
#include "ingest/ingest.h"
#include "observing.h"
#include "own_files.h"
#include "seen_import.h"
#include "serve/history/infer_changes.h"
#include "serve/methods.h"
#include "source/tree.h"
#include "web.h"

/* An index.build that waits for its turn, or is under way. */
struct ccfc_loop_build {
	void (*done)(void *arg);
	void *arg;
	char *project;
};

/* A message that waits until the state is exchanged. */
struct ccfc_loop_message {
	uint64_t conn;
	struct ccfc_buf bytes;
};

/* The next step of a forget.run. */
enum ccfc_loop_forget_step {
	CCFC_FORGET_NOTHING,
	CCFC_FORGET_WANTED,   /* `list` takes the place of the present one */
	CCFC_FORGET_RUNS,     /* a step runs on a worker */
	CCFC_FORGET_EXCHANGE, /* as soon as no question runs */
	CCFC_FORGET_SWEEP,
	CCFC_FORGET_DONE,
};

struct ccfc_loop {
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
	struct ccfc_observing *observing;
	struct ccfc_seen_import *seen_import;
	struct ccfc_forgetting *forgetting;
	struct {
		enum ccfc_loop_forget_step step;
		struct ccfc_forgotten *list; /* NULL: already in use */
		struct ccfc_removal *removal;
		uint32_t seen; /* disk events that the removal knows */
		struct ccfc_err err;
		void (*done)(void *arg, const struct ccfc_err *err,
			     uint64_t bytes, uint32_t undo);
		void *arg;
	} forget;
	struct {
		struct ccfc_loop_message *items;
		uint32_t n, cap;
	} held; /* while the state is exchanged */
	struct ccfc_service service;
	struct {
		struct ccfc_loop_build *items;
		uint32_t n, cap;
	} builds; /* items[0] is under way if `building` */
	int64_t grace_ends;
	int *lock;   /* of the state directory */
	int signals; /* the pipe in which they arrive */
	bool stale;  /* stored by another version: read everything again */
	bool adopt;  /* a new store: the archive may know more */
	bool building;
	bool finishing;	 /* a client waits for the scan */
	bool more;	 /* the cold queue has work, or `seeing` */
	bool seeing;	 /* an import may have brought disk events */
	bool compacting; /* the store's texts, on a worker */
	bool note_done;	 /* ccfc_loop_note_inferred is to be called */
	bool stop;
	struct ccfc_err *failed; /* the reason to end, if any */
	int result;
};

/* --- loop.c --- */

/*
 * Takes in new lines and sightings. `asked`: for a client, so all failed files
 * are tried again, due or not.
 */
void ccfc_loop_take_in(struct ccfc_loop *loop, bool asked);
/* Scans all roots; found transcripts go to the cold queue. */
void ccfc_loop_scan(struct ccfc_loop *loop);
/* Takes in a slice of imported disk events; true: there is more. */
bool ccfc_loop_take_seen(struct ccfc_loop *loop);
/* Works off a slice of the cold queue, and starts what waits for its end. */
void ccfc_loop_work(struct ccfc_loop *loop);
/* Begin the first of `builds`; end it and tell who waits. */
void ccfc_loop_start_build(struct ccfc_loop *loop);
void ccfc_loop_finish_build(struct ccfc_loop *loop);
/*
 * Does a client, a worker or a signal wait? New lines can wait for the slice.
 * `ctx` is the loop.
 */
bool ccfc_loop_somebody_waits(void *ctx);
/*
 * If all inferred changes are known, stores that: the next start need not look
 * for them again.
 */
void ccfc_loop_note_inferred(struct ccfc_loop *loop);
/*
 * Ends the daemon if `r` is an error: nothing can be stored any more. The
 * reason is in loop->failed.
 */
void ccfc_loop_end_if(struct ccfc_loop *loop, int r);

/* --- loop_open.c --- */

/* ccfc_loop_close follows, also if this fails. */
int ccfc_loop_open(struct ccfc_loop *loop, struct ccfc_err *err);
void ccfc_loop_close(struct ccfc_loop *loop);
/* The parts of ccfc_loop_open that forgetting repeats, in this order. */
int ccfc_loop_open_state(struct ccfc_loop *loop, struct ccfc_err *err);
void ccfc_loop_start_state(struct ccfc_loop *loop);
void ccfc_loop_init_observing(struct ccfc_loop *loop);

/* --- loop_service.c --- */

void ccfc_loop_init_service(struct ccfc_loop *loop);
/* Takes news from the archive; imported lines go to the cold queue. */
void ccfc_loop_archived(void *ctx);

/* --- loop_forget.c --- */

/* Takes the next step of loop->forget, if it can be taken. */
void ccfc_loop_forget(struct ccfc_loop *loop);
/* Keeps a message until the state is exchanged; drops those of a connection. */
void ccfc_loop_hold(struct ccfc_loop *loop, uint64_t conn,
		    struct ccfc_slice bytes);
void ccfc_loop_drop_held(struct ccfc_loop *loop, uint64_t conn);
/* The daemon ends: the next start forgets. */
void ccfc_loop_drop_forget(struct ccfc_loop *loop);

#endif
