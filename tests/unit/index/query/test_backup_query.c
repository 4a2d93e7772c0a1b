/* Backups that snapshots name: merged in any order, asked for by file. */
#include "base/time.h"
#include "index/index_internal.h"
#include "index/query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define NONE CCFC_TIME_NONE

/* What one snapshot says of one file. */
struct said {
	const char *key;
	const char *name; /* NULL: null */
	int64_t version;
	int64_t time;
	int64_t made;
};

static uint32_t source_of(struct ccfc_index *index)
{
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION,
					.session = CCFC_SLICE_LIT("s") };

	return ccfc_index_source(index, CCFC_SLICE_LIT("/t/s.jsonl"), &name);
}

static void say(struct ccfc_index *index, const struct said *said)
{
	struct ccfc_backup backup = { .path = ccfc_slice_str(said->key),
				      .name = ccfc_slice_str(said->name),
				      .version = said->version,
				      .time = said->time,
				      .made = said->made };
	struct ccfc_record r = { .kind = CCFC_RECORD_SNAPSHOT,
				 .type = CCFC_SLICE_LIT("file-history-delta"),
				 .time = NONE,
				 .backups = &backup,
				 .nbackups = 1 };

	ccfc_index_apply(index, source_of(index), &r, 0, 10);
}

/* The session "s" runs in /p. */
static struct ccfc_index *make_index(void)
{
	struct ccfc_index *index = ccfc_index_new("/home/u");
	struct ccfc_record r = { .kind = CCFC_RECORD_USER,
				 .type = CCFC_SLICE_LIT("user"),
				 .session = CCFC_SLICE_LIT("s"),
				 .cwd = CCFC_SLICE_LIT("/p"),
				 .time = 1 };

	ccfc_index_apply(index, source_of(index), &r, 0, 10);
	return index;
}

static void list(char *out, size_t room, struct ccfc_index *index,
		 const char *path)
{
	uint32_t session = ccfc_index_session(index, CCFC_SLICE_LIT("s"));
	uint32_t file = ccfc_index_file(index, ccfc_slice_str(path));
	const struct ccfc_backup_ref *last =
		ccfc_query_backup(index, session, file);
	struct ccfc_backup_refs refs;
	struct ccfc_arena arena;
	size_t at = 0;

	ccfc_arena_init(&arena);
	ccfc_query_backups(&refs, index, session, file, &arena);
	out[0] = '\0';
	for (uint32_t i = 0; i < refs.n && at < room; i++)
		at += (size_t)snprintf(
			out + at, room - at, "v%lld %s %lld, ",
			(long long)refs.items[i]->version,
			ccfc_index_str(index, refs.items[i]->name).ptr,
			(long long)ccfc_query_backup_time(refs.items[i]));
	if (last && at < room)
		snprintf(out + at, room - at, "last v%lld",
			 (long long)last->version);
	ccfc_arena_release(&arena);
}

/* All rotations, both directions, everything twice. */
static void check(const struct said *said, size_t n, const char *path,
		  const char *want)
{
	for (size_t way = 0; way < 2 * n; way++) {
		struct ccfc_index *index = make_index();
		char got[400];

		for (size_t i = 0; i < 2 * n; i++) {
			size_t k = (i + way / 2) % n;

			say(index, &said[way % 2 ? n - 1 - k : k]);
		}
		list(got, sizeof(got), index, path);
		assert_string_equal(got, want);
		ccfc_index_free(index);
	}
}

#define CHECK(said, path, want)                                                \
	check(said, sizeof(said) / sizeof(*(said)), path, want)

/* Snapshots repeat what was said; after going back an old one is the last. */
static void test_versions(void **state)
{
	static const struct said said[] = {
		{ "a.c", NULL, 1, 100, 150 },	{ "a.c", "h@v2", 2, 200, 199 },
		{ "b.c", "i@v9", 9, 900, 9 },	{ "a.c", "h@v2", 2, 300, 199 },
		{ "a.c", "h@v3", 3, 400, 399 }, { "a.c", "h@v2", 2, 500, 199 },
	};

	(void)state;
	CHECK(said, "/p/a.c", "v1  150, v2 h@v2 199, v3 h@v3 399, last v2");
	CHECK(said, "/p/b.c", "v9 i@v9 9, last v9");
	CHECK(said, "/p/c.c", "");
	CHECK(said, "/a.c", "");
}

/* A copy that was written over is as old as its bytes. */
static void test_version_again(void **state)
{
	static const struct said said[] = {
		{ "a.c", "h@v2", 2, 100, 100 },
		{ "a.c", "h@v2", 2, 300, 300 },
		{ "a.c", NULL, 2, 200, 200 },
	};

	(void)state;
	CHECK(said, "/p/a.c", "v2  200, v2 h@v2 300, last v2");
}

