/* index.dump: shared by index_dump.c and index_dump_messages.c. */
#ifndef CCFC_SERVE_METHODS_INDEX_DUMP_H
#define CCFC_SERVE_METHODS_INDEX_DUMP_H

#include "index/query/totals.h"
#include "serve/rpc/reply.h"

/* An item of the index, and its sort key. */
struct ccfc_dump_row {
	struct ccfc_slice name;
	int64_t order; /* among items with the same name */
	const struct ccfc_index *index;
	uint32_t id;
};

/* The output of a dump. */
struct ccfc_dump_out {
	struct ccfc_pack pack;
	const struct ccfc_tally *tallies; /* by session */
	struct ccfc_arena scratch;	  /* for one entry */
};

/* Entries of one kind: the rows of a table. */
struct ccfc_dump_kind {
	uint32_t (*rows)(const struct ccfc_index *index);
	/*
	 * Fills in all fields of row `id` except `id` and `index`; false: no
	 * entry.
	 */
	bool (*row)(struct ccfc_dump_row *out, const struct ccfc_index *index,
		    uint32_t id);
	int (*compare)(const void *x, const void *y);
	/* False: no entry. */
	bool (*pack)(struct ccfc_dump_out *out, const struct ccfc_index *index,
		     uint32_t id);
};

/* By name, then by order. */
int ccfc_dump_compare(const void *x, const void *y);

/* Messages of models, tool calls and reads. */
#define CCFC_DUMP_FACTS 3
extern const struct ccfc_dump_kind ccfc_dump_facts[CCFC_DUMP_FACTS];

/* A session's title, state and sums, into an open map. */
void ccfc_dump_tally(struct ccfc_pack *p, const struct ccfc_index *index,
		     uint32_t session, const struct ccfc_tally *tally);

#endif
