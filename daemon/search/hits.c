/*
 * Hits; see hits.h. A page is chosen with a heap of offset + limit hits, so
 * that a frequent word costs one comparison for each hit.
 *
 * Rank: 2 log2(1 + matches) - 1/2 log2(1 + bytes / 256), and 4 for a prompt, 3
 * for an answer, 2 for thinking, 1 for a call; and 4 for the newest hit, half
 * as much for every 30 days before it. The present time is not used: an answer
 * stays the same.
 */
#include "search/hits.h"

#include "base/alloc.h"
#include "base/time.h"

#include <math.h>
#include <stdlib.h>

#define MONTH_MS (30.0 * 24 * 3600 * 1000)

struct heap {
	const struct ccfc_hits *hits;
	const double *score; /* NULL: newest first */
	uint32_t *items;     /* a heap; the hit that comes last is on top */
	uint32_t n, max;
};

void ccfc_hits_init(struct ccfc_hits *hits, const struct ccfc_slice *ids,
		    uint32_t nsessions, bool by_rank)
{
	*hits = (struct ccfc_hits){ .session_ids = ids,
				    .nsessions = nsessions,
				    .by_rank = by_rank,
				    .newest = CCFC_TIME_NONE };
	ccfc_map_init(&hits->map);
}

void ccfc_hits_release(struct ccfc_hits *hits)
{
	free(hits->all.items);
	free(hits->dropped_of);
	ccfc_map_release(&hits->map);
}

static bool has_key(const void *ctx, uint32_t id, const void *key)
{
	const struct ccfc_hits *hits = ctx;

	return hits->all.items[id].key == *(const uint64_t *)key;
}

static int by_session(const struct ccfc_hits *hits, const struct ccfc_hit *a,
		      const struct ccfc_hit *b)
{
	if (a->session == b->session)
		return 0;
	return ccfc_slice_cmp(hits->session_ids[a->session],
			      hits->session_ids[b->session]);
}

/*
 * Is `a` the copy to show? In one transcript that is the last copy. The choice
 * does not depend on the order in which copies are found.
 */
static bool is_first(const struct ccfc_hits *hits, const struct ccfc_hit *a,
		     const struct ccfc_hit *b)
{
	int r = by_session(hits, a, b);

	if (a->time != b->time)
		return a->time < b->time;
	if (r)
		return r < 0;
	if (a->source != b->source)
		return a->source < b->source;
	return a->gen != b->gen ? a->gen > b->gen : a->offset < b->offset;
}

/* --- order --- */

static double score_of_hit(const struct ccfc_hits *hits,
			   const struct ccfc_hit *h)
{
	static const double place[] = { [CCFC_IN_TEXT] = 3,
					[CCFC_IN_THINKING] = 2,
					[CCFC_IN_TOOL] = 1,
					[CCFC_IN_RESULT] = 0,
					[CCFC_IN_META] = 4 };
	double s = 2 * log2(1.0 + h->count) - log2(1 + h->len / 256.0) / 2;

	s += place[h->in];
	if (h->in == CCFC_IN_TEXT && h->role == CCFC_ROLE_USER)
		s += 1;
	if (h->time != CCFC_TIME_NONE)
		s += 4 * exp2(-(double)(hits->newest - h->time) / MONTH_MS);
	return s;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Newest first; at equal times, the later line first. */
static int compare_hit_times(const struct ccfc_hits *hits,
			     const struct ccfc_hit *a, const struct ccfc_hit *b)
{
	int r = (a->time < b->time) - (a->time > b->time);

	if (!r)
		r = by_session(hits, a, b);
	if (!r)
		r = compare_numbers(a->source, b->source);
	if (!r)
		r = compare_numbers(b->offset, a->offset);
	if (!r)
		r = compare_numbers(b->block, a->block);
	return r ? r : compare_numbers(b->key, a->key);
}

/* Does `a` come before `b`? */
static bool comes_before(const struct heap *heap, uint32_t a, uint32_t b)
{
	const struct ccfc_hit *all = heap->hits->all.items;

	if (heap->score && heap->score[a] != heap->score[b])
		return heap->score[a] > heap->score[b];
	return compare_hit_times(heap->hits, &all[a], &all[b]) < 0;
}

static void sift_down(struct heap *heap, uint32_t i, uint32_t n)
{
	uint32_t *items = heap->items;

	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		uint32_t held = items[i];

		if (child + 1 < n &&
		    comes_before(heap, items[child], items[child + 1]))
			child++;
		if (!comes_before(heap, held, items[child]))
			return;
		items[i] = items[child];
		items[child] = held;
	}
}

