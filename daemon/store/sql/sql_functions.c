/*
 * SQLite checks for cancellation between two steps, not within a function, and
 * not between two calls in one row. Most functions take linear time in their
 * arguments, which are limited, and allocate memory, where cancellation is
 * checked (sql_memory.c). Functions that can take quadratic time or need no
 * memory are replaced here.
 *
 * Of the functions of SQLite 3.40.1, those that are neither here nor on the
 * list in sql_guard.c are refused: of files and code (load_extension,
 * fts3_tokenizer, edit), of settings and the schema (sqlite_compileoption_*,
 * sqlite_source_id, sqlite_log, changes, total_changes, last_insert_rowid), of
 * virtual tables (fts*, bm25, snippet, offsets, matchinfo, highlight, optimize,
 * match, rtree*), and those that edit JSON (json_patch, json_set and the like)
 * or that are not needed (soundex, subtype).
 */
#include "store/sql/sql_run.h"

#include <string.h>

#define FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)

/* The bytes of an argument; false: the argument is NULL. */
static bool text_of_sql_functions(struct ccfc_slice *out, sqlite3_value *v)
{
	bool blob = sqlite3_value_type(v) == SQLITE_BLOB;
	const void *p = blob ? sqlite3_value_blob(v)
			     : (const void *)sqlite3_value_text(v);

	*out = ccfc_slice(p ? p : "", (size_t)sqlite3_value_bytes(v));
	return sqlite3_value_type(v) != SQLITE_NULL;
}

/* Fails the call if the query must end. */
static bool fails_at_end(sqlite3_context *c)
{
	if (!ccfc_sql_stopped(sqlite3_user_data(c)))
		return false;
	sqlite3_result_error_code(c, SQLITE_INTERRUPT);
	return true;
}

static const char *find_sql_functions(struct ccfc_slice in,
				      struct ccfc_slice what)
{
	return in.len ? memmem(in.ptr, in.len, what.ptr, what.len) : NULL;
}

static void sql_instr(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct ccfc_slice in, what;
	bool bytes = sqlite3_value_type(v[0]) == SQLITE_BLOB &&
		     sqlite3_value_type(v[1]) == SQLITE_BLOB;
	const char *at;
	int64_t place = 1;

	(void)n;
	if (!text_of_sql_functions(&in, v[0]) ||
	    !text_of_sql_functions(&what, v[1]) || fails_at_end(c))
		return;
	at = what.len ? find_sql_functions(in, what) : in.ptr;
	for (const char *p = in.ptr; at && p < at; p++)
		place += bytes || ((unsigned char)*p & 0xc0) != 0x80;
	sqlite3_result_int64(c, at ? place : 0);
}

/* Characters of a text up to a NUL; bytes of other values. */
static void sql_length(sqlite3_context *c, int n, sqlite3_value **v)
{
	bool is_text = sqlite3_value_type(v[0]) == SQLITE_TEXT;
	struct ccfc_slice in;
	int64_t len = 0;

	(void)n;
	if (!text_of_sql_functions(&in, v[0]) || fails_at_end(c))
		return;
	for (size_t i = 0; is_text && i < in.len && in.ptr[i]; i++)
		len += ((unsigned char)in.ptr[i] & 0xc0) != 0x80;
	sqlite3_result_int64(c, is_text ? len : (int64_t)in.len);
}

static void replace_sql_functions(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct ccfc_sql_run *run = sqlite3_user_data(c);
	struct ccfc_slice in, what, by;
	const char *at;
	sqlite3_str *out;
	int len, code;
	char *text;

	(void)n;
	if (!text_of_sql_functions(&in, v[0]) ||
	    !text_of_sql_functions(&what, v[1]) ||
	    !text_of_sql_functions(&by, v[2]) || fails_at_end(c))
		return;
	out = sqlite3_str_new(run->db);
	while (what.len && !sqlite3_str_errcode(out) &&
	       (at = find_sql_functions(in, what))) {
		size_t skip = (size_t)(at - in.ptr);

		sqlite3_str_append(out, in.ptr, (int)skip);
		sqlite3_str_append(out, by.ptr, (int)by.len);
		in = ccfc_slice(at + what.len, in.len - skip - what.len);
	}
	sqlite3_str_append(out, in.ptr, (int)in.len);
	code = sqlite3_str_errcode(out);
	len = sqlite3_str_length(out);
	text = sqlite3_str_finish(out); /* NULL where it is empty */
	if (code)
		sqlite3_result_error_code(c, code);
	else if (text)
		sqlite3_result_text(c, text, len, sqlite3_free);
	else
		sqlite3_result_text(c, "", 0, SQLITE_STATIC);
}

/* The pattern and the text of LIKE and GLOB; false: there is an answer. */
static bool take_pattern(const char **pat, const char **text,
			 sqlite3_context *c, sqlite3_value **v)
{
	*pat = (const char *)sqlite3_value_text(v[0]);
	*text = (const char *)sqlite3_value_text(v[1]);
	if (!*pat || !*text || fails_at_end(c))
		return false;
	if (sqlite3_value_bytes(v[0]) <= CCFC_SQL_MAX_PATTERN)
		return true;
	sqlite3_result_error(c, "LIKE or GLOB pattern too complex", -1);
	return false;
}

static void sql_like(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *pat, *text, *escape = "";

	if (n == 3) {
		escape = (const char *)sqlite3_value_text(v[2]);
		if (!escape)
			return;
		if (!*escape || escape[1] || (unsigned char)*escape >= 0x80) {
			sqlite3_result_error(c,
					     "ESCAPE expression must be a "
					     "single ASCII character",
					     -1);
			return;
		}
	}
	if (take_pattern(&pat, &text, c, v))
		sqlite3_result_int(
			c, !sqlite3_strlike(pat, text, (unsigned)*escape));
}

static void sql_glob(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *pat, *text;

	(void)n;
	if (take_pattern(&pat, &text, c, v))
		sqlite3_result_int(c, !sqlite3_strglob(pat, text));
}

static void not_offered(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_error(c, "trim, ltrim and rtrim take one argument here",
			     -1);
}

int ccfc_sql_functions(struct ccfc_sql_run *run)
{
	static const struct {
		const char *name;
		int args;
		void (*fn)(sqlite3_context *, int, sqlite3_value **);
	} table[] = {
		{ "instr", 2, sql_instr },
		{ "replace", 3, replace_sql_functions },
		{ "like", 2, sql_like },
		{ "like", 3, sql_like },
		{ "glob", 2, sql_glob },
		{ "trim", 2, not_offered },
		{ "ltrim", 2, not_offered },
		{ "rtrim", 2, not_offered },
		{ "printf", -1, ccfc_sql_printf },
		{ "format", -1, ccfc_sql_printf },
		{ "length", 1, sql_length },
	};
	int r = SQLITE_OK;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table) && !r; i++)
		r = sqlite3_create_function_v2(run->db, table[i].name,
					       table[i].args, FLAGS, run,
					       table[i].fn, NULL, NULL, NULL);
	return r;
}
