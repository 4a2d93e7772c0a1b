/*
 * The copy from which a damaged store is read, so that SQLite never modifies
 * the original. In the copy the header, which is the same in all our files, and
 * the definitions of the tables are repaired first. See import.h.
 */
#include "store/salvage/import.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "store/row_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES 1024u
#define BUSY_MS	   5000

/* The errno of the last call that failed on one of the database's files. */
static int last_errno(sqlite3 *db)
{
	static const int files[] = { SQLITE_FCNTL_FILE_POINTER,
				     SQLITE_FCNTL_JOURNAL_POINTER };
	int found = 0;

	for (size_t i = 0; !found && i < sizeof(files) / sizeof(*files); i++) {
		sqlite3_file *file = NULL;

		if (sqlite3_file_control(db, "main", files[i], &file) ==
			    SQLITE_OK &&
		    file && file->pMethods)
			file->pMethods->xFileControl(
				file, SQLITE_FCNTL_LAST_ERRNO, &found);
	}
	return found;
}

/* SQLite also calls a failed read damage, but that leaves its errno. */
void ccfc_import_note(struct ccfc_import *im, sqlite3 *db, int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return;
	case SQLITE_IOERR:
		/* A file that ends too early is damaged. */
		if (sqlite3_extended_errcode(db) != SQLITE_IOERR_SHORT_READ)
			im->failed = true;
		return;
	case SQLITE_CANTOPEN:
	case SQLITE_FULL:
	case SQLITE_NOMEM:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		im->failed = true;
		return;
	default:
		im->failed = im->failed || last_errno(db);
	}
}

