/* Interned strings; see strtab.h. */
#include "base/strtab.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

static bool is_same_string(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_strtab *tab = ctx;
	const struct ccfc_slice *s = key;

	return ccfc_slice_eq(tab->strings.items[id], *s);
}

void ccfc_strtab_init(struct ccfc_strtab *tab)
{
	memset(tab, 0, sizeof(*tab));
	ccfc_strtab_put(tab, CCFC_SLICE_LIT(""));
}

void ccfc_strtab_release(struct ccfc_strtab *tab)
{
	ccfc_arena_release(&tab->arena);
	ccfc_map_release(&tab->map);
	free(tab->strings.items);
	memset(tab, 0, sizeof(*tab));
}

uint32_t ccfc_strtab_find(const struct ccfc_strtab *tab, struct ccfc_slice s)
{
	return ccfc_map_get(&tab->map, ccfc_hash_slice(s), is_same_string, tab,
			    &s);
}

uint32_t ccfc_strtab_put(struct ccfc_strtab *tab, struct ccfc_slice s)
{
	uint64_t hash = ccfc_hash_slice(s);
	uint32_t id = ccfc_map_get(&tab->map, hash, is_same_string, tab, &s);

	if (id != CCFC_ID_NONE)
		return id;
	id = tab->strings.n;
	CCFC_VEC_PUSH(tab->strings, ccfc_arena_copy(&tab->arena, s));
	ccfc_map_put(&tab->map, hash, id);
	return id;
}
