/* The open database and its prepared statements; within store/ only. */
#ifndef CCFC_STORE_DB_H
#define CCFC_STORE_DB_H

#include "base/err.h"
#include "store/rows.h"
#include "store/texts/texts_write.h"

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
	CCFC_STMT_PART,
	CCFC_STMT_SAY,
	CCFC_STMT_USE,
	CCFC_STMT_LOOK,
	CCFC_STMT_LEAF,
	CCFC_STMT_SUMMARY,
	CCFC_STMT_NO_UNKNOWN_TYPES,
	CCFC_STMT_UNKNOWN_TYPE,
	CCFC_STMT_COUNT
};

struct ccfc_store {
	sqlite3 *db;
	char *dir;
	char *path;
	struct ccfc_texts_file *texts; /* NULL: nothing was loaded yet */
	uint64_t texts_length;	       /* that was committed */
	uint64_t epoch;		       /* that was written by us; 0: none yet */
	sqlite3_stmt *stmts[CCFC_STMT_COUNT]; /* prepared on first use */
};

/* The text of a statement (save.c). */
extern const char *const ccfc_store_sql[CCFC_STMT_COUNT];

/*
 * texts_store.c: opens the texts when the index was loaded. *anew: texts are
 * missing, and `index` knows that they are.
 */
int ccfc_store_open_texts(struct ccfc_store *store, struct ccfc_index *index,
			  uint64_t id, uint64_t length, bool *anew,
			  struct ccfc_err *err);

/* A batch on its way out; the first failure sticks. */
struct ccfc_batch {
	struct ccfc_store *store;
	const struct ccfc_index *index;
	struct ccfc_err *err;
	int failed;
};

/* save.c: a row to bind, and writing it. */
struct ccfc_row ccfc_batch_row(struct ccfc_batch *batch, enum ccfc_stmt which);
void ccfc_batch_end(struct ccfc_batch *batch, struct ccfc_row *row);
void ccfc_batch_each(struct ccfc_batch *batch, const struct ccfc_ids *ids,
		     void (*save)(struct ccfc_batch *, uint32_t));
/* save_said.c: what was said and spent. */
void ccfc_batch_said(struct ccfc_batch *batch);

/* The store on its way in. */
struct ccfc_load {
	struct ccfc_store *store;
	struct ccfc_index *index;
	struct ccfc_err *err;
	bool has_epoch;
};

/* False when the row makes no sense. */
typedef bool (*ccfc_load_fn)(struct ccfc_load *load, struct ccfc_row *row);

/* load.c: calls `fn` for each row of a query. */
int ccfc_load_each(struct ccfc_load *load, const char *sql, ccfc_load_fn fn);
/* load_messages.c: what was said and spent; after sources, sessions and files.
 */
int ccfc_load_said(struct ccfc_load *load);

/* views_store.c: makes the views that are not there as they should be. */
int ccfc_store_make_views(struct ccfc_store *store, struct ccfc_err *err);

int ccfc_db_error(const struct ccfc_store *store, const char *doing,
		  struct ccfc_err *err);
int ccfc_db_exec(struct ccfc_store *store, const char *sql,
		 struct ccfc_err *err);

#endif
