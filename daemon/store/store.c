/* Opening and closing the store's file; see store.h. */
#include "store/store.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "store/db.h"
#include "store/sql/sql_run.h"
#include "store/store_schema.h"
#include "store/wal_writes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the file's header has its write version: 1, or 2 with a log. */
#define FORMAT_AT  18
#define FORMAT_MAX 2

/*
 * Wrong content is damage; a file that cannot be read, locked or written is a
 * problem of the disk or the system. SQLITE_ERROR: our statement does not fit
 * the tables, or the format is unknown.
 */
static bool is_damage(int code)
{
	switch (code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR:
	case SQLITE_FORMAT:
	case SQLITE_TOOBIG:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
		return true;
	default:
		return false;
	}
}

int ccfc_db_error(const struct ccfc_store *store, const char *doing,
		  struct ccfc_err *err)
{
	int code = sqlite3_errcode(store->db);

	return ccfc_err_set(err, is_damage(code) ? CCFC_ECORRUPT : CCFC_EIO,
			    "store %s: %s: %s", store->path, doing,
			    sqlite3_errmsg(store->db));
}

int ccfc_db_exec(struct ccfc_store *store, const char *sql,
		 struct ccfc_err *err)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return ccfc_db_error(store, "cannot prepare it", err);
	return 0;
}

/*
 * SQLite opens a write-protected file for reading, and fails only at the first
 * write. If the system would allow writing, the file's format version is the
 * reason.
 */
static int check_writable(struct ccfc_store *store, struct ccfc_err *err)
{
	unsigned char format = 0;
	int fd;

	if (sqlite3_db_readonly(store->db, "main") != 1)
		return 0;
	fd = open(store->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		if (pread(fd, &format, 1, FORMAT_AT) != 1)
			format = 0;
		close(fd);
	}
	return ccfc_err_set(err, format > FORMAT_MAX ? CCFC_ECORRUPT : CCFC_EIO,
			    "store %s: %s", store->path,
			    format > FORMAT_MAX ? "its format is unknown"
						: "cannot be written");
}

/*
 * WAL with synchronous=NORMAL: a crash of the daemon loses nothing, a crash
 * of the machine at most the last batches, which are read again. Small pages,
 * because a batch of an append is a few rows in a few tables; and a longer
 * log, because emptying it waits for the disk.
 */
int ccfc_db_open(struct ccfc_store *store, struct ccfc_err *err)
{
	struct stat st;
	int r;

	if (!lstat(store->path, &st) && !S_ISREG(st.st_mode))
		return ccfc_err_set(err, CCFC_EDENIED,
				    "store %s: is not a regular file",
				    store->path);
	if (ccfc_wal_writes_open(store->path, &store->db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					 SQLITE_OPEN_NOMUTEX) != SQLITE_OK)
		return ccfc_db_error(store, "cannot open it", err);
	sqlite3_busy_timeout(store->db, 5000);
	r = ccfc_db_exec(store,
			 "PRAGMA page_size=1024;"
			 "PRAGMA journal_mode=WAL;"
			 "PRAGMA synchronous=NORMAL;"
			 "PRAGMA wal_autocheckpoint=4000;"
			 "PRAGMA cache_size=-2048;",
			 err);
	if (!r && stat(store->path, &st))
		r = ccfc_err_io(err, errno, "store %s", store->path);
	if (r)
		return r;
	store->dev = st.st_dev;
	store->ino = st.st_ino;
	r = check_writable(store, err);
	if (!r)
		r = ccfc_store_make_tables(store, err);
	return r ? r : ccfc_store_make_views(store, err);
}

void ccfc_db_close(struct ccfc_store *store)
{
	int keep = 1;

	/*
	 * SQLite would remove the log by its name, but the name may be another
	 * store's log by now. Without `ino` opening failed, and whose log it is
	 * is not known.
	 */
	if (store->db && store->ino &&
	    ccfc_store_look(store) != CCFC_STORE_THERE)
		sqlite3_file_control(store->db, "main",
				     SQLITE_FCNTL_PERSIST_WAL, &keep);
	for (int i = 0; i < CCFC_STMT_COUNT; i++) {
		sqlite3_finalize(store->stmts[i]);
		store->stmts[i] = NULL;
		free(store->bound[i]);
		store->bound[i] = NULL;
	}
	sqlite3_close(store->db);
	store->db = NULL;
	store->epoch = 0;
}

static void close_all(struct ccfc_store *store)
{
	ccfc_db_close(store);
	ccfc_texts_file_free(store->texts);
	store->texts = NULL;
}

int ccfc_store_new(struct ccfc_store **out, const char *dir,
		   struct ccfc_err *err)
{
	return ccfc_store_new_at(out, dir, "", err);
}

int ccfc_store_new_at(struct ccfc_store **out, const char *dir,
		      const char *tail, struct ccfc_err *err)
{
	struct ccfc_store *store = ccfc_calloc(1, sizeof(*store));
	struct ccfc_buf path = CCFC_BUF_INIT;
	int r;

	store->dir = ccfc_strdup(dir);
	store->reader = CCFC_STORE_READER;
	ccfc_buf_printf(&path, "%s/index.db%s", dir, tail);
	store->path = ccfc_buf_detach(&path, NULL);
	ccfc_sql_memory_setup(); /* before SQLite's first call */
	r = ccfc_db_open(store, err);
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
	close_all(store);
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
