/*
 * Contents, each kept once under the SHA-256 of its bytes: what files held that
 * were seen to change. Compressed with zstd, one file each, for our user alone.
 *
 *   <dir>/ab/cdef…     a blob; its name is its key
 *   <dir>/new-…        one that is being written; the next start removes it
 *
 * A blob is written beside its place and renamed there. So a process that is
 * killed at any point leaves whole blobs only. A machine that loses its power
 * may leave a blob that is not whole, since nothing waits for the disk: every
 * read checks the bytes against the key, and says nothing where they do not
 * fit. Putting the same content again mends such a blob.
 *
 * Blobs are kept up to an age and up to a budget; then the ones that were put
 * longest ago go. Whoever keeps a key has to bear that its blob is gone.
 *
 * Any thread; what takes long (put, get, sweep) is not for the core's. Memory
 * is bounded: by the pieces of a stream, and while sweeping by the budget.
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
 * Makes `dir` if it is not there, and removes what was being written when a
 * process ended. One process at a time has a directory.
 */
int ccfc_blobs_new(struct ccfc_blobs **out, const char *dir,
		   struct ccfc_err *err);
/* May be NULL. Leaves all blobs where they are. */
void ccfc_blobs_free(struct ccfc_blobs *blobs);

struct ccfc_blob_key ccfc_blob_key(struct ccfc_slice bytes);
/* The key as lower-case hex with a NUL, and back; false: that is no key. */
void ccfc_blob_key_hex(char out[CCFC_SHA256_HEX + 1],
		       const struct ccfc_blob_key *key);
bool ccfc_blob_key_read(struct ccfc_blob_key *out, const char *hex);

/* Keeps the bytes; *key is how they are had again, also on failure. */
int ccfc_blobs_put(struct ccfc_blobs *blobs, struct ccfc_blob_key *key,
		   struct ccfc_slice bytes, struct ccfc_err *err);

/*
 * Appends the bytes of a blob. CCFC_ENOTFOUND; CCFC_ETOOBIG: it has more than
 * `max`; CCFC_ECORRUPT: what is there is not what was put. Appends nothing on
 * failure.
 */
int ccfc_blobs_get(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, size_t max,
		   struct ccfc_err *err);

/*
 * The same, checked by the checksum in the blob's file instead of the key,
 * which takes half the time: for who reads one often. What is damaged is found
 * all the same; a blob under another's name is not.
 */
int ccfc_blobs_get_quickly(struct ccfc_buf *out, struct ccfc_blobs *blobs,
			   const struct ccfc_blob_key *key, size_t max,
			   struct ccfc_err *err);

/* Is there such a blob? It may be damaged all the same. */
bool ccfc_blobs_has(const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key);

/* Was it last put before that time, as files have it? False: there is none. */
bool ccfc_blobs_is_older(const struct ccfc_blobs *blobs,
			 const struct ccfc_blob_key *key,
			 const struct timespec *time);

/*
 * Removes a blob for good: nothing of it can be had from here any more. It is
 * fine if there is none. What a disk keeps of removed files is beyond us.
 */
int ccfc_blobs_remove(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		      struct ccfc_err *err);

/* --- contents that are too large to hold --- */

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
 * Hands out a blob piece by piece. The pieces are to be believed only once
 * this has returned 0. A `fn` that does not return 0 ends it with its number.
 */
typedef int (*ccfc_blob_piece_fn)(void *ctx, struct ccfc_slice piece);
int ccfc_blobs_read(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    ccfc_blob_piece_fn fn, void *ctx, struct ccfc_err *err);

/* --- contents that lie elsewhere --- */

/*
 * The same form in memory, with a checksum of its own instead of a key: for
 * contents that are part of a file of the caller's. Appends to `out`. `blobs`
 * lends what compressing needs.
 */
int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   struct ccfc_slice bytes, struct ccfc_err *err);
/* As ccfc_blobs_get. */
int ccfc_blob_unpack(struct ccfc_buf *out, struct ccfc_slice packed, size_t max,
		     struct ccfc_err *err);

/*
 * Waits until blobs that were put are on the disk, with their names: for who
 * keeps their keys in a file that must not outlive the blobs.
 */
int ccfc_blobs_sync(struct ccfc_blobs *blobs, const struct ccfc_blob_key *keys,
		    uint32_t n, struct ccfc_err *err);

/* Nothing is put for a while: frees what putting needs. */
void ccfc_blobs_rest(struct ccfc_blobs *blobs);

/*
 * Moves a blob from one store to another on the same filesystem. One that is
 * there already stays. CCFC_ENOTFOUND: `from` does not have it.
 */
int ccfc_blobs_move(struct ccfc_blobs *to, struct ccfc_blobs *from,
		    const struct ccfc_blob_key *key, struct ccfc_err *err);

/* Calls `fn` for each blob there is, in no order; it may remove the blob. */
typedef void (*ccfc_blob_each_fn)(void *ctx, const struct ccfc_blob_key *key,
				  uint64_t room);
void ccfc_blobs_each(struct ccfc_blobs *blobs, ccfc_blob_each_fn fn, void *ctx);

/* --- how much is kept --- */

struct ccfc_blob_limits {
	uint64_t bytes; /* on disk, in all */
	int64_t age;	/* in seconds */
};

/* What there is, as the last sweep found it and puts have added. */
struct ccfc_blob_stats {
	uint64_t blobs, bytes;
	uint64_t removed; /* by sweeps of this process */
};

/*
 * Removes blobs that are too old, and the oldest ones until the rest is well
 * within the budget. Each blob counts for the room that its file takes.
 */
void ccfc_blobs_sweep(struct ccfc_blobs *blobs,
		      const struct ccfc_blob_limits *limits);
/* Is the budget used up, so that a sweep is due? */
bool ccfc_blobs_is_full(struct ccfc_blobs *blobs,
			const struct ccfc_blob_limits *limits);
void ccfc_blobs_stats(struct ccfc_blobs *blobs, struct ccfc_blob_stats *out);

#endif
