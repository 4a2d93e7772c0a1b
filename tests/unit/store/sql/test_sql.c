/*
 * Users' own SQL: what it sees, and what it must not see or do.
 */
#include "ask_sql.h"
#include "store/sql/views.h"

#include <sqlite3.h>

static uint64_t seen(const struct ccfc_index *index)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < index->sessions.n; i++)
		n += index->sessions.items[i].seen;
	return n;
}

static void test_values(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	struct asked a;

	expect(*state, "SELECT 1 AS a, 'x' AS b, 2.5 AS c, NULL AS d, x'41' e",
	       "a|b|c|d|e\n1|x|2.500||blob:A\n");
	expect(*state, "SELECT 1 WHERE 0", "1\n");
	expect(*state, "SELECT 1; -- that was all\n ; /* yes */", "1\n1\n");
	expect(*state,
	       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	       " LIMIT 3) SELECT sum(i) AS s FROM n",
	       "s\n6\n");
	assert_int_equal(ask(&a, *state, "SELECT session_id FROM sessions"), 0);
	assert_int_equal(a.rows, seen(index));
	ccfc_buf_release(&a.out);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* The table of views tells the columns that there are, in their order. */
static void test_views(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);

	for (int i = 0; i < CCFC_VIEWS; i++) {
		const struct ccfc_view *v = &ccfc_views[i];
		struct ccfc_buf names = CCFC_BUF_INIT;
		struct asked a;
		char sql[100];

		for (uint32_t k = 0; k < v->ncolumns; k++)
			ccfc_buf_printf(&names, "%s%c", v->columns[k].name,
					k + 1 < v->ncolumns ? '|' : '\n');
		snprintf(sql, sizeof(sql), "SELECT * FROM %s", v->name);
		if (ask(&a, *state, sql))
			fail_msg("%s: %s", sql, a.err.what);
		assert_true(a.rows > 0);
		assert_memory_equal(a.out.ptr, names.ptr, names.len);
		ccfc_buf_release(&a.out);
		ccfc_buf_release(&names);
		snprintf(sql, sizeof(sql), "SELECT count(*) > 0 c FROM %s",
			 v->name);
		expect(*state, sql, "c\n1\n");
	}
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* What replaces SQLite's own gives the same answers. */
static void test_functions(void **state)
{
	static const char *const same[] = {
		"instr('aéb', 'b')",
		"instr('abc', '')",
		"instr('', 'a')",
		"instr('', '')",
		"instr(NULL, 'a')",
		"instr(x'00ffc3', x'c3')",
		"instr(123, 2)",
		"replace('aXbX', 'X', 'yy')",
		"replace('abc', '', 'y')",
		"replace('abc', 'abc', '')",
		"replace('', 'a', 'b')",
		"replace('a', NULL, 'b')",
		"replace(121, 1, 'é')",
		"typeof(replace(x'41', 'A', 'b'))",
		"'ABC' LIKE 'a%c'",
		"'abc' NOT LIKE 'a_c'",
		"'é' LIKE '_'",
		"NULL LIKE 'a'",
		"'a%c' LIKE 'a\\%c' ESCAPE '\\'",
		"'abc' LIKE 'a\\%c' ESCAPE '\\'",
		"'a.c' GLOB 'a.[b-d]'",
		"'A' GLOB 'a'",
		"12 LIKE '1%'",
		"printf('%,d',1234567)",
		"printf('%05d',-42)",
		"printf('%-5d|',42)",
		"printf('%*d',-6,42)",
		"printf('%.*f',-2,3.14159)",
		"printf('%5.1f|',2.25)",
		"printf('%x %X %o',255,255,8)",
		"printf('%s','é')",
		"printf('%5s|','é')",
		"printf('%!5s|','é')",
		"printf('%.2s','éab')",
		"printf('%!.2s','éab')",
		"printf('%q',null)",
		"printf('%Q',null)",
		"printf('%Q','a''b')",
		"printf('%w','a\"b')",
		"printf('%c','éa')",
		"printf('%5c|','é')",
		"printf('%-5c|','x')",
		"printf('%.3c|','x')",
		"printf('%5.3c|','x')",
		"printf('%-5.3c|','ab')",
		"printf('%y',1)",
		"printf('a%')",
		"printf('100%%')",
		"printf('%5%|')",
		"printf('%n%d',1)",
		"printf('%lld',5)",
		"printf('%ld',5)",
		"printf('%hd',5)",
		"printf('%p',255)",
		"printf('%r',3)",
		"printf('%z','abc')",
		"printf('%d')",
		"printf('%s')",
		"printf('%f')",
		"printf('%g',1e300)",
		"printf('%!.20g',0.1)",
		"printf('%+d',3)",
		"printf('% d',3)",
		"printf('%#x',17)",
		"printf('%e',12345.678)",
		"printf('%i',7)",
		"printf('%u',-1)",
		"printf('%05s|','ab')",
		"printf('%,.2f',1234567.891)",
		"printf('%T',1)",
		"printf('%l',1)",
		"printf('%.d',5)",
		"printf('%0,10d',12345)",
		"printf('%.10d',12)",
		"printf('%Q')",
		"printf('%10Q|','x')",
		"printf('%.1q','abc')",
		"printf('%d','12abc')",
		"printf('%s',x'414200')",
		"printf(null)",
		"printf('%s%s','a')",
		"printf('%-*d|',5,3)",
		"printf('%5.c|','x')",
		"printf('%0c','x')",
		"format('%d-%s', 7, 'x')",
		"printf('')",
		"length('aéb')",
		"length(x'c3a9')",
		"length(NULL)",
		"length(12.5)",
		"length('a' || char(0) || 'b')",
	};
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		char sql[200], answer[200];
		sqlite3_stmt *stmt;

		snprintf(sql, sizeof(sql), "SELECT quote(%s) AS v", same[i]);
		sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
		assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
		snprintf(answer, sizeof(answer), "v\n%s\n",
			 (const char *)sqlite3_column_text(stmt, 0));
		sqlite3_finalize(stmt);
		expect(*state, sql, answer);
	}
	sqlite3_close(db);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

static void test_refused(void **state)
{
	static const char *const only[] = {
		"DELETE FROM t_meta",
		"INSERT INTO t_meta VALUES('a', 1)",
		"UPDATE t_meta SET rowid = 9",
		"DROP TABLE t_meta",
		"CREATE TABLE a(b)",
		"CREATE TEMP TABLE a(b)",
		"CREATE VIEW a AS SELECT 1",
		"CREATE VIRTUAL TABLE a USING fts5(b)",
		"PRAGMA user_version = 7",
		"PRAGMA query_only = 0",
		"PRAGMA temp_store_directory = '/tmp'",
		"ATTACH '/tmp/x.db' AS x",
		"DETACH main",
		"VACUUM",
		"VACUUM INTO '/tmp/x.db'",
		"BEGIN",
		"COMMIT",
		"SAVEPOINT a",
		"REINDEX",
		"ANALYZE",
		"EXPLAIN SELECT 1",
		"EXPLAIN QUERY PLAN SELECT * FROM sessions",
	};
	static const char *const views[] = {
		"SELECT * FROM t_meta",
		"SELECT count(*) FROM t_session",
		"SELECT count(*) FROM \"T_Session\"",
		"SELECT (SELECT count(*) FROM t_session) FROM sessions",
		"SELECT count(*) FROM sessions NATURAL JOIN t_session",
		("WITH t(key) AS (VALUES('schema'))"
		 " SELECT t.key FROM t NATURAL JOIN t_meta"),
		"SELECT count(*) FROM changes, t_change",
		"SELECT count(*) FROM sqlite_master",
		"SELECT sql FROM sqlite_master",
		"SELECT sql FROM sqlite_temp_master",
		"SELECT sql FROM temp.sqlite_schema",
		"SELECT name FROM sqlite_temp_schema",
		/* Under the name of a view it is no view. */
		("WITH sessions AS (SELECT * FROM t_meta)"
		 " SELECT * FROM sessions"),
	};
	static const char *const none[] = {
		"SELECT 1 FROM sessions s JOIN t_session t ON t.id = s.id",
		"SELECT (SELECT max(value) FROM t_meta) FROM sessions",
		"SELECT * FROM (SELECT value FROM t_meta) AS sessions",
		"SELECT count(*) FROM main.sessions",
		"SELECT * FROM main.sessions",
		"SELECT 1 FROM main.t_meta",
		"SELECT count(*) FROM main.t_file, files",
		"SELECT count(*) FROM (SELECT 1 FROM usage), MAIN.T_say",
		"SELECT count(*) FROM sessions NATURAL JOIN main.t_session",
	};
	static const char *const functions[] = {
		"SELECT load_extension('x')",
		"SELECT fts3_tokenizer('simple')",
		"SELECT sqlite_compileoption_get(1)",
		"SELECT sqlite_log(1, 'x')",
		"SELECT last_insert_rowid()",
		"SELECT fts5_source_id()",
	};
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);

	for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
		expect_error(*state, only[i], CCFC_EINVAL, "only SELECT");
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		expect_error(*state, views[i], CCFC_EINVAL,
			     "is not one of the views");
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		expect_error(*state, none[i], CCFC_EINVAL, "no such ");
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		expect_error(*state, functions[i], CCFC_EINVAL, "function");
	expect_error(*state, "SELECT * FROM pragma_table_info('t_meta')",
		     CCFC_EINVAL, "");
	/* SQLite does not ask about columns that are only compared. */
	expect_error(*state,
		     "WITH t(key) AS (VALUES('schema'))"
		     " SELECT key FROM t JOIN t_meta USING (key)",
		     CCFC_EINVAL, "cannot join using column key");
	expect_error(*state, "SELECT * FROM dbstat", CCFC_EINVAL, "");
	expect_error(*state, "SELECT * FROM sqlite_stmt", CCFC_EINVAL, "");
	expect_error(*state, "DELETE FROM sessions", CCFC_EINVAL,
		     "it is a view");
	expect_error(*state, "SELECT 1; SELECT 2", CCFC_EINVAL,
		     "one statement");
	expect_error(*state, "SELECT 1; DELETE FROM t_meta", CCFC_EINVAL,
		     "one statement");
	expect_error(*state, "SELECT 1; nonsense", CCFC_EINVAL,
		     "one statement");
	expect_error(*state, " -- nothing", CCFC_EINVAL, "no query");
	expect_error(*state, "", CCFC_EINVAL, "no query");
	expect_error(*state, "SELECT FROM", CCFC_EINVAL, "syntax error");
	expect_error(*state, "SELECT nosuch FROM files", CCFC_EINVAL,
		     "no such column");
	expect_error(*state, "SELECT \"text\"", CCFC_EINVAL, "no such column");
	expect_error(*state, "SELECT trim('a', 'a')", CCFC_EINVAL, "trim");
	ccfc_index_free(index);
	ccfc_store_free(store);
}

