/*
 * A table of the index: its rows, whose numbers never change; a map from the
 * hash of a row's key to the row; and the rows that the store has not written
 * yet. The rows are an array of their own type, so that they are used as one:
 * index->sessions.items[id].
 */
#ifndef CCFC_INDEX_INDEX_TABLE_H
#define CCFC_INDEX_INDEX_TABLE_H

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

struct ccfc_ids {
	uint32_t *items;
	uint32_t n, cap;
};

#define CCFC_TABLE_OF(row)                                                     \
	struct {                                                               \
		row *items;                                                    \
		uint32_t n, cap;                                               \
		struct ccfc_map map;                                           \
		struct ccfc_ids dirty;                                         \
	}

/* Adds a row under the hash of its key. Its number is then n - 1. */
#define CCFC_TABLE_ADD(table, hash, row)                                       \
	do {                                                                   \
		ccfc_map_put(&(table).map, hash, (table).n);                   \
		CCFC_VEC_PUSH(table, row);                                     \
	} while (0)

/* Marks a row for the store: FLAG and LIST of tables.def. */
#define CCFC_TABLE_MARK_FLAG(table, id)                                        \
	do {                                                                   \
		if (!(table).items[id].dirty)                                  \
			CCFC_VEC_PUSH((table).dirty, id);                      \
		(table).items[id].dirty = true;                                \
	} while (0)
#define CCFC_TABLE_MARK_LIST(table, id) CCFC_VEC_PUSH((table).dirty, id)

/*
 * Defines a static function that finds the row of a key, or returns
 * CCFC_ID_NONE. `same` tests whether row `r` has key `k`.
 */
#define CCFC_TABLE_FIND(function, rows, row, key, same)                        \
	static bool function##_same(const void *ctx, uint32_t id,              \
				    const void *data)                          \
	{                                                                      \
		const struct ccfc_index *index = ctx;                          \
		const row *r = &index->rows.items[id];                         \
		const key *k = data;                                           \
                                                                               \
		return same;                                                   \
	}                                                                      \
	static uint32_t function(const struct ccfc_index *index,               \
				 uint64_t hash, const key *k)                  \
	{                                                                      \
		return ccfc_map_get(&index->rows.map, hash, function##_same,   \
				    index, k);                                 \
	}

/* Does not release memory that rows own. */
#define CCFC_TABLE_RELEASE(table)                                              \
	do {                                                                   \
		free((table).items);                                           \
		free((table).dirty.items);                                     \
		ccfc_map_release(&(table).map);                                \
	} while (0)

#endif
