/*
 * Decompressed segments; see segment_cache.h. There are few, so they are
 * searched one by one. Bytes are copied under the lock, which is cheaper than
 * counting users.
 *
 * A question reads a transcript once for each file, from beginning to end. If
 * not all of it fits, the least recently used segment is the next to be needed;
 * so a random segment is dropped, and most are found.
 */
#include "archive/segment_cache.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

/* A session of some 60 MB is read again without decompressing anything twice;
 * a server of one user has one or two such questions at a time. */
#define BYTES_MAX ((size_t)64 << 20)
#define SLOTS	  128u

struct slot {
	struct ccfc_segment_id id;
	struct ccfc_buf bytes;
};

struct ccfc_segment_cache {
	pthread_mutex_t lock;
	uint32_t readers, n;
	uint32_t dice;
	size_t bytes;
	struct slot slots[SLOTS];
};

struct ccfc_segment_cache *ccfc_segment_cache_new(void)
{
	struct ccfc_segment_cache *cache = ccfc_calloc(1, sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

static void drop_slot(struct ccfc_segment_cache *cache, uint32_t i)
{
	cache->bytes -= cache->slots[i].bytes.len;
	ccfc_buf_release(&cache->slots[i].bytes);
	cache->slots[i] = cache->slots[--cache->n];
}

static void drop_all(struct ccfc_segment_cache *cache)
{
	while (cache->n)
		drop_slot(cache, cache->n - 1);
}

static void drop_any(struct ccfc_segment_cache *cache)
{
	cache->dice = cache->dice * 1664525u + 1013904223u;
	drop_slot(cache, (cache->dice >> 8) % cache->n);
}

void ccfc_segment_cache_free(struct ccfc_segment_cache *cache)
{
	drop_all(cache);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

void ccfc_segment_cache_enter(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->readers++;
	pthread_mutex_unlock(&cache->lock);
}

void ccfc_segment_cache_leave(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	if (!--cache->readers)
		drop_all(cache);
	pthread_mutex_unlock(&cache->lock);
}

/* NULL: there is none. The lock is held. */
static const struct slot *find_slot(const struct ccfc_segment_cache *cache,
				    const struct ccfc_segment_id *id)
{
	for (uint32_t i = 0; i < cache->n; i++)
		if (!memcmp(&cache->slots[i].id, id, sizeof(*id)))
			return &cache->slots[i];
	return NULL;
}

size_t ccfc_segment_cache_copy(struct ccfc_segment_cache *cache,
			       const struct ccfc_segment_id *id, char *to,
			       size_t at, size_t len)
{
	const struct slot *slot;

	pthread_mutex_lock(&cache->lock);
	slot = find_slot(cache, id);
	if (!slot || at >= slot->bytes.len)
		len = 0;
	else if (len > slot->bytes.len - at)
		len = slot->bytes.len - at;
	if (len)
		memcpy(to, slot->bytes.ptr + at, len);
	pthread_mutex_unlock(&cache->lock);
	return len;
}

void ccfc_segment_cache_put(struct ccfc_segment_cache *cache,
			    const struct ccfc_segment_id *id,
			    struct ccfc_buf *bytes)
{
	pthread_mutex_lock(&cache->lock);
	/* Another reader may have been quicker. */
	if (cache->readers && !find_slot(cache, id)) {
		while (cache->n == SLOTS ||
		       (cache->n && cache->bytes + bytes->len > BYTES_MAX))
			drop_any(cache);
		cache->slots[cache->n++] = (struct slot){ *id, *bytes };
		cache->bytes += bytes->len;
		*bytes = (struct ccfc_buf)CCFC_BUF_INIT;
	}
	pthread_mutex_unlock(&cache->lock);
	ccfc_buf_release(bytes);
}