/* While a query stands still, the store is written; it sees its own moment. */
struct writer {
	struct asked a;
	struct ccfc_store *store;
	struct ccfc_index *index;
};

static bool write_between(void *ctx, const struct ccfc_sql_value *v, uint32_t n)
{
	struct writer *w = ctx;
	const struct ccfc_name name = { .kind = CCFC_NAME_SESSION,
					.session = CCFC_SLICE_LIT("new") };

	(void)v;
	(void)n;
	if (w->a.rows++)
		return true;
	ccfc_index_source(w->index, CCFC_SLICE_LIT("/t/new.jsonl"), &name);
	settle_and_store(w->store, w->index);
	return true;
}

static void no_columns(void *ctx, const char *const *names, uint32_t n)
{
	(void)ctx;
	(void)names;
	(void)n;
}

static void test_beside_a_writer(void **state)
{
	struct writer w;
	struct ccfc_sql q;

	memset(&w, 0, sizeof(w));
	w.index = fill(&w.store, *state);
	q = about(&w.a, *state, "SELECT id FROM changes");
	q.ctx = &w;
	q.columns = no_columns;
	q.row = write_between;
	assert_int_equal(ccfc_sql_run(&q, &w.a.truncated, &w.a.err), 0);
	assert_true(w.a.rows > 1);
	ccfc_index_free(w.index);
	ccfc_store_free(w.store);
}

