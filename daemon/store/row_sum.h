/*
 * The checksum of a row. Each row of each table ends with one, over the table's
 * name and all columns before it, so that a bit flipped on disk is found when
 * the row is read. SQLite finds malformed pages, but not changed values. Within
 * store/ only.
 *
 * A sum covers the values that SQLite returns, so it holds for every version
 * that writes the same values. The sums of t_meta never change: its row
 * "schema" distinguishes a newer store from a damaged one.
 */
#ifndef CCFC_STORE_ROW_SUM_H
#define CCFC_STORE_ROW_SUM_H

#include "base/err.h"
#include "base/slice.h"
#include "store/rows.h"
#include "store/store_schema.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* The start value for a row of this table. */
uint64_t ccfc_sum_begin(const char *table);
/* Adds the next column. */
uint64_t ccfc_sum_int(uint64_t sum, int64_t v);
uint64_t ccfc_sum_null(uint64_t sum);
uint64_t ccfc_sum_text(uint64_t sum, struct ccfc_slice text);
uint64_t ccfc_sum_blob(uint64_t sum, struct ccfc_slice bytes);
/* As it is stored: 47 bits, which SQLite keeps in 6 bytes. */
int64_t ccfc_sum_end(uint64_t sum);

/*
 * The rows that a sum is about: those of one table, with the columns that a
 * schema had. Columns that were added later are not in the sum.
 */
struct ccfc_sum_rows {
	const struct ccfc_store_table *table;
	int schema;
	uint64_t begin;
};

struct ccfc_sum_rows ccfc_sum_rows(enum ccfc_table_id table, int schema);

/*
 * Is the last of `n` values the sum of the others? They are a row with today's
 * columns.
 */
bool ccfc_sum_fits(const struct ccfc_sum_rows *rows,
		   const struct ccfc_row_value *values, int n);
/* The same of the row that a statement is at. */
bool ccfc_sum_fits_row(sqlite3_stmt *stmt, enum ccfc_table_id table,
		       int schema);

/* SQL of this connection may say row_sum('table', column, …); SQLite's code. */
int ccfc_sum_setup(sqlite3 *db);

/*
 * Gives all rows of a table their sums; returns SQLite's code. For tests that
 * damage other things than sums.
 */
int ccfc_sum_table(sqlite3 *db, const char *table);

#endif
