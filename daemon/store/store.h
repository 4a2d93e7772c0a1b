/*
 * What survives: the index in one SQLite file, <state>/index.db.
 *
 * One transaction per batch writes the rows that changed and the cursors of
 * the sources they came from, so a crash at any point leaves a store that
 * equals the index of some prefix of the transcripts, and the tail goes on
 * from there. Others may read the file while the daemon runs, by way of the
 * views (views.c), and only the daemon writes.
 *
 * What was said is in a file of its own beside it (texts.h), which belongs to
 * the store: batches are committed to both.
 *
 * Core thread. SQLite is seen by this folder alone.
 */
#ifndef CCFC_STORE_STORE_H
#define CCFC_STORE_STORE_H

#include "base/err.h"
#include "index/index.h"
#include "store/texts/texts.h"

struct ccfc_store;

/*
 * Opens or makes the store in `dir`, which exists. A file that is damaged is
 * put aside as index.db.damaged-<time> and a new one is begun; *put_aside
 * (may be NULL) tells.
 */
int ccfc_store_new(struct ccfc_store **out, const char *dir, bool *put_aside,
		   struct ccfc_err *err);
void ccfc_store_free(struct ccfc_store *store);

/*
 * Fills an empty index; from a store that is new it gets a new epoch. *stale:
 * the rows were made by another version of the reading code; the sources that
 * still exist want reading anew.
 */
int ccfc_store_load(struct ccfc_store *store, struct ccfc_index *index,
		    bool *stale, struct ccfc_err *err);

/*
 * Writes all that is dirty. On success the caller calls ccfc_index_stored; on
 * failure nothing was written and everything stays dirty for the next try.
 */
int ccfc_store_commit(struct ccfc_store *store, const struct ccfc_index *index,
		      struct ccfc_err *err);

/*
 * After a load that failed with CCFC_ECORRUPT: puts the file aside and begins
 * a new one.
 */
int ccfc_store_put_aside(struct ccfc_store *store, struct ccfc_err *err);

/*
 * Adds what the line says to the texts (texts.h), which are committed with
 * the next batch. After ccfc_index_apply. False when it was turned away: too
 * much waits for a disk that cannot be written.
 */
bool ccfc_store_say(struct ccfc_store *store, struct ccfc_index *index,
		    uint32_t source, const struct ccfc_record *record,
		    uint64_t offset, size_t len);

/* Would a text be taken now? */
bool ccfc_store_says(const struct ccfc_store *store);

/* The texts of all batches that were written; the caller releases it. */
void ccfc_store_texts(const struct ccfc_store *store,
		      struct ccfc_texts_view *out);
/* Their bytes on disk. */
uint64_t ccfc_store_texts_bytes(const struct ccfc_store *store);

/* Bytes on disk, with the write-ahead log. */
uint64_t ccfc_store_bytes(const struct ccfc_store *store);

#endif
