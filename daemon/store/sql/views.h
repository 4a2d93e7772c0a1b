/*
 * The views for users' SQL, defined only here. The store's file has them, sql.c
 * reads through them, and `sql.schema` and ccfc-sql(7) describe them. New
 * columns are added at the end only.
 */
#ifndef CCFC_STORE_SQL_VIEWS_H
#define CCFC_STORE_SQL_VIEWS_H

#include <stdint.h>

/* Raised when views or columns are added. */
#define CCFC_VIEWS_VERSION 4

struct ccfc_view_column {
	const char *name;
	const char *type; /* "INTEGER", "TEXT", "REAL"; values may be NULL */
	const char *about;
};

struct ccfc_view {
	const char *name;
	const char *about;
	const char *sql; /* the SELECT */
	const struct ccfc_view_column *columns;
	uint32_t ncolumns;
};

#define CCFC_VIEWS 10
extern const struct ccfc_view ccfc_views[CCFC_VIEWS];

/*
 * Views that only other views read, without columns here. SQLite parses all
 * views whenever it opens the file, so a SELECT that two views need is there
 * once.
 */
#define CCFC_VIEW_PARTS 1
extern const struct ccfc_view ccfc_view_parts[CCFC_VIEW_PARTS];

#endif
