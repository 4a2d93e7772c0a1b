/*
 * The matching texts, without their content: each once, in order.
 *
 * Copies of a text (forks, transcripts that were rewritten) have the same key;
 * the earliest copy counts, then the session with the smaller id.
 */
#ifndef CCFC_SEARCH_HITS_H
#define CCFC_SEARCH_HITS_H

#include "base/arena.h"
#include "base/map.h"
#include "search/search.h"

struct ccfc_hit {
	uint64_t key;
	int64_t time;
	uint64_t pos;	 /* of the head in the texts; else as `offset` */
	uint64_t offset; /* of the line in its transcript */
	uint32_t len;	 /* of the text */
	uint32_t line_len;
	uint32_t count;
	uint32_t session, source, gen; /* of the index */
	uint16_t block;
	uint8_t in, role;
};

struct ccfc_hits {
	struct {
		struct ccfc_hit *items;
		uint32_t n, cap;
	} all;
	struct ccfc_map map;
	const struct ccfc_slice *session_ids; /* borrowed */
	uint32_t nsessions;
	bool *dropped_of; /* by session: hits were dropped; NULL: none */
	uint64_t dropped;
	int64_t newest;
	bool by_rank; /* else by time, newest first */
};

/* At most so many are kept: some 24 MiB. */
#define CCFC_HITS_MAX (256u << 10)

/* Sessions of hits are below `nsessions`. */
void ccfc_hits_init(struct ccfc_hits *hits, const struct ccfc_slice *ids,
		    uint32_t nsessions, bool by_rank);
void ccfc_hits_release(struct ccfc_hits *hits);

/*
 * Adds a hit. If there are too many, the second half is dropped, and only
 * counted from then on: a copy of a dropped hit counts again.
 */
void ccfc_hits_add(struct ccfc_hits *hits, const struct ccfc_hit *hit);

/*
 * At most `limit` hits from `offset` on, in order; their numbers in `arena`.
 * None if they were dropped.
 */
uint32_t *ccfc_hits_page(uint32_t *n, const struct ccfc_hits *hits,
			 uint64_t offset, uint64_t limit,
			 struct ccfc_arena *arena);

/* How many there are, and of how many sessions. */
uint64_t ccfc_hits_total(const struct ccfc_hits *hits);
uint64_t ccfc_hits_sessions(const struct ccfc_hits *hits);

#endif
