/* The open database and its prepared statements; within store/ only. */
#ifndef CCFC_STORE_DB_H
#define CCFC_STORE_DB_H

#include "base/err.h"
#include "store/rows.h"

enum ccfc_stmt {
	CCFC_STMT_BEGIN,
	CCFC_STMT_COMMIT,
	CCFC_STMT_ROLLBACK,
	CCFC_STMT_META,
	CCFC_STMT_SOURCE,
	CCFC_STMT_SESSION,
	CCFC_STMT_FILE,
	CCFC_STMT_CHANGE,
	CCFC_STMT_COPY,
	CCFC_STMT_ORPHAN,
	CCFC_STMT_ORPHAN_GONE,
	CCFC_STMT_PROMPT,
	CCFC_STMT_BACKUP,
	CCFC_STMT_NO_UNKNOWN_TYPES,
	CCFC_STMT_UNKNOWN_TYPE,
	CCFC_STMT_COUNT
};

struct ccfc_store {
	sqlite3 *db;
	char *path;
	uint64_t epoch; /* that was written by us; 0: none yet */
	sqlite3_stmt *stmts[CCFC_STMT_COUNT]; /* prepared on first use */
};

/* The text of a statement (save.c). */
extern const char *const ccfc_store_sql[CCFC_STMT_COUNT];

int ccfc_db_error(const struct ccfc_store *store, const char *doing,
		  struct ccfc_err *err);
int ccfc_db_exec(struct ccfc_store *store, const char *sql,
		 struct ccfc_err *err);

#endif
