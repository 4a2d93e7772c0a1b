/*
 * A query may only read the views. SQLite asks the authorizer about each
 * column, with the name of the view that reads it. That is not enough:
 *
 * - A common table expression has a name, too: WITH sessions AS (SELECT … FROM
 *   t_meta) looks just like the view.
 * - SQLite does not ask about the columns that NATURAL JOIN and USING compare.
 *
 * So queries must not be able to name tables at all. The store is attached
 * under a name of random digits, "main" is empty, and each table is hidden by
 * an empty one of its name. The views are made again on this connection, each
 * on top of one whose name has the same digits; only those read tables. No
 * query can know the digits: they are drawn after the query was written.
 */
#include "store/sql/sql_run.h"
#include "store/sql/views.h"

#include "base/hex.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A row that needs no loop is one step, however many calls it has. */
#define MAX_OPS	     6000
#define MAX_DEPTH    100
#define MAX_COMPOUND 50
#define MAX_ARGS     32
#define STEPS	     500 /* between two looks at the clock */

/* None of them reaches a file, changes a setting, or reveals the schema. */
static const char functions[] =
	" -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling"
	" char coalesce concat concat_ws cos cosh count cume_dist"
	" current_date current_time current_timestamp date datetime degrees"
	" dense_rank exp first_value floor format glob group_concat hex"
	" ifnull iif instr json json_array json_array_length json_extract"
	" json_group_array json_group_object json_object json_quote"
	" json_type json_valid julianday lag last_value lead length like"
	" likelihood likely ln log log10 log2 lower ltrim max min mod"
	" nth_value ntile nullif octet_length percent_rank pi pow power"
	" printf quote radians random randomblob rank replace round"
	" row_number rtrim sign sin sinh sqlite_version sqrt strftime"
	" string_agg substr substring sum tan tanh time timediff total trim"
	" trunc typeof unhex unicode unixepoch unlikely upper zeroblob ";

static bool is_function(const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %.60s ", name);
	return !strchr(name, ' ') && strcasestr(functions, word);
}

static bool is_view(const char *name)
{
	for (int i = 0; i < CCFC_VIEWS; i++)
		if (!strcasecmp(ccfc_views[i].name, name))
			return true;
	return false;
}

static bool is_secret(const struct ccfc_sql_run *run, const char *name)
{
	return name && !strncmp(name, run->secret, CCFC_SQL_SECRET_LEN);
}

static int refuse_sql_guard(struct ccfc_sql_run *run, const char *what,
			    const char *name)
{
	if (!run->refused[0])
		snprintf(run->refused, sizeof(run->refused), what, name);
	return SQLITE_DENY;
}

/*
 * For count(*) and the like, SQLite asks about the column "". If the view was
 * merged into the query, SQLite gives no view, only the database's name in the
 * SQL: for the tables of a view this is the secret. A name of no table may be a
 * common table expression.
 */
static bool may_count(const struct ccfc_sql_run *run, const char *name,
		      const char *db)
{
	if (!strncasecmp(name, "t_", 2) || !strncasecmp(name, "sqlite_", 7))
		return db && !strcmp(db, run->secret);
	return true;
}

/* May a column of `table` be read within `view`? */
static int may_read(struct ccfc_sql_run *run, const char *table,
		    const char *column, const char *db, const char *view)
{
	bool temp = db && !strcmp(db, "temp");

	if (is_secret(run, view) || is_secret(run, table) ||
	    (temp && is_view(table)))
		return SQLITE_OK;
	if (!*column && may_count(run, table, db))
		return SQLITE_OK;
	return refuse_sql_guard(run, "'%.60s' is not one of the views", table);
}

static int authorize_action(void *arg, int action, const char *a, const char *b,
			    const char *db, const char *view)
{
	struct ccfc_sql_run *run = arg;

	/* Preparing a deeply nested query takes long, too. */
	if (ccfc_sql_stopped(run))
		return SQLITE_DENY;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		return may_read(run, a ? a : "", b ? b : "", db, view);
	case SQLITE_FUNCTION:
		return is_function(b)
			       ? SQLITE_OK
			       : refuse_sql_guard(run,
						  "the function '%.60s' is "
						  "not available",
						  b);
	default:
		return refuse_sql_guard(run, "only SELECT is allowed%s", "");
	}
}

static int on_progress(void *arg)
{
	return ccfc_sql_stopped(arg);
}

static void set_limits(sqlite3 *db)
{
	static const int limits[][2] = {
		{ SQLITE_LIMIT_LENGTH, CCFC_SQL_MAX_VALUE },
		{ SQLITE_LIMIT_SQL_LENGTH, CCFC_SQL_MAX_QUERY },
		{ SQLITE_LIMIT_COLUMN, CCFC_SQL_MAX_COLUMNS },
		{ SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH },
		{ SQLITE_LIMIT_COMPOUND_SELECT, MAX_COMPOUND },
		{ SQLITE_LIMIT_VDBE_OP, MAX_OPS },
		{ SQLITE_LIMIT_FUNCTION_ARG, MAX_ARGS },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, CCFC_SQL_MAX_PATTERN },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, MAX_ARGS },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		sqlite3_limit(db, limits[i][0], limits[i][1]);
}

