/* The directory of the blobs, and single ones in it; see blobs.h. */
#include "blobs/blobs_internal.h"

#include "base/alloc.h"
#include "base/hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A small file takes a block of the disk. */
#define BLOCK 4096u

bool ccfc_blob_path(char out[PATH_MAX], const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key)
{
	char hex[CCFC_SHA256_HEX + 1];

	ccfc_blob_key_hex(hex, key);
	return snprintf(out, PATH_MAX, "%s/%.2s/%s", blobs->dir, hex, hex + 2) <
	       PATH_MAX;
}

int ccfc_blob_open(const struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, struct ccfc_err *err)
{
	char path[PATH_MAX];
	int fd;

	if (!ccfc_blob_path(path, blobs, key))
		return ccfc_err_set(err, CCFC_ETOOBIG, "%s: too long a name",
				    blobs->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT
			       ? ccfc_err_set(err, CCFC_ENOTFOUND,
					      "the blob is not kept any more")
			       : ccfc_err_io(err, errno, "%s", path);
	return fd;
}

uint64_t ccfc_blob_room(const struct stat *st)
{
	uint64_t room = (uint64_t)st->st_blocks * 512;

	return room < BLOCK ? BLOCK : room;
}

void ccfc_blob_uncount(struct ccfc_blobs *blobs, const struct stat *st)
{
	uint64_t room = ccfc_blob_room(st);

	pthread_mutex_lock(&blobs->lock);
	/* Before the first sweep it may not have been counted. */
	if (blobs->stats.blobs)
		blobs->stats.blobs--;
	blobs->stats.bytes -=
		room < blobs->stats.bytes ? room : blobs->stats.bytes;
	pthread_mutex_unlock(&blobs->lock);
}

/* Removes what an ended process had not finished writing. */
static void remove_unfinished(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, CCFC_BLOB_NEW,
			     strlen(CCFC_BLOB_NEW)))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

int ccfc_blobs_new(struct ccfc_blobs **out, const char *dir,
		   struct ccfc_err *err)
{
	struct ccfc_blobs *blobs;
	struct stat st;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return ccfc_err_io(err, errno, "%s", dir);
	if (lstat(dir, &st))
		return ccfc_err_io(err, errno, "%s", dir);
	if (!S_ISDIR(st.st_mode))
		return ccfc_err_set(err, CCFC_EDENIED, "%s: is not a directory",
				    dir);
	remove_unfinished(dir);
	blobs = ccfc_calloc(1, sizeof(*blobs));
	blobs->dir = ccfc_strdup(dir);
	pthread_mutex_init(&blobs->lock, NULL);
	pthread_mutex_init(&blobs->packing, NULL);
	pthread_mutex_init(&blobs->unpacking, NULL);
	*out = blobs;
	return 0;
}

void ccfc_blobs_free(struct ccfc_blobs *blobs)
{
	if (!blobs)
		return;
	ccfc_blobs_rest(blobs);
	pthread_mutex_destroy(&blobs->packing);
	pthread_mutex_destroy(&blobs->unpacking);
	pthread_mutex_destroy(&blobs->lock);
	free(blobs->dir);
	free(blobs);
}

struct ccfc_blob_key ccfc_blob_key(struct ccfc_slice bytes)
{
	struct ccfc_blob_key key = { { 0 } };
	struct ccfc_sha256 sum;

	ccfc_sha256_init(&sum);
	ccfc_sha256_add(&sum, bytes.ptr, bytes.len);
	ccfc_sha256_end(&sum, key.bytes);
	return key;
}

void ccfc_blob_key_hex(char out[CCFC_SHA256_HEX + 1],
		       const struct ccfc_blob_key *key)
{
	ccfc_hex_write(out, key->bytes, sizeof(key->bytes));
}

bool ccfc_blob_key_read(struct ccfc_blob_key *out, const char *hex)
{
	/* Only lower-case digits: a key has one name. */
	return strspn(hex, "0123456789abcdef") == CCFC_SHA256_HEX &&
	       !hex[CCFC_SHA256_HEX] &&
	       ccfc_hex_read(out->bytes, hex, sizeof(out->bytes));
}

bool ccfc_blobs_has(const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key)
{
	char path[PATH_MAX];
	struct stat st;

	return ccfc_blob_path(path, blobs, key) && !lstat(path, &st) &&
	       S_ISREG(st.st_mode);
}

/* --- getting --- */

struct getting {
	struct ccfc_buf *out;
	size_t max;
};

static int take_piece(void *ctx, struct ccfc_slice piece)
{
	struct getting *g = ctx;

	if (piece.len > g->max)
		return CCFC_ETOOBIG;
	g->max -= piece.len;
	ccfc_buf_slice(g->out, piece);
	return 0;
}

int ccfc_blobs_get(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, size_t max,
		   struct ccfc_err *err)
{
	struct getting g = { out, max };
	size_t before = out->len;
	int r = ccfc_blobs_read(blobs, key, take_piece, &g, err);

	if (!r)
		return 0;
	out->len = before;
	if (out->ptr)
		out->ptr[before] = '\0';
	return r == CCFC_ETOOBIG
		       ? ccfc_err_set(err, r, "a blob is larger than asked for")
		       : r;
}

/* --- putting --- */

struct comparing {
	struct ccfc_slice rest;
};

static int compare_piece(void *ctx, struct ccfc_slice piece)
{
	struct comparing *c = ctx;

	if (piece.len > c->rest.len ||
	    memcmp(c->rest.ptr, piece.ptr, piece.len))
		return CCFC_ECORRUPT;
	c->rest = ccfc_slice_from(c->rest, piece.len);
	return 0;
}

/*
 * Is it there already, and undamaged? Then it becomes as young as a new blob.
 */
