/*
 * Delayed writes to the log: other connections, and who opens copies of the
 * files after any commit, see what was committed; a write that fails costs only
 * its transaction.
 */
#include "scratch.h"
#include "store/wal_writes.h"

#include <sqlite3.h>
#include <string.h>

/* SQLite's own VFS, which counts the writes to the log and lets some fail. */
static sqlite3_vfs below;
static sqlite3_io_methods counted;
static const sqlite3_io_methods *uncounted;
static unsigned writes, fail_in;
static int fail_with = SQLITE_IOERR_WRITE;

static int count_write(sqlite3_file *file, const void *bytes, int n,
		       sqlite3_int64 at)
{
	writes++;
	if (fail_in && !--fail_in)
		return fail_with;
	return uncounted->xWrite(file, bytes, n, at);
}

static int open_counted(sqlite3_vfs *vfs, sqlite3_filename name,
			sqlite3_file *file, int flags, int *out)
{
	sqlite3_vfs *real = vfs->pAppData;
	int r = real->xOpen(real, name, file, flags, out);

	if (r == SQLITE_OK && flags & SQLITE_OPEN_WAL) {
		uncounted = file->pMethods;
		counted = *uncounted;
		counted.xWrite = count_write;
		file->pMethods = &counted;
	}
	return r;
}

static void count_writes_of_sqlite(void)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);
	sqlite3 *db;

	below = *real;
	below.pNext = NULL;
	below.zName = "counted";
	below.pAppData = real;
	below.xOpen = open_counted;
	assert_int_equal(sqlite3_vfs_register(&below, 1), SQLITE_OK);
	/* The first connection registers the VFS. */
	assert_int_equal(
		ccfc_wal_writes_open(":memory:", &db, SQLITE_OPEN_READWRITE),
		SQLITE_OK);
	sqlite3_close(db);
	/* Others look at the files without it. */
	assert_int_equal(sqlite3_vfs_register(real, 1), SQLITE_OK);
}

#define FLAGS (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)

/* With SQLite's own VFS. */
static sqlite3 *open_other(const char *dir)
{
	char path[600];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	assert_int_equal(sqlite3_open_v2(path, &db, FLAGS, NULL), SQLITE_OK);
	return db;
}

