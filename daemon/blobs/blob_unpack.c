/*
 * Reads packed contents (blob_pack.c), as far as they are wanted: of a file
 * first its begin, which often has the header and the first part.
 */
#include "blobs/blobs_internal.h"

#include "base/hash.h"
#include "os/whole_io.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define FIRST_READ ((size_t)8 << 10)

/* --- decompressors, which are kept for the next content --- */

/* NULL: no memory. */
static ZSTD_DCtx *take_decompressor(struct ccfc_blobs *blobs)
{
	ZSTD_DCtx *zstd = NULL;

	pthread_mutex_lock(&blobs->unpacking);
	if (blobs->ndecompress)
		zstd = blobs->decompress[--blobs->ndecompress];
	pthread_mutex_unlock(&blobs->unpacking);
	return zstd ? zstd : ZSTD_createDCtx();
}

static void give_decompressor(struct ccfc_blobs *blobs, ZSTD_DCtx *zstd)
{
	pthread_mutex_lock(&blobs->unpacking);
	if (zstd && blobs->ndecompress < CCFC_BLOB_CONTEXTS) {
		blobs->decompress[blobs->ndecompress++] = zstd;
		zstd = NULL;
	}
	pthread_mutex_unlock(&blobs->unpacking);
	ZSTD_freeDCtx(zstd);
}

void ccfc_blobs_rest(struct ccfc_blobs *blobs)
{
	pthread_mutex_lock(&blobs->packing);
	ZSTD_freeCCtx(blobs->compress);
	blobs->compress = NULL;
	pthread_mutex_unlock(&blobs->packing);
	pthread_mutex_lock(&blobs->unpacking);
	while (blobs->ndecompress)
		ZSTD_freeDCtx(blobs->decompress[--blobs->ndecompress]);
	pthread_mutex_unlock(&blobs->unpacking);
}

static bool decompress_frame(char *to, size_t len, struct ccfc_blobs *blobs,
			     struct ccfc_slice frame, struct ccfc_slice prefix)
{
	ZSTD_DCtx *zstd = take_decompressor(blobs);
	size_t n = 0;
	bool done;

	if (zstd) {
		ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
		if (prefix.len)
			ZSTD_DCtx_refPrefix(zstd, prefix.ptr, prefix.len);
		n = ZSTD_decompressDCtx(zstd, to, len, frame.ptr, frame.len);
	}
	done = zstd && !ZSTD_isError(n) && n == len;
	give_decompressor(blobs, zstd);
	return done;
}

/* --- the packed bytes --- */

void ccfc_packed_use(struct ccfc_packed *out, struct ccfc_blobs *blobs,
		     struct ccfc_slice bytes)
{
	*out = (struct ccfc_packed){
		.blobs = blobs, .fd = -1, .len = bytes.len, .head = bytes
	};
}

bool ccfc_packed_use_file(struct ccfc_packed *out, struct ccfc_blobs *blobs,
			  int fd)
{
	struct stat st;
	char *to;
	ssize_t n;

	*out = (struct ccfc_packed){ .blobs = blobs, .fd = fd };
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0)
		return false;
	out->len = (uint64_t)st.st_size;
	to = ccfc_buf_reserve(&out->first, FIRST_READ);
	n = ccfc_read_at(fd, to, FIRST_READ, 0);
	if (n < 0)
		return false;
	out->head = ccfc_slice(to, (size_t)n);
	return true;
}

int ccfc_packed_open(struct ccfc_packed *out, struct ccfc_blobs *blobs,
		     const struct ccfc_blob_key *key, struct ccfc_err *err)
{
	int fd = ccfc_blob_open(blobs, key, err);

	if (fd < 0) {
		ccfc_packed_use(out, blobs, CCFC_SLICE_NONE);
		return fd;
	}
	if (ccfc_packed_use_file(out, blobs, fd))
		return 0;
	ccfc_packed_close(out);
	return ccfc_err_set(err, CCFC_ECORRUPT, "a blob is damaged");
}

void ccfc_packed_close(struct ccfc_packed *p)
{
	if (p->fd >= 0)
		close(p->fd);
	ccfc_buf_release(&p->first);
	ccfc_buf_release(&p->frame);
	ccfc_packed_use(p, p->blobs, CCFC_SLICE_NONE);
}

/* These bytes, until the next call; fewer at the end, or on an error. */
static struct ccfc_slice read_frame(struct ccfc_packed *p, uint64_t at,
				    uint64_t len)
{
	char *to;
	ssize_t n;

	if (at > p->len)
		at = p->len;
	if (len > p->len - at)
		len = p->len - at;
	if (at + len <= p->head.len)
		return ccfc_slice(p->head.ptr + at, (size_t)len);
	to = ccfc_buf_reserve(&p->frame, (size_t)len);
	n = ccfc_read_at(p->fd, to, (size_t)len, at);
	return ccfc_slice(to, n < 0 ? 0 : (size_t)n);
}

/* --- one piece, or parts --- */

