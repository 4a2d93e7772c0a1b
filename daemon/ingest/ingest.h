/*
 * From bytes to a stored index: checks paths, reads the new lines of each
 * transcript, merges them, stores the batch, and publishes it.
 *
 * There are two queues. Hot: paths from the watcher; emptied before a question
 * is answered. Cold: the first scan and rebuilds, newest transcript first,
 * processed in slices, so that the daemon can answer in between. Core thread.
 */
#ifndef CCFC_INGEST_H
#define CCFC_INGEST_H

#include "archive/archive.h"
#include "forget/forgotten.h"
#include "index/index.h"
#include "ingest/excluded.h"
#include "source/failed.h"
#include "source/scan_progress.h"
#include "source/tail.h"
#include "store/store.h"

struct ccfc_ingest;

/* `on_batch` is called when a batch is stored and index->events are due. */
struct ccfc_ingest *ccfc_ingest_new(struct ccfc_index *index,
				    struct ccfc_store *store,
				    struct ccfc_tail *tail,
				    struct ccfc_parser *parser,
				    void (*on_batch)(void *ctx), void *ctx);
void ccfc_ingest_free(struct ccfc_ingest *ingest);

/* Checks a path; `hot` chooses the queue of its source. */
void ccfc_ingest_look(struct ccfc_ingest *ingest, const char *path,
		      const struct ccfc_name *name, bool hot);
/* The same as the tree's callback: cold while the tree is being scanned. */
void ccfc_ingest_on_look(void *ingest, const char *path,
			 const struct ccfc_name *name);

/*
 * The start and the end of a scan of the whole tree. Sources that the scan did
 * not find are gone.
 */
void ccfc_ingest_scanning(struct ccfc_ingest *ingest);
void ccfc_ingest_scanned(struct ccfc_ingest *ingest);

/* Reads every source (of a project, if not empty) again. */
void ccfc_ingest_rebuild(struct ccfc_ingest *ingest, struct ccfc_slice project);

/*
 * Tries unreadable files again: those that are due, or all. Uses the hot queue.
 */
void ccfc_ingest_retry(struct ccfc_ingest *ingest, bool all);
const struct ccfc_failed *
ccfc_ingest_failures(const struct ccfc_ingest *ingest);

/*
 * Archives what is read, and reads deleted transcripts from the archive. Call
 * before the first scan. Deleted sources get the facts of their archived
 * copies.
 */
void ccfc_ingest_archive(struct ccfc_ingest *ingest,
			 struct ccfc_archive *archive,
			 enum ccfc_archive_mode mode);
/* From now on nothing on the list is read; the list outlives ingest. */
void ccfc_ingest_forget(struct ccfc_ingest *ingest,
			const struct ccfc_forgotten *list, const char *home);
/* Excluded projects are never read. Call before the first scan. */
void ccfc_ingest_exclude(struct ccfc_ingest *ingest,
			 struct ccfc_excluded *excluded);
/* Applies news of the archive. */
void ccfc_ingest_archived(struct ccfc_ingest *ingest);
/* The archive was lost: archives again what still exists. */
void ccfc_ingest_keep_anew(struct ccfc_ingest *ingest);
/*
 * Adds archived transcripts that the index does not know to the cold queue:
 * after the store was lost, or from another machine.
 */
void ccfc_ingest_adopt(struct ccfc_ingest *ingest);

/* Empties the hot queue. */
void ccfc_ingest_hot(struct ccfc_ingest *ingest);

/*
 * `fn` (with the ctx of on_batch) is called before a batch is stored, while the
 * rows that it changed are still marked.
 */
void ccfc_ingest_on_lines(struct ccfc_ingest *ingest, void (*fn)(void *ctx));
/* Stores what others have changed in the index. */
void ccfc_ingest_flush(struct ccfc_ingest *ingest);

/* Processes one slice of the cold queue; false: the queue is empty. */
bool ccfc_ingest_cold(struct ccfc_ingest *ingest);
/*
 * `waits` (with the ctx of on_batch) is called from time to time: is anything
 * waiting for the core? If so, the slice ends, and the next slices are short.
 */
void ccfc_ingest_yield(struct ccfc_ingest *ingest, bool (*waits)(void *ctx));

void ccfc_ingest_progress(const struct ccfc_ingest *ingest,
			  struct ccfc_scan_progress *out);
/* Why the last batch could not be stored; "": it was stored. */
const char *ccfc_ingest_store_error(const struct ccfc_ingest *ingest);
int64_t ccfc_ingest_last(const struct ccfc_ingest *ingest);

#endif
