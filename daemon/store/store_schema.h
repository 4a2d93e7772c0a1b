/*
 * The schema of the store: its tables, as columns.def describes them, and the
 * SQL that follows from that. Within store/ only.
 */
#ifndef CCFC_STORE_STORE_SCHEMA_H
#define CCFC_STORE_STORE_SCHEMA_H

#include "base/buf.h"

#include <stdbool.h>

/* Raised when tables change. */
#define CCFC_STORE_SCHEMA 9
/* The first schema whose rows have checksums (row_sum.h). */
#define CCFC_STORE_SUMS 5
/* Raised when a new reading of transcripts gives other rows. */
#define CCFC_STORE_READER 9

/* No table has more columns with its sum: SQL functions take 100 values. */
#define CCFC_STORE_COLUMNS 100

enum ccfc_table_id {
#define TABLE(ID, name, sql_name, keys, row, rows) CCFC_TABLE_##ID,
#define COLUMN(sql_name, kind, member, in_schema, old_value)
#define END(name)
#include "store/columns.def"
	CCFC_TABLES
};

struct ccfc_schema_column {
	const char *name;
	const char *type; /* "INTEGER", "TEXT", or "" */
	int since;	  /* schema */
	const char *before;
};

struct ccfc_store_table {
	const char *name;
	const struct ccfc_schema_column
		*columns; /* without the last one, the sum */
	int n;
	int keys;
};

extern const struct ccfc_store_table ccfc_store_tables[CCFC_TABLES];

/* Has each row a number of its own, `id`? */
bool ccfc_schema_has_id(enum ccfc_table_id table);
/* Was a column added after that schema, which has checksums? */
bool ccfc_schema_changed(enum ccfc_table_id table, int schema);

/* Each of these appends SQL. */

/* CREATE TABLE as it was in a schema, which has sums. */
void ccfc_schema_put_create(struct ccfc_buf *out, enum ccfc_table_id table,
			    int schema);
/* REPLACE INTO the table, a parameter for each column and for the sum. */
void ccfc_schema_put_replace(struct ccfc_buf *out, enum ccfc_table_id table);
/* All columns of today, as expressions over rows of an older schema. */
void ccfc_schema_put_columns(struct ccfc_buf *out, enum ccfc_table_id table,
			     int schema);
/* The sum of a row of an older schema, computed; see ccfc_sum_setup. */
void ccfc_schema_put_sum(struct ccfc_buf *out, enum ccfc_table_id table,
			 int schema);
/*
 * SELECT all these columns and the stored sum (NULL if the schema has no sums)
 * FROM the table.
 */
void ccfc_schema_put_select(struct ccfc_buf *out, enum ccfc_table_id table,
			    int schema);

/* Are two definitions equal, but for blanks? */
bool ccfc_schema_same(const char *a, const char *b);

#endif
