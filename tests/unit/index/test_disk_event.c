/* What was seen on disk, as rows: their order, their keys, their number. */
#include "index/index_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void see(struct ccfc_index *index, uint32_t file, int64_t time)
{
	const struct ccfc_disk_event event = {
		.since = time,
		.time = time,
		.file = file,
		.before = CCFC_DISK_ABSENT,
		.after = CCFC_DISK_THERE,
	};

	ccfc_index_note_disk_event(index, &event);
}

static void test_the_last_one_is_first(void **state)
{
	struct ccfc_index *index = ccfc_index_new(NULL);
	uint32_t a = ccfc_index_file(index, CCFC_SLICE_LIT("/p/a"));
	uint32_t b = ccfc_index_file(index, CCFC_SLICE_LIT("/p/b"));
	uint32_t id;

	(void)state;
	see(index, a, 30);
	see(index, b, 10);
	see(index, a, 20);
	/* The same moment again: it is a later one. */
	see(index, a, 30);
	id = ccfc_index_last_seen(index, a);
	for (int64_t time = 31; time >= 30; time--) {
		assert_int_equal(index->disk_events.items[id].time, time);
		id = index->disk_events.items[id].next;
	}
	assert_int_equal(index->disk_events.items[id].time, 20);
	assert_int_equal(index->disk_events.items[id].next, CCFC_ID_NONE);
	assert_int_equal(ccfc_index_last_seen(index, 99), CCFC_ID_NONE);
	assert_int_equal(index->disk_events.dirty.n, 4);
	ccfc_index_free(index);
}

static void test_the_older_half_goes(void **state)
{
	const uint32_t max = 200000;
	struct ccfc_index *index = ccfc_index_new(NULL);
	uint32_t file = ccfc_index_file(index, CCFC_SLICE_LIT("/p/a"));
	uint32_t n;

	(void)state;
	for (uint32_t i = 0; i < max; i++)
		see(index, file, i);
	assert_int_equal(index->events_gone, 0);
	see(index, file, max);
	assert_int_equal(index->events_gone, max / 2);
	/* They are there until the store has removed them. */
	assert_int_equal(index->disk_events.n, max + 1);
	ccfc_index_stored(index);
	n = index->disk_events.n;
	assert_int_equal(n, max + 1 - max / 2);
	assert_int_equal(index->events_gone, 0);
	for (uint32_t id = ccfc_index_last_seen(index, file);
	     id != CCFC_ID_NONE; id = index->disk_events.items[id].next, n--)
		assert_true(index->disk_events.items[id].time >= max / 2);
	assert_int_equal(n, 0);
	ccfc_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_one_is_first),
		cmocka_unit_test(test_the_older_half_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
