/*
 * Delayed writes to the write-ahead log; see wal_writes.h.
 *
 * A frame is a header of 24 bytes and a page. In the last frame of a
 * transaction the header's second number is not zero: with its page, all that
 * was delayed is written. After a rollback, nobody asks for delayed frames, and
 * another connection may write its own to their place: they are dropped. A
 * write is only delayed if it continues the one before; SQLite rewrites pages
 * and headers of frames in place, too. Whatever else is asked of the log comes
 * after what was delayed.
 */
#include "store/wal_writes.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_HEADER 24
#define DELAYED_MAX  (16 << 10)

struct wal {
	sqlite3_file file;
	sqlite3_file *real;
	char *delayed;
	int n;
	sqlite3_int64 at;   /* where the delayed bytes are written to */
	sqlite3_int64 next; /* the end of the last write; -1: none */
	bool commits; /* the frame of the last header ends a transaction */
};

static struct wal *wal_of(sqlite3_file *file)
{
	return (struct wal *)file;
}

/*
 * If it fails the bytes stay delayed: when a disk is full, SQLite may undo one
 * statement only, and go on with the frames of earlier ones.
 */
static int write_delayed(struct wal *w)
{
	int r = w->n ? w->real->pMethods->xWrite(w->real, w->delayed, w->n,
						 w->at)
		     : SQLITE_OK;

	if (r == SQLITE_OK)
		w->n = 0;
	return r;
}

static int delay_write(struct wal *w, const void *bytes, int n,
		       sqlite3_int64 at)
{
	int r = w->n + n > DELAYED_MAX ? write_delayed(w) : SQLITE_OK;

	if (r != SQLITE_OK)
		return r;
	if (!w->n)
		w->at = at;
	memcpy(w->delayed + w->n, bytes, (size_t)n);
	w->n += n;
	if (w->commits && n != FRAME_HEADER) {
		r = write_delayed(w);
		/* The whole transaction is undone. */
		w->n = 0;
	}
	return r;
}

static int write_now(struct wal *w, const void *bytes, int n, sqlite3_int64 at)
{
	int r = write_delayed(w);

	return r != SQLITE_OK
		       ? r
		       : w->real->pMethods->xWrite(w->real, bytes, n, at);
}

static void note_header(struct wal *w, const unsigned char *header)
{
	w->commits = header[4] || header[5] || header[6] || header[7];
}

static int wal_write(sqlite3_file *file, const void *bytes, int n,
		     sqlite3_int64 at)
{
	struct wal *w = wal_of(file);
	int r;

	if (at == w->next && n <= DELAYED_MAX)
		r = delay_write(w, bytes, n, at);
	else
		r = write_now(w, bytes, n, at);
	w->next = r == SQLITE_OK ? at + n : -1;
	if (n == FRAME_HEADER)
		note_header(w, bytes);
	return r;
}

/* --- all else: after what was delayed --- */

/* What is delayed now belongs to no transaction that was committed. */
static int wal_close(sqlite3_file *file)
{
	struct wal *w = wal_of(file);

	free(w->delayed);
	return w->real->pMethods->xClose(w->real);
}

static int wal_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
	struct wal *w = wal_of(file);
	int r = write_delayed(w);

	return r != SQLITE_OK ? r
			      : w->real->pMethods->xRead(w->real, bytes, n, at);
}

static int wal_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct wal *w = wal_of(file);
	int r = write_delayed(w);

	return r != SQLITE_OK ? r : w->real->pMethods->xTruncate(w->real, size);
}

static int wal_sync(sqlite3_file *file, int flags)
{
	struct wal *w = wal_of(file);
	int r = write_delayed(w);

	return r != SQLITE_OK ? r : w->real->pMethods->xSync(w->real, flags);
}

static int wal_size(sqlite3_file *file, sqlite3_int64 *size)
{
	struct wal *w = wal_of(file);
	int r = write_delayed(w);

	return r != SQLITE_OK ? r : w->real->pMethods->xFileSize(w->real, size);
}

/* SQLite locks the database, not the log. */
static int wal_lock(sqlite3_file *file, int lock)
{
	struct wal *w = wal_of(file);

	return w->real->pMethods->xLock(w->real, lock);
}

static int wal_unlock(sqlite3_file *file, int lock)
{
	struct wal *w = wal_of(file);

	return w->real->pMethods->xUnlock(w->real, lock);
}

static int wal_is_reserved(sqlite3_file *file, int *is)
{
	struct wal *w = wal_of(file);

	return w->real->pMethods->xCheckReservedLock(w->real, is);
}

static int wal_control(sqlite3_file *file, int what, void *arg)
{
	struct wal *w = wal_of(file);
	int r = write_delayed(w);

	return r != SQLITE_OK
		       ? r
		       : w->real->pMethods->xFileControl(w->real, what, arg);
}

static int wal_sector(sqlite3_file *file)
{
	struct wal *w = wal_of(file);

	return w->real->pMethods->xSectorSize(w->real);
}

static int wal_device(sqlite3_file *file)
{
	struct wal *w = wal_of(file);

	return w->real->pMethods->xDeviceCharacteristics(w->real);
}

static const sqlite3_io_methods wal_methods = {
	.iVersion = 1,
	.xClose = wal_close,
	.xRead = wal_read,
	.xWrite = wal_write,
	.xTruncate = wal_truncate,
	.xSync = wal_sync,
	.xFileSize = wal_size,
	.xLock = wal_lock,
	.xUnlock = wal_unlock,
	.xCheckReservedLock = wal_is_reserved,
	.xFileControl = wal_control,
	.xSectorSize = wal_sector,
	.xDeviceCharacteristics = wal_device,
};

/* Only the log is wrapped; SQLite's own file follows behind. */
static int open_file(sqlite3_vfs *vfs, sqlite3_filename name,
		     sqlite3_file *file, int flags, int *out_flags)
{
	sqlite3_vfs *real = vfs->pAppData;
	struct wal *w = wal_of(file);
	int r;

	if (!(flags & SQLITE_OPEN_WAL))
		return real->xOpen(real, name, file, flags, out_flags);
	*w = (struct wal){ .real = (sqlite3_file *)(w + 1), .next = -1 };
	r = real->xOpen(real, name, w->real, flags, out_flags);
	if (r != SQLITE_OK)
		return r;
	w->delayed = ccfc_malloc(DELAYED_MAX);
	w->file.pMethods = &wal_methods;
	return r;
}

/* --- the VFS --- */

static sqlite3_vfs vfs;

/* The other methods of SQLite's own VFS do not look at the VFS. */
static void register_vfs(void)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);

	if (!real)
		return;
	vfs = *real;
	vfs.pNext = NULL;
	vfs.zName = "ccfc";
	vfs.pAppData = real;
	vfs.szOsFile = (int)sizeof(struct wal) + real->szOsFile;
	vfs.xOpen = open_file;
	if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK)
		vfs.zName = NULL;
}

static void drop_delayed(void *db)
{
	sqlite3_file *log = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER,
				 &log) == SQLITE_OK &&
	    log && log->pMethods == &wal_methods)
		wal_of(log)->n = 0;
}

int ccfc_wal_writes_open(const char *path, sqlite3 **db, int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int r;

	pthread_once(&once, register_vfs);
	r = sqlite3_open_v2(path, db, flags, vfs.zName);
	if (r == SQLITE_OK)
		sqlite3_rollback_hook(*db, drop_delayed, *db);
	return r;
}
