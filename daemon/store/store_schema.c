/*
 * The schema of the store. Tables t_… are the index as it is in memory, row for
 * row (ids are its array indexes), and may change from version to version.
 * Users can query the views (sql/views.c). Times are milliseconds since 1970 in
 * UTC, NULL if not known.
 *
 * Every start puts some hundred columns into SQL; printf would be too slow.
 */
#include "store/store_schema.h"

#include <string.h>

/* The SQLite type of a kind (row_columns.c). */
#define TYPE_ROW	  "INTEGER"
#define TYPE_BOOL	  "INTEGER"
#define TYPE_U8		  "INTEGER"
#define TYPE_U16	  "INTEGER"
#define TYPE_U32	  "INTEGER"
#define TYPE_U64	  "INTEGER"
#define TYPE_I32	  "INTEGER"
#define TYPE_I64	  "INTEGER"
#define TYPE_TIME	  "INTEGER"
#define TYPE_KNOWN_TIME	  "INTEGER"
#define TYPE_HAS_PLACE	  "INTEGER"
#define TYPE_PLACE_SOURCE "INTEGER"
#define TYPE_CALL_FLAGS	  "INTEGER"
#define TYPE_NAME	  "TEXT"
#define TYPE_CALL_ID	  "TEXT"
#define TYPE_TEXT	  "TEXT"
#define TYPE_TOOL	  "TEXT"
#define TYPE_TEXT_SET	  "TEXT"
#define TYPE_ID_SET	  "TEXT"
#define TYPE_NUMBER	  ""
#define TYPE_SESSION_ID	  ""
#define TYPE_FILE_PATH	  ""
#define TYPE_BYTES	  ""
#define TYPE_BYTES_SET	  ""
#define TYPE_UUID	  ""

#define TABLE(ID, name, sql_name, keys, row, rows)                             \
	static const struct ccfc_schema_column columns_of_##name[] = {
#define COLUMN(sql_name, kind, member, in_schema, old_value)                   \
	{ #sql_name, TYPE_##kind, in_schema, old_value },
#define END(name)                                                              \
	}                                                                      \
	;                                                                      \
	_Static_assert(sizeof(columns_of_##name) /                             \
				       sizeof(*columns_of_##name) <            \
			       CCFC_STORE_COLUMNS,                             \
		       "its rows are values of one call of a function");
/* clang-format off */
#include "store/columns.def"
/* clang-format on */

#define TABLE(ID, name, sql_name, keys, row, rows)                             \
	[CCFC_TABLE_##ID] = { #sql_name, columns_of_##name,                    \
			      (int)(sizeof(columns_of_##name) /                \
				    sizeof(*columns_of_##name)),               \
			      keys },
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
const struct ccfc_store_table ccfc_store_tables[CCFC_TABLES] = {
#include "store/columns.def"
};

bool ccfc_schema_has_id(enum ccfc_table_id table)
{
	return !strcmp(ccfc_store_tables[table].columns[0].name, "id");
}

bool ccfc_schema_changed(enum ccfc_table_id table, int schema)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	for (int i = 0; i < t->n; i++)
		if (t->columns[i].since > schema)
			return true;
	return false;
}

/* SQLite's own number of a row: a key of one column that is a number. */
static bool has_rowid(const struct ccfc_store_table *t)
{
	return t->keys == 1 && !strcmp(t->columns[0].type, "INTEGER");
}

void ccfc_schema_put_create(struct ccfc_buf *out, enum ccfc_table_id table,
			    int schema)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	ccfc_buf_printf(out, "CREATE TABLE %s(", t->name);
	for (int i = 0; i < t->n; i++) {
		const struct ccfc_schema_column *c = &t->columns[i];

		if (c->since > schema)
			continue;
		ccfc_buf_puts(out, c->name);
		ccfc_buf_puts(out, *c->type ? " " : "");
		ccfc_buf_puts(out, c->type);
		ccfc_buf_puts(out,
			      t->keys == 1 && !i ? " PRIMARY KEY, " : ", ");
	}
	ccfc_buf_puts(out, "sum INTEGER");
	for (int i = 0; i < t->keys && t->keys > 1; i++)
		ccfc_buf_printf(out, "%s%s", i ? ", " : ", PRIMARY KEY(",
				t->columns[i].name);
	ccfc_buf_puts(out, t->keys > 1 ? "))" : ")");
	if (!has_rowid(t))
		ccfc_buf_puts(out, " WITHOUT ROWID");
}

void ccfc_schema_put_replace(struct ccfc_buf *out, enum ccfc_table_id table)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	ccfc_buf_printf(out, "REPLACE INTO %s VALUES(", t->name);
	for (int i = 0; i < t->n; i++)
		ccfc_buf_puts(out, "?,");
	ccfc_buf_puts(out, "?)");
}

static void put_name(struct ccfc_buf *out, const char *column)
{
	ccfc_buf_putc(out, '[');
	ccfc_buf_puts(out, column);
	ccfc_buf_putc(out, ']');
}

void ccfc_schema_put_columns(struct ccfc_buf *out, enum ccfc_table_id table,
			     int schema)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	for (int i = 0; i < t->n; i++) {
		const struct ccfc_schema_column *c = &t->columns[i];

		ccfc_buf_puts(out, i ? ", " : "");
		if (c->since <= schema)
			put_name(out, c->name);
		else
			ccfc_buf_puts(out, *c->before ? c->before : "NULL");
	}
}

void ccfc_schema_put_sum(struct ccfc_buf *out, enum ccfc_table_id table,
			 int schema)
{
	const struct ccfc_store_table *t = &ccfc_store_tables[table];

	ccfc_buf_printf(out, "row_sum('%s'", t->name);
	for (int i = 0; i < t->n; i++)
		if (t->columns[i].since <= schema) {
			ccfc_buf_puts(out, ", ");
			put_name(out, t->columns[i].name);
		}
	ccfc_buf_putc(out, ')');
}

void ccfc_schema_put_select(struct ccfc_buf *out, enum ccfc_table_id table,
			    int schema)
{
	ccfc_buf_puts(out, "SELECT ");
	ccfc_schema_put_columns(out, table, schema);
	ccfc_buf_printf(out, ", %s FROM %s",
			schema < CCFC_STORE_SUMS ? "NULL" : "sum",
			ccfc_store_tables[table].name);
}

bool ccfc_schema_same(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (*a != *b || !*a)
			return *a == *b;
	}
}
