/*
 * A content-addressed store: each content is kept once, under the SHA-256 of
 * its bytes. One file a blob, compressed with zstd, mode 0600.
 *
 *   <dir>/ab/cdef…     a blob; its name is its key
 *   <dir>/new-…        a blob that is being written; the next start removes it
 *
 * A blob is written under a temporary name and renamed, so a kill leaves only
 * complete blobs. A power cut may leave a damaged one, since blobs are not
 * synced: reads check the bytes against the key, those of ccfc_packed_* against
 * checksums in the blob, and return an error if they do not match. Putting the
 * same content again repairs such a blob.
 *
 * Blobs are deleted after an age, and oldest first above a budget. Users of a
 * key must handle a missing blob.
 *
 * Callable from any thread, but put, get and sweep take too long for the core
 * thread. Memory is bounded: a writer, and a reader of a content in one piece,
 * have a piece of it. A put has the whole content packed, and a reader of a
 * content in parts has all of it, up to 8 MiB. A sweep is bounded by the
 * budget.
 */
#ifndef CCFC_BLOBS_BLOBS_H
#define CCFC_BLOBS_BLOBS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

#include <stdint.h>
#include <time.h>

struct ccfc_blob_key {
	unsigned char bytes[CCFC_SHA256_BYTES];
};

struct ccfc_blobs;

/*
 * Creates `dir` if it is missing, and removes unfinished blobs of an ended
 * process. Only one process at a time may use a directory.
 */
int ccfc_blobs_new(struct ccfc_blobs **out, const char *dir,
		   struct ccfc_err *err);
/* May be NULL. All blobs stay on disk. */
void ccfc_blobs_free(struct ccfc_blobs *blobs);

struct ccfc_blob_key ccfc_blob_key(struct ccfc_slice bytes);
/* The key as lower-case hex with a NUL, and back; false: not a key. */
void ccfc_blob_key_hex(char out[CCFC_SHA256_HEX + 1],
		       const struct ccfc_blob_key *key);
bool ccfc_blob_key_read(struct ccfc_blob_key *out, const char *hex);

/* Stores the bytes. *key is set also on failure. */
int ccfc_blobs_put(struct ccfc_blobs *blobs, struct ccfc_blob_key *key,
		   struct ccfc_slice bytes, struct ccfc_err *err);

/* The parts of a content, one after the other. */
#define CCFC_BLOB_PARTS_MAX 64u
struct ccfc_blob_parts {
	uint32_t n;
	uint32_t ends[CCFC_BLOB_PARTS_MAX]; /* the last one is the content's */
};

/*
 * As ccfc_blobs_put, in parts, for ccfc_packed_part. The parts are not in the
 * key: an existing blob of that key stays as it is.
 */
int ccfc_blobs_put_parts(struct ccfc_blobs *blobs, struct ccfc_blob_key *key,
			 struct ccfc_slice bytes,
			 const struct ccfc_blob_parts *parts,
			 struct ccfc_err *err);

/*
 * Appends the bytes of a blob. CCFC_ENOTFOUND; CCFC_ETOOBIG: it has more than
 * `max`; CCFC_ECORRUPT: the blob is damaged. Appends nothing on failure.
 */
int ccfc_blobs_get(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, size_t max,
		   struct ccfc_err *err);

/* Is there such a blob? It may still be damaged. */
bool ccfc_blobs_has(const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key);

/* Was it last put before that file time? False if there is no such blob. */
bool ccfc_blobs_is_older(const struct ccfc_blobs *blobs,
			 const struct ccfc_blob_key *key,
			 const struct timespec *time);

/*
 * Deletes a blob. Not an error if there is none. What the disk keeps of deleted
 * files is beyond us.
 */
int ccfc_blobs_remove(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		      struct ccfc_err *err);

/* --- contents that do not fit in memory --- */

struct ccfc_blob_writer;

int ccfc_blobs_begin(struct ccfc_blob_writer **out, struct ccfc_blobs *blobs,
		     struct ccfc_err *err);
int ccfc_blobs_add(struct ccfc_blob_writer *writer, struct ccfc_slice bytes,
		   struct ccfc_err *err);
/* Ends and frees the writer, whatever the result. */
int ccfc_blobs_end(struct ccfc_blob_writer *writer, struct ccfc_blob_key *key,
		   struct ccfc_err *err);
/* Frees the writer; nothing was put. May be NULL. */
void ccfc_blobs_abort(struct ccfc_blob_writer *writer);

/*
 * Passes on a blob piece by piece; a content in parts comes as one piece. The
 * pieces are verified only when this has returned 0. If `fn` does not return 0,
 * reading ends with its result.
 */