static int copy_file(const char *from, const char *to, struct ccfc_err *err)
{
	char *block = ccfc_malloc(1u << 16);
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int out = -1, r = 0;
	ssize_t n;

	if (in < 0 && errno != ENOENT)
		r = ccfc_err_io(err, errno, "store %s: cannot open", from);
	if (in >= 0) {
		out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (out < 0)
			r = ccfc_err_io(err, errno, "store %s: cannot make",
					to);
	}
	while (out >= 0 && !r && (n = read(in, block, 1u << 16)) != 0) {
		if (n < 0 && errno != EINTR)
			r = ccfc_err_io(err, errno, "store %s: cannot read",
					from);
		else if (n > 0 && write(out, block, (size_t)n) != n)
			r = ccfc_err_io(err, errno ? errno : ENOSPC,
					"store %s: cannot write", to);
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(block);
	return r;
}

static void put_32(unsigned char *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* Writes SQLite's header of our files; drops the list of free pages. */
static int mend_header(const char *path, struct ccfc_err *err)
{
	static const unsigned char begin[24] = { 'S', 'Q', 'L', 'i', 't', 'e',
						 ' ', 'f', 'o', 'r', 'm', 'a',
						 't', ' ', '3', 0,   4,	  0,
						 2,   2,   0,	64,  32,  32 };
	unsigned char head[100];
	struct stat st = { 0 };
	int fd = open(path, O_RDWR | O_CLOEXEC), r = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 ||
	    pread(fd, head, sizeof(head), 0) < 0) {
		r = ccfc_err_io(err, errno, "store %s: cannot read", path);
	} else if (st.st_size >= (off_t)PAGE_BYTES) {
		memcpy(head, begin, sizeof(begin));
		put_32(head + 28,
		       (uint32_t)((uint64_t)st.st_size / PAGE_BYTES));
		put_32(head + 32, 0); /* freelist */
		put_32(head + 36, 0);
		put_32(head + 44, 4); /* format of the schema */
		put_32(head + 52, 0); /* no autovacuum */
		put_32(head + 56, 1); /* UTF-8 */
		put_32(head + 64, 0);
		memcpy(head + 92, head + 24, 4); /* the size is valid */
		if (pwrite(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
			r = ccfc_err_io(err, errno, "store %s: cannot write",
					path);
	}
	if (fd >= 0)
		close(fd);
	return r;
}

/* A table is known by any one of its three names. */
static void mend_schema(struct ccfc_import *im, sqlite3 *db,
			enum ccfc_table_id table)
{
	sqlite3_stmt *stmt = NULL;
	struct ccfc_buf sql = CCFC_BUF_INIT;
	int code;

	ccfc_schema_put_create(&sql, table, im->schema);
	code = sqlite3_prepare_v2(
		db,
		"UPDATE sqlite_master SET type = 'table', name = ?1,"
		" tbl_name = ?1, sql = ?2"
		" WHERE (name = ?1 OR tbl_name = ?1"
		"  OR sql GLOB 'CREATE TABLE ' || ?1 || '(*')"
		" AND sql GLOB '*sum INTEGER*'",
		-1, &stmt, NULL);
	if (code == SQLITE_OK) {
		sqlite3_bind_text(stmt, 1, ccfc_store_tables[table].name, -1,
				  SQLITE_STATIC);
		sqlite3_bind_text(stmt, 2, sql.ptr, -1, SQLITE_STATIC);
		code = sqlite3_step(stmt);
	}
	ccfc_import_note(im, db, code);
	sqlite3_finalize(stmt);
	ccfc_buf_release(&sql);
}

/* NULL: it cannot be opened. */
static sqlite3 *open_copy(struct ccfc_import *im, const char *path)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(
		path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	/* Invalid definitions hide only their tables. */
	if (code == SQLITE_OK)
		ccfc_import_note(im, db,
				 sqlite3_exec(db, "PRAGMA writable_schema = ON",
					      NULL, NULL, NULL));
	else
		ccfc_import_note(im, db, code);
	if (code == SQLITE_OK)
		return db;
	sqlite3_close(db);
	return NULL;
}

/*
 * SQLite reads the definitions when it opens the file: opens it once to repair
 * them.
 */
static void mend_tables(struct ccfc_import *im, const char *path, int from,
			int to)
{
	sqlite3 *db = open_copy(im, path);
	int code;

	if (!db)
		return;
	code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (code == SQLITE_OK) {
		for (int i = from; i < to; i++)
			mend_schema(im, db, (enum ccfc_table_id)i);
		code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	}
	ccfc_import_note(im, db, code);
	sqlite3_close(db);
}

/*
 * The schema of a copy with a repaired t_meta. If it cannot be read, it is the
 * last schema with checksums, or without, depending on t_meta.
 */
static int read_schema(struct ccfc_import *im, const char *path)
{
	sqlite3 *db = open_copy(im, path);
	sqlite3_stmt *stmt = NULL;
	int schema = CCFC_STORE_SCHEMA, code = SQLITE_OK;

	if (db)
		code = sqlite3_prepare_v2(
			db, "SELECT * FROM t_meta WHERE key = 'schema'", -1,
			&stmt, NULL);
	if (stmt) {
		bool sums = sqlite3_column_count(stmt) > 2;
		const int least = sums ? CCFC_STORE_SUMS : 1;
		const int most = sums ? CCFC_STORE_SCHEMA : CCFC_STORE_SUMS - 1;
		int64_t found = 0;

		code = sqlite3_step(stmt);
		if (code == SQLITE_ROW &&
		    (!sums || ccfc_sum_fits_row(stmt, CCFC_TABLE_META,
						CCFC_STORE_SCHEMA)))
			found = sqlite3_column_int64(stmt, 1);
		schema = found >= least && found <= most ? (int)found : most;
	}
	ccfc_import_note(im, db, code);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return schema;
}

static const char *const tails[] = { "", "-wal", "-shm" };

void ccfc_import_remove(const char *copy)
{
	struct ccfc_buf path = CCFC_BUF_INIT;

	for (int i = 0; i < 3; i++) {
		ccfc_buf_clear(&path);
		ccfc_buf_printf(&path, "%s%s", copy, tails[i]);
		unlink(path.ptr);
	}
	ccfc_buf_release(&path);
}

/* A copy of the file and its log. */
static int make_copy(const char *db, const char *copy, struct ccfc_err *err)
{
	struct ccfc_buf from = CCFC_BUF_INIT, to = CCFC_BUF_INIT;
	int r = 0;

	ccfc_import_remove(copy);
	for (int i = 0; i < 2 && !r; i++) {
		ccfc_buf_clear(&from);
		ccfc_buf_clear(&to);
		ccfc_buf_printf(&from, "%s%s", db, tails[i]);
		ccfc_buf_printf(&to, "%s%s", copy, tails[i]);
		r = copy_file(from.ptr, to.ptr, err);
	}
	ccfc_buf_release(&from);
	ccfc_buf_release(&to);
	return r;
}

int ccfc_import_open(struct ccfc_import *im, const char *db,
		     struct ccfc_err *err)
{
	int code = sqlite3_open_v2(
		db, &im->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);

	im->schema = CCFC_STORE_SCHEMA;
	if (code == SQLITE_OK)
		code = sqlite3_busy_timeout(im->db, BUSY_MS);
	/* All tables are read as they are at the first read. */
	if (code == SQLITE_OK)
		code = sqlite3_exec(im->db, "BEGIN", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		return 0;
	ccfc_err_set(err, CCFC_EIO, "store %s: cannot open: %s", db,
		     sqlite3_errmsg(im->db));
	sqlite3_close(im->db);
	im->db = NULL;
	return CCFC_EIO;
}

int ccfc_import_copy(struct ccfc_import *im, const char *copy, const char *db,
		     struct ccfc_err *err)
{
	int r = make_copy(db, copy, err);

	if (!r)
		r = mend_header(copy, err);
	if (r || access(copy, F_OK))
		return r; /* or there is no such store */
	/* t_meta is the same in all schemas that have sums. */
	im->schema = CCFC_STORE_SCHEMA;
	mend_tables(im, copy, CCFC_TABLE_META, CCFC_TABLE_META + 1);
	im->schema = read_schema(im, copy);
	mend_tables(im, copy, CCFC_TABLE_META + 1, CCFC_TABLES);
	im->db = open_copy(im, copy);
	return 0;
}
