/*
 * The hash table and the strings interned with it: everything that was put is
 * found, nothing else is, also when hashes collide.
 */
#include "base/hash.h"
#include "base/map.h"
#include "base/strtab.h"

#include "../seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MANY 50000u

static bool same(const void *ctx, uint32_t id, const void *key)
{
	const uint32_t *keys = ctx;

	return keys[id] == *(const uint32_t *)key;
}

static uint64_t spread(uint32_t key)
{
	return ccfc_hash(&key, sizeof(key));
}

static uint64_t collide(uint32_t key)
{
	return key % 7;
}

/* Differs only in bits that a small table does not look at. */
static uint64_t high(uint32_t key)
{
	return (uint64_t)key << 40;
}

static void check(uint64_t (*hash)(uint32_t), uint32_t n)
{
	uint32_t *keys = calloc(n, sizeof(*keys));
	struct ccfc_map map;

	ccfc_map_init(&map);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < n; i++) {
			keys[i] = i * 2;
			assert_true(ccfc_map_get(&map, hash(i * 2), same, keys,
						 &keys[i]) == CCFC_ID_NONE);
			ccfc_map_put(&map, hash(i * 2), i);
		}
		assert_int_equal(map.used, n);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t no = i * 2 + 1;

			assert_int_equal(ccfc_map_get(&map, hash(i * 2), same,
						      keys, &keys[i]),
					 i);
			assert_true(ccfc_map_get(&map, hash(no), same, keys,
						 &no) == CCFC_ID_NONE);
		}
		ccfc_map_clear(&map);
		assert_int_equal(map.used, 0);
	}
	ccfc_map_release(&map);
	ccfc_map_clear(&map);
	ccfc_map_release(&map);
	free(keys);
}

static void test_map(void **state)
{
	(void)state;
	check(spread, MANY);
	check(collide, 500);
	check(high, 3000);
}

static void test_strtab(void **state)
{
	struct ccfc_strtab tab;
	char text[32];

	(void)state;
	ccfc_strtab_init(&tab);
	assert_int_equal(ccfc_strtab_put(&tab, CCFC_SLICE_NONE), 0);
	assert_int_equal(ccfc_strtab_find(&tab, CCFC_SLICE_LIT("")), 0);
	assert_true(ccfc_strtab_find(&tab, CCFC_SLICE_LIT("x")) ==
		    CCFC_ID_NONE);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i < MANY; i++) {
			struct ccfc_slice s, got;

			snprintf(text, sizeof(text), "string %u", i);
			s = ccfc_slice_str(text);
			assert_int_equal(ccfc_strtab_put(&tab, s), i);
			assert_int_equal(ccfc_strtab_find(&tab, s), i);
			got = ccfc_strtab_get(&tab, i);
			assert_true(ccfc_slice_eq(got, s));
			assert_int_equal(got.ptr[got.len], '\0');
		}
	/* NULs count */
	assert_int_equal(ccfc_strtab_put(&tab, CCFC_SLICE_LIT("a\0b")), MANY);
	assert_int_equal(ccfc_strtab_put(&tab, CCFC_SLICE_LIT("a\0c")),
			 MANY + 1);
	assert_true(ccfc_slice_is(ccfc_strtab_get(&tab, 0), ""));
	ccfc_strtab_release(&tab);
}

/* An id's bytes stay where they are while the table grows. */
static void test_strtab_stable(void **state)
{
	struct ccfc_strtab tab;
	const char *first;

	(void)state;
	ccfc_strtab_init(&tab);
	first = ccfc_strtab_get(&tab,
				ccfc_strtab_put(&tab, CCFC_SLICE_LIT("first")))
			.ptr;
	for (int i = 0; i < 20000; i++) {
		uint64_t bytes[2] = { seed_next(), seed_next() };

		ccfc_strtab_put(&tab, ccfc_slice((char *)bytes, 16));
	}
	assert_ptr_equal(ccfc_strtab_get(&tab, 1).ptr, first);
	assert_string_equal(first, "first");
	ccfc_strtab_release(&tab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_strtab),
		cmocka_unit_test(test_strtab_stable),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
