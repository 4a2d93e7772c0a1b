/*
 * A bump allocator: many small allocations, freed all at once. One arena per
 * batch and per request; nothing in it outlives a clear.
 */
#ifndef CCFC_BASE_ARENA_H
#define CCFC_BASE_ARENA_H

#include "base/slice.h"

struct ccfc_arena_block;

struct ccfc_arena {
	struct ccfc_arena_block *head;
	char *at;
	char *end;
};

#define CCFC_ARENA_INIT                                                        \
	{                                                                      \
		NULL, NULL, NULL                                               \
	}

void ccfc_arena_init(struct ccfc_arena *arena);
void ccfc_arena_release(struct ccfc_arena *arena);

/* Forgets everything, keeps one block for reuse. */
void ccfc_arena_clear(struct ccfc_arena *arena);

/* Memory aligned for any type, not zeroed. */
void *ccfc_arena_alloc(struct ccfc_arena *arena, size_t size);

/* A NUL-terminated copy; the slice does not count the NUL. */
struct ccfc_slice ccfc_arena_copy(struct ccfc_arena *arena,
				  struct ccfc_slice s);

#endif
