/*
 * A content in memory, packed as a blob's file is: mark, length, one zstd
 * frame. There is no key to check it by, so the frame ends with a checksum.
 */
#include "blobs/blobs_internal.h"

#include <zstd.h>

#define LEVEL 3

static void put_length(unsigned char out[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get_length(const unsigned char in[8])
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)in[i] << (8 * i);
	return v;
}

int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_slice bytes,
		   struct ccfc_err *err)
{
	size_t room = ZSTD_compressBound(bytes.len), n;
	unsigned char *to =
		(unsigned char *)ccfc_buf_reserve(out, CCFC_BLOB_HEADER + room);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	if (!zstd)
		return ccfc_err_set(err, CCFC_EIO, "zstd: out of memory");
	memcpy(to, CCFC_BLOB_MARK, 8);
	put_length(to + 8, bytes.len);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(zstd, to + CCFC_BLOB_HEADER, room,
			   bytes.ptr ? bytes.ptr : "", bytes.len);
	ZSTD_freeCCtx(zstd);
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
	len = get_length(from + 8);
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