/* Where no backupTime stands, the first snapshot is the nearest. */
static void test_times_missing(void **state)
{
	static const struct said said[] = {
		{ "a.c", "h@v1", 1, 300, NONE },
		{ "a.c", "h@v1", 1, 100, NONE },
		{ "a.c", "h@v1", 1, NONE, NONE },
		{ "a.c", "h@v2", 2, 90, 200 },
		{ "a.c", "h@v2", 2, 150, NONE },
		{ "a.c", NULL, 0, NONE, NONE },
	};
	char want[100];

	(void)state;
	snprintf(want, sizeof(want),
		 "v0  %lld, v1 h@v1 100, v2 h@v2 200, last v1",
		 (long long)NONE);
	CHECK(said, "/p/a.c", want);
}

static void test_spellings(void **state)
{
	static const struct said said[] = {
		{ "x/a.c", "h@v1", 1, 100, 100 },
		{ "./x/../x/a.c", "h@v2", 2, 200, 200 },
		{ "/p/x/a.c", "h@v3", 3, 300, 300 },
		{ "a.c", "h@v4", 4, 400, 400 },
	};

	(void)state;
	CHECK(said, "/p/x/a.c",
	      "v1 h@v1 100, v2 h@v2 200, v3 h@v3 300, last v1");
}

/*
 * Started in /p/sub: the keys are relative to that. A name with the path's
 * hash tells whose key it is, also of records that name nothing.
 */
static void test_told_by_hash(void **state)
{
	char name[40], hash[CCFC_BACKUP_HASH + 1];
	const struct said said[] = {
		{ "a.c", NULL, 1, 100, 100 },
		{ "a.c", name, 2, 200, 200 },
		{ "b.c", "0123456789abcdef@v1", 1, 300, 300 },
	};
	char want[100];

	(void)state;
	ccfc_query_backup_hash(hash, CCFC_SLICE_LIT("/p/sub/a.c"));
	assert_string_equal(hash, "2dc5fe77eedabe03");
	snprintf(name, sizeof(name), "%s@v2", hash);
	snprintf(want, sizeof(want), "v1  100, v2 %s 200, ", name);
	CHECK(said, "/p/sub/a.c", want);
	CHECK(said, "/p/sub/b.c", "");
}

static bool is_named(const struct ccfc_index *index, const char *path)
{
	struct ccfc_ids ids = { 0 };
	bool named;

	ccfc_query_backup_sessions(&ids, index, ccfc_slice_str(path));
	named = ids.n;
	assert_true(ids.n <= 1);
	if (ids.n)
		assert_string_equal(
			ccfc_index_session_id(index, ids.items[0]).ptr, "s");
	free(ids.items);
	return named;
}

/* Which files do snapshots name, whether or not the index has them? */
static void test_named_files(void **state)
{
	char a[40], c[40], hash[CCFC_BACKUP_HASH + 1];
	const struct said said[] = {
		{ "b.c", NULL, 1, 100, 100 }, { "c.c", c, 1, 100, 100 },
		{ "./a.c", a, 1, 100, 100 },  { "a.c", NULL, 2, 200, 200 },
		{ "/p/a.c", a, 1, 300, 100 },
	};
	struct ccfc_index *index = make_index();
	struct ccfc_backup_paths paths = { 0 };
	struct ccfc_arena arena;

	(void)state;
	ccfc_query_backup_hash(hash, CCFC_SLICE_LIT("/p/a.c"));
	snprintf(a, sizeof(a), "%s@v1", hash);
	ccfc_query_backup_hash(hash, CCFC_SLICE_LIT("/p/sub/c.c"));
	snprintf(c, sizeof(c), "%s@v1", hash);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		say(index, &said[i]);
	assert_true(is_named(index, "/p/a.c"));
	assert_true(is_named(index, "/p/b.c"));
	assert_true(is_named(index, "/p/sub/c.c"));
	assert_false(is_named(index, "/q/a.c"));
	assert_false(is_named(index, "/p/d.c"));
	assert_int_equal(ccfc_query_file(index, CCFC_SLICE_LIT("/p/a.c")), 0);
	ccfc_arena_init(&arena);
	ccfc_query_backup_paths(&paths, index, 1, &arena);
	/* The second has no backup, and where the third lies is not said. */
	assert_int_equal(paths.n, 1);
	assert_true(ccfc_slice_is(paths.items[0], "/p/a.c"));
	free(paths.items);
	ccfc_arena_release(&arena);
	ccfc_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_version_again),
		cmocka_unit_test(test_times_missing),
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_told_by_hash),
		cmocka_unit_test(test_named_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
