/* A bump allocator; see arena.h. */
#include "base/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#define BLOCK_SIZE 16384u

struct ccfc_arena_block {
	struct ccfc_arena_block *next;
	size_t size;
	alignas(max_align_t) char bytes[];
};

void ccfc_arena_init(struct ccfc_arena *arena)
{
	*arena = (struct ccfc_arena)CCFC_ARENA_INIT;
}

static void free_blocks(struct ccfc_arena_block *block)
{
	while (block) {
		struct ccfc_arena_block *next = block->next;

		free(block);
		block = next;
	}
}

void ccfc_arena_release(struct ccfc_arena *arena)
{
	free_blocks(arena->head);
	ccfc_arena_init(arena);
}

static void use_block(struct ccfc_arena *arena, struct ccfc_arena_block *block)
{
	arena->head = block;
	arena->at = block->bytes;
	arena->end = block->bytes + block->size;
}

void ccfc_arena_clear(struct ccfc_arena *arena)
{
	struct ccfc_arena_block *keep = NULL;
	struct ccfc_arena_block *block = arena->head;

	while (block) {
		struct ccfc_arena_block *next = block->next;

		if (!keep && block->size == BLOCK_SIZE)
			keep = block;
		else
			free(block);
		block = next;
	}
	ccfc_arena_init(arena);
	if (keep) {
		keep->next = NULL;
		use_block(arena, keep);
	}
}

void *ccfc_arena_alloc(struct ccfc_arena *arena, size_t size)
{
	size_t align = alignof(max_align_t);
	size_t room = (size + align - 1) & ~(align - 1);
	void *p;

	if ((size_t)(arena->end - arena->at) < room) {
		size_t n = room > BLOCK_SIZE ? room : BLOCK_SIZE;
		struct ccfc_arena_block *block =
			ccfc_malloc(sizeof(*block) + n);

		block->size = n;
		block->next = arena->head;
		use_block(arena, block);
	}
	p = arena->at;
	arena->at += room;
	return p;
}

struct ccfc_slice ccfc_arena_copy(struct ccfc_arena *arena, struct ccfc_slice s)
{
	char *p = ccfc_arena_alloc(arena, s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return ccfc_slice(p, s.len);
}
