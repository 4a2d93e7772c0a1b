/*
 * The client's own copies: <root>/file-history/<session>/<hash>@v<N>, where
 * hash is the first 16 hex digits of the SHA-256 of the file's absolute path. A
 * copy has the bytes at some moment before an edit; nothing proves that they
 * are still right, so replay uses a copy only if it fits.
 */
#ifndef CCFC_HISTORY_FILE_BACKUP_FILE_H
#define CCFC_HISTORY_FILE_BACKUP_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "index/index.h"
#include "source/attic.h"

struct ccfc_backup_copy {
	char *path;	 /* in the arena; NULL: the file did not exist then */
	int64_t version; /* N */
	/*
	 * when it was made, in milliseconds: by the snapshot, else by the
	 * backup's mtime
	 */
	int64_t time;
	/*
	 * when a snapshot last named it, even if the file differed in between;
	 * else as `time`
	 */
	int64_t last;
	uint64_t stamp; /* differs when the backup is written again */
	uint32_t session;
	bool recorded; /* the time is the snapshot's */
	bool missing;  /* a snapshot names it, but there is no copy; no path */
};

struct ccfc_backup_copies {
	struct ccfc_backup_copy *items; /* by time, then version */
	uint32_t n;
};

/*
 * The copies of `file` in `session` that there are in any of the roots'
 * file-history directories, and what the snapshots say of versions without a
 * copy: that the file did not exist, or that the copy is missing. Looks at
 * regular files only, and through no symbolic link below a root: read the
 * copies with ccfc_file_read_kept. Copies that are only in `attic` (may be
 * NULL) count as well, for an imported transcript below its own root.
 *
 * A first version is made during the session's first edit of the file, between
 * its call and its result, also if the edit then fails. Later versions are made
 * when the user sends a prompt, for files that anybody changed since the
 * previous version; an unchanged file, or one restored to that version, is
 * named with it again: hence `last`.
 */
void ccfc_backup_list(struct ccfc_backup_copies *out,
		      const struct ccfc_index *index,
		      const struct ccfc_attic *attic, const char *const *roots,
		      size_t nroots, uint32_t session, uint32_t file,
		      struct ccfc_arena *arena);

#endif
