/* Values of a row; see rows.h. */
#include "store/rows.h"

#include "base/time.h"
#include "index/index_internal.h"
#include "store/row_sum.h"
#include "store/store_schema.h"

#include <stdlib.h>

/*
 * Must the next parameter be bound? Many columns of a row are as they were in
 * the row before, and binding costs ten times as much as comparing. A text that
 * SQLite borrows is read at the step: the same place and length will do.
 */
static bool is_other(const struct ccfc_row *row, const struct ccfc_bound *now)
{
	const struct ccfc_bound *b = &row->bound[row->at];

	return b->type != now->type || b->v != now->v || b->ptr != now->ptr;
}

/* Notes the value of the next parameter, if binding it succeeded. */
static void note_bound(struct ccfc_row *row, int code, struct ccfc_bound now)
{
	if (code != SQLITE_OK)
		now.type = 0;
	row->bound[row->at] = now;
}

void ccfc_row_put_int(struct ccfc_row *row, int64_t v)
{
	const struct ccfc_bound now = { NULL, v, SQLITE_INTEGER };

	row->sum = ccfc_sum_int(row->sum, v);
	if (is_other(row, &now))
		note_bound(row, sqlite3_bind_int64(row->stmt, row->at, v), now);
	row->at++;
}

void ccfc_row_put_time(struct ccfc_row *row, int64_t ms)
{
	const struct ccfc_bound now = { NULL, 0, SQLITE_NULL };

	if (ms != CCFC_TIME_NONE) {
		ccfc_row_put_int(row, ms);
		return;
	}
	row->sum = ccfc_sum_null(row->sum);
	if (is_other(row, &now))
		note_bound(row, sqlite3_bind_null(row->stmt, row->at), now);
	row->at++;
}

/* Borrowed until the statement is stepped. */
static void bind_text(struct ccfc_row *row, struct ccfc_slice s)
{
	const char *ptr = s.len ? s.ptr : "";
	const struct ccfc_bound now = { ptr, (int64_t)s.len, SQLITE_TEXT };

	row->sum = ccfc_sum_text(row->sum, s);
	if (is_other(row, &now))
		note_bound(row,
			   sqlite3_bind_text(row->stmt, row->at, ptr,
					     (int)s.len, SQLITE_STATIC),
			   now);
	row->at++;
}

/* Hands the text over: SQLite frees it when the parameter is bound again. */
static void bind_own(struct ccfc_row *row, struct ccfc_buf *text)
{
	size_t len;
	char *own;

	row->sum = ccfc_sum_text(row->sum, ccfc_buf_view(text));
	own = ccfc_buf_detach(text, &len);
	sqlite3_bind_text(row->stmt, row->at, own, (int)len, free);
	row->bound[row->at++].type = 0;
}

void ccfc_row_put_str(struct ccfc_row *row, struct ccfc_slice s)
{
	bind_text(row, s);
}

void ccfc_row_put_sum(struct ccfc_row *row)
{
	sqlite3_bind_int64(row->stmt, row->at, ccfc_sum_end(row->sum));
	row->bound[row->at++].type = 0;
}

void ccfc_row_put_uuid(struct ccfc_row *row, const struct ccfc_index *index,
		       const struct ccfc_uuid *uuid, bool is_text)
{
	struct ccfc_slice bytes =
		ccfc_slice((const char *)uuid->bytes, sizeof(uuid->bytes));
	uint32_t id;

	if (is_text) {
		memcpy(&id, uuid->bytes, sizeof(id));
		ccfc_row_put_str(row, ccfc_index_str(index, id));
		return;
	}
	row->sum = ccfc_sum_blob(row->sum, bytes);
	sqlite3_bind_blob(row->stmt, row->at, bytes.ptr, (int)bytes.len,
			  SQLITE_STATIC);
	row->bound[row->at++].type = 0;
}

void ccfc_row_put_strings(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_ids *strings)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!strings->n) {
		bind_text(row, CCFC_SLICE_NONE);
		return;
	}
	for (uint32_t i = 0; i < strings->n; i++) {
		ccfc_buf_slice(&text, ccfc_index_str(index, strings->items[i]));
		ccfc_buf_putc(&text, '\n');
	}
	bind_own(row, &text);
}

