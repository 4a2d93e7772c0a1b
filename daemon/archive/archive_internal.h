/* Shared by the files of the archive. */
#ifndef CCFC_ARCHIVE_INTERNAL_H
#define CCFC_ARCHIVE_INTERNAL_H

#include "archive/archive.h"
#include "archive/manifests.h"
#include "archive/segment_cache.h"
#include "archive/shared_manifests.h"

#include <pthread.h>

/* A transcript to be archived. */
struct ccfc_archive_job {
	struct ccfc_archive_job *next;
	uint32_t source, since;
	char *path, *session, *agent, *moved_from;
	bool is_agent;
	bool noted; /* `end` is that of all that was staged */
	uint64_t end, marker;
	uint32_t marker_len;
	uint64_t staged_from;
	struct ccfc_buf staged;
	int64_t due;	 /* in milliseconds of the monotonic clock */
	int64_t written; /* time of the transcript; set by ccfc_archive_do */
};

struct ccfc_archive {
	char *dir, *sources, *files; /* directories */
	struct ccfc_blobs *blobs;
	struct ccfc_segment_cache *cache;	 /* for readers */
	struct ccfc_shared_manifests *manifests; /* for readers */
	struct ccfc_archive_ahead *ahead;
	struct ccfc_archive_limits limits;
	const struct ccfc_archive_sieve *sieve; /* may be NULL */
	struct ccfc_attic attic;
	int news[2]; /* a pipe */
	pthread_t thread;
	bool started;

	/* For writing manifests and removing blobs; taken before `lock`. */
	pthread_mutex_t work;
	pthread_mutex_t lock; /* of the fields below */
	pthread_cond_t wake;
	struct ccfc_archive_job *first, **last; /* in the order of notes */
	struct {
		struct ccfc_archive_job **items; /* by source; or NULL */
		uint32_t n, cap;
	} jobs;
	uint64_t staged; /* bytes of all jobs */
	struct {
		struct ccfc_archive_kept *items;
		uint32_t n, cap;
	} kept; /* news */
	struct ccfc_archive_stats stats;
	struct ccfc_import_job *import; /* waiting, or under way */
	uint64_t counted; /* bytes when all was counted; the thread's */
	int64_t aged;	  /* when age last removed items, monotonic clock */
	bool busy;	  /* with a job */
	bool recount;	  /* the archive's directory was emptied */
	bool stop;
};

/* A call of ccfc_archive_import. */
struct ccfc_import_job {
	char *path;
	bool done, abandoned; /* nobody waits for it any more */
	struct ccfc_archive_imported result;
	struct ccfc_err err;
	int r;
};

void ccfc_archive_job_free(struct ccfc_archive_job *job);
/* archive_thread.c: starts the thread, if it is not there. The lock is held. */
void ccfc_archive_start(struct ccfc_archive *archive);
/* Is the thread to end? Any thread. */
bool ccfc_archive_stopped(struct ccfc_archive *archive);
/* News for the core. Any thread. */
void ccfc_archive_tell(struct ccfc_archive *archive,
		       const struct ccfc_archive_kept *kept);

/* writer.c, on the archive's thread: does a job. */
int ccfc_archive_do(struct ccfc_archive *archive, struct ccfc_archive_job *job,
		    struct ccfc_err *err);
/*
 * Makes a segment of these bytes: stores its content, sets its key and flags.
 */
int ccfc_archive_put_segment(struct ccfc_archive *archive,
			     struct ccfc_segment *segment,
			     struct ccfc_slice session, struct ccfc_slice bytes,
			     struct ccfc_err *err);
/*
 * sift_lines.c: blanks lines from `from` on. Returns the end of the last whole
 * line, or of all bytes if `ends`. *any: some lines were blanked.
 */
size_t ccfc_archive_sift_lines(const struct ccfc_archive_sieve *sieve,
			       struct ccfc_slice session,
			       struct ccfc_buf *bytes, size_t from, bool ends,
			       bool *any);
/* forget_kept.c: ccfc_archive_forget for callers that hold `work`. */
int ccfc_archive_forget_kept(struct ccfc_archive *archive,
			     const struct ccfc_archive_sieve *sieve,
			     char *const *shared, uint32_t nshared,
			     struct ccfc_err *err);
/* Must this transcript not be archived at all? */
bool ccfc_archive_forgot(const struct ccfc_archive_sieve *sieve,
			 const char *session, const char *path);
/* Is it a backup of a forgotten file, in the folder of a session? */
bool ccfc_archive_forgot_backup(const struct ccfc_archive_sieve *sieve,
				const char *dir, const char *name);
/* kept_files.c, on the archive's thread: keeps files beside a transcript. */
int ccfc_archive_keep_files(struct ccfc_archive *archive,
			    const struct ccfc_archive_job *job,
			    struct ccfc_err *err);
