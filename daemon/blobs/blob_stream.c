/*
 * Reads and writes one blob's file: a content in one piece, piece by piece; a
 * content in parts, which is short, as a whole. Only this file and blob_pack.c
 * and blob_unpack.c call zstd.
 *
 * The key is known only at the end, so a blob is written under a temporary name
 * and renamed. An existing file of that name is replaced: it has the same
 * content, or is damaged.
 */
#include "blobs/blobs_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "os/whole_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define PIECE (128u << 10)
/* A content in parts is in memory as a whole; a longer one is damaged. */
#define PARTS_BYTES_MAX ((size_t)8 << 20)
/* Level 3 never needs a larger window; a file that does is damaged. */
#define WINDOW_LOG 23

struct ccfc_blob_writer {
	struct ccfc_blobs *blobs;
	ZSTD_CCtx *zstd;
	struct ccfc_sha256 sum;
	struct ccfc_hasher *frame;
	uint64_t len;
	int fd;
	char path[PATH_MAX];
	char out[PIECE];
};

/* --- writing --- */

/* Creates the file, and its directory if somebody removed it meanwhile. */
static int open_new(struct ccfc_blobs *blobs, char path[PATH_MAX])
{
	uint64_t serial;
	int fd = -1;

	pthread_mutex_lock(&blobs->lock);
	serial = blobs->serial++;
	pthread_mutex_unlock(&blobs->lock);
	if (snprintf(path, PATH_MAX, "%s/" CCFC_BLOB_NEW "%ld-%llu", blobs->dir,
		     (long)getpid(), (unsigned long long)serial) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		fd = open(path,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0600);
		if (fd >= 0 || errno != ENOENT || mkdir(blobs->dir, 0700))
			break;
	}
	return fd;
}

int ccfc_blobs_begin(struct ccfc_blob_writer **out, struct ccfc_blobs *blobs,
		     struct ccfc_err *err)
{
	const char header[CCFC_BLOB_HEADER] = { 0 };
	struct ccfc_blob_writer *w = ccfc_calloc(1, sizeof(*w));
	int r = 0;

	w->blobs = blobs;
	w->fd = -1;
	ccfc_sha256_init(&w->sum);
	w->frame = ccfc_hasher_new();
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		r = ccfc_err_set(err, CCFC_EIO, "zstd: out of memory");
	else
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel,
				       CCFC_BLOB_LEVEL);
	if (!r)
		w->fd = open_new(blobs, w->path);
	if (!r &&
	    (w->fd < 0 || ccfc_write_all(w->fd, ccfc_slice((const char *)header,
							   CCFC_BLOB_HEADER))))
		r = ccfc_err_io(err, errno, "%s", w->path);
	if (r) {
		ccfc_blobs_abort(w);
		return r;
	}
	*out = w;
	return 0;
}

