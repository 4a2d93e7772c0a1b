/*
 * Interned strings: equal strings have one 32-bit id, and an id gives its
 * bytes back (NUL-terminated) for as long as the table lives. Id 0 is the
 * empty string and stands for "none". One thread at a time.
 */
#ifndef CCFC_BASE_STRTAB_H
#define CCFC_BASE_STRTAB_H

#include "base/arena.h"
#include "base/map.h"

struct ccfc_strtab {
	struct ccfc_arena arena;
	struct ccfc_map map;
	struct {
		struct ccfc_slice *items;
		uint32_t n, cap;
	} strings;
};

void ccfc_strtab_init(struct ccfc_strtab *tab);
void ccfc_strtab_release(struct ccfc_strtab *tab);

/* The id of `s`, made if it is new. */
uint32_t ccfc_strtab_put(struct ccfc_strtab *tab, struct ccfc_slice s);

/* The id of `s`, or CCFC_ID_NONE if it was never put. */
uint32_t ccfc_strtab_find(const struct ccfc_strtab *tab, struct ccfc_slice s);

static inline struct ccfc_slice ccfc_strtab_get(const struct ccfc_strtab *tab,
						uint32_t id)
{
	return tab->strings.items[id];
}

#endif
