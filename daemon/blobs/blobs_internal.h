/* Shared by the files of the blob store. */
#ifndef CCFC_BLOBS_INTERNAL_H
#define CCFC_BLOBS_INTERNAL_H

#include "blobs/blobs.h"

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

/*
 * A blob's file has a header and one zstd frame. The header: the mark, the
 * length of the content, the length of its first part, which can be
 * decompressed alone (0: there is none), and a checksum of all that follows the
 * mark. Numbers have eight bytes, the least one first.
 *
 * Blobs of the first form have neither parts nor a checksum in the header: the
 * frame ends with one. They are only read.
 */
#define CCFC_BLOB_MARK	   "ccfcblb2"
#define CCFC_BLOB_HEADER   32u
#define CCFC_BLOB_MARK_1   "ccfcblb1"
#define CCFC_BLOB_HEADER_1 16u

struct ccfc_blob_header {
	uint64_t len, first; /* of the content */
	uint64_t sum;
	bool has_sum;
	unsigned size; /* of the header itself */
};

/* The name of an unfinished blob begins with this. */
#define CCFC_BLOB_NEW "new-"

/* Contexts of zstd that are kept for the next content. */
#define CCFC_BLOB_CONTEXTS 4u

struct ccfc_blobs {
	char *dir;
	pthread_mutex_t lock; /* of what follows */
	struct ccfc_blob_stats stats;
	uint64_t serial;	      /* of files that are being written */
	pthread_mutex_t packing;      /* of what follows */
	struct ZSTD_CCtx_s *compress; /* NULL: none was needed lately */
	pthread_mutex_t unpacking;    /* of what follows */
	struct ZSTD_DCtx_s *decompress[CCFC_BLOB_CONTEXTS];
	uint32_t ndecompress;
};

/* blob_header.c: false: these bytes do not begin a blob. */
bool ccfc_blob_read_header(struct ccfc_blob_header *out,
			   struct ccfc_slice bytes);
/* Sets the sum, and writes the header of a blob with that frame. */
void ccfc_blob_write_header(unsigned char to[CCFC_BLOB_HEADER],
			    struct ccfc_blob_header *header,
			    uint64_t frame_hash);
/* Does the frame with that hash belong to the header, as far as it says? */
bool ccfc_blob_header_fits(const struct ccfc_blob_header *header,
			   uint64_t frame_hash);

/* False when the path would be too long. */
bool ccfc_blob_path(char out[PATH_MAX], const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key);

/* A descriptor of the blob's file; negative: why it cannot be read. */
int ccfc_blob_open(const struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, struct ccfc_err *err);

/* blob_stream.c: writes a blob's file with bytes of ccfc_blob_pack. */
int ccfc_blob_write(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    struct ccfc_slice packed, struct ccfc_err *err);

/* The disk space that a blob's file counts for: at least a block. */
uint64_t ccfc_blob_room(const struct stat *st);
/* Subtracts a deleted file. */
void ccfc_blob_uncount(struct ccfc_blobs *blobs, const struct stat *st);

#endif
