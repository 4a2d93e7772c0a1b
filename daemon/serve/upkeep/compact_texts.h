/*
 * Compacts the file of texts on a worker, when much of it is dead
 * (store/texts/texts_compact.h). Core thread.
 */
#ifndef CCFC_SERVE_UPKEEP_COMPACT_TEXTS_H
#define CCFC_SERVE_UPKEEP_COMPACT_TEXTS_H

#include "serve/rpc/worker.h"
#include "store/store.h"

/*
 * True: it has begun, and `done` will be called, at the latest by
 * ccfc_worker_free. Until then the store stays open, and is not copied.
 */
bool ccfc_compact_texts(struct ccfc_store *store,
			const struct ccfc_index *index,
			struct ccfc_worker *worker, void (*done)(void *ctx),
			void *ctx);

#endif