static void heap_add(struct heap *heap, uint32_t id)
{
	if (heap->n < heap->max) {
		heap->items[heap->n++] = id;
		if (heap->n == heap->max)
			for (uint32_t i = heap->n / 2; i--;)
				sift_down(heap, i, heap->n);
	} else if (comes_before(heap, id, heap->items[0])) {
		heap->items[0] = id;
		sift_down(heap, 0, heap->n);
	}
}

/* Sorts the heap from first to last. */
static void heap_sort(struct heap *heap)
{
	for (uint32_t n = heap->n; n > 1; n--) {
		uint32_t last = heap->items[0];

		heap->items[0] = heap->items[n - 1];
		heap->items[n - 1] = last;
		sift_down(heap, 0, n - 1);
	}
}

uint32_t *ccfc_hits_page(uint32_t *n, const struct ccfc_hits *hits,
			 uint64_t offset, uint64_t limit,
			 struct ccfc_arena *arena)
{
	struct heap heap = { .hits = hits };
	double *score = NULL;

	*n = 0;
	if (offset >= hits->all.n || !limit)
		return NULL;
	heap.max = limit < hits->all.n - offset ? (uint32_t)(offset + limit)
						: hits->all.n;
	heap.items = ccfc_arena_alloc(arena, heap.max * sizeof(*heap.items));
	if (hits->by_rank) {
		score = ccfc_malloc(hits->all.n * sizeof(*score));
		for (uint32_t i = 0; i < hits->all.n; i++)
			score[i] = score_of_hit(hits, &hits->all.items[i]);
		heap.score = score;
	}
	for (uint32_t i = 0; i < hits->all.n; i++)
		heap_add(&heap, i);
	heap_sort(&heap);
	free(score);
	*n = heap.max - (uint32_t)offset;
	return heap.items + offset;
}

/* --- all of them --- */

static void mark_sessions(const struct ccfc_hits *hits, bool *seen)
{
	for (uint32_t i = 0; i < hits->all.n; i++)
		seen[hits->all.items[i].session] = true;
}

static int compare_ids(const void *a, const void *b)
{
	return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Drops the second half of the hits. */
static void drop_later_half(struct ccfc_hits *hits)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_hit *items = hits->all.items;
	uint32_t n,
		*keep = ccfc_hits_page(&n, hits, 0, hits->all.n / 2, &arena);

	if (!hits->dropped_of)
		hits->dropped_of = ccfc_calloc(hits->nsessions + 1u,
					       sizeof(*hits->dropped_of));
	mark_sessions(hits, hits->dropped_of);
	hits->dropped += hits->all.n - n;
	qsort(keep, n, sizeof(*keep), compare_ids);
	ccfc_map_clear(&hits->map);
	for (uint32_t i = 0; i < n; i++) {
		items[i] = items[keep[i]];
		ccfc_map_put(&hits->map, items[i].key, i);
	}
	hits->all.n = n;
	ccfc_arena_release(&arena);
}

void ccfc_hits_add(struct ccfc_hits *hits, const struct ccfc_hit *hit)
{
	uint32_t id =
		ccfc_map_get(&hits->map, hit->key, has_key, hits, &hit->key);

	if (hit->time > hits->newest)
		hits->newest = hit->time;
	if (id != CCFC_ID_NONE) {
		if (is_first(hits, hit, &hits->all.items[id]))
			hits->all.items[id] = *hit;
		return;
	}
	if (hits->all.n == CCFC_HITS_MAX)
		drop_later_half(hits);
	ccfc_map_put(&hits->map, hit->key, hits->all.n);
	CCFC_VEC_PUSH(hits->all, *hit);
}

uint64_t ccfc_hits_total(const struct ccfc_hits *hits)
{
	return hits->all.n + hits->dropped;
}

uint64_t ccfc_hits_sessions(const struct ccfc_hits *hits)
{
	bool *seen = ccfc_calloc(hits->nsessions + 1u, sizeof(*seen));
	uint64_t n = 0;

	if (hits->dropped_of)
		memcpy(seen, hits->dropped_of, hits->nsessions);
	mark_sessions(hits, seen);
	for (uint32_t i = 0; i < hits->nsessions; i++)
		n += seen[i];
	free(seen);
	return n;
}
