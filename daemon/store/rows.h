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

/*
 * A value to read, asked of SQLite once: each question is a call that costs
 * more than what is done with the answer.
 */
struct ccfc_row_value {
	sqlite3_value *sql;
	int type;		 /* SQLITE_INTEGER, … */
	int64_t v;		 /* of an integer */
	struct ccfc_slice bytes; /* of a text or a blob */
};

/* The next column to bind or to read. */
struct ccfc_row {
	sqlite3_stmt *stmt;		     /* to bind to */
	struct ccfc_bound *bound;	     /* by parameter */
	const struct ccfc_row_value *values; /* to read from, by column */
	uint32_t *strings; /* of the row before, by column; may be NULL */
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
/* Strings joined by newlines; none contains one. */
void ccfc_row_put_strings(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_ids *strings);
/* Numbers, each followed by a blank. */
void ccfc_row_put_ids(struct ccfc_row *row, const struct ccfc_ids *ids);
/* The last column, the sum of those before. */
void ccfc_row_put_sum(struct ccfc_row *row);

/* Asks for `n` values. */
void ccfc_row_values(struct ccfc_row_value *values, sqlite3_value *const *sql,
		     int n);
/*
 * All columns of the row that a statement is at, to read from. `values` has
 * room for CCFC_STORE_COLUMNS.
 */
struct ccfc_row ccfc_row_of(sqlite3_stmt *stmt, struct ccfc_row_value *values);

/* Reading: slices live until the next step. */
static inline int64_t ccfc_row_int(struct ccfc_row *row)
{
	const struct ccfc_row_value *value = &row->values[row->at++];

	return value->type == SQLITE_INTEGER ? value->v
					     : sqlite3_value_int64(value->sql);
}

/* From `min` to `max`, or else `wrong`. */
static inline int64_t ccfc_row_int_in(struct ccfc_row *row, int64_t min,
				      int64_t max)
{
	int64_t v = ccfc_row_int(row);

	if (v >= min && v <= max)
		return v;
	row->wrong = true;
	return 0;
}

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
