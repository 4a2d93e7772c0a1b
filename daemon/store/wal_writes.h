/*
 * A VFS of SQLite that writes the frames of a transaction to the write-ahead
 * log together. SQLite writes each frame in two pieces, its header and its
 * page: for an append that was a third of the time of its commit.
 *
 * Nothing else changes. The bytes are in the file before SQLite hears that the
 * transaction's last frame is written, and only then other connections look for
 * them. An error of a delayed write is returned by the next write, at the
 * latest by that of the last frame.
 */
#ifndef CCFC_STORE_WAL_WRITES_H
#define CCFC_STORE_WAL_WRITES_H

/*
 * The name of the VFS, for sqlite3_open_v2; NULL, SQLite's own, when there is
 * no memory. Any thread. It stays registered.
 */
const char *ccfc_wal_writes_vfs(void);

#endif
