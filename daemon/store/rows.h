/*
 * The index's structs as rows: binding them to a statement and reading them
 * back, in the column order of schema.c. Shared by save.c and load.c.
 */
#ifndef CCFC_STORE_ROWS_H
#define CCFC_STORE_ROWS_H

#include "index/index.h"

#include <sqlite3.h>

/* A statement and the next column to bind or to read. */
struct ccfc_row {
	sqlite3_stmt *stmt;
	int at;
};

/* Binding: strings are borrowed until the statement is stepped. */
void ccfc_row_put_int(struct ccfc_row *row, int64_t v);
void ccfc_row_put_time(struct ccfc_row *row, int64_t ms);
void ccfc_row_put_str(struct ccfc_row *row, struct ccfc_slice s);
void ccfc_row_put_place(struct ccfc_row *row, const struct ccfc_place *place);
void ccfc_row_put_obs(struct ccfc_row *row, const struct ccfc_index *index,
		      const struct ccfc_observation *obs);
void ccfc_row_put_outcome(struct ccfc_row *row, const struct ccfc_index *index,
			  const struct ccfc_outcome *outcome);

/* Reading: slices live until the next step. */
int64_t ccfc_row_int(struct ccfc_row *row);
int64_t ccfc_row_time(struct ccfc_row *row);
struct ccfc_slice ccfc_row_str(struct ccfc_row *row);
void ccfc_row_place(struct ccfc_row *row, struct ccfc_place *place);
void ccfc_row_obs(struct ccfc_row *row, struct ccfc_index *index,
		  struct ccfc_observation *obs);
void ccfc_row_outcome(struct ccfc_row *row, struct ccfc_index *index,
		      struct ccfc_outcome *outcome);

#endif
