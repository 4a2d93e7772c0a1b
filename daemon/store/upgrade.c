/*
 * Makes, upgrades and checks the tables.
 *
 * A damaged schema must not be taken for a new, an older or a newer one: a
 * table with another definition, or a missing table, is damage, and so is a
 * version whose row has a wrong checksum.
 */
#include "base/buf.h"
#include "os/log.h"
#include "store/db.h"
#include "store/row_sum.h"
#include "store/store_schema.h"

#include <stdio.h>
#include <string.h>

static int fail_corrupt(const struct ccfc_store *store, const char *what,
			struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ECORRUPT, "store %s: %s", store->path,
			    what);
}

/* The first number of a query's first row; `none` if there is no row. */
static int ask_upgrade(int64_t *out, struct ccfc_store *store, const char *sql,
		       int64_t none, struct ccfc_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

	*out = none;
	if (code == SQLITE_OK) {
		code = sqlite3_step(stmt);
		if (code == SQLITE_ROW)
			*out = sqlite3_column_int64(stmt, 0);
	}
	/* The connection has the error until the statement is finalized. */
	if (code != SQLITE_ROW && code != SQLITE_DONE) {
		code = ccfc_db_error(store, "cannot read", err);
		sqlite3_finalize(stmt);
		return code;
	}
	sqlite3_finalize(stmt);
	return 0;
}

/* --- as they should be --- */

/*
 * Is the table defined by our text of that schema? `stmt` asks for the text of
 * the table that is its parameter.
 */
static int is_ours_upgrade(bool *out, struct ccfc_store *store,
			   sqlite3_stmt *stmt, enum ccfc_table_id table,
			   int schema, struct ccfc_err *err)
{
	struct ccfc_buf want = CCFC_BUF_INIT;
	int code;

	*out = false;
	ccfc_schema_put_create(&want, table, schema);
	sqlite3_reset(stmt);
	sqlite3_bind_text(stmt, 1, ccfc_store_tables[table].name, -1,
			  SQLITE_STATIC);
	code = sqlite3_step(stmt);
	if (code == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(stmt, 0);

		*out = sql && ccfc_schema_same(sql, want.ptr);
	}
	ccfc_buf_release(&want);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return ccfc_db_error(store, "cannot read", err);
	return 0;
}

/* Checks the tables of a schema with sums. */
static int check_tables(struct ccfc_store *store, int schema,
			struct ccfc_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int r = 0;

	if (sqlite3_prepare_v2(store->db,
			       "SELECT sql FROM sqlite_master"
			       " WHERE type = 'table' AND name = ?",
			       -1, &stmt, NULL) != SQLITE_OK)
		return ccfc_db_error(store, "cannot read", err);
	for (int i = 0; i < CCFC_TABLES && !r; i++) {
		bool ours;

		if (ccfc_store_tables[i].columns[0].since > schema)
			continue;
		r = is_ours_upgrade(&ours, store, stmt, (enum ccfc_table_id)i,
				    schema, err);
		if (!r && !ours)
			r = fail_corrupt(store, "its schema is unknown", err);
	}
	sqlite3_finalize(stmt);
	return r;
}

static int create_all(struct ccfc_store *store, struct ccfc_err *err)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int r;

	ccfc_buf_puts(&sql, "BEGIN IMMEDIATE;");
	for (int i = 0; i < CCFC_TABLES; i++) {
		ccfc_schema_put_create(&sql, (enum ccfc_table_id)i,
				       CCFC_STORE_SCHEMA);
		ccfc_buf_putc(&sql, ';');
	}
	r = ccfc_db_exec(store, sql.ptr, err);
	ccfc_buf_release(&sql);
	if (!r) {
		ccfc_store_insert_views(store);
		r = ccfc_db_exec(store, "COMMIT", err);
	}
	store->is_new = !r;
	return r;
}

/* --- as they were --- */

/* How many tables have such a name? */
static int has_table(int64_t *out, struct ccfc_store *store, const char *name,
		     struct ccfc_err *err)
{
	char sql[200];

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM sqlite_master"
		 " WHERE type = 'table' AND name GLOB '%s'",
		 name);
	return ask_upgrade(out, store, sql, 0, err);
}

