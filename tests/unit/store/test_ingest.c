/*
 * What happens to transcripts, and what the index makes of it: moved, moved
 * back, replaced, deleted, come back; a store that cannot be written; a
 * rebuild.
 */
#include "ingest/ingest.h"

#include "fixture.h"

#include <signal.h>

/* Appends an edit that was applied, with its tool_use id. */
static void edit(const struct fixture *f, const char *name, const char *id)
{
	FILE *file = fopen(at(f, name), "a");

	assert_non_null(file);
	fprintf(file,
		"{\"type\":\"assistant\",\"sessionId\":\"s\",\"cwd\":\"/p\","
		"\"uuid\":\"u%s\",\"timestamp\":\"2025-01-01T00:00:00Z\","
		"\"message\":{\"id\":\"m%s\",\"content\":[{\"type\":"
		"\"tool_use\",\"id\":\"%s\",\"name\":\"Write\",\"input\":"
		"{\"file_path\":\"/p/f\",\"content\":\"x\"}}]}}\n"
		"{\"type\":\"user\",\"sessionId\":\"s\",\"cwd\":\"/p\","
		"\"uuid\":\"r%s\",\"timestamp\":\"2025-01-01T00:00:01Z\","
		"\"message\":{\"content\":[{\"type\":\"tool_result\","
		"\"tool_use_id\":\"%s\",\"content\":\"ok\"}]}}\n",
		id, id, id, id, id);
	fclose(file);
}

static void move(const struct fixture *f, const char *from, const char *to)
{
	assert_int_equal(rename(at(f, from), at(f, to)), 0);
}

static uint64_t applied(const struct fixture *f)
{
	return f->index->by_state[CCFC_STATE_APPLIED];
}

static void expect(struct fixture *f, uint64_t changes, uint32_t sources)
{
	ccfc_ingest_hot(f->ingest);
	assert_int_equal(applied(f), changes);
	assert_int_equal(f->published, changes);
	assert_int_equal(f->index->sources.n, sources);
}

static void test_moves(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	edit(&f, "p", "1");
	look(&f, "p");
	expect(&f, 1, 1);
	/* There, on, and back: one transcript. */
	move(&f, "p", "q");
	look(&f, "q");
	look(&f, "p");
	edit(&f, "q", "2");
	expect(&f, 2, 1);
	move(&f, "q", "p");
	look(&f, "q");
	look(&f, "p");
	expect(&f, 2, 1);
	/* While nobody watched. */
	stop(&f);
	move(&f, "p", "q");
	start(&f);
	look(&f, "q");
	ccfc_ingest_scanned(f.ingest);
	while (ccfc_ingest_cold(f.ingest))
		;
	expect(&f, 2, 1);
	assert_false(f.index->sources.items[0].gone);
	stop(&f);
}

/* Another file is at the old place before the move was seen. */
static void test_place_taken(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	edit(&f, "p", "1");
	look(&f, "p");
	expect(&f, 1, 1);
	move(&f, "p", "q");
	edit(&f, "p", "2");
	look(&f, "p");
	look(&f, "q");
	expect(&f, 2, 2);
	assert_int_equal(f.index->sources.items[0].gen, 0);
	stop(&f);
}

static void test_replaced(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	edit(&f, "p", "1");
	edit(&f, "q", "2");
	look(&f, "p");
	look(&f, "q");
	expect(&f, 2, 2);
	/* Renamed over another one. */
	move(&f, "q", "p");
	look(&f, "p");
	look(&f, "q");
	expect(&f, 2, 2);
	assert_true(f.index->sources.items[1].gone);
	/* Deleted, made again by the same name. */
	unlink(at(&f, "p"));
	edit(&f, "p", "3");
	look(&f, "p");
	expect(&f, 3, 2);
	/* Deleted and come back as it was. */
	move(&f, "p", "kept");
	look(&f, "p");
	ccfc_ingest_hot(f.ingest);
	assert_true(f.index->sources.items[0].gone);
	move(&f, "kept", "p");
	look(&f, "p");
	expect(&f, 3, 2);
	assert_false(f.index->sources.items[0].gone);
	stop(&f);
}