static bool is_blob_there(struct ccfc_blobs *blobs,
			  const struct ccfc_blob_key *key,
			  struct ccfc_slice bytes)
{
	struct comparing c = { bytes };
	char path[PATH_MAX];

	if (!ccfc_blobs_has(blobs, key) ||
	    ccfc_blobs_read(blobs, key, compare_piece, &c, NULL) || c.rest.len)
		return false;
	return ccfc_blob_path(path, blobs, key) &&
	       !utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

int ccfc_blobs_put_parts(struct ccfc_blobs *blobs, struct ccfc_blob_key *key,
			 struct ccfc_slice bytes,
			 const struct ccfc_blob_parts *parts,
			 struct ccfc_err *err)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	int r;

	*key = ccfc_blob_key(bytes);
	if (is_blob_there(blobs, key, bytes))
		return 0;
	r = ccfc_blob_pack(&packed, blobs, bytes, parts, err);
	if (!r)
		r = ccfc_blob_write(blobs, key, ccfc_buf_view(&packed), err);
	ccfc_buf_release(&packed);
	return r;
}

int ccfc_blobs_put(struct ccfc_blobs *blobs, struct ccfc_blob_key *key,
		   struct ccfc_slice bytes, struct ccfc_err *err)
{
	return ccfc_blobs_put_parts(blobs, key, bytes, NULL, err);
}

/* --- moving --- */

static int keep_whole(void *ctx, struct ccfc_slice piece)
{
	(void)ctx;
	(void)piece;
	return 0;
}

int ccfc_blobs_move(struct ccfc_blobs *to, struct ccfc_blobs *from,
		    const struct ccfc_blob_key *key, struct ccfc_err *err)
{
	char path[PATH_MAX], place[PATH_MAX];
	struct stat st;

	if (!ccfc_blobs_read(to, key, keep_whole, NULL, NULL))
		return ccfc_blobs_remove(from, key, err);
	if (!ccfc_blob_path(path, from, key) || !ccfc_blob_path(place, to, key))
		return ccfc_err_set(err, CCFC_ETOOBIG, "%s: too long a name",
				    to->dir);
	if (lstat(path, &st))
		return ccfc_err_set(err, CCFC_ENOTFOUND, "%s: is not there",
				    path);
	*strrchr(place, '/') = '\0';
	if (mkdir(place, 0700) && errno != EEXIST)
		return ccfc_err_io(err, errno, "%s", place);
	place[strlen(place)] = '/';
	if (rename(path, place))
		return ccfc_err_io(err, errno, "%s", place);
	ccfc_blob_uncount(from, &st);
	pthread_mutex_lock(&to->lock);
	to->stats.blobs++;
	to->stats.bytes += ccfc_blob_room(&st);
	pthread_mutex_unlock(&to->lock);
	return 0;
}

/* --- waiting for the disk --- */

static int sync_path(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags);
	int r;

	if (fd < 0)
		return -1;
	r = fsync(fd);
	close(fd);
	return r;
}

/* Syncs the blobs themselves, or each of their directories once. */
static int sync_blobs(struct ccfc_blobs *blobs,
		      const struct ccfc_blob_key *keys, uint32_t n, bool dirs,
		      struct ccfc_err *err)
{
	bool done[256] = { false };
	char path[PATH_MAX];

	for (uint32_t i = 0; i < n; i++) {
		if (dirs && done[keys[i].bytes[0]])
			continue;
		done[keys[i].bytes[0]] = true;
		if (!ccfc_blob_path(path, blobs, &keys[i]))
			return ccfc_err_set(err, CCFC_ETOOBIG,
					    "%s: too long a name", blobs->dir);
		if (dirs)
			*strrchr(path, '/') = '\0';
		if (sync_path(path, dirs ? O_DIRECTORY : 0))
			return ccfc_err_io(err, errno, "%s", path);
	}
	return 0;
}

int ccfc_blobs_sync(struct ccfc_blobs *blobs, const struct ccfc_blob_key *keys,
		    uint32_t n, struct ccfc_err *err)
{
	int r = n ? sync_blobs(blobs, keys, n, false, err) : 0;

	if (!r && n)
		r = sync_blobs(blobs, keys, n, true, err);
	if (!r && n && sync_path(blobs->dir, O_DIRECTORY))
		r = ccfc_err_io(err, errno, "%s", blobs->dir);
	return r;
}

/* --- removing --- */

bool ccfc_blobs_is_older(const struct ccfc_blobs *blobs,
			 const struct ccfc_blob_key *key,
			 const struct timespec *time)
{
	char path[PATH_MAX];
	struct stat st;

	if (!ccfc_blob_path(path, blobs, key) || lstat(path, &st))
		return false;
	return st.st_mtim.tv_sec < time->tv_sec ||
	       (st.st_mtim.tv_sec == time->tv_sec &&
		st.st_mtim.tv_nsec < time->tv_nsec);
}

int ccfc_blobs_remove(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		      struct ccfc_err *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (!ccfc_blob_path(path, blobs, key))
		return ccfc_err_set(err, CCFC_ETOOBIG, "%s: too long a name",
				    blobs->dir);
	if (lstat(path, &st))
		return errno == ENOENT ? 0
				       : ccfc_err_io(err, errno, "%s", path);
	if (unlink(path) && errno != ENOENT)
		return ccfc_err_io(err, errno, "%s", path);
	ccfc_blob_uncount(blobs, &st);
	return 0;
}

void ccfc_blobs_stats(struct ccfc_blobs *blobs, struct ccfc_blob_stats *out)
{
	pthread_mutex_lock(&blobs->lock);
	*out = blobs->stats;
	pthread_mutex_unlock(&blobs->lock);
}