static void set_switches(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	/* "x" is a column or a mistake, never a text. */
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
}

static void draw_secret(struct ccfc_sql_run *run)
{
	unsigned char bytes[CCFC_SQL_SECRET_LEN / 2];

	sqlite3_randomness(sizeof(bytes), bytes);
	/* A letter first, whatever the digits. */
	bytes[0] |= 0xf0;
	ccfc_hex_write(run->secret, bytes, sizeof(bytes));
}

/* Runs a text of sqlite3_str, and frees it. */
static int exec_text(struct ccfc_sql_run *run, sqlite3_str *text)
{
	char *sql = sqlite3_str_finish(text);
	int r = sql ? sqlite3_exec(run->db, sql, NULL, NULL, NULL)
		    : SQLITE_NOMEM;

	sqlite3_free(sql);
	return r;
}

static int attach_store(struct ccfc_sql_run *run, const char *path)
{
	sqlite3_str *text = sqlite3_str_new(run->db);

	/* Temporary tables in memory: nothing is written, and all is counted */
	sqlite3_str_appendf(text,
			    "PRAGMA temp_store=MEMORY; ATTACH %Q AS %s;"
			    "PRAGMA %s.cache_size=-2048",
			    path, run->secret, run->secret);
	return exec_text(run, text);
}

static int hide_table(void *arg, int n, char **values, char **names)
{
	sqlite3_str *text = arg;

	(void)n;
	(void)names;
	sqlite3_str_appendf(text, "CREATE TEMP TABLE \"%w\"(\"\");", values[0]);
	return 0;
}

static int hide_tables(struct ccfc_sql_run *run)
{
	sqlite3_str *text = sqlite3_str_new(run->db);
	char *sql = sqlite3_mprintf("SELECT name FROM %s.sqlite_master"
				    " WHERE type = 'table'"
				    " AND name NOT LIKE 'sqlite_%%'",
				    run->secret);
	int r = sql ? sqlite3_exec(run->db, sql, hide_table, text, NULL)
		    : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (!r)
		return exec_text(run, text);
	sqlite3_free(sqlite3_str_finish(text));
	return r;
}

/*
 * The view's SELECT, with the database named at each table (t_…), and with
 * names for its common table expressions (w_…) that no query can know: SQLite
 * asks about columns read in these under their names, not the view's.
 */
static void add_select(sqlite3_str *out, const struct ccfc_sql_run *run,
		       const char *sql)
{
	for (; *sql; sql++) {
		if (!strncmp(sql, " t_", 3))
			sqlite3_str_appendf(out, " %s.", run->secret);
		else if (!strncmp(sql, " w_", 3))
			sqlite3_str_appendf(out, " %s_", run->secret);
		else
			sqlite3_str_appendchar(out, 1, *sql);
	}
}

/* Makes the view under a name that begins with the secret. */
static void add_create(sqlite3_str *out, const struct ccfc_sql_run *run,
		       const struct ccfc_view *v)
{
	sqlite3_str_appendf(out, "CREATE TEMP VIEW %s_%s AS ", run->secret,
			    v->name);
	add_select(out, run, v->sql);
}

static int make_views(struct ccfc_sql_run *run)
{
	int r = SQLITE_OK;

	for (int i = 0; i < CCFC_VIEW_PARTS && !r; i++) {
		sqlite3_str *text = sqlite3_str_new(run->db);

		add_create(text, run, &ccfc_view_parts[i]);
		r = exec_text(run, text);
	}
	for (int i = 0; i < CCFC_VIEWS && !r; i++) {
		const struct ccfc_view *v = &ccfc_views[i];
		sqlite3_str *text = sqlite3_str_new(run->db);

		add_create(text, run, v);
		sqlite3_str_appendf(text,
				    ";CREATE TEMP VIEW %s AS"
				    " SELECT * FROM %s_%s",
				    v->name, run->secret, v->name);
		r = exec_text(run, text);
	}
	return r;
}

int ccfc_sql_guard(struct ccfc_sql_run *run, const char *path)
{
	int r;

	set_switches(run->db);
	draw_secret(run);
	r = attach_store(run, path);
	if (!r)
		r = hide_tables(run);
	if (!r)
		r = make_views(run);
	if (!r)
		r = sqlite3_exec(run->db, "PRAGMA query_only=1", NULL, NULL,
				 NULL);
	if (!r)
		r = ccfc_sql_functions(run);
	if (r)
		return r;
	set_limits(run->db);
	sqlite3_progress_handler(run->db, STEPS, on_progress, run);
	return sqlite3_set_authorizer(run->db, authorize_action, run);
}