static void expect_names(const struct fixture *f, const char *path,
			 const char *one, const char *two)
{
	const char *names[] = { one, two };
	uint32_t id =
		ccfc_index_source_find(f->index, ccfc_slice_str(at(f, path)));
	uint32_t n = 0;

	assert_int_not_equal(id, CCFC_ID_NONE);
	for (int i = 0; i < 2 && names[i]; i++, n++)
		assert_int_equal(
			ccfc_index_alias_find(f->index,
					      ccfc_slice_str(at(f, names[i]))),
			id);
	assert_int_equal(f->index->sources.items[id].aliases, n);
	assert_false(f->index->sources.items[id].gone);
}

/* Looks at the three names, the first one first, and so on around. */
static void look_around(struct fixture *f, int first)
{
	static const char *const names[] = { "a", "b", "p" };

	for (int i = 0; i < 3; i++)
		look(f, names[(first + i) % 3]);
}

static void begin_anew(struct fixture *f)
{
	static const char *const names[] = { "a", "b", "p", "out" };

	for (int i = 0; i < 4; i++)
		unlink(at(f, names[i]));
	wipe(f->dir);
	f->published = 0;
	start(f);
}

/* Two links to one file: each look at one led to one at the other. */
static void test_links(void **state)
{
	struct fixture f = { .dir = *state };

	for (int first = 0; first < 3; first++) {
		begin_anew(&f);
		edit(&f, "p", "1");
		assert_int_equal(symlink(at(&f, "p"), at(&f, "a")), 0);
		assert_int_equal(symlink(at(&f, "p"), at(&f, "b")), 0);
		look_around(&f, first);
		expect(&f, 1, 1);
		expect_names(&f, "p", "a", "b");
		/* Links among themselves go by their paths. */
		move(&f, "p", "out");
		unlink(at(&f, "a"));
		unlink(at(&f, "b"));
		assert_int_equal(symlink(at(&f, "out"), at(&f, "a")), 0);
		assert_int_equal(symlink(at(&f, "out"), at(&f, "b")), 0);
		look_around(&f, first);
		expect(&f, 1, 1);
		expect_names(&f, "a", "b", NULL);
		stop(&f);
		start(&f);
		look_around(&f, first);
		ccfc_ingest_hot(f.ingest);
		assert_int_equal(f.index->sources.n, 1);
		expect_names(&f, "a", "b", NULL);
		stop(&f);
	}
}

/* Two sources that become one file: one goes, and nothing is read twice. */
static void test_become_one(void **state)
{
	struct fixture f = { .dir = *state };

	for (int first = 0; first < 3; first++) {
		begin_anew(&f);
		edit(&f, "a", "1");
		edit(&f, "p", "2");
		look_around(&f, first);
		expect(&f, 2, 2);
		unlink(at(&f, "a"));
		assert_int_equal(symlink(at(&f, "p"), at(&f, "a")), 0);
		look_around(&f, first);
		expect(&f, 2, 2);
		expect_names(&f, "p", "a", NULL);
		assert_true(f.index->sources.items[first == 0 ? 0 : 1].gone);
		edit(&f, "p", "3");
		look_around(&f, first);
		expect(&f, 3, 2);
		/* And again a file of its own, where it was. */
		unlink(at(&f, "a"));
		edit(&f, "a", "4");
		look_around(&f, first);
		expect(&f, 4, 2);
		expect_names(&f, "p", NULL, NULL);
		expect_names(&f, "a", NULL, NULL);
		stop(&f);
	}
}

/* A scan that does not come across it finds that it is gone, whatever was
 * heard of it before. */
static void test_not_found(void **state)
{
	struct fixture f = { .dir = *state };

	start(&f);
	edit(&f, "p", "1");
	look(&f, "p");
	expect(&f, 1, 1);
	edit(&f, "p", "2");
	look(&f, "p");
	expect(&f, 2, 1);
	assert_int_equal(unlink(at(&f, "p")), 0);
	ccfc_ingest_scanned(f.ingest);
	while (ccfc_ingest_cold(f.ingest))
		;
	assert_true(f.index->sources.items[0].gone);
	assert_int_equal(applied(&f), 2);
	stop(&f);
}

