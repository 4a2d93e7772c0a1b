/*
 * Packs a content in memory, in the format of a blob's file. The checksums are
 * of the compressed bytes, so that these can be trusted before they are
 * decompressed, and only some of them be read.
 *
 * Each part of a content is a frame of zstd, so that one part can be
 * decompressed without the others. Parts that were compressed alone would not
 * know the words of each other. So the first part is the prefix of the others:
 * who reads a part has read the first one, which says where things are. The
 * last part is only read together with all others; they are its prefix.
 */
#include "blobs/blobs_internal.h"

#include "base/hash.h"

#include <zstd.h>

size_t ccfc_blob_prefix(const struct ccfc_blob_parts *parts, uint32_t i)
{
	if (!i)
		return 0;
	return parts->ends[i + 1 == parts->n ? i - 1 : 0];
}

/* Appends a frame; 0: it failed. The prefix may be empty. */
static size_t append_frame(struct ccfc_buf *out, ZSTD_CCtx *zstd,
			   struct ccfc_slice bytes, struct ccfc_slice prefix)
{
	size_t room = ZSTD_compressBound(bytes.len), n;
	char *to = ccfc_buf_reserve(out, room + 1);

	ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, CCFC_BLOB_LEVEL);
	if (prefix.len)
		ZSTD_CCtx_refPrefix(zstd, prefix.ptr, prefix.len);
	n = ZSTD_compress2(zstd, to, room, bytes.ptr ? bytes.ptr : "",
			   bytes.len);
	if (ZSTD_isError(n))
		return 0;
	out->len += n;
	out->ptr[out->len] = '\0';
	return n;
}

/* Appends header and frame; false: zstd failed. */
static bool pack_in_one(struct ccfc_buf *out, ZSTD_CCtx *zstd,
			struct ccfc_slice bytes)
{
	struct ccfc_blob_header header = { .len = bytes.len };
	size_t begin = out->len, n;
	char *frame;

	ccfc_buf_reserve(out, CCFC_BLOB_HEADER);
	out->len += CCFC_BLOB_HEADER;
	n = append_frame(out, zstd, bytes, CCFC_SLICE_NONE);
	frame = out->ptr + begin + CCFC_BLOB_HEADER;
	ccfc_blob_write_header((unsigned char *)out->ptr + begin, &header,
			       ccfc_hash(frame, n));
	return n;
}

/* Appends header, table and frames; false: zstd failed. */
static bool pack_in_parts(struct ccfc_buf *out, ZSTD_CCtx *zstd,
			  struct ccfc_slice bytes,
			  const struct ccfc_blob_parts *parts)
{
	struct ccfc_blob_table table = { .parts = *parts };
	size_t begin = out->len, size = ccfc_blob_table_size(parts->n);
	size_t from = 0;

	ccfc_buf_reserve(out, size);
	out->len += size;
	for (uint32_t i = 0; i < parts->n; i++) {
		struct ccfc_slice prefix =
			ccfc_slice(bytes.ptr, ccfc_blob_prefix(parts, i));
		struct ccfc_slice part =
			ccfc_slice(bytes.ptr + from, parts->ends[i] - from);
		size_t n = append_frame(out, zstd, part, prefix);

		if (!n)
			return false;
		table.hashes[i] = ccfc_hash(out->ptr + out->len - n, n);
		table.frame_ends[i] = (uint32_t)(out->len - begin - size);
		from = parts->ends[i];
	}
	ccfc_blob_write_table((unsigned char *)out->ptr + begin, &table);
	return true;
}

int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   struct ccfc_slice bytes, const struct ccfc_blob_parts *parts,
		   struct ccfc_err *err)
{
	size_t begin = out->len;
	bool done;

	/* The compressor is kept for the next content. */
	pthread_mutex_lock(&blobs->packing);
	if (!blobs->compress)
		blobs->compress = ZSTD_createCCtx();
	done = blobs->compress &&
	       (parts && parts->n > 1
			? pack_in_parts(out, blobs->compress, bytes, parts)
			: pack_in_one(out, blobs->compress, bytes));
	pthread_mutex_unlock(&blobs->packing);
	if (done)
		return 0;
	out->len = begin;
	return ccfc_err_set(err, CCFC_EIO, "zstd: cannot compress");
}
