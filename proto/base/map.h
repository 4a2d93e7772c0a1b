/*
 * A hash table from a 64-bit hash to 32-bit ids. It stores no keys: on a hit
 * the caller's `eq` says whether the entry with that id really has the key.
 * Single entries are never removed, only all together; an id whose key changed
 * is added again under the new hash.
 */
#ifndef CCFC_BASE_MAP_H
#define CCFC_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CCFC_ID_NONE UINT32_MAX

typedef bool (*ccfc_map_eq_fn)(const void *ctx, uint32_t id, const void *key);

struct ccfc_map_slot {
	uint32_t tag; /* the hash, folded */
	uint32_t id;  /* CCFC_ID_NONE: empty */
};

struct ccfc_map {
	struct ccfc_map_slot *slots;
	uint32_t mask; /* slots - 1; 0 when there are none */
	uint32_t used;
};

void ccfc_map_init(struct ccfc_map *map);
void ccfc_map_release(struct ccfc_map *map);
void ccfc_map_clear(struct ccfc_map *map);

/* The id that `eq` accepts for `key`, or CCFC_ID_NONE. */
uint32_t ccfc_map_get(const struct ccfc_map *map, uint64_t hash,
		      ccfc_map_eq_fn eq, const void *ctx, const void *key);

/* Adds an id; the caller has checked that its key is not there yet. */
void ccfc_map_put(struct ccfc_map *map, uint64_t hash, uint32_t id);

#endif
