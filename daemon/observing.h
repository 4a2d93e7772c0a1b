/*
 * The observer (observe/observe.h) in the daemon: tells the observer which
 * sessions have new lines, and puts its sightings into the index and the store.
 * Core thread.
 */
#ifndef CCFC_OBSERVING_H
#define CCFC_OBSERVING_H

#include "index/index.h"
#include "observe/observe.h"
#include "store/store.h"

struct ccfc_observing;

/* Everything outlives the struct ccfc_observing. */
struct ccfc_observing_env {
	const struct ccfc_observe_settings *settings;
	const char *const *roots;
	size_t nroots;
	const char *state_dir;
	bool (*ignores)(void *ctx, struct ccfc_slice session,
			struct ccfc_slice cwd); /* observe/observe.h */
	void *ignoring;				/* its ctx */
	const char *home;
	struct ccfc_index *index;
	struct ccfc_store *store;
	/* A client has replaced a file; its line has not come yet. */
	void (*early)(void *ctx, const struct ccfc_disk_event *event);
	void *ctx;
};

/*
 * Never fails: if nothing can be observed, the log says so, and everything else
 * works. With `observe = off` only earlier and imported contents are readable.
 */
struct ccfc_observing *ccfc_observing_new(const struct ccfc_observing_env *env);
/* May be NULL, here and below. */
void ccfc_observing_free(struct ccfc_observing *observing);

/* For poll(); -1: there is nothing to wait for. */
int ccfc_observing_fd(const struct ccfc_observing *observing);
/* Takes the sightings. True: there is something to store. */
bool ccfc_observing_take(struct ccfc_observing *observing);
/*
 * Has a client ended? When all its lines are read, ccfc_observing_end reports
 * the end to the index.
 */
bool ccfc_observing_has_ended(const struct ccfc_observing *observing);
void ccfc_observing_end(struct ccfc_observing *observing);
/* All transcripts are read: finds clients that ended while no daemon ran. */
void ccfc_observing_scanned(struct ccfc_observing *observing);
/* A batch of lines is in the index: its sessions are live. */
void ccfc_observing_batch(struct ccfc_observing *observing);

/* NULL: nothing is observed. */
struct ccfc_observer *
ccfc_observing_observer(const struct ccfc_observing *observing);
/* NULL: there are no contents. */
struct ccfc_blobs *ccfc_observing_blobs(const struct ccfc_observing *observing);
/* The same, created if they are missing; NULL: that failed. */
struct ccfc_blobs *ccfc_observing_make_blobs(struct ccfc_observing *observing);

#endif
