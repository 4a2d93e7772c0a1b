/*
 * Rows of counts by some key, as statistics need them: one row for each day,
 * model, file … that anything is said of, and how many different sessions and
 * files the row has.
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
	uint64_t shell_changes;	   /* those of them that commands made */
	uint64_t unknown_commands; /* whose effects on files are not known */
	uint32_t sessions, files;  /* different ones */
	struct ccfc_tokens tokens;
	double recorded;   /* dollars, as transcripts say */
	double dollars;	   /* of other tokens that have a price */
	uint64_t unpriced; /* tokens whose cost is not known */
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
