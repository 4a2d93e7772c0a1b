/* Sorting piece by piece, against an order that is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "index/query/sorting.h"

#include <stdlib.h>

struct card {
	uint32_t key, place;
	char rest[12];
};

static int by_key(const void *x, const void *y)
{
	const struct card *a = x, *b = y;

	return (a->key > b->key) - (a->key < b->key);
}

static void deal(struct card *cards, size_t n, uint32_t keys)
{
	uint32_t state = 12345;

	for (size_t i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		cards[i] = (struct card){ (state >> 8) % keys, (uint32_t)i,
					  "card" };
	}
}

static void check_sorted(const struct card *cards, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += cards[i].place;
		assert_string_equal(cards[i].rest, "card");
		if (!i)
			continue;
		assert_true(cards[i - 1].key <= cards[i].key);
		if (cards[i - 1].key == cards[i].key)
			assert_true(cards[i - 1].place < cards[i].place);
	}
	assert_int_equal(sum, n ? n * (n - 1) / 2 : 0);
}

static void sort_cards(size_t n, uint32_t keys, size_t most)
{
	struct card *cards = ccfc_malloc((n + 1) * sizeof(*cards));
	struct card *spare = ccfc_malloc((n + 1) * sizeof(*cards));
	struct ccfc_sorting s;
	size_t pieces = 1;

	deal(cards, n, keys);
	ccfc_sorting_init(&s, cards, spare, n, sizeof(*cards), by_key);
	while (ccfc_sorting_some(&s, most))
		pieces++;
	check_sorted((struct card *)(void *)s.items, n);
	/* A piece is no longer than was asked for, but for a short run. */
	if (most < n)
		assert_true(pieces > n / (most + 64));
	free(cards);
	free(spare);
}

static void test_sorting(void **state)
{
	static const size_t sizes[] = { 0,  1,	2,   31,   32,	 33,
					64, 65, 100, 1023, 1024, 5000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (uint32_t keys = 1; keys < 100000; keys *= 50) {
			sort_cards(sizes[i], keys, 1);
			sort_cards(sizes[i], keys, 70);
			sort_cards(sizes[i], keys, SIZE_MAX);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
