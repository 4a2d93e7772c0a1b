/*
 * Transcripts and the files beside them that the client will delete, kept so
 * that every question can still be answered:
 *
 *   <dir>/sources/<name>   what is kept of one transcript (manifests.h)
 *   <dir>/files/<name>     files of one directory: backups, notes on agents
 *   <dir>/blobs/           their contents (blobs/blobs.h)
 *
 * The core says how far it has read a transcript; a thread of its own, with
 * the lowest priority that the system has, brings the archive up to there. The
 * core never waits for it. Lines that were just written are passed by value, so
 * that a transcript that is rewritten or deleted right after it was read loses
 * nothing; older ones are read from the file, if its marker still fits.
 *
 * A transcript that was rewritten is kept in each version; a version has the
 * bytes of the generations (index/index.h) from `since` on, up to that of the
 * next version. A version is cut into segments at places that its content
 * decides, so that copies share them; in a segment the id of the transcript's
 * own session is replaced, because a fork differs from its original in nothing
 * else. The rest of a version, up to a segment long, is in the manifest itself.
 *
 * Every blob is on the disk before a manifest names it, and a manifest is
 * replaced as a whole: a crash at any point leaves what was there before or
 * what is there after. Checksums cover all: a damaged blob costs its segment, a
 * damaged manifest its transcript.
 *
 * The core's thread, except where it says otherwise.
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
	CCFC_ARCHIVE_OFF,     /* nothing is added; what is kept stays */
};

struct ccfc_archive_limits {
	enum ccfc_archive_mode mode;
	uint64_t bytes; /* on disk, in all; 0: no limit */
	int64_t age;	/* in seconds since it was last written; 0: no limit */
};

struct ccfc_archive;

/*
 * Makes <state>/archive if need be. Nothing is done there before
 * ccfc_archive_sift has said what is not to be kept. The thread starts with the
 * first work.
 */
int ccfc_archive_new(struct ccfc_archive **out, const char *state_dir,
		     const struct ccfc_archive_limits *limits,
		     struct ccfc_err *err);
/*
 * Writes what was passed by value and ends the thread. No attic is in use any
 * more. May be NULL.
 */
void ccfc_archive_free(struct ccfc_archive *archive);

/* For readers on any thread, until ccfc_archive_free. */
const struct ccfc_attic *ccfc_archive_attic(const struct ccfc_archive *archive);

/* --- what there is to keep --- */

/* Lines that were just read: bytes from `offset` on. ccfc_archive_note follows
 * before anything else. */
void ccfc_archive_stage(struct ccfc_archive *archive, uint32_t source,
			uint32_t since, uint64_t offset,
			struct ccfc_slice bytes);

struct ccfc_archive_note {
	uint32_t source; /* a number for it, in this process */
	const char *path;
	struct ccfc_name name;
	uint32_t since;		   /* of the version */
	struct ccfc_cursor cursor; /* how far it was read */
	bool now;		   /* do not wait for more of it */
};

/* A transcript was read that far. */
void ccfc_archive_note(struct ccfc_archive *archive,
		       const struct ccfc_archive_note *note);
/* A transcript has another path now. */
void ccfc_archive_moved(struct ccfc_archive *archive, uint32_t source,
			const char *from, const char *to);
/* Do not wait for more: everything is due now. */
void ccfc_archive_hurry(struct ccfc_archive *archive);

/* The directory was removed while it was in use: makes an empty one. */
void ccfc_archive_restore(struct ccfc_archive *archive);

/* --- what is kept --- */

struct ccfc_archive_kept {
	uint32_t source; /* of the note */
	uint32_t first;	 /* since of the first version */
	uint32_t since;	 /* of the last version, … */
	uint64_t end;	 /* … and how much of it is kept */
	uint8_t owner;	 /* enum ccfc_owner, as it was */
};

/* What is kept of the transcript at `path`; false: nothing. Any thread. */
bool ccfc_archive_look(struct ccfc_archive *archive, const char *path,
		       struct ccfc_archive_kept *out);

/* Readable when there is news for ccfc_archive_news. */
int ccfc_archive_fd(const struct ccfc_archive *archive);
/* Calls `fn` for each source of which more, or less, is kept now. */
void ccfc_archive_news(struct ccfc_archive *archive,
		       void (*fn)(void *ctx,
				  const struct ccfc_archive_kept *kept),
		       void *ctx);

/* Transcripts of which something is kept. Any thread. */
void ccfc_archive_each(struct ccfc_archive *archive,
		       void (*fn)(void *ctx, const char *path,
				  const struct ccfc_name *name),
		       void *ctx);

struct ccfc_archive_stats {
	uint64_t transcripts; /* of which something is kept */
	uint64_t bytes;	      /* on disk */
	uint64_t lines_bytes; /* of transcripts, as they were */
	uint64_t waiting;     /* transcripts to be brought up, or being so */
	uint64_t purged;      /* transcripts that made room, so far */
	bool due;	      /* the budget is used up: a purge comes */
	int64_t oldest;	      /* when what goes first was written; 0: none */
	int64_t leaves;	      /* when that goes because of its age; 0: never */
	uint64_t next;	      /* transcripts that go when the budget is used
			       * up; 0: it is too far from that to know, … */
	int64_t next_until;   /* … and when the last of these was written */
	bool ready;	      /* it has been counted */
	char error[CCFC_ERR_WHAT_MAX]; /* why nothing can be written, or "" */
};
/* Any thread. */
void ccfc_archive_stats(struct ccfc_archive *archive,
			struct ccfc_archive_stats *out);

