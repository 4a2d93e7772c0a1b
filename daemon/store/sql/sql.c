/*
 * Runs one query; see sql.h. Each query has a new connection: that costs less
 * than a millisecond, and no query affects the next.
 */
#include "store/sql/sql.h"

#include "base/buf.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/sql/sql_run.h"

#include <string.h>

bool ccfc_sql_stopped(struct ccfc_sql_run *run)
{
	const atomic_bool *cancelled = run->q->cancelled;

	if (cancelled && atomic_load_explicit(cancelled, memory_order_relaxed))
		run->stop = CCFC_SQL_CANCELLED;
	else if (!run->stop && ccfc_time_monotonic() > run->deadline)
		run->stop = CCFC_SQL_TOO_LONG;
	return run->stop != CCFC_SQL_GO_ON;
}

/* --- what went wrong --- */

static int fail_stopped(const struct ccfc_sql_run *run, struct ccfc_err *err)
{
	if (run->stop == CCFC_SQL_CANCELLED)
		return ccfc_err_set(err, CCFC_EAGAIN,
				    "the query was "
				    "cancelled");
	ccfc_err_set(err, CCFC_ETOOBIG,
		     "the query takes longer than %lld "
		     "seconds",
		     (long long)run->q->max_ms / 1000);
	ccfc_err_hint(err, "narrow the query: WHERE, fewer joins");
	return CCFC_ETOOBIG;
}

static int fail_refused(const struct ccfc_sql_run *run, struct ccfc_err *err)
{
	ccfc_err_set(err, CCFC_EINVAL, "%s", run->refused);
	ccfc_err_hint(err, "ccfc sql --schema lists the views");
	return CCFC_EINVAL;
}

/* SQLite repeats words of the query, which need not be valid UTF-8. */
static int fail_wrong(const char *why, struct ccfc_err *err)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	ccfc_utf8_append(&text, ccfc_slice_cut(ccfc_slice_str(why), 300));
	ccfc_err_set(err, CCFC_EINVAL, "%s", text.len ? text.ptr : "");
	if (strstr(why, "no such"))
		ccfc_err_hint(err, "ccfc sql --schema lists the views and "
				   "their columns");
	ccfc_buf_release(&text);
	return CCFC_EINVAL;
}

static int failed_sql(const struct ccfc_sql_run *run, int r,
		      struct ccfc_err *err)
{
	const char *why = sqlite3_errmsg(run->db);

	if (run->stop)
		return fail_stopped(run, err);
	if (run->refused[0])
		return fail_refused(run, err);
	switch (r & 0xff) {
	case SQLITE_NOMEM:
		ccfc_err_set(err, CCFC_ETOOBIG,
			     "the query needs more than %zu MiB of memory, "
			     "or has too many parts",
			     run->q->max_memory >> 20);
		ccfc_err_hint(err, "narrow the query: WHERE, fewer joins");
		return CCFC_ETOOBIG;
	case SQLITE_TOOBIG:
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "a value, or the query, is too long");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return ccfc_err_set(err, CCFC_ECORRUPT, "the store: %s", why);
	case SQLITE_ERROR:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
		return fail_wrong(why, err);
	default:
		return ccfc_err_set(err, CCFC_EIO, "the store: %s", why);
	}
}

/* --- a statement --- */

static struct ccfc_sql_value value_of(sqlite3_stmt *stmt, int i)
{
	struct ccfc_sql_value v = { .type = CCFC_SQL_NULL };
	const void *p = NULL;

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		v.type = CCFC_SQL_INT;
		v.num = sqlite3_column_int64(stmt, i);
		return v;
	case SQLITE_FLOAT:
		v.type = CCFC_SQL_DOUBLE;
		v.real = sqlite3_column_double(stmt, i);
		return v;
	case SQLITE_TEXT:
		v.type = CCFC_SQL_TEXT;
		p = sqlite3_column_text(stmt, i);
		break;
	case SQLITE_BLOB:
		v.type = CCFC_SQL_BLOB;
		p = sqlite3_column_blob(stmt, i);
		break;
	default:
		return v;
	}
	/* An empty blob has no address. */
	v.text = p ? ccfc_slice(p, (size_t)sqlite3_column_bytes(stmt, i))
		   : ccfc_slice("", 0);
	return v;
}

static void tell_columns(const struct ccfc_sql *q, sqlite3_stmt *stmt, int n)
{
	const char *names[CCFC_SQL_MAX_COLUMNS];

	for (int i = 0; i < n; i++) {
		names[i] = sqlite3_column_name(stmt, i);
		if (!names[i])
			names[i] = "";
	}
	q->columns(q->ctx, names, (uint32_t)n);
}

