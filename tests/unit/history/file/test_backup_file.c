/* The client's copies of a file: found by name, timed by the records. */
#include "../source/tmp.h"
#include "base/sha256.h"
#include "base/time.h"
#include "history/file/backup_file.h"
#include "index/index_internal.h"

#define FILE_PATH "/p/a.c"
#define OTHER	  "0123456789abcdef@v1"
#define NONE	  CCFC_TIME_NONE
/* The mtime of copies, beyond all recorded times. */
#define MTIME 1700000000

static struct ccfc_index *index_;
static const char *roots[2];
static char hash[17];

static void say_at(const char *session, const char *key, const char *name,
		   int64_t version, int64_t made, int64_t time)
{
	const struct ccfc_name none = { .kind = CCFC_NAME_SESSION };
	struct ccfc_backup backup = { .path = ccfc_slice_str(key),
				      .name = ccfc_slice_str(name),
				      .version = version,
				      .time = time,
				      .made = made };
	struct ccfc_record r = { .kind = CCFC_RECORD_SNAPSHOT,
				 .type = CCFC_SLICE_LIT("file-history-delta"),
				 .session = ccfc_slice_str(session),
				 .time = NONE,
				 .backups = &backup,
				 .nbackups = 1 };

	ccfc_index_apply(index_,
			 ccfc_index_source(index_, CCFC_SLICE_LIT("/t"), &none),
			 &r, 0, 10);
}

static void say(const char *session, const char *key, const char *name,
		int64_t version, int64_t made)
{
	say_at(session, key, name, version, made, made);
}

static const char *name_of(int version)
{
	static char names[4][40];
	static unsigned turn;
	char *out = names[turn++ % 4];

	snprintf(out, sizeof(names[0]), "%s@v%d", hash, version);
	return out;
}

/* A copy of `version` in a session's directory of a root. */
static void put(const char *root, const char *session, const char *name)
{
	struct timespec times[2] = { { MTIME, 0 }, { MTIME, 0 } };
	char rel[PATH_MAX];

	snprintf(rel, sizeof(rel), "%s/file-history/%s", root, session);
	tmp_mkdir(rel);
	snprintf(rel, sizeof(rel), "%s/file-history/%s/%s", root, session,
		 name);
	tmp_write(rel, "copy");
	assert_int_equal(utimensat(AT_FDCWD, tmp_path(rel), times, 0), 0);
}

/* "v1 r1 r 100, v2 - r 200": version, root or none, recorded or mtime. */
static void list(struct ccfc_buf *out, const char *session, const char *path)
{
	struct ccfc_backup_copies copies;
	struct ccfc_arena arena;
	size_t at = strlen(tmp_dir) + 1;

	ccfc_arena_init(&arena);
	ccfc_backup_list(&copies, index_, NULL, roots, 2,
			 ccfc_index_session(index_, ccfc_slice_str(session)),
			 ccfc_index_file(index_, ccfc_slice_str(path)), &arena);
	for (uint32_t i = 0; i < copies.n; i++) {
		const struct ccfc_backup_copy *c = &copies.items[i];

		if (c->path)
			assert_int_equal(access(c->path, F_OK), 0);
		ccfc_buf_printf(out, "%sv%lld %.2s %s %lld", i ? ", " : "",
				(long long)c->version,
				c->path	     ? c->path + at
				: c->missing ? "?"
					     : "-",
				c->recorded ? "said" : "mtime",
				(long long)c->time);
		if (c->last != c->time)
			ccfc_buf_printf(out, " to %lld", (long long)c->last);
	}
	ccfc_arena_release(&arena);
}

static void expect(const char *session, const char *want)
{
	struct ccfc_buf out = CCFC_BUF_INIT;

	ccfc_buf_puts(&out, "");
	list(&out, session, FILE_PATH);
	assert_string_equal(out.ptr, want);
	ccfc_buf_release(&out);
}

static int setup(void **state)
{
	static char paths[2][PATH_MAX];
	char hex[CCFC_SHA256_HEX + 1];
	struct ccfc_record r = { .kind = CCFC_RECORD_USER,
				 .type = CCFC_SLICE_LIT("user"),
				 .session = CCFC_SLICE_LIT("s"),
				 .cwd = CCFC_SLICE_LIT("/p"),
				 .time = 1 };
	const struct ccfc_name none = { .kind = CCFC_NAME_SESSION };

	(void)state;
	tmp_make();
	for (int i = 0; i < 2; i++) {
		snprintf(paths[i], PATH_MAX, "%s/r%d", tmp_dir, i);
		roots[i] = paths[i];
	}
	ccfc_sha256_hex(hex, CCFC_SLICE_LIT(FILE_PATH));
	snprintf(hash, sizeof(hash), "%.16s", hex);
	index_ = ccfc_index_new(NULL);
	ccfc_index_apply(index_,
			 ccfc_index_source(index_, CCFC_SLICE_LIT("/t"), &none),
			 &r, 0, 10);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ccfc_index_free(index_);
	tmp_drop();
	return 0;
}

static void test_nothing(void **state)
{
	(void)state;
	expect("s", "");
	tmp_mkdir("r0/file-history/s");
	expect("s", "");
}

static void test_found_and_timed(void **state)
{
	(void)state;
	say("s", "a.c", NULL, 1, 100);
	say("s", "a.c", name_of(2), 2, 200);
	say("s", "a.c", name_of(3), 3, 300); /* pruned */
	put("r0", "s", name_of(2));
	put("r0", "s", name_of(10));
	put("r0", "other", name_of(4));
	expect("s", "v1 - said 100, v2 r0 said 200, v3 ? said 300, "
		    "v10 r0 mtime 1700000000000");
}