/* Views of an older version are made anew; good ones are left alone. */
static void test_old_views(void **state)
{
	struct ccfc_store *store;
	struct ccfc_index *index = fill(&store, *state);
	char path[600];
	sqlite3 *db;
	sqlite3_stmt *stmt;

	ccfc_store_free(store);
	ccfc_index_free(index);
	snprintf(path, sizeof(path), "%s/index.db", (char *)*state);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db,
		     "DROP VIEW files; CREATE VIEW files AS SELECT 1 AS old;"
		     "DROP VIEW reads",
		     NULL, NULL, NULL);
	index = reload(&store, *state);
	ccfc_store_free(store);
	ccfc_index_free(index);
	index = reload(&store, *state);
	assert_int_equal(
		sqlite3_exec(db,
			     "SELECT path, last_modified_utc FROM files;"
			     "SELECT path, time_utc FROM reads",
			     NULL, NULL, NULL),
		SQLITE_OK);
	/* Made once: the schema's number did not move at the second start. */
	sqlite3_prepare_v2(db, "PRAGMA schema_version", -1, &stmt, NULL);
	sqlite3_step(stmt);
	{
		int version = sqlite3_column_int(stmt, 0);

		sqlite3_reset(stmt);
		ccfc_store_free(store);
		ccfc_index_free(index);
		index = reload(&store, *state);
		sqlite3_step(stmt);
		assert_int_equal(sqlite3_column_int(stmt, 0), version);
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	ccfc_index_free(index);
	ccfc_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_views, setup, teardown),
		cmocka_unit_test_setup_teardown(test_functions, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_beside_a_writer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_old_views, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