static int step_sql(struct ccfc_sql_run *run, sqlite3_stmt *stmt,
		    bool *truncated)
{
	const struct ccfc_sql *q = run->q;
	struct ccfc_sql_value values[CCFC_SQL_MAX_COLUMNS];
	int n = sqlite3_column_count(stmt), r;

	tell_columns(q, stmt, n);
	for (uint64_t row = 0;; row++) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_DONE)
			return 0;
		if (r != SQLITE_ROW)
			return r;
		for (int i = 0; i < n; i++)
			values[i] = value_of(stmt, i);
		if (row >= q->max_rows ||
		    !q->row(q->ctx, values, (uint32_t)n)) {
			*truncated = true;
			return 0;
		}
		if (ccfc_sql_stopped(run))
			return SQLITE_INTERRUPT;
	}
}

/* Is there a second statement? Comments and semicolons are none. */
static bool has_more(struct ccfc_sql_run *run, const char *tail,
		     const char *end)
{
	sqlite3_stmt *stmt = NULL;
	int r = SQLITE_OK;

	while (tail < end && !r && !stmt)
		r = sqlite3_prepare_v3(run->db, tail, (int)(end - tail),
				       SQLITE_PREPARE_NO_VTAB, &stmt, &tail);
	sqlite3_finalize(stmt);
	return r || stmt;
}

static int check_sql(struct ccfc_sql_run *run, sqlite3_stmt *stmt,
		     const char *tail, struct ccfc_err *err)
{
	const struct ccfc_slice *text = &run->q->query;

	if (!stmt)
		return ccfc_err_set(err, CCFC_EINVAL, "there is no query");
	if (sqlite3_stmt_isexplain(stmt) || !sqlite3_stmt_readonly(stmt) ||
	    !sqlite3_column_count(stmt))
		return ccfc_err_set(err, CCFC_EINVAL, "only SELECT is allowed");
	if (sqlite3_column_count(stmt) > CCFC_SQL_MAX_COLUMNS)
		return ccfc_err_set(err, CCFC_ETOOBIG, "too many columns");
	if (has_more(run, tail, text->ptr + text->len))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "one statement at a time");
	return 0;
}

static int run_text(struct ccfc_sql_run *run, bool *truncated,
		    struct ccfc_err *err)
{
	const struct ccfc_slice *text = &run->q->query;
	sqlite3_stmt *stmt = NULL;
	const char *tail = NULL;
	int r = sqlite3_prepare_v3(run->db, text->ptr, (int)text->len,
				   SQLITE_PREPARE_NO_VTAB, &stmt, &tail);

	if (r) {
		r = failed_sql(run, r, err);
	} else {
		r = check_sql(run, stmt, tail, err);
		if (!r) {
			r = step_sql(run, stmt, truncated);
			if (r)
				r = failed_sql(run, r, err);
		}
	}
	sqlite3_finalize(stmt);
	return r;
}

static int check_text(struct ccfc_slice text, struct ccfc_err *err)
{
	if (text.len > CCFC_SQL_MAX_QUERY)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "the query is longer than %u bytes",
				    CCFC_SQL_MAX_QUERY);
	if (text.len && memchr(text.ptr, 0, text.len))
		return ccfc_err_set(err, CCFC_EINVAL,
				    "the query contains a NUL byte");
	return 0;
}

int ccfc_sql_run(const struct ccfc_sql *q, bool *truncated,
		 struct ccfc_err *err)
{
	struct ccfc_sql_run run = { .q = q };
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r = check_text(q->query, err);

	*truncated = false;
	if (r)
		return r;
	run.deadline = ccfc_time_monotonic() + q->max_ms;
	ccfc_buf_printf(&path, "%s/index.db", q->dir);
	ccfc_sql_memory_setup();
	ccfc_sql_memory(&run);
	/* A database that is attached to this one is read-only, too. */
	r = sqlite3_open_v2(":memory:", &run.db,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
	if (!r) {
		sqlite3_busy_timeout(run.db, 1000);
		r = ccfc_sql_guard(&run, path.ptr);
	}
	if (r)
		r = failed_sql(&run, r, err);
	else
		r = run_text(&run, truncated, err);
	sqlite3_close(run.db);
	ccfc_sql_memory(NULL);
	ccfc_buf_release(&path);
	return r;
}
