/*
 * Rows of counts by some key, for statistics: one row for each day, model, file
 * … with a fact, and the number of different sessions and files of the row.
 */
#ifndef CCFC_SERVE_STATS_STATS_ROWS_H
#define CCFC_SERVE_STATS_STATS_ROWS_H

#include "index/query/totals.h"
#include "serve/rpc/reply.h"

struct ccfc_count {
	uint64_t key;
	uint64_t messages; /* of the model */
	uint64_t uses, errors;
	uint64_t changes;
	uint64_t shell_changes;	   /* of these, changes by shell commands */
	uint64_t unknown_commands; /* commands with unknown effects */
	uint32_t sessions, files;  /* number of different ones */
	struct ccfc_tokens tokens;
	double recorded;   /* dollars, as recorded in transcripts */
	double dollars;	   /* of other tokens that have a price */
	uint64_t unpriced; /* tokens with unknown cost */
	bool unsure;	   /* a client did not know a model's price */
	struct ccfc_lines lines;
	struct ccfc_slice name; /* for the caller */
	uint32_t session, file; /* the last one that was put */
};

/* Row and id together, once each. */
struct ccfc_pairs {
	uint64_t *items;
	uint32_t n, cap;
	struct ccfc_map map;
};

struct ccfc_counts {
	struct ccfc_count *items;
	uint32_t n, cap;
	uint32_t last; /* row that was asked for */
	struct ccfc_map map;
	struct ccfc_pairs sessions, files;
};

void ccfc_counts_init(struct ccfc_counts *counts);
void ccfc_counts_release(struct ccfc_counts *counts);

/* The row of a key, made if it is new; valid until the next call. */
struct ccfc_count *ccfc_counts_at(struct ccfc_counts *counts, uint64_t key);
/* The row of the last call has this session, this file. */
void ccfc_counts_session(struct ccfc_counts *counts, uint32_t session);
void ccfc_counts_file(struct ccfc_counts *counts, uint32_t file);

/* A tool's row as the protocol's ToolCount. */
void ccfc_counts_pack_tool(struct ccfc_pack *p, const struct ccfc_count *tool);

#endif
