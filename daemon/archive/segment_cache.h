/*
 * A cache of decompressed segments for running questions: a question about
 * changes reads lines in another order than that of the transcript, and would
 * decompress each segment many times. At most 64 MiB for all questions
 * together; empty when there is none. Any thread.
 */
#ifndef CCFC_ARCHIVE_SEGMENT_CACHE_H
#define CCFC_ARCHIVE_SEGMENT_CACHE_H

#include "blobs/blobs.h"

struct ccfc_segment_cache;

/* A segment as one session has it: its blob, and the id that is put in. */
struct ccfc_segment_id {
	struct ccfc_blob_key key;
	char session[36]; /* zeros: none */
};

struct ccfc_segment_cache *ccfc_segment_cache_new(void);
void ccfc_segment_cache_free(struct ccfc_segment_cache *cache);

/* A reader begins and ends. With the last one all is freed. */
void ccfc_segment_cache_enter(struct ccfc_segment_cache *cache);
void ccfc_segment_cache_leave(struct ccfc_segment_cache *cache);

/*
 * Copies up to `len` bytes from `at` on, fewer at the end of the segment, and
 * returns how many. 0: it is not here.
 */
size_t ccfc_segment_cache_copy(struct ccfc_segment_cache *cache,
			       const struct ccfc_segment_id *id, char *to,
			       size_t at, size_t len);
/*
 * Takes the bytes over, and drops others if necessary. `bytes` is empty then.
 */
void ccfc_segment_cache_put(struct ccfc_segment_cache *cache,
			    const struct ccfc_segment_id *id,
			    struct ccfc_buf *bytes);

#endif
