/* Which hits there are, and which come first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../seed.h"
#include "base/time.h"
#include "search/hits.h"

static const struct ccfc_slice ids[] = { CCFC_SLICE_LIT(""),
					 CCFC_SLICE_LIT("bbb"),
					 CCFC_SLICE_LIT("aaa"),
					 CCFC_SLICE_LIT("ccc") };

static struct ccfc_hit hit(uint64_t key, int64_t time, uint32_t session)
{
	return (struct ccfc_hit){ .key = key,
				  .time = time,
				  .session = session,
				  .offset = key,
				  .count = 1,
				  .len = 100 };
}

static void add(struct ccfc_hits *hits, struct ccfc_hit h)
{
	ccfc_hits_add(hits, &h);
}

/* Whatever comes first, of copies the same one is left. */
static void test_copies(void **state)
{
	static const int orders[][4] = {
		{ 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 }, { 1, 3, 0, 2 }
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct ccfc_hit copies[] = { hit(7, 20, 2), hit(7, 10, 3),
					     hit(7, 10, 2), hit(7, 10, 1) };
		struct ccfc_hits hits;

		ccfc_hits_init(&hits, ids, 4, false);
		for (size_t k = 0; k < 4; k++)
			add(&hits, copies[orders[i][k]]);
		assert_int_equal(hits.all.n, 1);
		assert_int_equal(hits.all.items[0].session, 2);
		assert_int_equal(hits.all.items[0].time, 10);
		assert_int_equal(ccfc_hits_sessions(&hits), 1);
		ccfc_hits_release(&hits);
	}
}

/* In one transcript that was read anew, the last reading counts. */
static void test_read_anew(void **state)
{
	struct ccfc_hit old = hit(7, 10, 1), new = hit(7, 10, 1);
	struct ccfc_hits hits;

	(void)state;
	new.gen = 2;
	ccfc_hits_init(&hits, ids, 4, false);
	add(&hits, old);
	add(&hits, new);
	add(&hits, old);
	assert_int_equal(hits.all.n, 1);
	assert_int_equal(hits.all.items[0].gen, 2);
	ccfc_hits_release(&hits);
}

/* Pages are cuts of one order: newest first, then by session, then last. */
static void test_pages(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	struct ccfc_hits hits;
	uint32_t n, m, *all, *page;

	(void)state;
	ccfc_hits_init(&hits, ids, 4, false);
	for (uint64_t i = 0; i < 500; i++)
		add(&hits,
		    hit(i, seed_below(50) ? seed_below(40) : CCFC_TIME_NONE,
			1 + seed_below(3)));
	all = ccfc_hits_page(&n, &hits, 0, 1000, &arena);
	assert_int_equal(n, 500);
	for (uint32_t i = 1; i < n; i++) {
		const struct ccfc_hit *a = &hits.all.items[all[i - 1]];
		const struct ccfc_hit *b = &hits.all.items[all[i]];
		int by_id = ccfc_slice_cmp(ids[a->session], ids[b->session]);

		assert_true(a->time >= b->time);
		if (a->time == b->time)
			assert_true(by_id < 0 ||
				    (!by_id && a->offset > b->offset));
	}
	for (uint64_t at = 0; at < 520; at += 7) {
		page = ccfc_hits_page(&m, &hits, at, 7, &arena);
		assert_int_equal(m, at >= 500	   ? 0
				    : 500 - at < 7 ? 500 - at
						   : 7);
		for (uint32_t i = 0; i < m; i++)
			assert_int_equal(page[i], all[at + i]);
	}
	assert_int_equal(ccfc_hits_sessions(&hits), 3);
	ccfc_hits_release(&hits);
	ccfc_arena_release(&arena);
}

static void test_rank(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	const int64_t year = (int64_t)365 * 24 * 3600 * 1000;
	struct ccfc_hit h[] = {
		hit(0, 0, 1), hit(1, 0, 1),    hit(2, 0, 1),	hit(3, 0, 1),
		hit(4, 0, 1), hit(5, year, 1), hit(6, year, 1),
	};
	static const uint32_t want[] = { 6, 5, 0, 1, 2, 3, 4 };
	struct ccfc_hits hits;
	uint32_t n, *page;

	(void)state;
	for (int i = 0; i < 7; i++)
		h[i].role = CCFC_ROLE_ASSISTANT;
	h[0].role = CCFC_ROLE_USER;
	h[2].in = CCFC_IN_THINKING;
	h[3].in = CCFC_IN_TOOL;
	h[4].in = CCFC_IN_RESULT;
	h[5].len = 10000;
	ccfc_hits_init(&hits, ids, 4, true);
	for (int i = 0; i < 7; i++)
		add(&hits, h[i]);
	page = ccfc_hits_page(&n, &hits, 0, 50, &arena);
	assert_int_equal(n, 7);
	assert_memory_equal(page, want, sizeof(want));
	ccfc_hits_release(&hits);
	ccfc_arena_release(&arena);
}

/* More than are kept: the first ones are still right, and all are counted. */
static void test_too_many(void **state)
{
	struct ccfc_arena arena = CCFC_ARENA_INIT;
	const uint64_t n = CCFC_HITS_MAX + CCFC_HITS_MAX / 2;
	struct ccfc_hits hits;
	uint32_t got, *page;

	(void)state;
	ccfc_hits_init(&hits, ids, 4, false);
	/* Up and down, so that new ones come first and last; two of each. */
	for (uint64_t i = 0; i < n; i++) {
		uint64_t k = i % 2 ? n + i : n - i;

		add(&hits, hit(k, (int64_t)k, i ? 1 : 2));
		add(&hits, hit(k, (int64_t)k, i ? 1 : 2));
	}
	assert_true(hits.all.n <= CCFC_HITS_MAX);
	assert_true(hits.dropped > 0);
	assert_int_equal(ccfc_hits_total(&hits), n);
	assert_int_equal(ccfc_hits_sessions(&hits), 2);
	page = ccfc_hits_page(&got, &hits, 0, 1000, &arena);
	assert_int_equal(got, 1000);
	for (uint32_t i = 0; i < got; i++)
		assert_int_equal(hits.all.items[page[i]].time,
				 2 * n - 1 - 2 * i);
	ccfc_hits_page(&got, &hits, n - 10, 10, &arena);
	assert_int_equal(got, 0);
	ccfc_hits_release(&hits);
	ccfc_arena_release(&arena);
}

/* Copies of one session in two files: the same one, whoever comes first. */
static void test_two_files(void **state)
{
	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct ccfc_hit a = hit(7, 10, 1), b = hit(7, 10, 1);
		struct ccfc_hits hits;

		a.source = 3;
		b.source = 5;
		ccfc_hits_init(&hits, ids, 4, false);
		add(&hits, turn ? a : b);
		add(&hits, turn ? b : a);
		assert_int_equal(hits.all.items[0].source, 3);
		ccfc_hits_release(&hits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_read_anew),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_rank),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_two_files),
	};

	seed_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
