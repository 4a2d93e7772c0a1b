/*
 * A VFS of SQLite that writes the frames of a transaction to the write-ahead
 * log together. SQLite writes each frame in two pieces, its header and its
 * page: for an append that was a third of the time of its commit.
 *
 * The bytes are in the file before SQLite hears that the transaction's last
 * frame is written, and only then other connections look for them. A rollback
 * drops delayed bytes. An error of a delayed write is returned by the next
 * write, at the latest by that of the last frame, or by a read. For connections
 * with synchronous = NORMAL: with FULL, SQLite may write a page in two pieces.
 */
#ifndef CCFC_STORE_WAL_WRITES_H
#define CCFC_STORE_WAL_WRITES_H

#include <sqlite3.h>

/*
 * As sqlite3_open_v2, for the life of the connection; it takes the rollback
 * hook. Without memory for the VFS, SQLite's own is used. Any thread.
 */
int ccfc_wal_writes_open(const char *path, sqlite3 **db, int flags);

#endif
