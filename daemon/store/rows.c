/* Values of a row; see rows.h. */
#include "store/rows.h"

#include "base/time.h"
#include "index/index_internal.h"
#include "store/row_sum.h"
#include "store/store_schema.h"

void ccfc_row_put_int(struct ccfc_row *row, int64_t v)
{
	row->sum = ccfc_sum_int(row->sum, v);
	sqlite3_bind_int64(row->stmt, row->at++, v);
}

void ccfc_row_put_time(struct ccfc_row *row, int64_t ms)
{
	if (ms != CCFC_TIME_NONE) {
		ccfc_row_put_int(row, ms);
		return;
	}
	row->sum = ccfc_sum_null(row->sum);
	sqlite3_bind_null(row->stmt, row->at++);
}

static void put_text(struct ccfc_row *row, struct ccfc_slice s,
		     sqlite3_destructor_type whose)
{
	row->sum = ccfc_sum_text(row->sum, s);
	sqlite3_bind_text(row->stmt, row->at++, s.len ? s.ptr : "", (int)s.len,
			  whose);
}

void ccfc_row_put_str(struct ccfc_row *row, struct ccfc_slice s)
{
	put_text(row, s, SQLITE_STATIC);
}

void ccfc_row_put_sum(struct ccfc_row *row)
{
	sqlite3_bind_int64(row->stmt, row->at++, ccfc_sum_end(row->sum));
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
	sqlite3_bind_blob(row->stmt, row->at++, bytes.ptr, (int)bytes.len,
			  SQLITE_STATIC);
}

void ccfc_row_put_strings(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_ids *strings)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < strings->n; i++) {
		ccfc_buf_slice(&text, ccfc_index_str(index, strings->items[i]));
		ccfc_buf_putc(&text, '\n');
	}
	put_text(row, ccfc_buf_view(&text), SQLITE_TRANSIENT);
	ccfc_buf_release(&text);
}

void ccfc_row_put_ids(struct ccfc_row *row, const struct ccfc_ids *ids)
{
	struct ccfc_buf text = CCFC_BUF_INIT;

	for (uint32_t i = 0; i < ids->n; i++)
		ccfc_buf_printf(&text, "%u ", ids->items[i]);
	put_text(row, ccfc_buf_view(&text), SQLITE_TRANSIENT);
	ccfc_buf_release(&text);
}

struct ccfc_row ccfc_row_of(sqlite3_stmt *stmt, sqlite3_value **values)
{
	int n = sqlite3_column_count(stmt);

	/* Of a connection that one thread has: as good as one's own. */
	for (int i = 0; i < n && i < CCFC_STORE_COLUMNS; i++)
		values[i] = sqlite3_column_value(stmt, i);
	return (struct ccfc_row){ .values = values };
}

int64_t ccfc_row_int(struct ccfc_row *row)
{
	return sqlite3_value_int64(row->values[row->at++]);
}

int64_t ccfc_row_int_in(struct ccfc_row *row, int64_t min, int64_t max)
{
	int64_t v = ccfc_row_int(row);

	if (v >= min && v <= max)
		return v;
	row->wrong = true;
	return 0;
}

int64_t ccfc_row_time(struct ccfc_row *row)
{
	if (sqlite3_value_type(row->values[row->at]) == SQLITE_NULL) {
		row->at++;
		return CCFC_TIME_NONE;
	}
	return ccfc_row_int(row);
}

struct ccfc_slice ccfc_row_str(struct ccfc_row *row)
{
	sqlite3_value *value = row->values[row->at++];
	const void *ptr = sqlite3_value_blob(value);
	int len = sqlite3_value_bytes(value);

	return ccfc_slice(ptr, (size_t)len);
}

uint32_t ccfc_row_string(struct ccfc_row *row, struct ccfc_index *index)
{
	return ccfc_strtab_put(&index->strings, ccfc_row_str(row));
}

bool ccfc_row_uuid(struct ccfc_row *row, struct ccfc_index *index,
		   struct ccfc_uuid *uuid)
{
	bool is_text = sqlite3_value_type(row->values[row->at]) == SQLITE_TEXT;
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
