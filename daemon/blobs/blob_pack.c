/*
 * A blob in memory, in the format of a blob's file. The checksum in its header
 * is one of the compressed bytes, so that they can be trusted before they are
 * decompressed, and decompressed only in part.
 */
#include "blobs/blobs_internal.h"

#include "base/hash.h"
#include "os/whole_io.h"

#include <unistd.h>
#include <zstd.h>

#define LEVEL 3

/* --- packing --- */

/*
 * Compresses; after the first `first` bytes a block of the frame ends. What
 * zstd says: 0, an error, or that there is no room.
 */
static size_t compress_in_two(ZSTD_CCtx *zstd, ZSTD_outBuffer *out,
			      struct ccfc_slice bytes, size_t first)
{
	ZSTD_inBuffer in = { bytes.ptr ? bytes.ptr : "", first, 0 };
	size_t left = ZSTD_CCtx_setPledgedSrcSize(zstd, bytes.len);

	if (!ZSTD_isError(left) && first)
		left = ZSTD_compressStream2(zstd, out, &in, ZSTD_e_flush);
	if (ZSTD_isError(left) || left)
		return left;
	in.size = bytes.len;
	return ZSTD_compressStream2(zstd, out, &in, ZSTD_e_end);
}

/* The length of the frame; 0: it failed. The context is kept. */
static size_t compress_bytes(struct ccfc_blobs *blobs, void *to, size_t room,
			     struct ccfc_slice bytes, size_t first)
{
	ZSTD_outBuffer out = { to, room, 0 };
	size_t left = 1;
	ZSTD_CCtx *zstd;

	pthread_mutex_lock(&blobs->packing);
	if (!blobs->compress)
		blobs->compress = ZSTD_createCCtx();
	zstd = blobs->compress;
	if (zstd) {
		ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
		left = compress_in_two(zstd, &out, bytes, first);
	}
	pthread_mutex_unlock(&blobs->packing);
	return left ? 0 : out.pos;
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

int ccfc_blob_pack(struct ccfc_buf *out, struct ccfc_blobs *blobs,
		   struct ccfc_slice bytes, size_t first, struct ccfc_err *err)
{
	/* The end of a block in the middle costs a few bytes. */
	size_t room = ZSTD_compressBound(bytes.len) + 64, n;
	unsigned char *to =
		(unsigned char *)ccfc_buf_reserve(out, CCFC_BLOB_HEADER + room);
	unsigned char *frame = to + CCFC_BLOB_HEADER;
	struct ccfc_blob_header header = { .len = bytes.len, .first = first };

	n = compress_bytes(blobs, frame, room, bytes, first);
	if (!n)
		return ccfc_err_set(err, CCFC_EIO, "zstd: cannot compress");
	ccfc_blob_write_header(to, &header, ccfc_hash(frame, n));
	out->len += CCFC_BLOB_HEADER + n;
	out->ptr[out->len] = '\0';
	return 0;
}

/* --- unpacking --- */

/* The frame behind the header; false: it is damaged. */
static bool find_frame(struct ccfc_blob_header *header,
		       struct ccfc_slice *frame, struct ccfc_slice packed)
{
	if (!ccfc_blob_read_header(header, packed))
		return false;
	*frame = ccfc_slice_from(packed, header->size);
	return ccfc_blob_header_fits(header, ccfc_hash_slice(*frame));
}

/* Takes a kept context, or makes one; NULL: no memory. */
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

static bool decompress_first(char *to, size_t len, ZSTD_DCtx *zstd,
			     struct ccfc_slice frame)
{
	ZSTD_outBuffer out = { to, len, 0 };
	ZSTD_inBuffer in = { frame.ptr, frame.len, 0 };
	size_t left = 1, before;

	ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	do {
		before = out.pos + in.pos;
		left = ZSTD_decompressStream(zstd, &out, &in);
	} while (!ZSTD_isError(left) && out.pos < len &&
		 out.pos + in.pos > before);
	return !ZSTD_isError(left) && out.pos == len;
}

static bool decompress_whole(char *to, size_t len, ZSTD_DCtx *zstd,
			     struct ccfc_slice frame)
{
	size_t n = ZSTD_decompressDCtx(zstd, to, len, frame.ptr, frame.len);

	return !ZSTD_isError(n) && n == len;
}

int ccfc_blob_unpack(struct ccfc_buf *out, struct ccfc_slice packed, size_t max,
		     struct ccfc_err *err)
{
	struct ccfc_blob_header header;
	struct ccfc_slice frame;
	size_t n;

	if (!find_frame(&header, &frame, packed))
		return ccfc_err_set(err, CCFC_ECORRUPT, "no packed content");
	if (header.len > max)
		return ccfc_err_set(err, CCFC_ETOOBIG,
				    "a content is larger than asked for");
	n = ZSTD_decompress(ccfc_buf_reserve(out, (size_t)header.len + 1),
			    (size_t)header.len, frame.ptr, frame.len);
	if (ZSTD_isError(n) || n != header.len)
		return ccfc_err_set(err, CCFC_ECORRUPT,
				    "a packed content is damaged");
	out->len += n;
	out->ptr[out->len] = '\0';
	return 0;
}

int ccfc_blobs_get_packed(struct ccfc_buf *out, struct ccfc_blobs *blobs,
			  const struct ccfc_blob_key *key, size_t max,
			  struct ccfc_err *err)
{
	int fd = ccfc_blob_open(blobs, key, err);
	struct stat st;
	bool read;

	if (fd < 0)
		return fd;
	read = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= 0 &&
	       (size_t)st.st_size <=
		       ZSTD_compressBound(max) + 64 + CCFC_BLOB_HEADER &&
	       !ccfc_read_bytes(out, fd, (size_t)st.st_size);
	close(fd);
	return read ? 0 : ccfc_err_set(err, CCFC_ECORRUPT, "a blob is damaged");
}

static size_t extent_len(const struct ccfc_blob_header *header,
			 enum ccfc_blob_extent extent)
{
	return (size_t)(extent == CCFC_BLOB_FIRST && header->first
				? header->first
				: header->len);
}

bool ccfc_blob_extent_len(size_t *len, struct ccfc_slice packed,
			  enum ccfc_blob_extent extent)
{
	struct ccfc_blob_header header;

	if (!ccfc_blob_read_header(&header, packed))
		return false;
	*len = extent_len(&header, extent);
	return true;
}

int ccfc_blob_unpack_extent(char *to, struct ccfc_blobs *blobs,
			    struct ccfc_slice packed,
			    enum ccfc_blob_extent extent, struct ccfc_err *err)
{
	struct ccfc_blob_header header;
	struct ccfc_slice frame;
	ZSTD_DCtx *zstd;
	bool done = false;

	if (find_frame(&header, &frame, packed)) {
		size_t len = extent_len(&header, extent);

		zstd = take_decompressor(blobs);
		done = zstd &&
		       (len < header.len
				? decompress_first(to, len, zstd, frame)
				: decompress_whole(to, len, zstd, frame));
		give_decompressor(blobs, zstd);
	}
	return done ? 0 : ccfc_err_set(err, CCFC_ECORRUPT, "a blob is damaged");
}
