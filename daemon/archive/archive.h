/*
 * Copies of transcripts and of the files beside them, so that every question
 * has an answer after the client has deleted them:
 *
 *   <dir>/sources/<name>   the manifest of one transcript (manifests.h)
 *   <dir>/files/<name>     files of one directory: backups, notes on agents
 *   <dir>/blobs/           their contents (blobs/blobs.h)
 *
 * The core reports how far it has read a transcript. A thread with the system's
 * lowest priority archives the transcript up to there; the core never waits for
 * it. New lines are passed by value, so that nothing is lost when a transcript
 * is rewritten or deleted right after it was read. Older lines are read from
 * the file, if its marker still fits.
 *
 * A rewritten transcript is kept in each version. A version has the bytes of
 * the generations (index/index.h) from `since` on, up to the `since` of the
 * next version. It is cut into segments at places chosen by its content, so
 * that copies share segments. Segments do not contain the id of the
 * transcript's own session, because it is all that distinguishes a fork from
 * its original. The rest of a version, less than a segment, is in the manifest
 * itself.
 *
 * A blob is on the disk before a manifest names it, and a manifest is replaced
 * as a whole: a crash leaves the state before or after. Checksums cover
 * everything: a damaged blob costs at most its segment, a damaged manifest its
 * transcript.
 *
 * For the core thread, except where it says otherwise.
 */
#ifndef CCFC_ARCHIVE_ARCHIVE_H
#define CCFC_ARCHIVE_ARCHIVE_H

#include "base/err.h"
#include "source/attic.h"
#include "source/classify.h"
#include "source/tail.h"

#include <stdint.h>

enum ccfc_archive_mode {
	CCFC_ARCHIVE_ALL,
	CCFC_ARCHIVE_CHANGES, /* sessions that changed files */
	CCFC_ARCHIVE_OFF,     /* nothing is added; existing copies stay */
};

struct ccfc_archive_limits {
	enum ccfc_archive_mode mode;
	uint64_t bytes; /* on disk, in all; 0: no limit */
	int64_t age;	/* seconds since the last write; 0: no limit */
};

struct ccfc_archive;

/*
 * Makes <state>/archive if need be. The caller then calls ccfc_archive_sift,
 * before it passes anything to be kept. The thread starts with the first work.
 */
int ccfc_archive_new(struct ccfc_archive **out, const char *state_dir,
		     const struct ccfc_archive_limits *limits,
		     struct ccfc_err *err);
/*
 * Writes the lines that were passed by value, and ends the thread. No attic may
 * be in use. May be NULL.
 */
void ccfc_archive_free(struct ccfc_archive *archive);

/* For readers on any thread, until ccfc_archive_free. */
const struct ccfc_attic *ccfc_archive_attic(const struct ccfc_archive *archive);

/* --- what to archive --- */

/*
 * Lines that were just read: the bytes from `offset` on. The next call must be
 * ccfc_archive_note.
 */
void ccfc_archive_stage(struct ccfc_archive *archive, uint32_t source,
			uint32_t since, uint64_t offset,
			struct ccfc_slice bytes);

struct ccfc_archive_note {
	uint32_t source; /* a number of the transcript, in this process */
	const char *path;
	struct ccfc_name name;
	uint32_t since;		   /* of the version */
	struct ccfc_cursor cursor; /* how far the transcript was read */
	bool now;		   /* do not wait for more lines */
};

/* A transcript was read up to note->cursor. */
void ccfc_archive_note(struct ccfc_archive *archive,
		       const struct ccfc_archive_note *note);
/* A transcript has a new path. */
void ccfc_archive_moved(struct ccfc_archive *archive, uint32_t source,
			const char *from, const char *to);
/* Everything is due now. */
void ccfc_archive_hurry(struct ccfc_archive *archive);

/* The directory was removed while it was in use: makes an empty one. */
void ccfc_archive_restore(struct ccfc_archive *archive);

/* --- what is kept --- */

struct ccfc_archive_kept {
	uint32_t source; /* of the note */
	uint32_t first;	 /* since of the first version */
	uint32_t since;	 /* of the last version, … */
	uint64_t end;	 /* … and how much of it is kept */
	uint64_t marker; /* hash of the marker_len bytes before `end` */
	uint32_t marker_len;
	uint8_t owner; /* enum ccfc_owner, as it was */
};

/*
 * What the archive has of the transcript at `path`. CCFC_ENOTFOUND: nothing
 * that could be read; CCFC_EAGAIN: no descriptor is left to find out. Any
 * thread.
 */
int ccfc_archive_look(struct ccfc_archive *archive, const char *path,
		      struct ccfc_archive_kept *out, struct ccfc_err *err);

/*
 * The `since` of the version after that of generation `gen`; CCFC_ENOTFOUND:
 * there is none. As above.
 */
int ccfc_archive_next_version(struct ccfc_archive *archive, const char *path,
			      uint32_t gen, uint32_t *since,
			      struct ccfc_err *err);

/* Readable when there is news for ccfc_archive_news. */
int ccfc_archive_fd(const struct ccfc_archive *archive);
/* Calls `fn` for each source whose archived part has grown or shrunk. */
void ccfc_archive_news(struct ccfc_archive *archive,
		       void (*fn)(void *ctx,
				  const struct ccfc_archive_kept *kept),
		       void *ctx);

/* The archived transcripts. Any thread. */
void ccfc_archive_each(struct ccfc_archive *archive,
		       void (*fn)(void *ctx, const char *path,
				  const struct ccfc_name *name),
		       void *ctx);

