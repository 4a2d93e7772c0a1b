/*
 * The store by itself: damaged files, rows that make no sense, what is new in
 * a new store, and the lock.
 */
#include "dump.h"
#include "scratch.h"
#include "store/lock.h"
#include "store/row_sum.h"
#include "store/store_schema.h"
#include "world.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

static void test_damaged_file(void **state)
{
	struct ccfc_store *store;
	struct ccfc_store_past past;
	struct ccfc_index *index;
	struct ccfc_err err = { 0 };
	char path[600];
	bool stale;
	FILE *f;

	wipe(*state);
	snprintf(path, sizeof(path), "%s/index.db", (char *)*state);
	f = fopen(path, "w");
	for (int i = 0; i < 1000; i++)
		fputs("this is not a database ", f);
	fclose(f);
	assert_int_equal(ccfc_store_new(&store, *state, &err), CCFC_ECORRUPT);
	assert_int_equal(
		ccfc_store_start(&store, &index, *state, NULL, &stale, &err),
		0);
	ccfc_store_past(store, &past);
	assert_true(past.damaged_at > 0);
	ccfc_store_free(store);
	ccfc_index_free(index);
}

/* Puts a world into a store. */
static void add_world(const char *dir, const struct world *w)
{
	struct ccfc_store *store;
	struct ccfc_index *index;
	uint32_t at, n;
	bool again;

	index = reload(&store, dir);
	for (unsigned s = 0; s < SOURCES; s++) {
		where(index, w, s, &again, &at, &n);
		feed(index, w, s, again, at, n);
	}
	settle_and_store(store, index);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* A store with a world in it. */
static void fill(const char *dir, const struct world *w)
{
	wipe(dir);
	add_world(dir, w);
}

static void execute(const char *dir, const char *sql)
{
	char path[600];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_not_equal(sqlite3_total_changes(db), 0);
	/* What is wrong is not that; tables of old schemas have none. */
	for (int i = 0; i < CCFC_TABLES; i++)
		ccfc_sum_table(db, ccfc_store_tables[i].name);
	sqlite3_close(db);
}

/* Rows that SQLite likes and we must not. */
static void test_damaged_rows(void **state)
{
	static const char *const harm[] = {
		"UPDATE t_change SET file = 99999",
		"UPDATE t_change SET session = -5",
		"UPDATE t_change SET state = 77",
		"UPDATE t_change SET c_source = 4000000",
		"UPDATE t_change SET c_next = 12345",
		"UPDATE t_change SET r_file = 12345",
		"UPDATE t_change SET seq = -1",
		"UPDATE t_copy SET c_next = id",
		"UPDATE t_session SET sources = '9999 '",
		"UPDATE t_source SET marker_len = 100000",
		"UPDATE t_source SET path = 'x'",
		"DELETE FROM t_session WHERE id = 1",
		"UPDATE OR REPLACE t_prompt SET session = 555",
		"UPDATE t_prompt SET source = 4000000",
		"UPDATE OR REPLACE t_backup SET session = 555",
		"UPDATE t_part SET source = 4000000",
		"UPDATE t_part SET session = 0",
		"UPDATE t_part SET session = 1, source = 1",
		"UPDATE t_say SET part = 4000000",
		"DELETE FROM t_say WHERE id = 1",
		"UPDATE t_use SET say = 4000000",
		"UPDATE t_use SET hash = 1",
		"UPDATE t_use SET say = (SELECT id FROM t_say WHERE copy)",
		"UPDATE OR REPLACE t_look SET use = 4000000",
		"UPDATE OR REPLACE t_look SET file = 0",
		"UPDATE OR REPLACE t_leaf SET session = 555",
		("INSERT INTO t_backup SELECT session, CAST(key AS BLOB),"
		 " version, name, made, first, last, 0 FROM t_backup"),
	};
	struct world *w = ccfc_malloc(sizeof(*w));

	make_world(w, 7);
	for (size_t i = 0; i < sizeof(harm) / sizeof(*harm); i++) {
		struct ccfc_index *index = ccfc_index_new(NULL);
		struct ccfc_store *store;
		struct ccfc_err err = { 0 };
		bool stale;

		fill(*state, w);
		execute(*state, harm[i]);
		assert_int_equal(ccfc_store_new(&store, *state, &err), 0);
		if (ccfc_store_load(store, index, &stale, &err) !=
		    CCFC_ECORRUPT)
			fail_msg("%s was taken", harm[i]);
		ccfc_index_free(index);
		ccfc_store_free(store);
	}
	free(w);
}

/* Does the store start as one that was damaged? */
static bool starts_damaged(const char *dir)
{
	struct ccfc_store *store;
	struct ccfc_store_past past;
	struct ccfc_index *index;
	struct ccfc_err err = { 0 };
	bool stale;

	assert_int_equal(
		ccfc_store_start(&store, &index, dir, NULL, &stale, &err), 0);
	ccfc_store_past(store, &past);
	ccfc_store_free(store);
	ccfc_index_free(index);
	return past.damaged_at > 0;
}

/* Where in the file the first page of a table begins. */
static long first_page(const char *dir, const char *table)
{
	sqlite3_stmt *stmt;
	char path[600];
	sqlite3 *db;
	long at;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT (rootpage - 1) * page_size"
					    " FROM sqlite_master,"
					    " pragma_page_size WHERE name = ?",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	at = (long)sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return at;
}

static void flip(const char *dir, long at)
{
	char path[600];
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	f = fopen(path, "r+");
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	fputc(c ^ 4, f);
	fclose(f);
}

/*
 * What SQLite keeps account of, in pages that a load does not read or whose
 * rows are right. There are many rows, and no check of them may come before a
 * check of pages: see check_pages.
 */
static void test_damaged_pages(void **state)
{
	static const char more[] =
		"INSERT INTO t_summary WITH RECURSIVE n(i) AS (SELECT 1000000"
		" UNION ALL SELECT i + 1 FROM n WHERE i < 1002999)"
		" SELECT i, 'x', 0 FROM n;"
		"UPDATE t_meta SET value = value + 3000 WHERE key = 'rows'";
	struct world *w = ccfc_malloc(sizeof(*w));

	make_world(w, 7);
	fill(*state, w);
	execute(*state, more);
	assert_false(starts_damaged(*state));
	for (int i = -1; i < CCFC_TABLES; i++) {
		const char *name =
			i < 0 ? "no table" : ccfc_store_tables[i].name;

		fill(*state, w);
		execute(*state, more);
		/* The number of free pages; of free bytes within a page. */
		flip(*state, i < 0 ? 39 : first_page(*state, name) + 7);
		if (!starts_damaged(*state))
			fail_msg("%s was taken", name);
	}
	free(w);
}

/* Rows of another version of the reading code are said to be so. */
static void test_stale(void **state)
{
	struct world *w = ccfc_malloc(sizeof(*w));
	struct ccfc_index *index = ccfc_index_new(NULL);
	struct ccfc_store *store;
	struct ccfc_err err = { 0 };
	bool stale = false;

	make_world(w, 7);
	fill(*state, w);
	execute(*state, "UPDATE t_meta SET value = 0 WHERE key = 'reader'");
	assert_int_equal(ccfc_store_new(&store, *state, &err), 0);
	assert_int_equal(ccfc_store_load(store, index, &stale, &err), 0);
	assert_true(stale);
	ccfc_index_free(index);
	ccfc_store_free(store);
	free(w);
}

/* Takes the sums of those tables back that the upgrades to 3 do not make. */
#define NO_SUMS                                                                \
	"ALTER TABLE t_meta DROP COLUMN sum;"                                  \
	"ALTER TABLE t_source DROP COLUMN sum;"                                \
	"ALTER TABLE t_session DROP COLUMN sum;"                               \
	"ALTER TABLE t_file DROP COLUMN sum;"                                  \
	"ALTER TABLE t_change DROP COLUMN sum;"                                \
	"ALTER TABLE t_copy DROP COLUMN sum;"                                  \
	"ALTER TABLE t_orphan DROP COLUMN sum;"                                \
	"ALTER TABLE t_unknown_type DROP COLUMN sum;"                          \
	"DELETE FROM t_meta WHERE key = 'rows';"

/* Takes t_source back to schema 2. */
#define NO_TEXTS                                                               \
	"ALTER TABLE t_source DROP COLUMN text_gen;"                           \
	"ALTER TABLE t_source DROP COLUMN text_offset;"                        \
	"ALTER TABLE t_source DROP COLUMN text_marker;"                        \
	"ALTER TABLE t_source DROP COLUMN text_marker_len;"                    \
	"ALTER TABLE t_source DROP COLUMN damaged;"

/* Takes back what was said and spent. */
#define NO_SAID                                                                \
	"DROP VIEW IF EXISTS sessions; DROP VIEW IF EXISTS usage; DROP VIEW "  \
	"IF EXISTS tools;"                                                     \
	"DROP VIEW IF EXISTS reads; DROP TABLE t_part; DROP TABLE t_say;"      \
	"DROP TABLE t_use; DROP TABLE t_look; DROP TABLE t_leaf;"              \
	"DROP TABLE t_summary; DROP VIEW IF EXISTS conflicts;"                 \
	"DROP TABLE t_shown; DROP TABLE t_conflict; DROP VIEW IF EXISTS "      \
	"costs;"                                                               \
	"DROP TABLE t_running_cost;"                                           \
	"ALTER TABLE t_session DROP COLUMN opening;"                           \
	"ALTER TABLE t_session DROP COLUMN opening_time;"                      \
	"ALTER TABLE t_session DROP COLUMN summary;"                           \
	"ALTER TABLE t_session DROP COLUMN summary_time;"                      \
	"ALTER TABLE t_session DROP COLUMN roots;"                             \
	"CREATE VIEW sessions AS SELECT id, uuid AS session_id FROM "          \
	"t_session;"

/* The first number that a query gives. */
static int64_t ask(const char *dir, const char *sql)
{
	sqlite3_stmt *stmt;
	char path[600];
	sqlite3 *db;
	int64_t v;

	snprintf(path, sizeof(path), "%s/index.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return v;
}

/*
 * Schema 1 kept one backup of each file, with its snapshot's time, and not
 * where prompts stand.
 */
static void test_schema_1(void **state)
{
	struct world *w = ccfc_malloc(sizeof(*w));
	struct ccfc_index *index = ccfc_index_new(NULL);
	const struct ccfc_backup_ref *ref;
	struct ccfc_store *store;
	struct ccfc_err err = { 0 };
	bool stale = false;

	make_world(w, 7);
	fill(*state, w);
	execute(*state,
		"DROP TABLE t_backup;"
		"CREATE TABLE t_backup(session INTEGER, key, name TEXT,"
		" version INTEGER, time INTEGER, PRIMARY KEY(session, key))"
		" WITHOUT ROWID;"
		"INSERT INTO t_backup VALUES(1, 'a.c', 'x@v2', 2, 77);"
		"DROP TABLE t_prompt;"
		"CREATE TABLE t_prompt(session INTEGER, uuid INTEGER,"
		" time INTEGER, PRIMARY KEY(session, uuid)) WITHOUT ROWID;"
		"INSERT INTO t_prompt VALUES(1, 5, 66);" NO_SAID NO_TEXTS
			NO_SUMS
		"UPDATE t_meta SET value = 1 WHERE key IN('schema', 'reader')");
	/* Once is enough: nothing is left to do at the second time. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ccfc_store_new(&store, *state, &err), 0);
		if (!i)
			ccfc_store_free(store);
	}
	assert_int_equal(ccfc_store_load(store, index, &stale, &err), 0);
	assert_true(stale);
	/* The view has the new columns. */
	assert_int_equal(ask(*state, "SELECT sum(messages) FROM sessions"), 0);
	assert_int_equal(index->backups.n, 1);
	ref = &index->backups.items[0];
	assert_true(ccfc_slice_is(ccfc_index_str(index, ref->key), "a.c"));
	assert_true(ccfc_slice_is(ccfc_index_str(index, ref->name), "x@v2"));
	assert_int_equal(ref->version, 2);
	assert_int_equal(ref->last, 77);
	assert_true(ref->made == CCFC_TIME_NONE);
	assert_true(ref->first == CCFC_TIME_NONE);
	assert_int_equal(index->prompts.n, 1);
	assert_int_equal(index->prompts.items[0].time, 66);
	assert_true(index->prompts.items[0].place.source == CCFC_ID_NONE);
	ccfc_index_free(index);
	ccfc_store_free(store);
	free(w);
}

/* Tables of schema 1 that nothing was written to: rows of ours fit in. */
static void test_schema_1_empty(void **state)
{
	struct world *w = ccfc_malloc(sizeof(*w));
	struct ccfc_store *store;
	struct ccfc_err err = { 0 };

	make_world(w, 7);
	wipe(*state);
	assert_int_equal(ccfc_store_new(&store, *state, &err), 0);
	ccfc_store_free(store);
	execute(*state, "ALTER TABLE t_meta DROP COLUMN sum;"
			"DROP TABLE t_backup;"
			"CREATE TABLE t_backup(session INTEGER, key, name);"
			"DROP TABLE t_prompt;"
			"CREATE TABLE t_prompt(session INTEGER, uuid, time);"
			"INSERT INTO t_backup VALUES(1, 2, 3);"
			"DELETE FROM t_backup;");
	add_world(*state, w);
	free(w);
}

/* A store of a newer version is left as it is. */
static void test_newer(void **state)
{
	struct world *w = ccfc_malloc(sizeof(*w));
	struct ccfc_store *store;
	struct ccfc_err err = { 0 };

	make_world(w, 7);
	fill(*state, w);
	execute(*state, "UPDATE t_meta SET value = 99 WHERE key = 'schema'");
	assert_int_equal(ccfc_store_new(&store, *state, &err), CCFC_EDENIED);
	free(w);
}

/* Clocks of a store that was lost must not fit the one that follows. */
static void test_epoch(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index;
	uint64_t first, again;

	wipe(*state);
	index = reload(&store, *state);
	first = index->epoch;
	settle_and_store(store, index);
	ccfc_index_free(index);
	ccfc_store_free(store);

	index = reload(&store, *state);
	assert_true(index->epoch == first);
	ccfc_index_new_epoch(index);
	again = index->epoch;
	ccfc_index_new_epoch(index);
	assert_true(again > first && index->epoch > again);
	ccfc_index_free(index);
	ccfc_store_free(store);

	wipe(*state);
	/* A millisecond has passed? It takes more than one to get here, but
	 * nothing shall hang on that. */
	while ((uint64_t)ccfc_time_now() <= first)
		;
	index = reload(&store, *state);
	assert_true(index->epoch > first);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* Counts of unknown types that a rebuild did not find again are gone. */
static void test_unknown_types(void **state)
{
	static const struct ccfc_name name = { .kind = CCFC_NAME_SESSION };
	struct ccfc_record r = { .kind = CCFC_RECORD_UNKNOWN,
				 .type = CCFC_SLICE_LIT("novelty"),
				 .time = CCFC_TIME_NONE };
	struct ccfc_store *store;
	struct ccfc_index *index;
	uint32_t source;

	wipe(*state);
	index = reload(&store, *state);
	source = ccfc_index_source(index, CCFC_SLICE_LIT("/t/a"), &name);
	ccfc_index_apply(index, source, &r, 0, 9);
	settle_and_store(store, index);
	index->unknown_types.n = 0;
	r.type = CCFC_SLICE_LIT("other novelty");
	ccfc_index_apply(index, source, &r, 10, 9);
	settle_and_store(store, index);
	ccfc_index_free(index);
	ccfc_store_free(store);
	index = reload(&store, *state);
	assert_int_equal(index->unknown_types.n, 1);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that is full, and then is not. */
static void test_full_disk(void **state)
{
	struct world *w = ccfc_malloc(sizeof(*w));
	struct ccfc_store *store;
	struct ccfc_index *index;
	struct ccfc_err err = { 0 };
	char *before, *after;
	uint32_t at, n;
	bool again;

	signal(SIGXFSZ, SIG_IGN);
	make_world(w, 11);
	wipe(*state);
	index = reload(&store, *state);
	for (unsigned s = 0; s < SOURCES; s++) {
		where(index, w, s, &again, &at, &n);
		feed(index, w, s, again, at, n);
		ccfc_index_settle(index);
		limit_files(4096);
		assert_int_not_equal(ccfc_store_commit(store, index, &err), 0);
		limit_files(RLIM_INFINITY);
		if (s % 2)
			settle_and_store(store, index);
	}
	settle_and_store(store, index);
	before = dump(index, true);
	ccfc_index_free(index);
	ccfc_store_free(store);
	index = reload(&store, *state);
	after = dump(index, true);
	assert_string_equal(before, after);
	free(before);
	free(after);
	ccfc_index_free(index);
	ccfc_store_free(store);
	free(w);
}

static void test_lock(void **state)
{
	struct ccfc_err err = { 0 };
	char dir[600];
	long pid = 0;
	int first, second;

	snprintf(dir, sizeof(dir), "%s/a/b", (char *)*state);
	first = ccfc_lock_take(dir, &pid, &err);
	assert_true(first >= 0);
	second = ccfc_lock_take(dir, &pid, &err);
	assert_int_equal(second, CCFC_EBUSY);
	assert_int_equal(pid, getpid());
	close(first);
	second = ccfc_lock_take(dir, &pid, &err);
	assert_true(second >= 0);
	close(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_damaged_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_damaged_rows, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_damaged_pages, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_stale, setup, teardown),
		cmocka_unit_test_setup_teardown(test_schema_1, setup, teardown),
		cmocka_unit_test_setup_teardown(test_schema_1_empty, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_newer, setup, teardown),
		cmocka_unit_test_setup_teardown(test_epoch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_types, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_full_disk, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
