/*
 * Checking the store; see check.h. SQLite's quick_check goes through every page
 * of the file; the texts have checksums. Both can take seconds on a large
 * store, so both check now and then for cancellation.
 */
#include "store/check.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "store/row_sum.h"
#include "store/store_schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define QUOTE(x)      #x
#define TEXT_OF(x)    QUOTE(x)
#define BUSY_MS	      5000
#define STEPS_A_LOOK  100000
#define PROBLEM_BYTES 300

struct state {
	struct ccfc_check *out;
	uint64_t wanted; /* rows, as t_meta says */
	enum ccfc_table_id table;
	uint64_t wrong; /* rows of it */
	sqlite3 *db;
	const atomic_bool *cancelled;
};

static bool is_cancelled(const struct state *s)
{
	return atomic_load_explicit(s->cancelled, memory_order_relaxed);
}

static int on_progress(void *data)
{
	return is_cancelled(data);
}

/* Adds a message of SQLite, which may have several lines, as one line. */
static void add_problem(struct state *s, const char *text)
{
	struct ccfc_slice cut =
		ccfc_slice_cut(ccfc_slice_str(text), PROBLEM_BYTES);
	char *copy;

	if (s->out->problems.n >= CCFC_CHECK_PROBLEMS)
		return;
	copy = ccfc_strndup(cut.len ? cut.ptr : "", cut.len);
	for (char *p = copy; *p; p++)
		if (*p == '\n')
			*p = ' ';
	CCFC_VEC_PUSH(s->out->problems, copy);
}

/* Damage reported by SQLite is a result, not a failure. */
static int failed_check(struct state *s, const char *path, struct ccfc_err *err)
{
	int code = sqlite3_errcode(s->db) & 0xff;

	if (code == SQLITE_INTERRUPT)
		return 0;
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
		add_problem(s, sqlite3_errmsg(s->db));
		return 0;
	}
	return ccfc_err_set(err, CCFC_EIO, "cannot check %s: %s", path,
			    sqlite3_errmsg(s->db));
}

/* Calls `row` for each row of a statement; SQLite's code. */
static int each_row(struct state *s, const char *sql,
		    void (*row)(struct state *s, sqlite3_stmt *stmt))
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (code != SQLITE_OK)
		return code;
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
		row(s, stmt);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void on_checked(struct state *s, sqlite3_stmt *stmt)
{
	const char *text = (const char *)sqlite3_column_text(stmt, 0);

	if (text && strcmp(text, "ok") != 0)
		add_problem(s, text);
}

static void on_meta(struct state *s, sqlite3_stmt *stmt)
{
	const char *key = (const char *)sqlite3_column_text(stmt, 0);
	int64_t value = sqlite3_column_int64(stmt, 1);

	if (key && !strcmp(key, "schema"))
		s->out->schema = value;
	else if (key && !strcmp(key, "reader"))
		s->out->reader = value;
	else if (key && !strcmp(key, "rows"))
		s->wanted = (uint64_t)value;
}

static void on_row(struct state *s, sqlite3_stmt *stmt)
{
	if (!ccfc_sum_fits_row(stmt, s->table, CCFC_STORE_SCHEMA))
		s->wrong++;
	s->out->rows += s->table != CCFC_TABLE_META;
}

static void tell_check(struct state *s, const char *table, uint64_t n)
{
	char text[100];

	snprintf(text, sizeof(text), "%s: %llu row%s", table,
		 (unsigned long long)n,
		 n == 1 ? " has a wrong sum" : "s have wrong sums");
	add_problem(s, text);
}

/* Every row, in one view of the file. */
static int check_rows(struct state *s)
{
	int code = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);

	s->wanted = 0;
	if (code == SQLITE_OK)
		code = each_row(s, "SELECT key, value FROM t_meta", on_meta);
	for (int i = 0; i < CCFC_TABLES && code == SQLITE_OK; i++) {
		char sql[64];

		s->table = (enum ccfc_table_id)i;
		s->wrong = 0;
		snprintf(sql, sizeof(sql), "SELECT * FROM %s",
			 ccfc_store_tables[i].name);
		code = each_row(s, sql, on_row);
		if (s->wrong)
			tell_check(s, ccfc_store_tables[i].name, s->wrong);
	}
	if (code == SQLITE_OK && s->out->rows != s->wanted)
		add_problem(s, "rows are missing, or there are too many");
	return code;
}

static int check_index(struct state *s, const char *path, bool deep,
		       struct ccfc_err *err)
{
	int code = sqlite3_open_v2(
		path, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);

	if (code == SQLITE_OK) {
		sqlite3_busy_timeout(s->db, BUSY_MS);
		sqlite3_progress_handler(s->db, STEPS_A_LOOK, on_progress, s);
		code = each_row(
			s,
			"PRAGMA quick_check(" TEXT_OF(CCFC_CHECK_PROBLEMS) ")",
			on_checked);
	}
	if (code == SQLITE_OK)
		code = each_row(s, "SELECT key, value FROM t_meta", on_meta);
	if (code == SQLITE_OK && deep)
		code = check_rows(s);
	return code == SQLITE_OK ? 0 : failed_check(s, path, err);
}

static int check_texts(struct state *s, const struct ccfc_texts_view *view,
		       const char *dir, struct ccfc_err *err)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;
	int r = 0;

	ccfc_texts_verify(reader, true);
	while (!is_cancelled(s) && ccfc_texts_next(reader, &head, &text))
		s->out->texts++;
	s->out->damaged_texts = ccfc_texts_damaged(reader);
	if (ccfc_texts_error(reader))
		r = ccfc_err_io(err, ccfc_texts_error(reader),
				"cannot check %s/texts", dir);
	ccfc_texts_reader_free(reader);
	return r;
}

int ccfc_check_run(struct ccfc_check *out, const char *dir,
		   const struct ccfc_texts_view *view, bool deep,
		   const atomic_bool *cancelled, struct ccfc_err *err)
{
	struct state s = { .out = out, .cancelled = cancelled };
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	*out = (struct ccfc_check){ 0 };
	ccfc_buf_printf(&path, "%s/index.db", dir);
	r = check_index(&s, path.ptr, deep, err);
	sqlite3_close(s.db);
	ccfc_buf_release(&path);
	return r ? r : check_texts(&s, view, dir, err);
}

void ccfc_check_release(struct ccfc_check *check)
{
	for (uint32_t i = 0; i < check->problems.n; i++)
		free(check->problems.items[i]);
	free(check->problems.items);
	*check = (struct ccfc_check){ 0 };
}