static int compress_bytes(struct ccfc_blob_writer *w, struct ccfc_slice bytes,
			  ZSTD_EndDirective how, struct ccfc_err *err)
{
	ZSTD_inBuffer in = { bytes.ptr, bytes.len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { w->out, sizeof(w->out), 0 };

		left = ZSTD_compressStream2(w->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return ccfc_err_set(err, CCFC_EIO, "zstd: %s",
					    ZSTD_getErrorName(left));
		ccfc_hasher_add(w->frame, w->out, out.pos);
		if (ccfc_write_all(w->fd, ccfc_slice(w->out, out.pos)))
			return ccfc_err_io(err, errno, "%s", w->path);
	} while (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
	return 0;
}

int ccfc_blobs_add(struct ccfc_blob_writer *writer, struct ccfc_slice bytes,
		   struct ccfc_err *err)
{
	if (!bytes.len)
		return 0;
	ccfc_sha256_add(&writer->sum, bytes.ptr, bytes.len);
	writer->len += bytes.len;
	return compress_bytes(writer, bytes, ZSTD_e_continue, err);
}

static void count_blob(struct ccfc_blobs *blobs, const struct stat *now,
		       const struct stat *before)
{
	if (before)
		ccfc_blob_uncount(blobs, before);
	pthread_mutex_lock(&blobs->lock);
	blobs->stats.blobs++;
	blobs->stats.bytes += ccfc_blob_room(now);
	pthread_mutex_unlock(&blobs->lock);
}

/* Gives the file its name; the directory of its first byte may be missing. */
static int name_it(struct ccfc_blobs *blobs, int fd, char from[PATH_MAX],
		   const struct ccfc_blob_key *key)
{
	struct stat now, before;
	char path[PATH_MAX];
	bool had;

	if (fstat(fd, &now))
		return -1;
	if (!ccfc_blob_path(path, blobs, key)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	had = !lstat(path, &before);
	if (rename(from, path)) {
		char *slash = strrchr(path, '/');

		if (errno != ENOENT)
			return -1;
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return -1;
		*slash = '/';
		if (rename(from, path))
			return -1;
	}
	from[0] = '\0';
	count_blob(blobs, &now, had ? &before : NULL);
	return 0;
}

int ccfc_blob_write(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    struct ccfc_slice packed, struct ccfc_err *err)
{
	char path[PATH_MAX];
	int fd = open_new(blobs, path), r = 0;

	if (fd < 0 || ccfc_write_all(fd, packed) ||
	    name_it(blobs, fd, path, key))
		r = ccfc_err_io(err, errno, "%s", blobs->dir);
	if (fd >= 0) {
		close(fd);
		if (path[0])
			unlink(path);
	}
	return r;
}

int ccfc_blobs_end(struct ccfc_blob_writer *writer, struct ccfc_blob_key *key,
		   struct ccfc_err *err)
{
	struct ccfc_blob_header header = { .len = writer->len };
	unsigned char bytes[CCFC_BLOB_HEADER];
	int r = compress_bytes(writer, CCFC_SLICE_NONE, ZSTD_e_end, err);

	ccfc_sha256_end(&writer->sum, key->bytes);
	ccfc_blob_write_header(bytes, &header, ccfc_hasher_sum(writer->frame));
	if (!r && (pwrite(writer->fd, bytes, sizeof(bytes), 0) !=
			   (ssize_t)sizeof(bytes) ||
		   name_it(writer->blobs, writer->fd, writer->path, key)))
		r = ccfc_err_io(err, errno, "%s", writer->blobs->dir);
	ccfc_blobs_abort(writer);
	return r;
}

void ccfc_blobs_abort(struct ccfc_blob_writer *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0) {
		close(writer->fd);
		if (writer->path[0])
			unlink(writer->path);
	}
	ZSTD_freeCCtx(writer->zstd);
	ccfc_hasher_free(writer->frame);
	free(writer);
}

/* --- reading --- */

struct reading {
	struct ccfc_blobs *blobs;
	ZSTD_DCtx *zstd;
	struct ccfc_sha256 sum;
	struct ccfc_hasher *frame;
	struct ccfc_blob_header header;
	uint64_t left; /* of the content */
	int fd;
	ccfc_blob_piece_fn fn;
	void *ctx;
	char in[PIECE], out[PIECE];
};

static int fail_damaged(struct ccfc_err *err)
{
	return ccfc_err_set(err, CCFC_ECORRUPT, "a blob is damaged");
}

/* `fn` has ended the reading. */
static int not_read_on(int code, struct ccfc_err *err)
{
	return ccfc_err_set(err, code, "a blob was not read on");
}

static int hand_out_piece(struct reading *r, size_t len, struct ccfc_err *err)
{
	int code;

	if (len > r->left)
		return fail_damaged(err);
	r->left -= len;
	ccfc_sha256_add(&r->sum, r->out, len);
	code = len ? r->fn(r->ctx, ccfc_slice(r->out, len)) : 0;
	return code ? not_read_on(code, err) : 0;
}

/* What was read of the file; *ended: the compressed content is complete. */
static int expand_blob(struct reading *r, size_t len, bool *ended,
		       struct ccfc_err *err)
{
	ZSTD_inBuffer in = { r->in, len, 0 };
	size_t hint = 1;
	int code = 0;
	bool full = false;

	/* Bytes after the frame are damage. */
	if (*ended)
		return fail_damaged(err);
	while (!code && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { r->out, sizeof(r->out), 0 };

		if (!hint)
			return fail_damaged(err);
		hint = ZSTD_decompressStream(r->zstd, &out, &in);
		if (ZSTD_isError(hint))
			return fail_damaged(err);
		full = hint && out.pos == out.size;
		code = hand_out_piece(r, out.pos, err);
	}
	*ended = !hint;
	return code;
}

static int read_pieces(struct reading *r, struct ccfc_err *err)
{
	bool ended = false;

	for (;;) {
		ssize_t n = read(r->fd, r->in, sizeof(r->in));
		int code;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ccfc_err_io(err, errno, "a blob");
		if (!n)
			return ended && !r->left ? 0 : fail_damaged(err);
		ccfc_hasher_add(r->frame, r->in, (size_t)n);
		code = expand_blob(r, (size_t)n, &ended, err);
		if (code)
			return code;
	}
}

static int read_header(struct reading *r, struct ccfc_err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(r->fd, &st) || !S_ISREG(st.st_mode))
		return fail_damaged(err);
	n = ccfc_read_at(r->fd, r->in, CCFC_BLOB_HEADER_MAX, 0);
	if (n < 0 ||
	    !ccfc_blob_read_header(&r->header, ccfc_slice(r->in, (size_t)n)) ||
	    lseek(r->fd, r->header.size, SEEK_SET) < 0)
		return fail_damaged(err);
	r->left = r->header.len;
	return 0;
}

/* A content in parts is one piece: its frames need what comes before them. */
static int read_parts(struct reading *r, const struct ccfc_blob_key *key,
		      struct ccfc_err *err)
{
	struct ccfc_buf content = CCFC_BUF_INIT;
	struct ccfc_packed packed;
	struct ccfc_blob_key has;
	int code = CCFC_ECORRUPT;

	if (ccfc_packed_use_file(&packed, r->blobs, r->fd))
		code = ccfc_packed_get(&content, &packed, PARTS_BYTES_MAX,
				       NULL);
	packed.fd = -1;
	ccfc_packed_close(&packed);
	has = ccfc_blob_key(ccfc_buf_view(&content));
	if (code || memcmp(&has, key, sizeof(has)))
		code = fail_damaged(err);
	else if ((code = r->fn(r->ctx, ccfc_buf_view(&content))))
		code = not_read_on(code, err);
	ccfc_buf_release(&content);
	return code;
}

static int read_blob(struct reading *r, const struct ccfc_blob_key *key,
		     struct ccfc_err *err)
{
	unsigned char sum[CCFC_SHA256_BYTES];
	int code = read_header(r, err);

	if (!code && r->header.parts)
		return read_parts(r, key, err);
	ccfc_sha256_init(&r->sum);
	r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		return ccfc_err_set(err, CCFC_EIO, "zstd: out of memory");
	ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	if (!code)
		code = read_pieces(r, err);
	if (code)
		return code;
	ccfc_sha256_end(&r->sum, sum);
	return memcmp(sum, key->bytes, sizeof(sum)) ||
			       !ccfc_blob_header_fits(&r->header,
						      ccfc_hasher_sum(r->frame))
		       ? fail_damaged(err)
		       : 0;
}

int ccfc_blobs_read(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    ccfc_blob_piece_fn fn, void *ctx, struct ccfc_err *err)
{
	struct reading *r;
	int fd, code;

	fd = ccfc_blob_open(blobs, key, err);
	if (fd < 0)
		return fd;
	r = ccfc_calloc(1, sizeof(*r));
	r->blobs = blobs;
	r->fd = fd;
	r->fn = fn;
	r->ctx = ctx;
	r->frame = ccfc_hasher_new();
	code = read_blob(r, key, err);
	ZSTD_freeDCtx(r->zstd);
	ccfc_hasher_free(r->frame);
	free(r);
	close(fd);
	return code;
}
