/* The checksum of a row; see row_sum.h. */
#include "store/row_sum.h"

#include "base/buf.h"
#include "base/hash.h"
#include "store/rows.h"

#include <string.h>

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* The type of a value is in the sum, too: 1 is not '1'. */
enum tag { TAG_INT = 1, TAG_NULL, TAG_TEXT, TAG_BLOB, TAG_REAL };

static uint64_t mix_value(uint64_t sum, enum tag tag, uint64_t v)
{
	sum = (sum ^ v) * MIX + (uint64_t)tag;
	return sum ^ sum >> 32;
}

uint64_t ccfc_sum_begin(const char *table)
{
	return ccfc_hash(table, strlen(table));
}

uint64_t ccfc_sum_int(uint64_t sum, int64_t v)
{
	return mix_value(sum, TAG_INT, (uint64_t)v);
}

uint64_t ccfc_sum_null(uint64_t sum)
{
	return mix_value(sum, TAG_NULL, 0);
}

uint64_t ccfc_sum_text(uint64_t sum, struct ccfc_slice text)
{
	return mix_value(sum, TAG_TEXT,
			 ccfc_hash(text.len ? text.ptr : "", text.len));
}

uint64_t ccfc_sum_blob(uint64_t sum, struct ccfc_slice bytes)
{
	return mix_value(sum, TAG_BLOB,
			 ccfc_hash(bytes.len ? bytes.ptr : "", bytes.len));
}

int64_t ccfc_sum_end(uint64_t sum)
{
	return (int64_t)(mix_value(sum, TAG_NULL, 1) >> 17);
}

/* No column of the store has such values. */
static uint64_t sum_real(uint64_t sum, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return mix_value(sum, TAG_REAL, bits);
}

static uint64_t sum_value(uint64_t sum, const struct ccfc_row_value *value)
{
	/* Nearly all values are integers. */
	if (value->type == SQLITE_INTEGER)
		return ccfc_sum_int(sum, value->v);
	switch (value->type) {
	case SQLITE_NULL:
		return ccfc_sum_null(sum);
	case SQLITE_FLOAT:
		return sum_real(sum, sqlite3_value_double(value->sql));
	case SQLITE_TEXT:
		return ccfc_sum_text(sum, value->bytes);
	default:
		return ccfc_sum_blob(sum, value->bytes);
	}
}

struct ccfc_sum_rows ccfc_sum_rows(enum ccfc_table_id table, int schema)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	return (struct ccfc_sum_rows){ t, schema, ccfc_sum_begin(t->name) };
}

bool ccfc_sum_fits(const struct ccfc_sum_rows *rows,
		   const struct ccfc_row_value *values, int n)
{
	const struct ccfc_schema_column *columns = rows->table->columns;
	const struct ccfc_row_value *last = values + rows->table->n;
	const int schema = rows->schema;
	uint64_t sum = rows->begin;

	if (n != rows->table->n + 1 || last->type != SQLITE_INTEGER)
		return false;
	for (const struct ccfc_row_value *v = values; v < last; v++, columns++)
		if (columns->since <= schema)
			sum = sum_value(sum, v);
	return last->v == ccfc_sum_end(sum);
}

bool ccfc_sum_fits_row(sqlite3_stmt *stmt, enum ccfc_table_id table, int schema)
{
	const struct ccfc_sum_rows rows = ccfc_sum_rows(table, schema);
	struct ccfc_row_value values[CCFC_STORE_COLUMNS];

	ccfc_row_of(stmt, values);
	return ccfc_sum_fits(&rows, values, sqlite3_column_count(stmt));
}

/* --- in SQL --- */

static void row_sum(sqlite3_context *ctx, int n, sqlite3_value **values)
{
	const char *table = (const char *)sqlite3_value_text(values[0]);
	uint64_t sum = ccfc_sum_begin(table ? table : "");

	for (int i = 1; i < n; i++) {
		struct ccfc_row_value value;

		ccfc_row_values(&value, &values[i], 1);
		sum = sum_value(sum, &value);
	}
	sqlite3_result_int64(ctx, ccfc_sum_end(sum));
}

int ccfc_sum_setup(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "row_sum", -1, SQLITE_UTF8, NULL,
					  row_sum, NULL, NULL, NULL);
}

/* The columns of a table but its sum, as SQL. */
static int put_columns(struct ccfc_buf *out, sqlite3 *db, const char *table)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(db,
				      "SELECT name FROM pragma_table_info(?)"
				      " WHERE name <> 'sum' ORDER BY cid",
				      -1, &stmt, NULL);

	if (code != SQLITE_OK)
		return code;
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	while ((code = sqlite3_step(stmt)) == SQLITE_ROW)
		ccfc_buf_printf(out, ", \"%s\"",
				(const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

int ccfc_sum_table(sqlite3 *db, const char *table)
{
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int code;

	ccfc_buf_printf(&sql, "UPDATE %s SET sum = row_sum('%s'", table, table);
	code = ccfc_sum_setup(db);
	if (code == SQLITE_OK)
		code = put_columns(&sql, db, table);
	ccfc_buf_puts(&sql, ")");
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, sql.ptr, NULL, NULL, NULL);
	ccfc_buf_release(&sql);
	return code;
}
