/*
 * Open addressing with linear probing, at most 3/4 full. A slot keeps 32 bits
 * of the hash: enough to grow without asking for keys (the table has at most
 * 2^31 slots, and the position is taken from those same 32 bits), and enough
 * that `eq` is nearly always called for the right entry only.
 */
#include "base/map.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

static uint32_t tag_of_hash(uint64_t hash)
{
	return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

void ccfc_map_init(struct ccfc_map *map)
{
	memset(map, 0, sizeof(*map));
}

void ccfc_map_release(struct ccfc_map *map)
{
	free(map->slots);
	ccfc_map_init(map);
}

void ccfc_map_clear(struct ccfc_map *map)
{
	if (map->slots)
		memset(map->slots, 0xff,
		       sizeof(*map->slots) * ((size_t)map->mask + 1));
	map->used = 0;
}

static void insert_slot(struct ccfc_map *map, uint32_t tag, uint32_t id)
{
	uint32_t i = tag & map->mask;

	while (map->slots[i].id != CCFC_ID_NONE)
		i = (i + 1) & map->mask;
	map->slots[i] = (struct ccfc_map_slot){ tag, id };
	map->used++;
}

static void grow_map(struct ccfc_map *map)
{
	struct ccfc_map old = *map;
	size_t n = old.slots ? ((size_t)old.mask + 1) * 2 : FIRST_SLOTS;

	map->slots = ccfc_malloc(n * sizeof(*map->slots));
	map->mask = (uint32_t)(n - 1);
	ccfc_map_clear(map);
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].id != CCFC_ID_NONE)
			insert_slot(map, old.slots[i].tag, old.slots[i].id);
	free(old.slots);
}

uint32_t ccfc_map_get(const struct ccfc_map *map, uint64_t hash,
		      ccfc_map_eq_fn eq, const void *ctx, const void *key)
{
	uint32_t tag = tag_of_hash(hash);
	uint32_t i = tag & map->mask;

	if (!map->slots)
		return CCFC_ID_NONE;
	for (; map->slots[i].id != CCFC_ID_NONE; i = (i + 1) & map->mask)
		if (map->slots[i].tag == tag && eq(ctx, map->slots[i].id, key))
			return map->slots[i].id;
	return CCFC_ID_NONE;
}

void ccfc_map_put(struct ccfc_map *map, uint64_t hash, uint32_t id)
{
	if (!map->slots || (uint64_t)map->used * 4 >= (uint64_t)map->mask * 3)
		grow_map(map);
	insert_slot(map, tag_of_hash(hash), id);
}
