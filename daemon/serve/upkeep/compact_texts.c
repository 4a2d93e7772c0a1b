/* Compacting the file of texts; see compact_texts.h. */
#include "serve/upkeep/compact_texts.h"

#include "base/alloc.h"
#include "store/texts/texts_compact.h"

#include <stdlib.h>

struct compacting {
	struct ccfc_job job;
	struct ccfc_store *store;
	const struct ccfc_index *index;
	struct ccfc_texts_compaction *compaction;
	void (*done)(void *ctx);
	void *ctx;
	int result;
};

static void run_compacting(struct ccfc_job *job)
{
	struct compacting *c = (struct compacting *)job;

	c->result = ccfc_texts_compaction_run(c->compaction, NULL);
}

static void end_compacting(struct ccfc_job *job)
{
	struct compacting *c = (struct compacting *)job;

	ccfc_store_compact_end(c->store, c->index, c->compaction, c->result);
	c->done(c->ctx);
	free(c);
}

bool ccfc_compact_texts(struct ccfc_store *store,
			const struct ccfc_index *index,
			struct ccfc_worker *worker, void (*done)(void *ctx),
			void *ctx)
{
	struct ccfc_texts_compaction *compaction =
		ccfc_store_compact_begin(store);
	struct compacting *c;

	if (!compaction)
		return false;
	c = ccfc_calloc(1, sizeof(*c));
	*c = (struct compacting){
		.job = { .run = run_compacting,
			 .done = end_compacting,
			 .unbounded = true },
		.store = store,
		.index = index,
		.compaction = compaction,
		.done = done,
		.ctx = ctx,
		.result = CCFC_EAGAIN,
	};
	if (!ccfc_worker_submit(worker, &c->job, NULL))
		return true;
	ccfc_texts_compaction_free(compaction);
	free(c);
	return false;
}