/* As they were given. */
void ccfc_archive_limits(const struct ccfc_archive *archive,
			 struct ccfc_archive_limits *out);

/* --- what is forgotten --- */

struct ccfc_forgotten;

/*
 * Lines that are not to be kept: each is replaced by blanks of the same length,
 * so that the others stay where they are. `blanks` says whether it is one of
 * the transcript of `session`, or puts blanks in the place of a part of it;
 * *any is set then.
 */
struct ccfc_archive_sieve {
	const struct ccfc_forgotten *list;
	bool all; /* ask of all lines, not only those that name another session
		   * than that of their transcript */
	bool (*blanks)(void *ctx, struct ccfc_slice session, char *line,
		       size_t len, bool *any);
	void *ctx;
};
/*
 * The sieve before is not used any more when this returns. NULL: all are kept.
 * Any thread but the archive's; waits for what that does.
 */
void ccfc_archive_sift(struct ccfc_archive *archive,
		       const struct ccfc_archive_sieve *sieve);

/*
 * Removes what is kept of forgotten sessions, and their lines in the
 * transcripts of `shared` (paths). Readers go on: the contents stay until
 * ccfc_archive_forget_contents, which is for when nobody reads what was there
 * before. Any thread but the archive's; waits for what that does.
 */
int ccfc_archive_forget(struct ccfc_archive *archive,
			const struct ccfc_archive_sieve *sieve,
			char *const *shared, uint32_t nshared,
			struct ccfc_err *err);
void ccfc_archive_forget_contents(struct ccfc_archive *archive);

/* --- moving to another machine --- */

/* Does the caller want to end? Asked now and then. */
typedef bool (*ccfc_archive_over_fn)(void *ctx);

/*
 * Waits until all that was noted is kept. CCFC_EAGAIN: it is over, or something
 * cannot be kept now. Not the core's thread.
 */
int ccfc_archive_settle(struct ccfc_archive *archive, ccfc_archive_over_fn over,
			void *ctx, struct ccfc_err *err);

/* A file below the archive's directory; `sum` is NULL for a blob, whose name
 * is its sum. */
typedef void (*ccfc_archive_file_fn)(void *ctx, const char *name,
				     const char *sum);
/*
 * Lists the files that the transcript at `path` needs, and those of the files
 * beside it. Files of several transcripts come several times. False: nothing is
 * kept of it. Any thread.
 */
bool ccfc_archive_files(struct ccfc_archive *archive, const char *path,
			ccfc_archive_file_fn fn, void *ctx);

struct ccfc_archive_imported {
	uint64_t transcripts; /* that are new here */
	uint64_t longer;      /* that were known in part */
	uint64_t known;	      /* that had nothing new */
	uint64_t bytes;	      /* of the lines of the first two */
};
/*
 * Takes in what `path` has: a directory that `ccfc export --all` wrote, or a
 * copy of a Claude directory. All of it or nothing, also when the process ends
 * in between: what is complete is first put beside the archive, and then
 * merged; a merge that was cut off goes on at the next start. The rules for
 * what is there already are in import_merge.c. Afterwards ccfc_archive_news
 * says that there are more (CCFC_ARCHIVE_MORE).
 *
 * Blocks until the archive's thread has done it. Not the core's thread.
 */
int ccfc_archive_import(struct ccfc_archive *archive, const char *path,
			struct ccfc_archive_imported *out,
			ccfc_archive_over_fn over, void *ctx,
			struct ccfc_err *err);
/*
 * What imports brought that was seen on disk: a directory with a file of lines
 * (index/disk/seen_line.h), and blobs (blobs/blobs.h) with the contents that
 * they name, as far as there are any. NULL: there is none. It stays until
 * ccfc_archive_seen_done, also across restarts. The caller frees the path.
 */
#define CCFC_IMPORT_LINES    "lines"
#define CCFC_IMPORT_CONTENTS "contents"
char *ccfc_archive_seen(const struct ccfc_archive *archive);
void ccfc_archive_seen_done(const char *dir);
/* Instead of the source of some news. */
#define CCFC_ARCHIVE_LESS UINT32_MAX	   /* some made room */
#define CCFC_ARCHIVE_MORE (UINT32_MAX - 1) /* some were imported */

struct ccfc_archive_check {
	uint64_t manifests, blobs; /* that were read */
	uint64_t bad_manifests, bad_blobs;
	uint64_t lost_bytes; /* of transcripts and files */
};
/*
 * Reads and checks everything. `over` is asked now and then: stop? Any thread.
 */
void ccfc_archive_check(struct ccfc_archive *archive,
			struct ccfc_archive_check *out, bool (*over)(void *ctx),
			void *ctx);

#endif