/* Snapshots begin before the copies that are added to them. */
static void test_last_said(void **state)
{
	(void)state;
	put("r0", "s", name_of(1));
	put("r0", "s", name_of(2));
	say_at("s", "a.c", name_of(1), 1, 100, 50);
	say_at("s", "a.c", name_of(2), 2, 200, 200);
	expect("s", "v1 r0 said 100, v2 r0 said 200");
	/* Taken back to version 1. */
	say_at("s", "a.c", name_of(1), 1, 100, 300);
	expect("s", "v1 r0 said 100 to 300, v2 r0 said 200");
	say_at("s", "a.c", NULL, 3, 400, 500);
	expect("s", "v1 r0 said 100 to 300, v2 r0 said 200, "
		    "v3 - said 400 to 500");
}

/* Nothing recorded: the names alone are enough. */
static void test_no_records(void **state)
{
	(void)state;
	put("r1", "s", name_of(2));
	put("r1", "s", name_of(1));
	put("r0", "s", name_of(1));
	expect("s", "v1 r0 mtime 1700000000000, v1 r1 mtime 1700000000000, "
		    "v2 r1 mtime 1700000000000");
}

static void test_other_names(void **state)
{
	static const char *const tails[] = { "",     "@v",
					     "@v1x", "@v-1",
					     "@w1",  "0@v1",
					     "@v 1", "@v1234567890123456789" };
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		snprintf(name, sizeof(name), "%s%s", hash, tails[i]);
		put("r0", "s", name);
	}
	put("r0", "s", OTHER);
	expect("s", "");
}

static void test_no_files(void **state)
{
	char rel[200];

	(void)state;
	put("r0", "s", name_of(1));
	snprintf(rel, sizeof(rel), "r0/file-history/s/%s", name_of(2));
	tmp_mkdir(rel);
	snprintf(rel, sizeof(rel), "r0/file-history/s/%s", name_of(3));
	assert_int_equal(mkfifo(tmp_path(rel), 0600), 0);
	snprintf(rel, sizeof(rel), "r0/file-history/s/%s", name_of(4));
	assert_int_equal(symlink(name_of(1), tmp_path(rel)), 0);
	expect("s", "v1 r0 mtime 1700000000000");
}

/* Links lead out, above the copies too; the root itself is the user's. */
static void test_links(void **state)
{
	(void)state;
	put("out", "s", name_of(1));
	tmp_mkdir("r0/file-history");
	assert_int_equal(symlink(tmp_path("out/file-history/s"),
				 tmp_path("r0/file-history/s")),
			 0);
	tmp_mkdir("r1");
	assert_int_equal(symlink(tmp_path("out/file-history"),
				 tmp_path("r1/file-history")),
			 0);
	expect("s", "");
	tmp_unlink("r1/file-history");
	assert_int_equal(rmdir(tmp_path("r1")), 0);
	assert_int_equal(symlink("out", tmp_path("r1")), 0);
	expect("s", "v1 r1 mtime 1700000000000");
}

/* An id out of a transcript is no way to other directories. */
static void test_session_ids(void **state)
{
	static const char *const ids[] = { ".",	 "..", "../file-history/s",
					   "s/", "/",  "..." };

	(void)state;
	put("r0", "s", name_of(1));
	put("r0", "...", name_of(1));
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		expect(ids[i], "");
	put("r0", ".", name_of(1));
	put("r0", "..", name_of(1));
	expect(".", "");
	expect("..", "");
	expect("s", "v1 r0 mtime 1700000000000");
}

static void test_denied(void **state)
{
	(void)state;
	put("r0", "s", name_of(1));
	say("s", "a.c", NULL, 2, 50);
	assert_int_equal(chmod(tmp_path("r0/file-history/s"), 0), 0);
	expect("s", "v2 - said 50");
	assert_int_equal(chmod(tmp_path("r0/file-history/s"), 0700), 0);
}

/*
 * The same key of another file, by its copies' names: then what is said to
 * have been absent may be that one.
 */
static void test_key_of_another(void **state)
{
	(void)state;
	say("s", "a.c", NULL, 1, 100);
	expect("s", "v1 - said 100");
	say("s", "a.c", OTHER, 2, 200);
	put("r0", "s", OTHER);
	expect("s", "");
	/* Said without doubt. */
	say("s", FILE_PATH, NULL, 3, 300);
	expect("s", "v3 - said 300");
	/* When is not said. */
	say("s", FILE_PATH, NULL, 4, NONE);
	expect("s", "v3 - said 300");
}

static void test_many(void **state)
{
	struct ccfc_backup_copies copies;
	struct ccfc_arena arena;

	(void)state;
	for (int i = 0; i < 4100; i++)
		put("r0", "s", name_of(i));
	ccfc_arena_init(&arena);
	ccfc_backup_list(&copies, index_, NULL, roots, 2,
			 ccfc_index_session(index_, CCFC_SLICE_LIT("s")),
			 ccfc_index_file(index_, CCFC_SLICE_LIT(FILE_PATH)),
			 &arena);
	assert_int_equal(copies.n, 4096);
	for (uint32_t i = 1; i < copies.n; i++)
		assert_true(copies.items[i - 1].version <
			    copies.items[i].version);
	ccfc_arena_release(&arena);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing),	TEST(test_found_and_timed),
		TEST(test_no_records),	TEST(test_last_said),
		TEST(test_other_names), TEST(test_no_files),
		TEST(test_links),	TEST(test_session_ids),
		TEST(test_denied),	TEST(test_key_of_another),
		TEST(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