static int run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* All rows, as one text; of the caller. */
static char *contents(sqlite3 *db)
{
	sqlite3_stmt *stmt;
	char *text;

	assert_int_equal(
		sqlite3_prepare_v2(
			db,
			"SELECT count(*) || ' ' || coalesce(group_concat(id || "
			"v, '|'), '') FROM (SELECT * FROM t ORDER BY id)",
			-1, &stmt, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	text = ccfc_strdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return text;
}

static void expect(sqlite3 *db, const char *want)
{
	char *got = contents(db);

	assert_string_equal(got, want);
	free(got);
}

/* As a daemon finds the files that was killed now. */
static void expect_in_copy(const char *dir, const char *want)
{
	char copy[600], command[2000];
	sqlite3_stmt *stmt;
	sqlite3 *db;

	snprintf(copy, sizeof(copy), "%s/copy", dir);
	snprintf(command, sizeof(command),
		 "rm -rf '%s'; mkdir '%s' && cp '%s/index.db' "
		 "'%s/index.db-wal' '%s'",
		 copy, copy, dir, dir, copy);
	assert_int_equal(system(command), 0);
	db = open_other(copy);
	expect(db, want);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1,
					    &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "ok");
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static sqlite3 *open_delayed(const char *dir)
{
	char path[600];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	assert_int_equal(ccfc_wal_writes_open(path, &db, FLAGS), SQLITE_OK);
	/* So few pages are kept that large transactions are written before
	 * they end, and pages of the log are written again. */
	assert_int_equal(run(db, "PRAGMA page_size=1024;"
				 "PRAGMA journal_mode=WAL;"
				 "PRAGMA synchronous=NORMAL;"
				 "PRAGMA cache_size=8;"
				 "PRAGMA wal_autocheckpoint=60;"
				 "CREATE TABLE IF NOT EXISTS "
				 "t(id INTEGER PRIMARY KEY, v TEXT);"),
			 SQLITE_OK);
	return db;
}

static unsigned dice(unsigned sides)
{
	static uint32_t seed = 20261119;

	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % sides;
}

/* False: a statement failed. */
static bool change_rows(sqlite3 *db)
{
	static const unsigned sizes[] = { 5, 80, 900, 5000 };
	unsigned n = dice(8) ? 1 + dice(4) : 40 + dice(60);
	char sql[200];

	for (unsigned i = 0; i < n; i++) {
		unsigned id = dice(dice(3) ? 12 : 90);

		if (dice(5))
			snprintf(sql, sizeof(sql),
				 "REPLACE INTO t VALUES (%u, '%u' || "
				 "substr(hex(zeroblob(%u)), 1, %u))",
				 id, dice(1000), 3000,
				 1 + dice(sizes[dice(4)]));
		else
			snprintf(sql, sizeof(sql), "DELETE FROM t WHERE id=%u",
				 id);
		if (run(db, sql) != SQLITE_OK)
			return false;
	}
	return true;
}

/* A transaction of any size; false: it failed, and was taken back. */
static bool transact(sqlite3 *db)
{
	bool done = run(db, "BEGIN") == SQLITE_OK && change_rows(db) &&
		    run(db, dice(7) ? "COMMIT" : "ROLLBACK") == SQLITE_OK;

	if (!done)
		run(db, "ROLLBACK");
	return done;
}

static void test_commits_are_seen(void **state)
{
	sqlite3 *db = open_delayed(*state), *other = open_other(*state);

	for (int i = 0; i < 200; i++) {
		char *want;

		assert_true(transact(db));
		want = contents(db);
		expect(other, want);
		if (i % 8 == 0)
			expect_in_copy(*state, want);
		free(want);
		if (i % 50 == 49) {
			sqlite3_close(db);
			db = open_delayed(*state);
		}
	}
	sqlite3_close(other);
	sqlite3_close(db);
}

static void test_failed_writes(void **state)
{
	sqlite3 *db = open_delayed(*state), *other = open_other(*state);
	unsigned failed = 0;

	for (int i = 0; i < 300; i++) {
		char *before = contents(db), *want;
		bool done;

		fail_in = 1 + dice(6);
		done = transact(db);
		fail_in = 0;
		failed += !done;
		want = done ? contents(db) : ccfc_strdup(before);
		expect(db, want);
		expect(other, want);
		if (!done || i % 16 == 0)
			expect_in_copy(*state, want);
		free(before);
		free(want);
	}
	assert_true(failed > 50 && failed < 250);
	sqlite3_close(other);
	sqlite3_close(db);
}

/* Statements of many rows, which SQLite can undo alone; how many failed. */
static unsigned change_many_rows(sqlite3 *db)
{
	unsigned failed = 0;
	char sql[200];

	for (unsigned i = 2 + dice(5); i; i--) {
		snprintf(sql, sizeof(sql),
			 "INSERT OR REPLACE INTO t SELECT id + %u, "
			 "substr(v || hex(randomblob(200)), 1, 900) FROM t "
			 "WHERE id %% 3 = %u AND id < 400",
			 dice(40), dice(3));
		failed += run(db, sql) != SQLITE_OK;
	}
	return failed;
}

/*
 * On a full disk a transaction may go on without the statement that failed. The
 * frames of its other statements are not lost, though some were delayed.
 */
static void test_full_disk(void **state)
{
	sqlite3 *db = open_delayed(*state), *other = open_other(*state);
	unsigned failed = 0, went_on = 0;

	assert_true(change_rows(db));
	fail_with = SQLITE_FULL;
	for (int i = 0; i < 200; i++) {
		unsigned n;
		char *want;

		assert_int_equal(run(db, "BEGIN"), SQLITE_OK);
		fail_in = 1 + dice(60);
		n = change_many_rows(db);
		fail_in = 0;
		failed += n > 0;
		went_on += n && !sqlite3_get_autocommit(db);
		if (!sqlite3_get_autocommit(db))
			assert_int_equal(run(db, "COMMIT"), SQLITE_OK);
		want = contents(db);
		expect(other, want);
		if (n)
			expect_in_copy(*state, want);
		free(want);
		if (i % 10 == 9)
			run(db, "DELETE FROM t WHERE id > 60");
	}
	fail_with = SQLITE_IOERR_WRITE;
	assert_true(failed > 20 && went_on > 20);
	sqlite3_close(other);
	sqlite3_close(db);
}

/*
 * Frames of a transaction that was taken back do not get in the way of another
 * connection, which writes to the same place of the log.
 */
static void test_second_writer(void **state)
{
	sqlite3 *db = open_delayed(*state), *other = open_other(*state);

	assert_int_equal(run(other, "PRAGMA wal_autocheckpoint=0"), SQLITE_OK);
	for (int i = 0; i < 100; i++) {
		char *want;

		/* Then the pages of the next one are read from the database. */
		if (dice(2))
			run(db, "PRAGMA wal_checkpoint");
		assert_int_equal(run(db, "BEGIN IMMEDIATE"), SQLITE_OK);
		assert_true(change_rows(db));
		assert_int_equal(run(db, "ROLLBACK"), SQLITE_OK);
		assert_true(transact(other));
		want = contents(other);
		if (dice(4)) {
			expect(db, want);
		} else {
			sqlite3_close(db);
			db = open_delayed(*state);
		}
		expect_in_copy(*state, want);
		free(want);
	}
	sqlite3_close(other);
	sqlite3_close(db);
}

/* Four pages and more, in one write. */
static void test_one_write(void **state)
{
	sqlite3 *db = open_delayed(*state);

	assert_int_equal(run(db, "PRAGMA wal_autocheckpoint=0"), SQLITE_OK);
	for (int i = 0; i < 20; i++) {
		char sql[100];

		writes = 0;
		snprintf(sql, sizeof(sql),
			 "INSERT INTO t VALUES (%d, hex(zeroblob(1500)))", i);
		assert_int_equal(run(db, sql), SQLITE_OK);
		if (i)
			assert_int_equal(writes, 1);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_commits_are_seen, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_failed_writes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_second_writer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_one_write, setup,
						teardown),
	};

	count_writes_of_sqlite();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
