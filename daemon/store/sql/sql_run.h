/* One query while it runs; within store/ only. */
#ifndef CCFC_STORE_SQL_SQL_RUN_H
#define CCFC_STORE_SQL_SQL_RUN_H

#include "store/sql/sql.h"

#include <sqlite3.h>

#define CCFC_SQL_SECRET_LEN 24
/* For LIKE and GLOB, whose time is text length times pattern length. */
#define CCFC_SQL_MAX_PATTERN 250

enum ccfc_sql_stop { CCFC_SQL_GO_ON, CCFC_SQL_CANCELLED, CCFC_SQL_TOO_LONG };

struct ccfc_sql_run {
	const struct ccfc_sql *q;
	sqlite3 *db;
	int64_t deadline; /* monotonic, ms */
	enum ccfc_sql_stop stop;
	char secret[CCFC_SQL_SECRET_LEN + 1]; /* see sql_guard.c */
	char refused[200];		      /* why; "" if nothing was */
};

/* Must the query end now? Called from within SQLite. */
bool ccfc_sql_stopped(struct ccfc_sql_run *run);

/*
 * sql_guard.c: opens the store at `path` beside an empty database, makes the
 * views, sets limits, and allows nothing else.
 */
int ccfc_sql_guard(struct ccfc_sql_run *run, const char *path);

/* sql_functions.c: functions that take long are replaced. */
int ccfc_sql_functions(struct ccfc_sql_run *run);

/* sql_printf.c: printf and format. */
void ccfc_sql_printf(sqlite3_context *c, int n, sqlite3_value **v);

/*
 * sql_memory.c: from now on this thread gets at most run->q->max_memory bytes
 * from SQLite, and none once `run` must end. NULL: no limit any more; the
 * connection is closed.
 */
void ccfc_sql_memory(struct ccfc_sql_run *run);
/* Before SQLite is used for the first time; any number of times. */
void ccfc_sql_memory_setup(void);

#endif
