/*
 * Values of a row: binding them to a statement, with their sum, and reading
 * them back, one column after the other. row_columns.h has whole rows. Within
 * store/ only.
 */
#ifndef CCFC_STORE_ROWS_H
#define CCFC_STORE_ROWS_H

#include "index/index.h"

#include <sqlite3.h>

/* The value of a statement's parameter, from the last bound row. */
struct ccfc_bound {
	const void *ptr; /* of a text or blob that SQLite borrows */
	int64_t v;	 /* the number, or the length */
	int type;	 /* SQLITE_INTEGER, …; 0: not known */
};

/* The next column to bind or to read. */
struct ccfc_row {
	sqlite3_stmt *stmt;	      /* to bind to */
	struct ccfc_bound *bound;     /* by parameter */
	sqlite3_value *const *values; /* to read from */
	int at;
	uint64_t sum; /* of what was bound (row_sum.h) */
	bool wrong;   /* a number is out of range */
};

/* Binding: strings are borrowed until the statement is stepped. */
void ccfc_row_put_int(struct ccfc_row *row, int64_t v);
void ccfc_row_put_time(struct ccfc_row *row, int64_t ms);
void ccfc_row_put_str(struct ccfc_row *row, struct ccfc_slice s);
/* 16 bytes as a blob, or the text that was no UUID. */
void ccfc_row_put_uuid(struct ccfc_row *row, const struct ccfc_index *index,
		       const struct ccfc_uuid *uuid, bool is_text);
/* Strings joined by newlines; none contains one. Copied. */
void ccfc_row_put_strings(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_ids *strings);
/* Numbers, each followed by a blank; copied. */
void ccfc_row_put_ids(struct ccfc_row *row, const struct ccfc_ids *ids);
/* The last column, the sum of those before. */
void ccfc_row_put_sum(struct ccfc_row *row);

/*
 * All columns of the row that a statement is at, to read from. `values` has
 * room for CCFC_STORE_COLUMNS.
 */
struct ccfc_row ccfc_row_of(sqlite3_stmt *stmt, sqlite3_value **values);

/* Reading: slices live until the next step. */
int64_t ccfc_row_int(struct ccfc_row *row);
/* From `min` to `max`, or else `wrong`. */
int64_t ccfc_row_int_in(struct ccfc_row *row, int64_t min, int64_t max);
int64_t ccfc_row_time(struct ccfc_row *row);
struct ccfc_slice ccfc_row_str(struct ccfc_row *row);
/* Puts the string into the index. */
uint32_t ccfc_row_string(struct ccfc_row *row, struct ccfc_index *index);
/* True: `uuid` has the id of a text that is no UUID. */
bool ccfc_row_uuid(struct ccfc_row *row, struct ccfc_index *index,
		   struct ccfc_uuid *uuid);
/* Append to `out`. */
void ccfc_row_strings(struct ccfc_row *row, struct ccfc_index *index,
		      struct ccfc_ids *out);
void ccfc_row_ids(struct ccfc_row *row, struct ccfc_ids *out);

#endif