struct ccfc_archive_stats {
	uint64_t transcripts; /* of which something is kept */
	uint64_t bytes;	      /* on disk */
	uint64_t lines_bytes; /* of transcripts, as they were */
	uint64_t waiting;     /* transcripts to be archived, or being so */
	uint64_t purged;      /* transcripts removed by age or budget so far */
	bool due;	      /* the budget is used up: a purge comes */
	int64_t oldest;	      /* when the oldest item was written; 0: none */
	int64_t leaves;	      /* when its age removes that item; 0: never */
	uint64_t next;	      /* about so many transcripts go when the budget
			       * is used up; 0: no budget, or most is free, … */
	int64_t next_until;   /* … and when the last of these was written */
	bool ready;	      /* the archive has been counted */
	char error[CCFC_ERR_WHAT_MAX]; /* why nothing can be written, or "" */
};
/* Any thread. */
void ccfc_archive_stats(struct ccfc_archive *archive,
			struct ccfc_archive_stats *out);

/* As given to ccfc_archive_new. */
void ccfc_archive_limits(const struct ccfc_archive *archive,
			 struct ccfc_archive_limits *out);

/* --- forgetting --- */

struct ccfc_forgotten;

/*
 * Lines that must not be archived: each is replaced by blanks of the same
 * length, so that the others keep their offsets. `blanks` says whether a line
 * of the transcript of `session` is such a line, or puts blanks in place of a
 * part of the line and sets *any.
 */
struct ccfc_archive_sieve {
	const struct ccfc_forgotten *list;
	bool all; /* ask about all lines, not only those that name another
		   * session than that of their transcript */
	bool (*blanks)(void *ctx, struct ccfc_slice session, char *line,
		       size_t len, bool *any);
	void *ctx;
};
/*
 * When this returns, the previous sieve is not used any more. NULL: all lines
 * are archived. Any thread except the archive's; waits for its running job.
 */
void ccfc_archive_sift(struct ccfc_archive *archive,
		       const struct ccfc_archive_sieve *sieve);

/*
 * Removes the copies of forgotten sessions, and their lines in the transcripts
 * of `shared` (paths). Readers may go on: the contents stay until
 * ccfc_archive_forget_contents, which is called when nobody reads the old state
 * any more. Any thread except the archive's; waits for its running job.
 */
int ccfc_archive_forget(struct ccfc_archive *archive,
			const struct ccfc_archive_sieve *sieve,
			char *const *shared, uint32_t nshared,
			struct ccfc_err *err);
void ccfc_archive_forget_contents(struct ccfc_archive *archive);

/* --- moving to another machine --- */

/* Does the caller want to stop? Called now and then. */
typedef bool (*ccfc_archive_over_fn)(void *ctx);

/*
 * Waits until everything noted is archived. CCFC_EAGAIN: the caller wants to
 * stop, or something cannot be archived now. Not on the core thread.
 */
int ccfc_archive_settle(struct ccfc_archive *archive, ccfc_archive_over_fn over,
			void *ctx, struct ccfc_err *err);

/* A file below the archive's directory; `sum` is NULL for a blob, whose name
 * is its sum. */
typedef void (*ccfc_archive_file_fn)(void *ctx, const char *name,
				     const char *sum);
/*
 * Lists the archived files of the transcript at `path`, and of the files beside
 * it. A file that several transcripts share is listed several times. False:
 * nothing is archived. Any thread.
 */
bool ccfc_archive_files(struct ccfc_archive *archive, const char *path,
			ccfc_archive_file_fn fn, void *ctx);

struct ccfc_archive_imported {
	uint64_t transcripts; /* that are new here */
	uint64_t longer;      /* that were known in part */
	uint64_t known;	      /* that had nothing new */
	uint64_t forgotten;   /* that are not imported again */
	uint64_t bytes;	      /* of the lines of the first two */
};
/*
 * Imports `path`: a directory written by `ccfc export --all`, or a copy of a
 * Claude directory. All or nothing, also if the process is killed: the import
 * is first completed beside the archive, then merged; an interrupted merge
 * continues at the next start. transfer/import_merge.c has the rules for known
 * transcripts. Afterwards ccfc_archive_news reports CCFC_ARCHIVE_MORE.
 *
 * Blocks until the archive's thread has imported, or the caller wants to stop
 * (CCFC_EAGAIN): the thread then goes on. Not on the core thread.
 */
int ccfc_archive_import(struct ccfc_archive *archive, const char *path,
			struct ccfc_archive_imported *out,
			ccfc_archive_over_fn over, void *ctx,
			struct ccfc_err *err);
/*
 * Imported disk events: a directory with a file of lines
 * (index/disk/seen_line.h), and blobs (blobs/blobs.h) with the contents that
 * the lines name. NULL: none. The directory stays until ccfc_archive_seen_done,
 * also across restarts. The caller frees the path.
 */
#define CCFC_IMPORT_LINES    "lines"
#define CCFC_IMPORT_CONTENTS "contents"
char *ccfc_archive_seen(const struct ccfc_archive *archive);
void ccfc_archive_seen_done(const char *dir);
/* The source in news that are about no single transcript. */
#define CCFC_ARCHIVE_LESS UINT32_MAX	   /* some were purged */
#define CCFC_ARCHIVE_MORE (UINT32_MAX - 1) /* some were imported */

struct ccfc_archive_check {
	uint64_t manifests, blobs; /* checked */
	uint64_t bad_manifests, bad_blobs;
	uint64_t lost_bytes; /* of transcripts and files */
};
/*
 * Reads and checks everything. `over` is called now and then: stop? Any thread.
 */
void ccfc_archive_check(struct ccfc_archive *archive,
			struct ccfc_archive_check *out, bool (*over)(void *ctx),
			void *ctx);

#endif
