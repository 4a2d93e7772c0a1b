/*
 * Decompressed segments; see segment_cache.h. They are few, so they are looked
 * for one by one; the one that was used last is first. Bytes are copied while
 * the lock is held: that takes less than finding out who still uses them.
 */
#include "archive/segment_cache.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

/* A session of some 20 MB is read again without decompressing anything twice;
 * a server of one user has one or two such questions at a time. */
#define BYTES_MAX ((size_t)20 << 20)
#define SLOTS	  80u

struct slot {
	struct ccfc_segment_id id;
	struct ccfc_buf bytes;
};

struct ccfc_segment_cache {
	pthread_mutex_t lock;
	uint32_t readers, n;
	size_t bytes;
	struct slot slots[SLOTS];
};

struct ccfc_segment_cache *ccfc_segment_cache_new(void)
{
	struct ccfc_segment_cache *cache = ccfc_calloc(1, sizeof(*cache));

	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

/* The last slot goes. */
static void drop_last(struct ccfc_segment_cache *cache)
{
	struct slot *last = &cache->slots[--cache->n];

	cache->bytes -= last->bytes.len;
	ccfc_buf_release(&last->bytes);
}

void ccfc_segment_cache_free(struct ccfc_segment_cache *cache)
{
	while (cache->n)
		drop_last(cache);
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
	cache->readers--;
	while (!cache->readers && cache->n)
		drop_last(cache);
	pthread_mutex_unlock(&cache->lock);
}

/* Makes the slot the first; NULL: there is none. The lock is held. */
static struct slot *find_slot(struct ccfc_segment_cache *cache,
			      const struct ccfc_segment_id *id)
{
	uint32_t i = 0;
	struct slot found;

	while (i < cache->n &&
	       memcmp(&cache->slots[i].id, id, sizeof(*id)) != 0)
		i++;
	if (i == cache->n)
		return NULL;
	found = cache->slots[i];
	memmove(cache->slots + 1, cache->slots, i * sizeof(found));
	cache->slots[0] = found;
	return &cache->slots[0];
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
			drop_last(cache);
		memmove(cache->slots + 1, cache->slots,
			cache->n * sizeof(*cache->slots));
		cache->slots[0] = (struct slot){ *id, *bytes };
		cache->bytes += bytes->len;
		cache->n++;
		*bytes = (struct ccfc_buf)CCFC_BUF_INIT;
	}
	pthread_mutex_unlock(&cache->lock);
	ccfc_buf_release(bytes);
}
