/*
 * Removes the data of the items on the list of forgotten items, while the
 * daemon answers and reads on:
 *
 * - ccfc_removal_prepare makes a new store beside the old one, which stays in
 *   use, and cleans the undo area and the archive. On a worker.
 * - ccfc_removal_exchange puts the new store in place of the old one. On the
 *   core thread, with the store closed and no running question. Lines read
 *   since the first step are read again; ccfc_removal_carry adds events and
 *   marks since then.
 * - ccfc_removal_sweep removes unreferenced contents. On a worker.
 *
 * Each step can be repeated: after a kill the next start runs all of them
 * again, until the list says that everything is done.
 */
#ifndef CCFC_SERVE_FORGET_REMOVAL_H
#define CCFC_SERVE_FORGET_REMOVAL_H

#include "archive/archive.h"
#include "blobs/blobs.h"
#include "index/index.h"
#include "serve/rpc/worker.h"

struct ccfc_removal;
struct ccfc_forgotten;

/* All outlive it. */
struct ccfc_removal *ccfc_removal_new(const char *state_dir, const char *home,
				      const struct ccfc_forgotten *list,
				      const struct ccfc_archive_sieve *sieve);
/* No step is running. May be NULL. */
void ccfc_removal_free(struct ccfc_removal *removal);

/* The archive is open; NULL: it could not be opened. */
int ccfc_removal_prepare(struct ccfc_removal *removal,
			 struct ccfc_archive *archive, struct ccfc_err *err);
int ccfc_removal_exchange(struct ccfc_removal *removal, struct ccfc_err *err);
/*
 * Adds to the new index the disk events of the old one since the rows were
 * copied, and the marks, which are in no transcript. `seen`: the number of disk
 * events in the old index at the time of the copy.
 */
void ccfc_removal_carry(struct ccfc_removal *removal, struct ccfc_index *to,
			const struct ccfc_index *from, uint32_t seen);
/* `blobs` has the observed contents; NULL: they are not open. */
int ccfc_removal_sweep(struct ccfc_removal *removal,
		       struct ccfc_archive *archive, struct ccfc_blobs *blobs,
		       struct ccfc_err *err);

struct ccfc_removal_result {
	uint64_t bytes; /* bytes of the state directory that were freed */
	uint32_t undo;	/* entries of the undo area */
};
void ccfc_removal_result(const struct ccfc_removal *removal,
			 struct ccfc_removal_result *out);

/* --- on a worker --- */

enum ccfc_removal_step { CCFC_REMOVAL_PREPARE, CCFC_REMOVAL_SWEEP };

/* `failed` is NULL, or the reason. On the core thread. */
typedef void (*ccfc_removal_done_fn)(void *ctx, const struct ccfc_err *failed);
/*
 * Runs a step; `done` is called in any case, unless this returns CCFC_EAGAIN:
 * too many jobs wait.
 */
int ccfc_removal_start(struct ccfc_removal *removal, struct ccfc_worker *worker,
		       enum ccfc_removal_step step,
		       struct ccfc_archive *archive, struct ccfc_blobs *blobs,
		       ccfc_removal_done_fn done, void *ctx);

#endif