/* Views name the tables; they are made anew afterwards. */
static int drop_views(struct ccfc_store *store, struct ccfc_err *err)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	sqlite3_stmt *stmt = NULL;
	int r = 0;

	if (sqlite3_prepare_v2(store->db,
			       "SELECT printf('DROP VIEW \"%w\";', name)"
			       " FROM sqlite_master WHERE type = 'view'",
			       -1, &stmt, NULL) != SQLITE_OK)
		return ccfc_db_error(store, "cannot read", err);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		ccfc_buf_puts(&sql, (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	if (sql.len)
		r = ccfc_db_exec(store, sql.ptr, err);
	ccfc_buf_release(&sql);
	return r;
}

/*
 * The rows of old_<table> as they would be now, with their sums. A row with a
 * wrong sum gets none, so that the row stays wrong.
 */
static void put_rows(struct ccfc_buf *sql, enum ccfc_table_id table, int schema)
{
	const char *name = ccfc_store_tables[table].name;

	ccfc_buf_printf(sql, ";INSERT INTO %s SELECT ", name);
	ccfc_schema_put_columns(sql, table, schema);
	if (schema >= CCFC_STORE_SUMS) {
		ccfc_buf_puts(sql, ", CASE WHEN sum = ");
		ccfc_schema_put_sum(sql, table, schema);
		ccfc_buf_puts(sql, " THEN ");
	} else {
		ccfc_buf_puts(sql, ", CASE WHEN 1 THEN ");
	}
	ccfc_buf_printf(sql, "row_sum('%s', ", name);
	ccfc_schema_put_columns(sql, table, schema);
	ccfc_buf_printf(sql, ") END FROM old_%s;DROP TABLE old_%s", name, name);
}

/* Makes a table that came or changed since a schema, with the rows it had. */
static int bring_up_table(struct ccfc_store *store, enum ccfc_table_id table,
			  int schema, struct ccfc_err *err)
{
	const char *name = ccfc_store_tables[table].name;
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int64_t there;
	int r = has_table(&there, store, name, err);

	if (r)
		return r;
	if (there)
		ccfc_buf_printf(&sql, "ALTER TABLE %s RENAME TO old_%s;", name,
				name);
	ccfc_schema_put_create(&sql, table, CCFC_STORE_SCHEMA);
	if (there)
		put_rows(&sql, table, schema);
	r = ccfc_db_exec(store, sql.ptr, err);
	ccfc_buf_release(&sql);
	return r;
}

/* Notes the schema, and the number of rows if the store did not have that. */
static int note_version(struct ccfc_store *store, int schema,
			struct ccfc_err *err)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int r;

	ccfc_buf_printf(
		&sql,
		"REPLACE INTO t_meta"
		" VALUES('schema', %d, row_sum('t_meta', 'schema', %d))",
		CCFC_STORE_SCHEMA, CCFC_STORE_SCHEMA);
	if (schema < CCFC_STORE_SUMS) {
		ccfc_buf_puts(&sql, ";REPLACE INTO t_meta SELECT 'rows', n,"
				    " row_sum('t_meta', 'rows', n)"
				    " FROM (SELECT 0");
		for (int i = CCFC_TABLE_META + 1; i < CCFC_TABLES; i++)
			ccfc_buf_printf(&sql, " + (SELECT count(*) FROM %s)",
					ccfc_store_tables[i].name);
		ccfc_buf_puts(&sql, " AS n)");
	}
	r = ccfc_db_exec(store, sql.ptr, err);
	ccfc_buf_release(&sql);
	return r;
}

static int bring_up_tables(struct ccfc_store *store, int schema,
			   struct ccfc_err *err)
{
	int r = ccfc_db_exec(store, "BEGIN IMMEDIATE", err);

	if (!r && ccfc_sum_setup(store->db) != SQLITE_OK)
		r = ccfc_db_error(store, "cannot prepare it", err);
	if (!r)
		r = drop_views(store, err);
	for (int i = 0; i < CCFC_TABLES && !r; i++)
		if (schema < CCFC_STORE_SUMS ||
		    ccfc_schema_changed((enum ccfc_table_id)i, schema))
			r = bring_up_table(store, (enum ccfc_table_id)i, schema,
					   err);
	if (!r)
		r = note_version(store, schema, err);
	return r ? r : ccfc_db_exec(store, "COMMIT", err);
}

