/* The open database and its prepared statements; within store/ only. */
#ifndef CCFC_STORE_DB_H
#define CCFC_STORE_DB_H

#include "base/err.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/store_schema.h"
#include "store/texts/texts_write.h"

#include <sys/types.h>

enum ccfc_stmt {
	CCFC_STMT_BEGIN,
	CCFC_STMT_COMMIT,
	CCFC_STMT_ROLLBACK,
	CCFC_STMT_ORPHAN_GONE,
	CCFC_STMT_MARK_GONE,
	CCFC_STMT_NO_UNKNOWN_TYPES,
	CCFC_STMT_EVENT_GONE,
	CCFC_STMT_REPLACE, /* a row: one statement for each table */
	CCFC_STMT_COUNT = CCFC_STMT_REPLACE + CCFC_TABLES
};

struct ccfc_store {
	sqlite3 *db;
	char *dir;
	char *path;
	dev_t dev; /* of the file that is open */
	ino_t ino;
	struct ccfc_texts_file *texts; /* NULL: nothing was loaded yet */
	uint64_t texts_length;	       /* that was committed */
	uint64_t texts_dead; /* about so many of its bytes are dead texts */
	uint64_t epoch;	     /* written by us; 0: none yet */
	uint64_t rows;	     /* as recorded in the file */
	uint64_t reader;     /* as recorded in the file */
	bool texts_damaged;  /* as the file says */
	uint64_t inferred;   /* as the file says; 0: nothing */
	bool is_new;	     /* its tables were made, and no row since */
	struct ccfc_store_past past;
	sqlite3_stmt *stmts[CCFC_STMT_COUNT];	   /* prepared on first use */
	struct ccfc_bound *bound[CCFC_STMT_COUNT]; /* values bound to them */
};

/*
 * texts_store.c: opens the texts after the index was loaded. *anew: texts are
 * missing, and `index` is marked accordingly.
 */
int ccfc_store_open_texts(struct ccfc_store *store, struct ccfc_index *index,
			  uint64_t id, uint64_t length, bool *anew,
			  struct ccfc_err *err);

/* save.c: the number of rows of the index, without t_meta's. */
uint64_t ccfc_store_rows(const struct ccfc_index *index);
/* save.c: all sources, and the identity of the file of texts. */
int ccfc_store_commit_texts(struct ccfc_store *store,
			    const struct ccfc_index *index,
			    struct ccfc_err *err);
/* save.c: the identity of the file of texts alone. */
int ccfc_store_commit_compact(struct ccfc_store *store,
			      const struct ccfc_index *index,
			      struct ccfc_err *err);
/* save.c: one row of t_meta. */
int ccfc_store_note(struct ccfc_store *store, const char *key, uint64_t value,
		    struct ccfc_err *err);

/* The store while it is loaded. */
struct ccfc_load {
	struct ccfc_store *store;
	struct ccfc_index *index;
	struct ccfc_err *err;
	uint64_t rows;			      /* that were read */
	uint64_t wanted;		      /* rows that t_meta counts */
	uint64_t reader, texts, texts_length; /* of t_meta; 0: not there */
	bool texts_damaged;
	bool has_epoch;
	bool has_rows; /* t_meta counts the rows */
	bool whole;    /* t_meta says that a salvage was completed */
};

/* False: the row is invalid. */
typedef bool (*ccfc_load_fn)(struct ccfc_load *load, struct ccfc_row *row);

/* load.c: calls `fn` for each row of a table with a valid checksum. */
int ccfc_load_each(struct ccfc_load *load, enum ccfc_table_id table,
		   ccfc_load_fn fn);
/* load.c: t_meta alone. */
int ccfc_load_meta(struct ccfc_load *load);
/* load_messages.c: messages and tokens; after sources, sessions and files. */
int ccfc_load_messages(struct ccfc_load *load);

/* store.c: the store in index.db<tail>. */
int ccfc_store_new_at(struct ccfc_store **out, const char *dir,
		      const char *tail, struct ccfc_err *err);

/* views_store.c: makes missing and outdated views. */
int ccfc_store_make_views(struct ccfc_store *store, struct ccfc_err *err);
/*
 * views_store.c: the views of a store without any, within the transaction that
 * makes its tables. If that fails, ccfc_store_make_views makes them.
 */
void ccfc_store_insert_views(struct ccfc_store *store);

/* store.c: the database's part of opening and closing. */
int ccfc_db_open(struct ccfc_store *store, struct ccfc_err *err);
void ccfc_db_close(struct ccfc_store *store);

/* upgrade.c: makes tables, and upgrades those of older schemas. */
int ccfc_store_make_tables(struct ccfc_store *store, struct ccfc_err *err);

/*
 * CCFC_ECORRUPT: the error is about the file's content; CCFC_EIO: about reading
 * or writing it. Either may be transient: see start.c.
 */
int ccfc_db_error(const struct ccfc_store *store, const char *doing,
		  struct ccfc_err *err);
int ccfc_db_exec(struct ccfc_store *store, const char *sql,
		 struct ccfc_err *err);

#endif