/* Faster than printf, which goes over each digit twice. */
static void put_id(struct ccfc_buf *text, uint32_t id)
{
	char digits[sizeof("4294967295")], *at = digits + sizeof(digits);

	*--at = ' ';
	do
		*--at = (char)('0' + id % 10);
	while (id /= 10);
	ccfc_buf_append(text, at, (size_t)(digits + sizeof(digits) - at));
}

void ccfc_row_put_ids(struct ccfc_row *row, const struct ccfc_ids *ids)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	if (!ids->n) {
		bind_text(row, CCFC_SLICE_NONE);
		return;
	}
	for (uint32_t i = 0; i < ids->n; i++)
		put_id(&text, ids->items[i]);
	bind_own(row, &text);
}

static void fill_value(struct ccfc_row_value *value, sqlite3_value *sql)
{
	const char *ptr;

	value->sql = sql;
	value->type = sqlite3_value_type(sql);
	switch (value->type) {
	case SQLITE_INTEGER:
		value->v = sqlite3_value_int64(sql);
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		ptr = sqlite3_value_blob(sql);
		value->bytes = ccfc_slice(
			ptr, ptr ? (size_t)sqlite3_value_bytes(sql) : 0);
		break;
	}
}

void ccfc_row_values(struct ccfc_row_value *values, sqlite3_value *const *sql,
		     int n)
{
	for (int i = 0; i < n; i++)
		fill_value(&values[i], sql[i]);
}

struct ccfc_row ccfc_row_of(sqlite3_stmt *stmt, struct ccfc_row_value *values)
{
	int n = sqlite3_column_count(stmt);

	/* Only this thread uses the connection: no copies are needed. */
	for (int i = 0; i < n && i < CCFC_STORE_COLUMNS; i++)
		fill_value(&values[i], sqlite3_column_value(stmt, i));
	return (struct ccfc_row){ .values = values };
}

int64_t ccfc_row_time(struct ccfc_row *row)
{
	if (row->values[row->at].type == SQLITE_NULL) {
		row->at++;
		return CCFC_TIME_NONE;
	}
	return ccfc_row_int(row);
}

struct ccfc_slice ccfc_row_str(struct ccfc_row *row)
{
	const struct ccfc_row_value *value = &row->values[row->at++];
	const void *ptr;

	if (value->type == SQLITE_TEXT || value->type == SQLITE_BLOB)
		return value->bytes;
	/* Makes the number a text; only then its length is known. */
	ptr = sqlite3_value_blob(value->sql);
	return ccfc_slice(ptr, (size_t)sqlite3_value_bytes(value->sql));
}

/* Most strings are those of the row before: then no lookup is needed. */
uint32_t ccfc_row_string(struct ccfc_row *row, struct ccfc_index *index)
{
	uint32_t *before = row->strings ? &row->strings[row->at] : NULL, id;
	struct ccfc_slice s = ccfc_row_str(row);

	if (!s.len)
		return 0;
	if (before && ccfc_slice_eq(ccfc_index_str(index, *before), s))
		return *before;
	id = ccfc_strtab_put(&index->strings, s);
	if (before)
		*before = id;
	return id;
}

bool ccfc_row_uuid(struct ccfc_row *row, struct ccfc_index *index,
		   struct ccfc_uuid *uuid)
{
	bool is_text = row->values[row->at].type == SQLITE_TEXT;
	struct ccfc_slice s = ccfc_row_str(row);
	uint32_t id;

	if (is_text) {
		id = ccfc_strtab_put(&index->strings, s);
		memcpy(uuid->bytes, &id, sizeof(id));
	} else if (s.len == sizeof(uuid->bytes)) {
		memcpy(uuid->bytes, s.ptr, s.len);
	}
	return is_text;
}

void ccfc_row_strings(struct ccfc_row *row, struct ccfc_index *index,
		      struct ccfc_ids *out)
{
	struct ccfc_slice text = ccfc_row_str(row);

	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;

		if (n)
			ccfc_ids_push(out,
				      ccfc_strtab_put(&index->strings,
						      ccfc_slice(text.ptr, n)));
		n += nl ? 1 : 0;
		text = ccfc_slice(text.ptr + n, text.len - n);
	}
}

void ccfc_row_ids(struct ccfc_row *row, struct ccfc_ids *out)
{
	struct ccfc_slice text = ccfc_row_str(row);
	uint32_t v = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] >= '0' && text.ptr[i] <= '9') {
			v = v * 10 + (uint32_t)(text.ptr[i] - '0');
			continue;
		}
		ccfc_ids_push(out, v);
		v = 0;
	}
}