static bool unpack_in_one(char *to, struct ccfc_packed *p,
			  const struct ccfc_blob_header *header)
{
	struct ccfc_slice frame;

	/* A longer file is damaged, and need not be read. */
	if (p->len > header->size + ZSTD_compressBound((size_t)header->len) +
			     CCFC_BLOB_BLOCKS_MAX)
		return false;
	frame = read_frame(p, header->size, p->len - header->size);
	return ccfc_blob_header_fits(header, ccfc_hash_slice(frame)) &&
	       decompress_frame(to, (size_t)header->len, p->blobs, frame,
				CCFC_SLICE_NONE);
}

/* The frame of a part that has `len` bytes; empty: it is damaged. */
static struct ccfc_slice read_frame_of(struct ccfc_packed *p,
				       const struct ccfc_blob_table *table,
				       uint32_t i, size_t len)
{
	size_t begin = i ? table->frame_ends[i - 1] : 0;
	size_t frame = table->frame_ends[i] - begin;

	/* A longer frame is damaged, and need not be read. */
	if (frame > ZSTD_compressBound(len))
		return CCFC_SLICE_NONE;
	return read_frame(p, ccfc_blob_table_size(table->parts.n) + begin,
			  frame);
}

/* `content`: what comes before the part, as far as its prefix needs it. */
static bool unpack_part(char *to, struct ccfc_packed *p,
			const struct ccfc_blob_table *table, uint32_t i,
			const char *content)
{
	const struct ccfc_blob_parts *parts = &table->parts;
	size_t len = parts->ends[i] - (i ? parts->ends[i - 1] : 0);
	struct ccfc_slice frame = read_frame_of(p, table, i, len);

	return frame.len && ccfc_hash_slice(frame) == table->hashes[i] &&
	       decompress_frame(
		       to, len, p->blobs, frame,
		       ccfc_slice(content, ccfc_blob_prefix(parts, i)));
}

static bool unpack_all_parts(char *to, struct ccfc_packed *p,
			     const struct ccfc_blob_table *table)
{
	const struct ccfc_blob_parts *parts = &table->parts;

	for (uint32_t i = 0; i < parts->n; i++)
		if (!unpack_part(to + (i ? parts->ends[i - 1] : 0), p, table, i,
				 to))
			return false;
	return p->len ==
	       ccfc_blob_table_size(parts->n) + table->frame_ends[parts->n - 1];
}

/* Header and table; a content in one piece is one part. */
static bool read_table(struct ccfc_blob_header *header,
		       struct ccfc_blob_table *out, const struct ccfc_packed *p)
{
	if (!ccfc_blob_read_header(header, p->head))
		return false;
	if (header->parts)
		return ccfc_blob_read_table(out, header, p->head);
	out->parts.n = 1;
	out->parts.ends[0] = (uint32_t)header->len;
	return header->len <= UINT32_MAX;
}

bool ccfc_packed_parts(struct ccfc_blob_parts *out, struct ccfc_packed *p)
{
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;

	if (!read_table(&header, &table, p))
		return false;
	*out = table.parts;
	return true;
}

/* As read_table; false also if the content is in other parts than these. */
static bool read_known_table(struct ccfc_blob_header *header,
			     struct ccfc_blob_table *out,
			     const struct ccfc_packed *p,
			     const struct ccfc_blob_parts *parts)
{
	return read_table(header, out, p) && out->parts.n == parts->n &&
	       !memcmp(out->parts.ends, parts->ends,
		       parts->n * sizeof(*parts->ends));
}

bool ccfc_packed_whole(char *to, struct ccfc_packed *p,
		       const struct ccfc_blob_parts *parts)
{
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;

	if (!read_known_table(&header, &table, p, parts))
		return false;
	return header.parts ? unpack_all_parts(to, p, &table)
			    : unpack_in_one(to, p, &header);
}

bool ccfc_packed_part(char *to, struct ccfc_packed *p,
		      const struct ccfc_blob_parts *parts, uint32_t i,
		      const char *first)
{
	struct ccfc_blob_header header;
	struct ccfc_blob_table table;

	if (!read_known_table(&header, &table, p, parts))
		return false;
	if (!header.parts)
		return unpack_in_one(to, p, &header);
	return i + 1 < parts->n && unpack_part(to, p, &table, i, first);
}

int ccfc_packed_get(struct ccfc_buf *out, struct ccfc_packed *p, size_t max,
		    struct ccfc_err *err)
{
	struct ccfc_blob_parts parts;
	size_t len;

	if (!ccfc_packed_parts(&parts, p))
		return ccfc_err_set(err, CCFC_ECORRUPT, "no packed content");
	len = parts.ends[parts.n - 1];
	if (len > max)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "a content is larger than asked for");
	if (!ccfc_packed_whole(ccfc_buf_reserve(out, len + 1), p, &parts))
		return ccfc_err_set(err, CCFC_ECORRUPT,
				    "a packed content is damaged");
	out->len += len;
	out->ptr[out->len] = '\0';
	return 0;
}

int ccfc_blob_unpack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		     struct ccfc_slice packed, size_t max, struct ccfc_err *err)
{
	struct ccfc_packed p;

	ccfc_packed_use(&p, blobs, packed);
	return ccfc_packed_get(out, &p, max, err);
}
