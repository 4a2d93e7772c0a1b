/*
 * Users' SQL over the views (views.h): one SELECT, on its own read-only
 * connection.
 *
 * The text is not trusted. It can read the views only, call listed functions
 * only, and open no file; time, memory (including temporary tables), the length
 * of values and of the answer are limited. It reads the state of the last
 * stored batch, for as long as it runs; a writer does not wait for it, but the
 * write-ahead log grows meanwhile, limited by the time limit.
 *
 * Any thread; SQLite's part of the work is done when ccfc_sql_run returns.
 */
#ifndef CCFC_STORE_SQL_SQL_H
#define CCFC_STORE_SQL_SQL_H

#include "base/err.h"
#include "base/slice.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CCFC_SQL_MAX_QUERY   65536u
#define CCFC_SQL_MAX_VALUE   (1 << 20) /* bytes of one value */
#define CCFC_SQL_MAX_COLUMNS 100

enum ccfc_sql_type {
	CCFC_SQL_NULL,
	CCFC_SQL_INT,
	CCFC_SQL_DOUBLE,
	CCFC_SQL_TEXT, /* need not be valid UTF-8 */
	CCFC_SQL_BLOB,
};

struct ccfc_sql_value {
	enum ccfc_sql_type type;
	int64_t num;
	double real;
	struct ccfc_slice text; /* or blob; until the callback returns */
};

struct ccfc_sql {
	const char *dir; /* the store's */
	struct ccfc_slice query;
	uint64_t max_rows;
	int64_t max_ms;
	size_t max_memory;
	const atomic_bool *cancelled; /* may be NULL */
	void *ctx;
	/* Once, before the rows. */
	void (*columns)(void *ctx, const char *const *names, uint32_t n);
	/* False: no room for this row; it is the last. */
	bool (*row)(void *ctx, const struct ccfc_sql_value *values, uint32_t n);
};

/*
 * *truncated: there are more rows. CCFC_EINVAL: the query is wrong or not
 * allowed; CCFC_ETOOBIG: a limit; CCFC_EAGAIN: cancelled; CCFC_EIO,
 * CCFC_ECORRUPT. Rows may precede a failure.
 */
int ccfc_sql_run(const struct ccfc_sql *q, bool *truncated,
		 struct ccfc_err *err);

#endif
