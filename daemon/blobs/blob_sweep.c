/*
 * Deletes blobs that are too old or exceed the budget. The list of all blobs
 * takes about 50 bytes for each 4 KiB of the budget. The oldest blobs are
 * deleted until a tenth of the budget is free, so that not every put needs a
 * sweep.
 */
#include "blobs/blobs_internal.h"

#include "base/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct listed {
	int64_t time; /* in ns, when it was put last */
	uint64_t room;
	struct ccfc_blob_key key;
};

struct listing {
	struct listed *items;
	uint32_t n, cap;
	uint64_t bytes;
};

static void list_one(struct listing *list, int dir, const char *first,
		     const char *name)
{
	struct listed item = { 0 };
	char hex[CCFC_SHA256_HEX + 1];
	struct stat st;

	if (snprintf(hex, sizeof(hex), "%s%s", first, name) !=
		    CCFC_SHA256_HEX ||
	    !ccfc_blob_key_read(&item.key, hex) ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return;
	item.time =
		(int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	item.room = ccfc_blob_room(&st);
	list->bytes += item.room;
	CCFC_VEC_PUSH(*list, item);
}

static void list_dir(struct listing *list, const struct ccfc_blobs *blobs,
		     const char *first)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s", blobs->dir, first) >=
	    (int)sizeof(path))
		return;
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		list_one(list, dirfd(dir), first, entry->d_name);
	closedir(dir);
}

static void list_all(struct listing *list, const struct ccfc_blobs *blobs)
{
	for (int i = 0; i < 256; i++) {
		char first[3];

		snprintf(first, sizeof(first), "%02x", (unsigned)i);
		list_dir(list, blobs, first);
	}
}

static int by_age(const void *x, const void *y)
{
	const struct listed *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

void ccfc_blobs_each(struct ccfc_blobs *blobs, ccfc_blob_each_fn fn, void *ctx)
{
	struct listing list = { 0 };

	list_all(&list, blobs);
	for (uint32_t i = 0; i < list.n; i++)
		fn(ctx, &list.items[i].key, list.items[i].room);
	free(list.items);
}

static int64_t seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

void ccfc_blobs_sweep(struct ccfc_blobs *blobs,
		      const struct ccfc_blob_limits *limits)
{
	struct listing list = { 0 };
	int64_t oldest = (seconds_now() - limits->age) * 1000000000;
	uint64_t goal = limits->bytes;
	uint32_t i;

	list_all(&list, blobs);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_age);
	if (list.bytes > goal)
		goal -= goal / 10;
	pthread_mutex_lock(&blobs->lock);
	blobs->stats.blobs = list.n;
	blobs->stats.bytes = list.bytes;
	pthread_mutex_unlock(&blobs->lock);
	for (i = 0; i < list.n; i++) {
		if (list.items[i].time >= oldest && list.bytes <= goal)
			break;
		list.bytes -= list.items[i].room;
		ccfc_blobs_remove(blobs, &list.items[i].key, NULL);
	}
	pthread_mutex_lock(&blobs->lock);
	blobs->stats.removed += i;
	pthread_mutex_unlock(&blobs->lock);
	free(list.items);
}

bool ccfc_blobs_is_full(struct ccfc_blobs *blobs,
			const struct ccfc_blob_limits *limits)
{
	struct ccfc_blob_stats stats;

	ccfc_blobs_stats(blobs, &stats);
	return stats.bytes > limits->bytes;
}
