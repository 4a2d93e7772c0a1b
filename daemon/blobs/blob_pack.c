/*
 * A blob in memory, in the format of a blob's file: mark, length, one zstd
 * frame. It has no key to check it by, so the frame ends with a checksum.
 */
#include "blobs/blobs_internal.h"

#include "os/whole_io.h"

#include <unistd.h>
#include <zstd.h>

#define LEVEL 3

/* Compresses. The context is reused for the next content. */
static size_t compress_bytes(struct ccfc_blobs *blobs, void *to, size_t room,
			     struct ccfc_slice bytes)
{
	ZSTD_CCtx *zstd;
	size_t n = (size_t)-1; /* an error of zstd's */

	pthread_mutex_lock(&blobs->packing);
	if (!blobs->compress)
		blobs->compress = ZSTD_createCCtx();
	zstd = blobs->compress;
	if (zstd) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(zstd, to, room, bytes.ptr ? bytes.ptr : "",
				   bytes.len);
	}
	pthread_mutex_unlock(&blobs->packing);
	return n;
}

void ccfc_blobs_rest(struct ccfc_blobs *blobs)
{
	pthread_mutex_lock(&blobs->packing);
	ZSTD_freeCCtx(blobs->compress);
	blobs->compress = NULL;
	pthread_mutex_unlock(&blobs->packing);
}

int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   struct ccfc_slice bytes, struct ccfc_err *err)
{
	size_t room = ZSTD_compressBound(bytes.len), n;
	unsigned char *to =
		(unsigned char *)ccfc_buf_reserve(out, CCFC_BLOB_HEADER + room);

	memcpy(to, CCFC_BLOB_MARK, 8);
	ccfc_blob_put_u64(to + 8, bytes.len);
	n = compress_bytes(blobs, to + CCFC_BLOB_HEADER, room, bytes);
	if (ZSTD_isError(n))
		return ccfc_err_set(err, CCFC_EIO, "zstd: %s",
				    ZSTD_getErrorName(n));
	out->len += CCFC_BLOB_HEADER + n;
	out->ptr[out->len] = '\0';
	return 0;
}

int ccfc_blob_unpack(struct ccfc_buf *out, struct ccfc_slice packed, size_t max,
		     struct ccfc_err *err)
{
	const unsigned char *from = (const unsigned char *)packed.ptr;
	uint64_t len;
	size_t n;
	char *to;

	if (packed.len < CCFC_BLOB_HEADER || memcmp(from, CCFC_BLOB_MARK, 8))
		return ccfc_err_set(err, CCFC_ECORRUPT, "no packed content");
	len = ccfc_blob_get_u64(from + 8);
	if (len > max)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "a content is larger than asked for");
	to = ccfc_buf_reserve(out, (size_t)len + 1);
	n = ZSTD_decompress(to, (size_t)len, from + CCFC_BLOB_HEADER,
			    packed.len - CCFC_BLOB_HEADER);
	if (ZSTD_isError(n) || n != len)
		return ccfc_err_set(err, CCFC_ECORRUPT,
				    "a packed content is damaged");
	out->len += n;
	out->ptr[out->len] = '\0';
	return 0;
}

/* The whole file; false: it cannot be read. */
static bool read_packed(struct ccfc_buf *out, int fd, size_t max)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < 0 ||
	    (size_t)st.st_size > ZSTD_compressBound(max) + CCFC_BLOB_HEADER)
		return false;
	return !ccfc_read_bytes(out, fd, (size_t)st.st_size);
}

int ccfc_blobs_get_quickly(struct ccfc_buf *out, struct ccfc_blobs *blobs,
			   const struct ccfc_blob_key *key, size_t max,
			   struct ccfc_err *err)
{
	struct ccfc_buf packed = CCFC_BUF_INIT;
	int fd, r;

	fd = ccfc_blob_open(blobs, key, err);
	if (fd < 0)
		return fd;
	r = read_packed(&packed, fd, max)
		    ? ccfc_blob_unpack(out, ccfc_buf_view(&packed), max, err)
		    : ccfc_err_set(err, CCFC_ECORRUPT, "a blob is damaged");
	close(fd);
	ccfc_buf_release(&packed);
	return r;
}
