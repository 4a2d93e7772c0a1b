/*
 * Checking the store; see check.h. SQLite's quick_check goes through every page
 * of the file; the texts have checksums. Both can take seconds on a large
 * store, so both look now and then whether the answer is still wanted.
 */
#include "store/check.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <sqlite3.h>
#include <stdlib.h>

#define QUOTE(x)      #x
#define TEXT_OF(x)    QUOTE(x)
#define BUSY_MS	      5000
#define STEPS_A_LOOK  100000
#define PROBLEM_BYTES 300

struct state {
	struct ccfc_check *out;
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

/* SQLite's words, which may be several lines, as one. */
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

/* What SQLite says about damage is an answer, not a failure to get one. */
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
static int each(struct state *s, const char *sql,
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
}

static int check_index(struct state *s, const char *path, struct ccfc_err *err)
{
	int code = sqlite3_open_v2(
		path, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);

	if (code == SQLITE_OK) {
		sqlite3_busy_timeout(s->db, BUSY_MS);
		sqlite3_progress_handler(s->db, STEPS_A_LOOK, on_progress, s);
		code = each(
			s,
			"PRAGMA quick_check(" TEXT_OF(CCFC_CHECK_PROBLEMS) ")",
			on_checked);
	}
	if (code == SQLITE_OK)
		code = each(s, "SELECT key, value FROM t_meta", on_meta);
	return code == SQLITE_OK ? 0 : failed_check(s, path, err);
}

static void check_texts(struct state *s, const struct ccfc_texts_view *view)
{
	struct ccfc_texts_reader *reader = ccfc_texts_reader_new(view, 0);
	struct ccfc_text_head head;
	struct ccfc_slice text;

	ccfc_texts_verify(reader, true);
	while (!is_cancelled(s) && ccfc_texts_next(reader, &head, &text))
		s->out->texts++;
	s->out->damaged_texts = ccfc_texts_damaged(reader);
	ccfc_texts_reader_free(reader);
}

int ccfc_check_run(struct ccfc_check *out, const char *dir,
		   const struct ccfc_texts_view *view,
		   const atomic_bool *cancelled, struct ccfc_err *err)
{
	struct state s = { .out = out, .cancelled = cancelled };
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	*out = (struct ccfc_check){ 0 };
	ccfc_buf_printf(&path, "%s/index.db", dir);
	r = check_index(&s, path.ptr, err);
	sqlite3_close(s.db);
	ccfc_buf_release(&path);
	if (!r)
		check_texts(&s, view);
	return r;
}

void ccfc_check_release(struct ccfc_check *check)
{
	for (uint32_t i = 0; i < check->problems.n; i++)
		free(check->problems.items[i]);
	free(check->problems.items);
	*check = (struct ccfc_check){ 0 };
}
