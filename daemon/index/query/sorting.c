/*
 * Sorting piece by piece; see sorting.h. Short runs are sorted where they are,
 * then merged two by two into the spare room, which then is the other one.
 */
#include "index/query/sorting.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_RUN ((size_t)32)

void ccfc_sorting_init(struct ccfc_sorting *s, void *items, void *spare,
		       size_t n, size_t size,
		       int (*compare)(const void *x, const void *y))
{
	*s = (struct ccfc_sorting){ .items = items,
				    .spare = spare,
				    .n = n,
				    .size = size,
				    .compare = compare };
}

static char *item_at(const struct ccfc_sorting *s, size_t i)
{
	return s->items + i * s->size;
}

static size_t at_most(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* By insertion: stable, and quick for so few. */
static void sort_run(struct ccfc_sorting *s, size_t first, size_t end)
{
	char *moved = s->spare;

	for (size_t i = first + 1; i < end; i++) {
		size_t k = i;

		while (k > first &&
		       s->compare(item_at(s, k - 1), item_at(s, i)) > 0)
			k--;
		if (k == i)
			continue;
		memcpy(moved, item_at(s, i), s->size);
		memmove(item_at(s, k + 1), item_at(s, k), (i - k) * s->size);
		memcpy(item_at(s, k), moved, s->size);
	}
}

static void merge_one_item(struct ccfc_sorting *s)
{
	size_t first = s->at - s->at % (2 * s->run);
	size_t mid = at_most(first + s->run, s->n);
	size_t end = at_most(mid + s->run, s->n);
	bool left;

	if (s->at == first) {
		s->left = first;
		s->right = mid;
	}
	left = s->left < mid &&
	       (s->right == end ||
		s->compare(item_at(s, s->left), item_at(s, s->right)) <= 0);
	memcpy(s->spare + s->at * s->size,
	       item_at(s, left ? s->left++ : s->right++), s->size);
	s->at++;
}

static void next_pass(struct ccfc_sorting *s)
{
	char *items = s->items;

	s->at = 0;
	if (!s->run) {
		s->run = FIRST_RUN;
		return;
	}
	s->items = s->spare;
	s->spare = items;
	s->run *= 2;
}

bool ccfc_sorting_some(struct ccfc_sorting *s, size_t most)
{
	for (size_t moved = 0; s->run < s->n; moved++) {
		if (moved >= most)
			return true;
		if (s->run) {
			merge_one_item(s);
		} else {
			size_t end = at_most(s->at + FIRST_RUN, s->n);

			sort_run(s, s->at, end);
			moved += end - s->at;
			s->at = end;
		}
		if (s->at == s->n)
			next_pass(s);
	}
	return false;
}