/* Where the last "/projects/" of a path begins, or NULL. */
const char *ccfc_archive_root_end(const char *path);
int ccfc_archive_get(void *ctx, struct ccfc_buf *out,
		     struct ccfc_attic_info *info, const char *path,
		     size_t max);
void ccfc_archive_list(void *ctx, const char *dir, ccfc_attic_fn fn, void *arg);
/*
 * reader.c: appends the original bytes of a segment. CCFC_EIO: the blob cannot
 * be opened now; other errors: the segment is damaged.
 */
int ccfc_archive_get_segment(struct ccfc_archive *archive, struct ccfc_buf *out,
			     const struct ccfc_segment *segment,
			     struct ccfc_slice session);
/* rest.c: replaces the rest of a version; unchanged on failure. */
int ccfc_archive_pack_rest(struct ccfc_archive_version *version,
			   struct ccfc_archive *archive,
			   struct ccfc_slice bytes, struct ccfc_err *err);
/* Appends the rest; CCFC_ECORRUPT: it is damaged. */
int ccfc_archive_unpack_rest(struct ccfc_buf *out, struct ccfc_archive *archive,
			     const struct ccfc_archive_version *version);
/* reader.c: of the attic. */
int ccfc_archive_open(void *ctx, struct ccfc_attic_file **out, const char *path,
		      uint32_t gen, uint64_t *size, struct ccfc_err *err);
ssize_t ccfc_archive_read(struct ccfc_attic_file *file, char *to, size_t len,
			  uint64_t offset);
bool ccfc_archive_may_have_note(struct ccfc_attic_file *file, uint64_t offset,
				size_t len);
void ccfc_archive_close(struct ccfc_attic_file *file);
void ccfc_archive_hold(void *ctx);
void ccfc_archive_end_hold(void *ctx);
/* Loads the segment at the offset ahead; false: `over` returned true. */
bool ccfc_archive_load(struct ccfc_attic_file *file, uint64_t offset,
		       bool (*over)(void *ctx), void *ctx);
/* ahead.c: of the attic, and its end. */
void ccfc_archive_expect(void *ctx, const struct ccfc_attic_line *lines,
			 uint32_t n);
struct ccfc_archive_ahead *ccfc_archive_ahead_new(struct ccfc_archive *archive);
/* May be NULL. No reader may be left. */
void ccfc_archive_ahead_free(struct ccfc_archive_ahead *ahead);
/* purge.c: the manifests in a directory; `fn` may remove the file. */
void ccfc_archive_each_file(const char *dir,
			    void (*fn)(void *ctx, const char *file), void *ctx);

/* The same for a manifest anywhere, with the archive's blobs. */
int ccfc_archive_open_manifest(struct ccfc_archive *archive,
			       struct ccfc_attic_file **out, const char *file,
			       uint32_t gen, uint64_t *size,
			       struct ccfc_err *err);
/* transfer/import_run.c, on the archive's thread: the waiting import. */
void ccfc_import_do(struct ccfc_archive *archive,
		    struct ccfc_import_job *import);
/* Is there an interrupted merge? */
bool ccfc_import_is_ready(const struct ccfc_archive *archive);
/* Continues an interrupted merge. */
void ccfc_import_go_on(struct ccfc_archive *archive);
/* transfer/export_read.c: reads an export, checked, into an empty archive. */
int ccfc_export_read(const char *from, struct ccfc_archive *into,
		     struct ccfc_err *err);
/* In the directory of that archive: what ccfc_archive_seen returns. */
#define CCFC_IMPORT_SEEN "seen"
/* transfer/import_claude.c: the same for a copied Claude directory. */
int ccfc_import_claude(const char *from, struct ccfc_archive *into,
		       struct ccfc_err *err);
/* transfer/import_merge.c: merges all of `from`, which is then empty. */
int ccfc_import_merge(struct ccfc_archive *into, struct ccfc_archive *from,
		      struct ccfc_archive_imported *out, struct ccfc_err *err);
void ccfc_archive_import_free(struct ccfc_import_job *import);
/* purge.c, on the archive's thread. */
void ccfc_archive_count(struct ccfc_archive *archive);
void ccfc_archive_purge(struct ccfc_archive *archive);
/* Would a purge take this transcript, which is not kept, right away? */
bool ccfc_archive_too_old(struct ccfc_archive *archive,
			  const struct ccfc_archive_job *job);
/* When a purge by age is due, in ms of the monotonic clock; 0: never. The lock
 * is held. */
int64_t ccfc_archive_purge_due(const struct ccfc_archive *archive);
/* Removes the blobs that no manifest names. */
void ccfc_archive_drop_blobs(struct ccfc_archive *archive);

#endif
