/*
 * From bytes to a stored index: takes paths that want a look, reads what is
 * new in them line by line, merges it, stores the batch, and says so.
 *
 * There are two queues. Hot: what the watcher reported; a query empties it
 * before it is answered. Cold: the first scan and rebuilds, newest transcript
 * first, worked off in slices so that the daemon answers meanwhile. Core
 * thread.
 */
#ifndef CCFC_INGEST_H
#define CCFC_INGEST_H

#include "index/index.h"
#include "serve/rpc/service.h"
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

/* The tree's callback; `hot` says which queue. */
void ccfc_ingest_look(struct ccfc_ingest *ingest, const char *path,
		      const struct ccfc_name *name, bool hot);

/* Sources of the index that the scan did not find are gone. */
void ccfc_ingest_scanned(struct ccfc_ingest *ingest);

/* Reads every source (of a project, if not empty) anew. */
void ccfc_ingest_rebuild(struct ccfc_ingest *ingest, struct ccfc_slice project);

/* Empties the hot queue. */
void ccfc_ingest_hot(struct ccfc_ingest *ingest);

/* Works off one slice of the cold queue; false when it is empty. */
bool ccfc_ingest_cold(struct ccfc_ingest *ingest);

void ccfc_ingest_progress(const struct ccfc_ingest *ingest,
			  struct ccfc_scan_progress *out);
int64_t ccfc_ingest_last(const struct ccfc_ingest *ingest);

#endif
