/*
 * A cache of decompressed segments for running questions: a question about
 * changes reads lines in another order than that of the transcript, and would
 * decompress each segment many times. At most 64 MiB for all questions
 * together; empty when there is none. Any thread.
 */
#ifndef CCFC_ARCHIVE_SEGMENT_CACHE_H
#define CCFC_ARCHIVE_SEGMENT_CACHE_H

#include "archive/manifests.h"

#include <sys/types.h>

struct ccfc_segment_cache;

struct ccfc_segment_cache *ccfc_segment_cache_new(struct ccfc_blobs *blobs);
/* May be NULL. */
void ccfc_segment_cache_free(struct ccfc_segment_cache *cache);

/* A reader begins and ends. True: it was the last one, and all is freed. */
void ccfc_segment_cache_enter(struct ccfc_segment_cache *cache);
bool ccfc_segment_cache_leave(struct ccfc_segment_cache *cache);

/* A segment, or the rest of a transcript. */
struct ccfc_cached {
	struct ccfc_segment segment;
	struct ccfc_slice packed; /* the content; empty: it is the blob's */
};

/*
 * Copies up to `len` bytes of a segment from `at` on, and returns how many: at
 * least one, if `at` is in the segment. The id of the session is put back
 * (cut.h). A damaged part of a segment reads as newlines, and so does the last
 * part, which needs all others; if the first part is damaged, the segment does.
 * 0: there is no room now, or the bytes are not here and must not be loaded;
 * -1: the blob cannot be opened now.
 */
ssize_t ccfc_segment_cache_read(struct ccfc_segment_cache *cache, char *to,
				const struct ccfc_cached *cached,
				struct ccfc_slice session, size_t at,
				size_t len, bool load);

/*
 * Loads the bytes of a segment from `at` on, for readers to come. Waits while
 * many segments that were loaded so are not read yet. False: `over` said so.
 * `over` is called with the cache's lock held.
 */
bool ccfc_segment_cache_load(struct ccfc_segment_cache *cache,
			     const struct ccfc_cached *cached, size_t at,
			     bool (*over)(void *ctx), void *ctx);
/* Makes a waiting ccfc_segment_cache_load ask again. */
void ccfc_segment_cache_wake(struct ccfc_segment_cache *cache);

#endif
