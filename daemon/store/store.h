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

/* What befell the store, as far as users should know. */
struct ccfc_store_past {
	int64_t damaged_at;  /* when it was last put aside; 0: never */
	uint64_t lost_rows;  /* that could not be saved then */
	uint64_t lost_texts; /* the same */
};

/*
 * Opens or makes the store in `dir`, which exists, and loads it: the way a
 * daemon begins. An error that may pass is said in the log and tried again,
 * for some seconds in all; if it stays, that is the answer, and nothing was
 * changed. A store that is damaged whenever it is read is put aside, as
 * index.db.damaged-<time> and texts.damaged-<time>, and what can be read of it
 * is carried over (import.h); so is what only a store that was put aside
 * before knows. `home` as for ccfc_index_new. *stale: see ccfc_store_load.
 */
int ccfc_store_start(struct ccfc_store **out, struct ccfc_index **index,
		     const char *dir, const char *home, bool *stale,
		     struct ccfc_err *err);

/*
 * A check found damaged texts: the next start makes the file anew, from what
 * is whole of it and from the transcripts.
 */
void ccfc_store_texts_damaged(struct ccfc_store *store);

/* Of the store that was started last. */
void ccfc_store_past(const struct ccfc_store *store,
		     struct ccfc_store_past *out);

/*
 * Opens or makes the store in `dir`, once. CCFC_ECORRUPT: it is damaged, or
 * seems so.
 */
int ccfc_store_new(struct ccfc_store **out, const char *dir,
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

/* Are the files that are open those which others find? */
enum ccfc_store_place {
	CCFC_STORE_THERE,
	CCFC_STORE_MISSING,  /* removed or moved away, one or both */
	CCFC_STORE_REPLACED, /* others are there; they are not ours to write */
};
enum ccfc_store_place ccfc_store_look(const struct ccfc_store *store);

/*
 * Makes what is missing anew, in a directory that exists: the index as it is
 * in memory, and the texts, which can still be read. On failure it can be
 * tried again, and everything is dirty meanwhile. On success nothing is.
 */
int ccfc_store_make_anew(struct ccfc_store *store, struct ccfc_index *index,
			 struct ccfc_err *err);

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

/* Bytes on disk, with the write-ahead log. */
uint64_t ccfc_store_bytes(const struct ccfc_store *store);

#endif
