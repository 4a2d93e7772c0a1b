/* Opening, closing and putting aside the store's file; see store.h. */
#include "store/store.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/time.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/sql/sql_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int ccfc_db_error(const struct ccfc_store *store, const char *doing,
		  struct ccfc_err *err)
{
	int code = sqlite3_errcode(store->db) & 0xff;

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		return ccfc_err_set(err, CCFC_ECORRUPT, "store %s: %s: %s",
				    store->path, doing,
				    sqlite3_errmsg(store->db));
	return ccfc_err_set(err, CCFC_EIO, "store %s: %s: %s", store->path,
			    doing, sqlite3_errmsg(store->db));
}

int ccfc_db_exec(struct ccfc_store *store, const char *sql,
		 struct ccfc_err *err)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return ccfc_db_error(store, "cannot prepare it", err);
	return 0;
}

/* Nothing was ever written to tables without a schema's number. */
static int upgrade(struct ccfc_store *store, int64_t schema,
		   struct ccfc_err *err)
{
	int r = 0;

	if (!schema)
		return ccfc_db_exec(store,
				    "DROP TABLE IF EXISTS t_source;"
				    "DROP TABLE IF EXISTS t_session;"
				    "DROP VIEW IF EXISTS sessions;"
				    "DROP TABLE IF EXISTS t_backup;"
				    "DROP TABLE IF EXISTS t_prompt",
				    err);
	for (; schema < CCFC_STORE_SCHEMA && !r; schema++)
		r = ccfc_db_exec(store, ccfc_store_upgrades[schema], err);
	if (r)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	else
		ccfc_log(CCFC_LOG_INFO,
			 "store %s: was made by an older version, and is "
			 "brought to schema %d",
			 store->path, CCFC_STORE_SCHEMA);
	return r;
}

/* Rows of a newer version would be misread, and spoilt by being written. */
static int check_schema(struct ccfc_store *store, struct ccfc_err *err)
{
	sqlite3_stmt *stmt;
	int64_t schema = 0;
	int r = sqlite3_prepare_v2(
		store->db, "SELECT value FROM t_meta WHERE key = 'schema'", -1,
		&stmt, NULL);

	/* No such table: it is new. */
	if (r == SQLITE_ERROR)
		return 0;
	if (r != SQLITE_OK)
		return ccfc_db_error(store, "cannot read", err);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		schema = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	if (schema == CCFC_STORE_SCHEMA)
		return 0;
	if (schema >= 0 && schema < CCFC_STORE_SCHEMA)
		return upgrade(store, schema, err);
	ccfc_err_set(err, CCFC_EIO, "store %s: was made by a newer version",
		     store->path);
	ccfc_err_hint(err, "upgrade, or set another CCFC_STATE_DIR");
	return CCFC_EIO;
}

/*
 * WAL with synchronous=NORMAL: a crash of the daemon loses nothing, a crash
 * of the machine at most the last batches, which are read again. Small pages,
 * because a batch of an append is a few rows in a few tables; and a longer
 * log, because emptying it waits for the disk.
 */
static int open_db(struct ccfc_store *store, struct ccfc_err *err)
{
	struct stat st;
	int r;

	if (!lstat(store->path, &st) && !S_ISREG(st.st_mode))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "store %s: is not a regular file",
				    store->path);
	if (sqlite3_open_v2(store->path, &store->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return ccfc_db_error(store, "cannot open it", err);
	sqlite3_busy_timeout(store->db, 5000);
	r = ccfc_db_exec(store,
			 "PRAGMA page_size=1024;"
			 "PRAGMA journal_mode=WAL;"
			 "PRAGMA synchronous=NORMAL;"
			 "PRAGMA wal_autocheckpoint=4000;"
			 "PRAGMA cache_size=-2048;",
			 err);
	if (!r)
		r = check_schema(store, err);
	if (!r)
		r = ccfc_db_exec(store, ccfc_store_schema, err);
	return r ? r : ccfc_store_make_views(store, err);
}

static void close_db(struct ccfc_store *store)
{
	for (int i = 0; i < CCFC_STMT_COUNT; i++) {
		sqlite3_finalize(store->stmts[i]);
		store->stmts[i] = NULL;
	}
	sqlite3_close(store->db);
	store->db = NULL;
	ccfc_texts_file_free(store->texts);
	store->texts = NULL;
	store->epoch = 0;
}

int ccfc_store_put_aside(struct ccfc_store *store, struct ccfc_err *err)
{
	static const char *const tails[] = { "", "-wal", "-shm" };
	struct ccfc_buf from = CCFC_BUF_INIT, to = CCFC_BUF_INIT;
	long long now = ccfc_time_now();
	int r = 0;

	close_db(store);
	for (int i = 0; i < 3 && !r; i++) {
		ccfc_buf_clear(&from);
		ccfc_buf_clear(&to);
		ccfc_buf_printf(&from, "%s%s", store->path, tails[i]);
		ccfc_buf_printf(&to, "%s.damaged-%lld%s", store->path, now,
				tails[i]);
		if (rename(from.ptr, to.ptr) && errno != ENOENT)
			r = ccfc_err_errno(err, errno, "store %s", from.ptr);
	}
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r ? r : open_db(store, err);
}

int ccfc_store_new(struct ccfc_store **out, const char *dir, bool *put_aside,
		   struct ccfc_err *err)
{
	struct ccfc_store *store = ccfc_calloc(1, sizeof(*store));
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	store->dir = ccfc_strdup(dir);
	ccfc_buf_printf(&path, "%s/index.db", dir);
	store->path = ccfc_buf_detach(&path, NULL);
	ccfc_sql_memory_setup(); /* before SQLite's first call */
	r = open_db(store, err);
	if (put_aside)
		*put_aside = r == CCFC_ECORRUPT;
	if (r == CCFC_ECORRUPT)
		r = ccfc_store_put_aside(store, err);
	if (r) {
		ccfc_store_free(store);
		return r;
	}
	*out = store;
	return 0;
}

void ccfc_store_free(struct ccfc_store *store)
{
	if (!store)
		return;
	close_db(store);
	free(store->dir);
	free(store->path);
	free(store);
}

static uint64_t file_bytes(const char *path, const char *tail)
{
	struct ccfc_buf name = CCFC_BUF_INIT;
	struct stat st = { 0 };

	ccfc_buf_printf(&name, "%s%s", path, tail);
	if (stat(name.ptr, &st))
		st.st_size = 0;
	ccfc_buf_release(&name);
	return (uint64_t)st.st_size;
}

uint64_t ccfc_store_bytes(const struct ccfc_store *store)
{
	return file_bytes(store->path, "") + file_bytes(store->path, "-wal");
}
