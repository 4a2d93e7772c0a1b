/*
 * Decompressed segments; see segment_cache.h. There are few, so they are
 * searched one by one.
 *
 * A segment is decompressed in parts, as they are asked for (line_order.h):
 * most questions need few of them. The last part needs all others; with it the
 * whole segment is decompressed again, into one piece.
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

/* No part is missing. */
#define NO_PART UINT32_MAX

/* What is in memory of one segment. */
struct room {
	struct ccfc_segment segment;	 /* its offset does not count */
	struct ccfc_blob_parts parts;	 /* none: nothing was looked at yet */
	struct ccfc_ordered stored;	 /* its bytes are the first part */
	char *part[CCFC_BLOB_PARTS_MAX]; /* decompressed, or NULL */
	char *whole;			 /* instead of all parts */
	bool loading; /* somebody fills it, without the lock */
	bool ahead;   /* it was loaded ahead, and was not read yet */
	size_t size;  /* of its memory */
};

struct ccfc_segment_cache {
	struct ccfc_blobs *blobs;
	pthread_mutex_t lock;	/* for the fields below */
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

static void uncount_bytes(struct ccfc_segment_cache *cache, struct room *room,
			  size_t size)
{
	cache->bytes -= size;
	room->size -= size;
}

static void free_parts(struct room *room)
{
	for (uint32_t i = 0; i < room->parts.n; i++) {
		free(room->part[i]);
		room->part[i] = NULL;
	}
}

static void free_bytes(struct ccfc_segment_cache *cache, struct room *room)
{
	free_parts(room);
	free(room->whole);
	room->whole = NULL;
	room->stored.bytes = NULL;
	room->parts.n = 0;
	uncount_bytes(cache, room, room->size);
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

/* Counts memory of the room; false: not so much is free. */
static bool count_bytes(struct ccfc_segment_cache *cache, struct room *room,
			size_t size)
{
	while (cache->bytes + size > BYTES_MAX)
		if (!drop_any(cache))
			return false;
	cache->bytes += size;
	room->size += size;
	return true;
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

/*
 * Do they read the same? One segment may have the text that stands for an id as
 * its own bytes (cut.h), where another one has its session's id.
 */
static bool is_same(const struct ccfc_segment *a, const struct ccfc_segment *b)
{
	return a->len == b->len && a->runs == b->runs &&
	       !((a->flags ^ b->flags) & CCFC_SEGMENT_PLAIN) &&
	       !memcmp(&a->key, &b->key, sizeof(a->key));
}

/* NULL: there is none. */
static struct room *find_room(const struct ccfc_segment_cache *cache,
			      const struct ccfc_segment *segment)
{
	for (uint32_t i = 0; i < cache->n; i++)
		if (is_same(&cache->rooms[i]->segment, segment))
			return cache->rooms[i];
	return NULL;
}

/* --- readers --- */

void ccfc_segment_cache_enter(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	cache->readers++;
	pthread_mutex_unlock(&cache->lock);
}

bool ccfc_segment_cache_leave(struct ccfc_segment_cache *cache)
{
	bool last;

	pthread_mutex_lock(&cache->lock);
	last = !--cache->readers;
	if (last)
		drop_all(cache);
	pthread_mutex_unlock(&cache->lock);
	if (last)
		ccfc_blobs_rest(cache->blobs);
	return last;
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

/* --- loading; the lock is held, and given away meanwhile --- */

/* Finds the parts of a segment; false: it is damaged. */
static bool measure_room(struct room *room, struct ccfc_packed *packed)
{
	const struct ccfc_segment *s = &room->segment;
	struct ccfc_blob_parts *parts = &room->parts;

	room->stored = (struct ccfc_ordered){ .len = s->len, .runs = s->runs };
	if (ccfc_packed_parts(parts, packed) &&
	    ccfc_ordered_measure(&room->stored, parts->ends[parts->n - 1]) &&
	    ccfc_ordered_table(&room->stored) <= parts->ends[0])
		return true;
	parts->n = 0;
	return false;
}

static bool needs_whole(const struct room *room, uint32_t part)
{
	return room->parts.n > 1 && part == room->parts.n - 1;
}

static size_t part_begin(const struct room *room, uint32_t part)
{
	return part ? room->parts.ends[part - 1] : 0;
}

/* Newlines in place of a part; false: there is no memory. */
static bool fill_newlines(struct ccfc_segment_cache *cache, struct room *room,
			  uint32_t part)
{
	size_t len = room->parts.ends[part] - part_begin(room, part);

	if (!count_bytes(cache, room, len))
		return false;
	room->part[part] = ccfc_malloc(len + 1);
	memset(room->part[part], '\n', len);
	return true;
}

/*
 * Newlines, so that the lines around them are found. Only the damaged part is
 * lost, whatever is read first. But without the table, which is in the first
 * part, all of the segment is lost.
 */
static bool fill_damaged(struct ccfc_segment_cache *cache, struct room *room,
			 uint32_t part)
{
	size_t len = room->segment.len;

	if (part)
		return fill_newlines(cache, room, part);
	free_bytes(cache, room);
	room->parts = (struct ccfc_blob_parts){ 1, { (uint32_t)len } };
	if (!fill_newlines(cache, room, 0))
		return false;
	room->stored =
		(struct ccfc_ordered){ .bytes = room->part[0], .len = len };
	return true;
}

static bool has_valid_table(const struct room *room, const char *bytes)
{
	struct ccfc_ordered stored = room->stored;

	stored.bytes = bytes;
	return ccfc_ordered_is_valid(&stored);
}

/*
 * A part that has `len` bytes, or with the last one of several the whole
 * segment; NULL: it is damaged.
 */
static char *unpack_part(const struct room *room, struct ccfc_packed *packed,
			 uint32_t part, size_t len)
{
	bool whole = needs_whole(room, part), done;
	char *to = ccfc_malloc(len + 1);

	done = whole ? ccfc_packed_whole(to, packed, &room->parts)
		     : ccfc_packed_part(to, packed, &room->parts, part,
					room->part[0]);
	if (done && (whole || !part))
		done = has_valid_table(room, to);
	if (done)
		return to;
	free(to);
	return NULL;
}

static void keep_part(struct ccfc_segment_cache *cache, struct room *room,
		      uint32_t part, char *bytes)
{
	if (needs_whole(room, part)) {
		free_parts(room);
		room->whole = bytes;
		room->stored.bytes = bytes;
		uncount_bytes(cache, room, room->size - room->parts.ends[part]);
	} else {
		room->part[part] = bytes;
		if (!part)
			room->stored.bytes = bytes;
	}
}

/* Unpacks a part into the room; false: there is no memory. */
static bool fill_room(struct ccfc_segment_cache *cache, struct room *room,
		      struct ccfc_packed *packed, uint32_t part)
{
	size_t len = room->parts.ends[part];
	char *bytes;

	if (!needs_whole(room, part))
		len -= part_begin(room, part);
	if (!count_bytes(cache, room, len))
		return false;
	pthread_mutex_unlock(&cache->lock);
	bytes = unpack_part(room, packed, part, len);
	pthread_mutex_lock(&cache->lock);
	if (bytes) {
		keep_part(cache, room, part, bytes);
		return true;
	}
	uncount_bytes(cache, room, len);
	return fill_damaged(cache, room, part);
}

/* Where the bytes from `at` on are; *part: the one that has them. */
static struct ccfc_ordered_piece find_piece(const struct room *room, size_t at,
					    uint32_t *part)
{
	struct ccfc_ordered_piece piece = ccfc_ordered_find(&room->stored, at);
	uint32_t i = 0;

	while (i + 1 < room->parts.n && room->parts.ends[i] <= piece.from)
		i++;
	if (piece.len > room->parts.ends[i] - piece.from)
		piece.len = room->parts.ends[i] - piece.from;
	*part = i;
	return piece;
}

/* The part that is to be loaded for the bytes from `at` on, or NO_PART. */
static uint32_t missing_part(const struct room *room, size_t at)
{
	uint32_t part;

	if (!room->stored.bytes)
		return 0;
	find_piece(room, at, &part);
	return room->whole || room->part[part] ? NO_PART : part;
}

/* Loads all parts for the bytes from `at` on; false: there is no memory. */
static bool fill_parts(struct ccfc_segment_cache *cache, struct room *room,
		       struct ccfc_packed *packed, size_t at)
{
	uint32_t part;

	if (!room->parts.n && !measure_room(room, packed))
		return fill_damaged(cache, room, 0);
	while ((part = missing_part(room, at)) != NO_PART)
		if (!fill_room(cache, room, packed, part))
			return false;
	return true;
}

enum loaded {
	LOADED,
	LOADED_NOTHING, /* there is no memory */
	LOADED_LATER,	/* it cannot be opened now */
};

/* Loads the segment's bytes from `at` on. Without success the room is gone. */
static enum loaded load_room(struct ccfc_segment_cache *cache,
			     struct room *room,
			     const struct ccfc_cached *cached, size_t at)
{
	enum loaded loaded = LOADED;
	struct ccfc_packed packed;
	int r = 0;

	room->loading = true;
	pthread_mutex_unlock(&cache->lock);
	if (cached->packed.len)
		ccfc_packed_use(&packed, cache->blobs, cached->packed);
	else
		r = ccfc_packed_open(&packed, cache->blobs,
				     &cached->segment.key, NULL);
	pthread_mutex_lock(&cache->lock);
	if (r == CCFC_EIO)
		loaded = LOADED_LATER;
	else if (!fill_parts(cache, room, &packed, at))
		loaded = LOADED_NOTHING;
	room->loading = false;
	pthread_cond_broadcast(&cache->changed);
	if (loaded != LOADED)
		drop_this(cache, room);
	ccfc_packed_close(&packed);
	return loaded;
}

/* --- reading --- */

/* The bytes from `at` on are there. */
static size_t copy_loaded(char *to, const struct room *room,
			  struct ccfc_slice session, size_t at, size_t len)
{
	size_t table = ccfc_ordered_table(&room->stored), from, end;
	struct ccfc_ordered_piece piece;
	const char *bytes;
	uint32_t part;

	piece = find_piece(room, at, &part);
	from = room->whole ? 0 : part_begin(room, part);
	end = room->parts.ends[room->whole ? room->parts.n - 1 : part];
	bytes = room->whole ? room->whole : room->part[part];
	if (len > piece.len)
		len = piece.len;
	/* The table is no text. */
	if (from < table) {
		bytes += table - from;
		from = table;
	}
	if (room->segment.flags & CCFC_SEGMENT_PLAIN)
		ccfc_cut_copy(to, ccfc_slice(bytes, end - from),
			      piece.from - from, len, session);
	else
		memcpy(to, bytes + (piece.from - from), len);
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

		if (!room && load)
			room = add_room(cache, &cached->segment);
		if (!room)
			return 0;
		if (room->loading) {
			pthread_cond_wait(&cache->changed, &cache->lock);
			continue;
		}
		if (missing_part(room, at) == NO_PART) {
			if (room->ahead)
				note_read(cache, room);
			return (ssize_t)copy_loaded(to, room, session, at, len);
		}
		if (!load)
			return 0;
		switch (load_room(cache, room, cached, at)) {
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

/* The room of the segment, or a new one; NULL: there are too many. */
static struct room *room_ahead(struct ccfc_segment_cache *cache,
			       const struct ccfc_segment *segment)
{
	struct room *room = find_room(cache, segment);

	if (!room && (room = add_room(cache, segment))) {
		room->ahead = true;
		cache->ahead++;
	}
	return room;
}

/* Loads the bytes, or waits for who does; false: that need not be repeated. */
static bool load_ahead(struct ccfc_segment_cache *cache,
		       const struct ccfc_cached *cached, size_t at)
{
	struct room *room = room_ahead(cache, &cached->segment);

	if (room && room->loading) {
		pthread_cond_wait(&cache->changed, &cache->lock);
		return true;
	}
	if (room && missing_part(room, at) != NO_PART)
		load_room(cache, room, cached, at);
	return false;
}

bool ccfc_segment_cache_load(struct ccfc_segment_cache *cache,
			     const struct ccfc_cached *cached, size_t at,
			     bool (*over)(void *ctx), void *ctx)
{
	bool ended;

	pthread_mutex_lock(&cache->lock);
	while (!(ended = over(ctx)) && cache->ahead >= AHEAD_MAX)
		pthread_cond_wait(&cache->changed, &cache->lock);
	while (!ended && load_ahead(cache, cached, at))
		ended = over(ctx);
	pthread_mutex_unlock(&cache->lock);
	return !ended;
}

void ccfc_segment_cache_wake(struct ccfc_segment_cache *cache)
{
	pthread_mutex_lock(&cache->lock);
	pthread_cond_broadcast(&cache->changed);
	pthread_mutex_unlock(&cache->lock);
}
