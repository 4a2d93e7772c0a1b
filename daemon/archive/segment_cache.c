/*
 * Decompressed segments; see segment_cache.h. There are few, so they are
 * searched one by one.
 *
 * Of a segment only the lines that come first are decompressed (line_order.h),
 * until others are asked for: most questions never do.
 *
 * ahead.c loads what is expected to be read, a few segments ahead of readers.
 *
 * A question reads a transcript once for each file, from beginning to end. If
 * not all of it fits, the least recently used segment is the next to be needed;
 * so a random segment is dropped, and most are found.
 */
#include "archive/segment_cache.h"
#include "archive/cut.h"
#include "archive/line_order.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

/* A session of some 60 MB is read again without decompressing anything twice;
 * a server of one user has one or two such questions at a time. */
#define BYTES_MAX ((size_t)64 << 20)
/* So many segments are loaded and not read yet. */
#define AHEAD_MAX 64u
#define ROOMS	  512u

/* The memory of one segment, or of the lines that come first in it. */
struct room {
	struct ccfc_segment segment; /* its offset does not count */
	struct ccfc_ordered stored;
	size_t done;  /* how much of what is stored is here; 0: no memory yet */
	bool loading; /* somebody fills it, without the lock */
	bool ahead;   /* it was loaded ahead, and was not read yet */
	size_t size;  /* of its memory */
};

struct ccfc_segment_cache {
	struct ccfc_blobs *blobs;
	pthread_mutex_t lock;	/* of what follows */
	pthread_cond_t changed; /* a room is loaded, or read; or readers end */
	uint32_t readers, n;
	uint32_t ahead; /* rooms */
	uint32_t dice;
	size_t bytes;
	struct room *rooms[ROOMS];
};

struct ccfc_segment_cache *ccfc_segment_cache_new(struct ccfc_blobs *blobs)
{
	struct ccfc_segment_cache *cache = ccfc_calloc(1, sizeof(*cache));

	cache->blobs = blobs;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->changed, NULL);
	return cache;
}

/* --- memory; the lock is held --- */

static void free_bytes(struct ccfc_segment_cache *cache, struct room *room)
{
	free((char *)room->stored.bytes);
	room->stored.bytes = NULL;
	room->done = 0;
	cache->bytes -= room->size;
	room->size = 0;
}

static void drop_room(struct ccfc_segment_cache *cache, uint32_t i)
{
	struct room *room = cache->rooms[i];

	cache->ahead -= room->ahead;
	free_bytes(cache, room);
	free(room);
	cache->rooms[i] = cache->rooms[--cache->n];
}

static void drop_this(struct ccfc_segment_cache *cache, const struct room *room)
{
	uint32_t i = 0;

	while (cache->rooms[i] != room)
		i++;
	drop_room(cache, i);
}

/* Drops a random segment; false: there is none but what is being loaded. */
static bool drop_any(struct ccfc_segment_cache *cache)
{
	uint32_t from;

	cache->dice = cache->dice * 1664525u + 1013904223u;
	from = cache->dice >> 8;
	for (uint32_t i = 0; i < cache->n; i++) {
		uint32_t k = (from % cache->n + i) % cache->n;

		if (!cache->rooms[k]->loading) {
			drop_room(cache, k);
			return true;
		}
	}
	return false;
}

static void drop_all(struct ccfc_segment_cache *cache)
{
	while (cache->n)
		drop_room(cache, cache->n - 1);
}

/* Memory for the segment; NULL: there is none, even if others are dropped. */
static char *take_bytes(struct ccfc_segment_cache *cache, struct room *room,
			size_t size)
{
	while (cache->bytes + size > BYTES_MAX)
		if (!drop_any(cache))
			return NULL;
	cache->bytes += size;
	room->size = size;
	return ccfc_malloc(size);
}

/* NULL: there are too many. */
static struct room *add_room(struct ccfc_segment_cache *cache,
			     const struct ccfc_segment *segment)
{
	struct room *room;

	if (cache->n == ROOMS && !drop_any(cache))
		return NULL;
	room = ccfc_calloc(1, sizeof(*room));
	room->segment = *segment;
	cache->rooms[cache->n++] = room;
	return room;
}