static int upgrade_tables(struct ccfc_store *store, int schema,
			  struct ccfc_err *err)
{
	int r = bring_up_tables(store, schema, err);

	if (r)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	else
		ccfc_log(CCFC_LOG_INFO,
			 "store %s: was made by an older version; upgrading "
			 "it to schema %d",
			 store->path, CCFC_STORE_SCHEMA);
	return r;
}

/* Tables without a version: nothing was ever written to them. */
static int begin_anew(struct ccfc_store *store, struct ccfc_err *err)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int64_t rows = 0;
	int r = ask_upgrade(&rows, store,
			    "SELECT (SELECT count(*) FROM t_source) +"
			    " (SELECT count(*) FROM t_session)",
			    0, err);

	if (r)
		return r;
	if (rows)
		return fail_corrupt(store, "it has rows and no version", err);
	r = drop_views(store, err);
	for (int i = 0; i < CCFC_TABLES; i++)
		ccfc_buf_printf(&sql, "DROP TABLE IF EXISTS %s;",
				ccfc_store_tables[i].name);
	if (!r)
		r = ccfc_db_exec(store, sql.ptr, err);
	ccfc_buf_release(&sql);
	return r ? r : create_all(store, err);
}

/* --- which they are --- */

/*
 * The schema's number, 0: none. Its row has a sum from CCFC_STORE_SUMS on;
 * *sums tells whether t_meta has any.
 */
static int read_version(int64_t *schema, bool *sums, struct ccfc_store *store,
			struct ccfc_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(store->db,
				      "SELECT * FROM t_meta"
				      " WHERE key = 'schema'",
				      -1, &stmt, NULL);
	int r = 0;

	*schema = 0;
	if (code != SQLITE_OK)
		return ccfc_db_error(store, "cannot read", err);
	*sums = sqlite3_column_count(stmt) > 2;
	code = sqlite3_step(stmt);
	if (code == SQLITE_ROW) {
		*schema = sqlite3_column_int64(stmt, 1);
		if (*sums && !ccfc_sum_fits_row(stmt, CCFC_TABLE_META,
						CCFC_STORE_SCHEMA))
			r = fail_corrupt(store, "its version is unknown", err);
	} else if (code != SQLITE_DONE) {
		r = ccfc_db_error(store, "cannot read", err);
	}
	sqlite3_finalize(stmt);
	return r;
}

/* Rows of a newer version would be misread, and spoilt by being written. */
static int refuse_upgrade(const struct ccfc_store *store, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EDENIED, "store %s: was made by a newer version",
		     store->path);
	ccfc_err_hint(err, "upgrade, or set another CCFC_STATE_DIR");
	return CCFC_EDENIED;
}

/* Tables that are there, of a schema that is known; 0: none was noted. */
static int open_tables(struct ccfc_store *store, int schema, bool sums,
		       struct ccfc_err *err)
{
	int r = 0;

	if (sums)
		r = check_tables(store, schema ? schema : CCFC_STORE_SCHEMA,
				 err);
	if (!schema && (!sums || r == CCFC_ECORRUPT))
		return begin_anew(store, err);
	return r || schema == CCFC_STORE_SCHEMA || !schema
		       ? r
		       : upgrade_tables(store, schema, err);
}

int ccfc_store_make_tables(struct ccfc_store *store, struct ccfc_err *err)
{
	int64_t tables, meta, schema;
	bool sums = false;
	int r = has_table(&tables, store, "t_*", err);

	if (!r)
		r = has_table(&meta, store, "t_meta", err);
	if (r)
		return r;
	if (!tables)
		return create_all(store, err);
	if (!meta)
		return fail_corrupt(store, "its schema is unknown", err);
	r = read_version(&schema, &sums, store, err);
	if (r)
		return r;
	if (schema > CCFC_STORE_SCHEMA)
		return refuse_upgrade(store, err);
	if (schema < 0 || (schema && sums != (schema >= CCFC_STORE_SUMS)))
		return fail_corrupt(store, "its version is unknown", err);
	return open_tables(store, (int)schema, sums, err);
}
