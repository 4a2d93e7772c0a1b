/*
 * The stored index: one SQLite file, <state>/index.db.
 *
 * One transaction per batch writes the rows that changed and the cursors of the
 * sources they came from, so a crash at any point leaves a store that equals
 * the index of some prefix of the transcripts, and reading continues from
 * there. Other programs may read the file while the daemon runs, through the
 * views (views.c); only the daemon writes.
 *
 * Message texts are in a second file (texts.h), which belongs to the store:
 * batches are committed to both.
 *
 * Core thread. Only this folder uses SQLite.
 */
#ifndef CCFC_STORE_STORE_H
#define CCFC_STORE_STORE_H

#include "base/err.h"
#include "index/index.h"
#include "store/texts/texts.h"

struct ccfc_store;
struct ccfc_forgotten;
struct ccfc_texts_compaction;

/* Losses of the store that users should know. */
struct ccfc_store_past {
	int64_t damaged_at;  /* when a store was last moved aside; 0: never */
	uint64_t lost_rows;  /* rows that could not be copied then */
	uint64_t lost_texts; /* texts that could not be copied then */
};

/*
 * Opens or makes the store in `dir`, which exists, and loads it, at the
 * daemon's start. A possibly transient error is logged and tried again, for
 * some seconds in all; if it persists, it is returned, and nothing was changed.
 * A store that is damaged at two tries in a row is moved aside, as
 * index.db.damaged-<time> and texts.damaged-<time>, and its readable rows are
 * copied (import.h); so are rows that only a store moved aside earlier has.
 * `home` as for ccfc_index_new. *stale: see ccfc_store_load.
 */
int ccfc_store_start(struct ccfc_store **out, struct ccfc_index **index,
		     const char *dir, const char *home, bool *stale,
		     struct ccfc_err *err);

/*
 * A check found damaged texts: the next start writes the file again, from its
 * undamaged texts and the transcripts.
 */
void ccfc_store_texts_damaged(struct ccfc_store *store);

/* The losses that the store records. */
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
 * Fills an empty index; with a new store the index gets a new epoch. *stale:
 * another version of the reader made the rows; existing sources must be read
 * again.
 */
int ccfc_store_load(struct ccfc_store *store, struct ccfc_index *index,
		    bool *stale, struct ccfc_err *err);

/*
 * Writes all dirty rows. On success the caller calls ccfc_index_stored; on
 * failure nothing was written and everything stays dirty for the next try.
 */
int ccfc_store_commit(struct ccfc_store *store, const struct ccfc_index *index,
		      struct ccfc_err *err);

/*
 * A stamp of the transcripts for which all inferred changes are known
 * (index/gap_marks.h); 0: none. Setting it fails without harm: the changes are
 * then looked for once more at the next start.
 */
uint64_t ccfc_store_inferred(const struct ccfc_store *store);
void ccfc_store_set_inferred(struct ccfc_store *store, uint64_t stamp);

/* --- forgetting (salvage/forget.c) --- */

/* What a removal leaves, for other folders that keep contents and lines. */
struct ccfc_store_rest {
	/* Keys (hex) of contents that disk events name; sorted. */
	struct {
		char **items;
		uint32_t n, cap;
	} keys, more; /* `more` came later, and is not sorted */
	/* Transcripts that stay, and have forgotten lines. */
	struct {
		char **items;
		uint32_t n, cap;
	} shared;
	struct ccfc_import_sieve *sieve;
};

/*
 * Copies the store in `dir`, as it is now, without what is on the list; on any
 * thread, while the store is in use. ccfc_store_forget_end replaces the store,
 * which must be closed, by the copy: the new files have no forgotten items, and
 * the old files are removed, with all stores that were moved aside. Both can be
 * done again from any point on: a start that finds a removal under way calls
 * ccfc_store_forget_resume first, and then does everything again. The caller
 * releases `rest`, also after an error.
 */
int ccfc_store_forget(struct ccfc_store_rest *rest, const char *dir,
		      const char *home, const struct ccfc_forgotten *list,
		      struct ccfc_err *err);
int ccfc_store_forget_end(const char *dir, struct ccfc_err *err);
int ccfc_store_forget_resume(const char *dir, struct ccfc_err *err);
/* Is the file forgotten, or did a forgotten session change it? */
bool ccfc_store_rest_touched(const struct ccfc_store_rest *rest,
			     struct ccfc_slice path);
/* Adds a content that is named since; an empty key is ignored. */
void ccfc_store_rest_keep(struct ccfc_store_rest *rest, struct ccfc_slice key);
/* Is the content still named? */
bool ccfc_store_rest_has(const struct ccfc_store_rest *rest, const char *key);
void ccfc_store_rest_release(struct ccfc_store_rest *rest);

/* Are the open files still those in the directory? */
enum ccfc_store_place {
	CCFC_STORE_THERE,
	CCFC_STORE_MISSING,  /* removed or moved away, one or both */
	CCFC_STORE_REPLACED, /* other files are there; they are not ours to
			      * write */
};
enum ccfc_store_place ccfc_store_look(const struct ccfc_store *store);

/*
 * Writes missing files again, in a directory that exists: the index from
 * memory, and the texts, which can still be read. After a failure everything is
 * dirty, and the caller may try again; after success nothing is dirty.
 */
int ccfc_store_make_anew(struct ccfc_store *store, struct ccfc_index *index,
			 struct ccfc_err *err);

/*
 * Adds the texts of the line (texts.h), which are committed with the next
 * batch. After ccfc_index_apply. False: refused, because too much waits for a
 * disk that cannot be written.
 */
bool ccfc_store_say(struct ccfc_store *store, struct ccfc_index *index,
		    uint32_t source, const struct ccfc_record *record,
		    uint64_t offset, size_t len);

/* Would a text be accepted now? */
bool ccfc_store_says(const struct ccfc_store *store);

/* The texts in the file now; the caller releases `out`. */
void ccfc_store_texts(const struct ccfc_store *store,
		      struct ccfc_texts_view *out);

/*
 * If many texts are dead: a compaction (texts_compact.h), to be run on a worker
 * (ccfc_texts_compaction_run), whose result ccfc_store_compact_end takes. The
 * store stays open meanwhile. Else NULL.
 */
struct ccfc_texts_compaction *
ccfc_store_compact_begin(const struct ccfc_store *store);
void ccfc_store_compact_end(struct ccfc_store *store,
			    const struct ccfc_index *index,
			    struct ccfc_texts_compaction *compaction,
			    int result);

/* Bytes on disk, with the write-ahead log. */
uint64_t ccfc_store_bytes(const struct ccfc_store *store);

#endif