/* NULL: there is none. */
static struct room *find_room(const struct ccfc_segment_cache *cache,
			      const struct ccfc_segment *segment)
{
	for (uint32_t i = 0; i < cache->n; i++) {
		const struct ccfc_segment *has = &cache->rooms[i]->segment;

		if (has->len == segment->len && has->runs == segment->runs &&
		    !memcmp(&has->key, &segment->key, sizeof(has->key)))
			return cache->rooms[i];
	}
	return NULL;
}

/* --- readers --- */

void ccfc_segment_cache_enter(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->readers++;
	pthread_mutex_unlock(&cache->lock);
}

void ccfc_segment_cache_leave(struct ccfc_segment_cache *cache)
{
	bool last;

	pthread_mutex_lock(&cache->lock);
	last = !--cache->readers;
	if (last)
		drop_all(cache);
	pthread_mutex_unlock(&cache->lock);
	if (last)
		ccfc_blobs_rest(cache->blobs);
}

void ccfc_segment_cache_free(struct ccfc_segment_cache *cache)
{
	if (!cache)
		return;
	drop_all(cache);
	pthread_cond_destroy(&cache->changed);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* How much of the segment is to be unpacked; 0: it is damaged. */
static size_t wanted_len(const struct ccfc_segment *s, struct ccfc_slice packed,
			 enum ccfc_blob_extent extent)
{
	size_t table = ccfc_ordered_table(s->runs), whole, len;

	if (!ccfc_blob_extent_len(&whole, packed, CCFC_BLOB_WHOLE) ||
	    !ccfc_blob_extent_len(&len, packed, extent) ||
	    whole != s->len + table || len < table)
		return 0;
	return len;
}

/* Newlines, so that the lines around the segment are found. */
static bool fill_damaged(struct ccfc_segment_cache *cache, struct room *room)
{
	size_t len = room->segment.len;
	char *to;

	free_bytes(cache, room);
	to = take_bytes(cache, room, len);
	if (!to)
		return false;
	memset(to, '\n', len);
	room->stored = (struct ccfc_ordered){ to, len, 0 };
	room->done = len;
	return true;
}

/* Unpacks into the room; false: there is no memory. The lock is given away. */
static bool fill_room(struct ccfc_segment_cache *cache, struct room *room,
		      struct ccfc_slice packed, enum ccfc_blob_extent extent)
{
	const struct ccfc_segment *s = &room->segment;
	size_t len = wanted_len(s, packed, extent);
	char *to;
	int r;

	if (!len)
		return fill_damaged(cache, room);
	free_bytes(cache, room);
	to = take_bytes(cache, room, len);
	if (!to)
		return false;
	room->stored = (struct ccfc_ordered){ to, s->len, s->runs };
	pthread_mutex_unlock(&cache->lock);
	r = ccfc_blob_unpack_extent(to, cache->blobs, packed, extent, NULL);
	pthread_mutex_lock(&cache->lock);
	if (r || !ccfc_ordered_is_valid(&room->stored))
		return fill_damaged(cache, room);
	room->done = len;
	return true;
}

enum loaded {
	LOADED,
	LOADED_NOTHING, /* there is no memory */
	LOADED_LATER,	/* it cannot be opened now */
};

/*
 * Loads the lines that come first, or all of the segment if they are there.
 * Without success the room is gone. The lock is given away meanwhile.
 */
static enum loaded load_room(struct ccfc_segment_cache *cache,
			     struct room *room,
			     const struct ccfc_cached *cached)
{
	enum ccfc_blob_extent extent =
		room->done ? CCFC_BLOB_WHOLE : CCFC_BLOB_FIRST;
	struct ccfc_buf packed = CCFC_BUF_INIT;
	const struct ccfc_segment *s = &cached->segment;
	enum loaded loaded = LOADED;
	int r = 0;

	room->loading = true;
	pthread_mutex_unlock(&cache->lock);
	if (!cached->packed.len)
		r = ccfc_blobs_get_packed(&packed, cache->blobs, &s->key,
					  s->len + ccfc_ordered_table(s->runs),
					  NULL);
	pthread_mutex_lock(&cache->lock);
	if (r == CCFC_EIO)
		loaded = LOADED_LATER;
	else if (!fill_room(cache, room,
			    cached->packed.len ? cached->packed
					       : ccfc_buf_view(&packed),
			    extent))
		loaded = LOADED_NOTHING;
	room->loading = false;
	pthread_cond_broadcast(&cache->changed);
	if (loaded != LOADED)
		drop_this(cache, room);
	ccfc_buf_release(&packed);
	return loaded;
}

/* 0: the bytes are not loaded yet. */
static size_t copy_loaded(char *to, const struct room *room,
			  struct ccfc_slice session, size_t at, size_t len)
{
	size_t table = ccfc_ordered_table(room->stored.runs);
	struct ccfc_ordered_piece piece;

	if (!room->done || at >= room->stored.len)
		return 0;
	piece = ccfc_ordered_find(&room->stored, at);
	if (len > piece.len)
		len = piece.len;
	if (piece.from + len > room->done)
		return 0;
	if (room->segment.flags & CCFC_SEGMENT_PLAIN)
		ccfc_cut_copy(to,
			      ccfc_slice(room->stored.bytes + table,
					 room->done - table),
			      piece.from - table, len, session);
	else
		memcpy(to, room->stored.bytes + piece.from, len);
	return len;
}

/* The loader may go on. */
static void note_read(struct ccfc_segment_cache *cache, struct room *room)
{
	room->ahead = false;
	cache->ahead--;
	pthread_cond_broadcast(&cache->changed);
}

/* As ccfc_segment_cache_read. The lock is held. */
static ssize_t read_or_load(struct ccfc_segment_cache *cache, char *to,
			    const struct ccfc_cached *cached,
			    struct ccfc_slice session, size_t at, size_t len,
			    bool load)
{
	for (;;) {
		struct room *room = find_room(cache, &cached->segment);
		size_t n;

		if (!room && load)
			room = add_room(cache, &cached->segment);
		if (!room)
			return 0;
		if (room->loading) {
			pthread_cond_wait(&cache->changed, &cache->lock);
			continue;
		}
		n = copy_loaded(to, room, session, at, len);
		if (n && room->ahead)
			note_read(cache, room);
		if (n || !load)
			return (ssize_t)n;
		switch (load_room(cache, room, cached)) {
		case LOADED:
			break;
		case LOADED_NOTHING:
			return 0;
		case LOADED_LATER:
			return -1;
		}
	}
}

ssize_t ccfc_segment_cache_read(struct ccfc_segment_cache *cache, char *to,
				const struct ccfc_cached *cached,
				struct ccfc_slice session, size_t at,
				size_t len, bool load)
{
	ssize_t n;

	if (at >= cached->segment.len || !len)
		return 0;
	pthread_mutex_lock(&cache->lock);
	n = read_or_load(cache, to, cached, session, at, len, load);
	pthread_mutex_unlock(&cache->lock);
	return n;
}

bool ccfc_segment_cache_load(struct ccfc_segment_cache *cache,
			     const struct ccfc_cached *cached,
			     bool (*over)(void *ctx), void *ctx)
{
	struct room *room = NULL;
	bool ended;

	pthread_mutex_lock(&cache->lock);
	while (!(ended = over(ctx)) && cache->ahead >= AHEAD_MAX)
		pthread_cond_wait(&cache->changed, &cache->lock);
	if (!ended && !find_room(cache, &cached->segment))
		room = add_room(cache, &cached->segment);
	if (room) {
		room->ahead = true;
		cache->ahead++;
		load_room(cache, room, cached);
	}
	pthread_mutex_unlock(&cache->lock);
	return !ended;
}

void ccfc_segment_cache_wake(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	pthread_cond_broadcast(&cache->changed);
	pthread_mutex_unlock(&cache->lock);
}
