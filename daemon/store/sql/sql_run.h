/* One query while it runs; within store/ only. */
#ifndef CCFC_STORE_SQL_SQL_RUN_H
#define CCFC_STORE_SQL_SQL_RUN_H

#include "store/sql/sql.h"

#include <sqlite3.h>

#define CCFC_SQL_SECRET_LEN 24
/* Of LIKE and GLOB, whose time is that of text times pattern. */
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

/* Is it to end now? Asked from within SQLite. */
bool ccfc_sql_stopped(struct ccfc_sql_run *run);

/*
 * sql_guard.c: opens the store at `path` beside an empty database, makes the
 * views, sets limits, and lets nothing else by.
 */
int ccfc_sql_guard(struct ccfc_sql_run *run, const char *path);

/* sql_functions.c: functions that take long are replaced. */
int ccfc_sql_functions(struct ccfc_sql_run *run);

/*
 * sql_memory.c: from now on this thread gets at most `max` bytes from SQLite,
 * 0 is no limit. Ends with the connection that was opened after it.
 */
void ccfc_sql_memory(size_t max);
/* Before SQLite is used for the first time; any number of times. */
void ccfc_sql_memory_setup(void);

#endif