typedef int (*ccfc_blob_piece_fn)(void *ctx, struct ccfc_slice piece);
int ccfc_blobs_read(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    ccfc_blob_piece_fn fn, void *ctx, struct ccfc_err *err);

/* --- contents inside other files --- */

/*
 * The same format in memory, with checksums instead of a key, for contents
 * inside a file of the caller. Appends to `out`. `blobs` lends its compressor.
 * `parts` may be NULL: the content is in one.
 */
int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   struct ccfc_slice bytes, const struct ccfc_blob_parts *parts,
		   struct ccfc_err *err);
/* As ccfc_blobs_get. */
int ccfc_blob_unpack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		     struct ccfc_slice packed, size_t max,
		     struct ccfc_err *err);

/* --- contents that are read often, or in parts --- */

/*
 * A packed content: the file of a blob, of which only the wanted parts are
 * read, or bytes in memory. It is verified by the checksums in it instead of
 * the key, in much less time. That finds damage, but not a blob of the same
 * length under the name of another one. The fields are blob_unpack.c's own.
 */
struct ccfc_packed {
	struct ccfc_blobs *blobs;
	int fd; /* or -1 */
	uint64_t len;
	struct ccfc_slice head; /* all of the bytes in memory */
	struct ccfc_buf first, frame;
};

/* CCFC_ENOTFOUND; CCFC_EIO: it cannot be opened now. */
int ccfc_packed_open(struct ccfc_packed *out, struct ccfc_blobs *blobs,
		     const struct ccfc_blob_key *key, struct ccfc_err *err);
/* The bytes of ccfc_blob_pack, which are not copied. */
void ccfc_packed_use(struct ccfc_packed *out, struct ccfc_blobs *blobs,
		     struct ccfc_slice bytes);
void ccfc_packed_close(struct ccfc_packed *packed);

/* The parts of the content; false: the content is damaged. */
bool ccfc_packed_parts(struct ccfc_blob_parts *out, struct ccfc_packed *packed);
/*
 * Writes part `i`, but not the last one of several: that part can only be read
 * with the whole content. `first`: the first part, if another one is read.
 * `parts`: of ccfc_packed_parts, for which there is room in `to`. A blob that
 * is opened again may be another file, with other parts. False: the part is
 * damaged, or the content is in other parts.
 */
bool ccfc_packed_part(char *to, struct ccfc_packed *packed,
		      const struct ccfc_blob_parts *parts, uint32_t i,
		      const char *first);
/* The same with all parts, one after the other. */
bool ccfc_packed_whole(char *to, struct ccfc_packed *packed,
		       const struct ccfc_blob_parts *parts);

/*
 * Waits until the blobs and their names are on the disk, for callers whose file
 * of keys must not outlive the blobs.
 */
int ccfc_blobs_sync(struct ccfc_blobs *blobs, const struct ccfc_blob_key *keys,
		    uint32_t n, struct ccfc_err *err);

/* Frees compressor and decompressor when nothing is put for a while. */
void ccfc_blobs_rest(struct ccfc_blobs *blobs);

/*
 * Moves a blob to another store on the same filesystem. An existing blob stays.
 * CCFC_ENOTFOUND: `from` does not have it.
 */
int ccfc_blobs_move(struct ccfc_blobs *to, struct ccfc_blobs *from,
		    const struct ccfc_blob_key *key, struct ccfc_err *err);

/* Calls `fn` for each blob, in no order; `fn` may remove the blob. */
typedef void (*ccfc_blob_each_fn)(void *ctx, const struct ccfc_blob_key *key,
				  uint64_t room);
void ccfc_blobs_each(struct ccfc_blobs *blobs, ccfc_blob_each_fn fn, void *ctx);

/* --- size --- */

struct ccfc_blob_limits {
	uint64_t bytes; /* on disk, in all */
	int64_t age;	/* in seconds */
};

/* What there is: found by the last sweep, plus what was put since then. */
struct ccfc_blob_stats {
	uint64_t blobs, bytes;
	uint64_t removed; /* by sweeps of this process */
};

/*
 * Deletes blobs that are too old, then the oldest ones until the rest is well
 * within the budget. A blob counts with the disk space of its file.
 */
void ccfc_blobs_sweep(struct ccfc_blobs *blobs,
		      const struct ccfc_blob_limits *limits);
/* Is the budget used up, so that a sweep is due? */
bool ccfc_blobs_is_full(struct ccfc_blobs *blobs,
			const struct ccfc_blob_limits *limits);
void ccfc_blobs_stats(struct ccfc_blobs *blobs, struct ccfc_blob_stats *out);

#endif
