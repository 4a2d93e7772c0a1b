/* The arena: alignment, no overlap, reuse after a clear. */
#include "base/arena.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MANY 2000

/* Each piece keeps its own byte, whatever is allocated after it. */
static void fill(struct ccfc_arena *arena)
{
	static struct {
		unsigned char *p;
		size_t n;
	} pieces[MANY];

	for (int i = 0; i < MANY; i++) {
		size_t n = 1 + seed_below(seed_below(50) ? 100 : 40000);

		pieces[i].p = ccfc_arena_alloc(arena, n);
		pieces[i].n = n;
		assert_int_equal((uintptr_t)pieces[i].p % alignof(max_align_t),
				 0);
		memset(pieces[i].p, i & 0xff, n);
	}
	for (int i = 0; i < MANY; i++)
		for (size_t k = 0; k < pieces[i].n; k++)
			if (pieces[i].p[k] != (i & 0xff))
				fail_msg("piece %d was overwritten", i);
}

static void test_pieces(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;

	(void)state;
	ccfc_arena_clear(&arena);
	for (int i = 0; i < 3; i++) {
		fill(&arena);
		ccfc_arena_clear(&arena);
	}
	ccfc_arena_release(&arena);
	ccfc_arena_release(&arena);
}

/* After a clear the same block serves again: no growth in a loop. */
static void test_reuse(void **state)
{
	struct ccfc_arena arena;
	void *first;

	(void)state;
	ccfc_arena_init(&arena);
	first = ccfc_arena_alloc(&arena, 100);
	for (int i = 0; i < 100; i++) {
		ccfc_arena_clear(&arena);
		assert_ptr_equal(ccfc_arena_alloc(&arena, 100), first);
		ccfc_arena_alloc(&arena, 100000);
	}
	ccfc_arena_release(&arena);
}

static void test_copy(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_slice s;

	(void)state;
	s = ccfc_arena_copy(&arena, CCFC_SLICE_NONE);
	assert_int_equal(s.len, 0);
	assert_string_equal(s.ptr, "");
	s = ccfc_arena_copy(&arena, CCFC_SLICE_LIT("a\0b"));
	assert_int_equal(s.len, 3);
	assert_memory_equal(s.ptr, "a\0b", 4);
	ccfc_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_copy),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