/* Clocks of events that were told but not stored are of an epoch apart. */
static void test_store_fails(void **state)
{
	struct fixture f = { .dir = *state };
	uint64_t epoch;

	signal(SIGXFSZ, SIG_IGN);
	start(&f);
	edit(&f, "p", "1");
	look(&f, "p");
	expect(&f, 1, 1);
	epoch = f.index->epoch;
	edit(&f, "p", "2");
	limit_files(4096);
	look(&f, "p");
	expect(&f, 2, 1);
	limit_files(RLIM_INFINITY);
	assert_true(f.index->epoch > epoch);
	stop(&f);
	/* Never stored: told again, but by the epoch that is known. */
	f.published = 1;
	start(&f);
	assert_true(f.index->epoch == epoch);
	look(&f, "p");
	expect(&f, 2, 1);
	stop(&f);
}

/* Everything anew, bar what is gone; its progress ends where it says. */
static void test_rebuild(void **state)
{
	struct fixture f = { .dir = *state };
	struct ccfc_scan_progress p;
	uint64_t epoch;

	start(&f);
	edit(&f, "p", "1");
	edit(&f, "q", "2");
	look(&f, "p");
	look(&f, "q");
	expect(&f, 2, 2);
	unlink(at(&f, "q"));
	look(&f, "q");
	expect(&f, 2, 2);
	epoch = f.index->epoch;
	/* As a build does: a scan queues what is there, then it is reset. */
	ccfc_ingest_look(f.ingest, at(&f, "p"), &(struct ccfc_name){ 0 },
			 false);
	ccfc_ingest_rebuild(f.ingest, CCFC_SLICE_LIT("/p"));
	ccfc_ingest_progress(f.ingest, &p);
	assert_int_equal(p.files_total, 1);
	assert_true(p.bytes_total > 0);
	while (ccfc_ingest_cold(f.ingest))
		;
	expect(&f, 2, 2);
	assert_true(f.index->epoch > epoch);
	assert_int_equal(f.index->sources.items[0].gen, 1);
	assert_int_equal(f.index->sources.items[1].gen, 0);
	stop(&f);
}

/* A prompt of 64 KiB, and a bit. */
static void say_much(const struct fixture *f, const char *name)
{
	FILE *file = fopen(at(f, name), "a");

	assert_non_null(file);
	fprintf(file,
		"{\"type\":\"user\",\"sessionId\":\"s\",\"cwd\":\"/p\","
		"\"message\":{\"role\":\"user\",\"content\":\"%065536d\"}}\n",
		7);
	fclose(file);
}

static int waiting;

static bool somebody_waits(void *ctx)
{
	(void)ctx;
	return waiting > 0 && waiting--;
}

/* A client that waited ends a slice, and the slices after it are short. */
static void test_short_slices(void **state)
{
	struct fixture f = { .dir = *state };
	struct ccfc_scan_progress p;
	uint64_t done, total;

	start(&f);
	for (int i = 0; i < 40; i++)
		say_much(&f, "p");
	edit(&f, "p", "1");
	ccfc_ingest_yield(f.ingest, somebody_waits);
	ccfc_ingest_look(f.ingest, at(&f, "p"),
			 &(struct ccfc_name){ .kind = CCFC_NAME_SESSION,
					      .session = CCFC_SLICE_LIT("s") },
			 false);
	waiting = 1;
	assert_true(ccfc_ingest_cold(f.ingest));
	ccfc_ingest_progress(f.ingest, &p);
	total = p.bytes_total;
	done = p.bytes_done;
	assert_in_range(done, 1, total / 20);
	/* Nobody waits any more. */
	assert_true(ccfc_ingest_cold(f.ingest));
	ccfc_ingest_progress(f.ingest, &p);
	assert_in_range(p.bytes_done - done, 1, total / 6);
	while (ccfc_ingest_cold(f.ingest))
		;
	expect(&f, 1, 1);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_place_taken, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_become_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_not_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_store_fails, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_rebuild, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_slices, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
