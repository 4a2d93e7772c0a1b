/* Shared by the files of the blob store. */
#ifndef CCFC_BLOBS_INTERNAL_H
#define CCFC_BLOBS_INTERNAL_H

#include "blobs/blobs.h"

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

/*
 * A blob's file begins with a mark. Numbers have eight bytes unless it says
 * otherwise, the least one first.
 *
 * A content in parts (blob_pack.c): the mark, a checksum of the numbers that
 * follow, and the number of parts; then for each part where it ends in the
 * content and where its frame ends behind this table (four bytes each), and a
 * checksum of its frame. The frames of zstd follow.
 *
 * A content in one piece: the mark, the length of the content, zero, a checksum
 * of these two and of the frame, and the frame. Earlier versions have a length
 * in place of the zero, of a part at the begin; it has no meaning any more.
 * Still earlier ones have only the length, and a checksum at the end of the
 * frame. Both are only read.
 */
#define CCFC_BLOB_MARK_PARTS   "ccfcblb3"
#define CCFC_BLOB_HEADER_PARTS 24u
#define CCFC_BLOB_MARK	       "ccfcblb2"
#define CCFC_BLOB_HEADER       32u
#define CCFC_BLOB_MARK_1       "ccfcblb1"
#define CCFC_BLOB_HEADER_1     16u
/* With the longest table. */
#define CCFC_BLOB_HEADER_MAX                                                   \
	(CCFC_BLOB_HEADER_PARTS + 16u * CCFC_BLOB_PARTS_MAX)

/* A frame that was flushed now and then is longer than zstd's bound. */
#define CCFC_BLOB_BLOCKS_MAX 4096u

#define CCFC_BLOB_LEVEL 3

struct ccfc_blob_header {
	uint64_t len;	/* of the content */
	uint64_t first; /* the number behind it, see above */
	uint64_t sum;
	bool has_sum;
	uint32_t parts; /* 0: the content is in one piece */
	unsigned size;	/* of the header itself, with the table */
};

/* The table of a content in parts. */
struct ccfc_blob_table {
	struct ccfc_blob_parts parts;
	uint32_t frame_ends[CCFC_BLOB_PARTS_MAX];
	uint64_t hashes[CCFC_BLOB_PARTS_MAX];
};

/* The name of an unfinished blob begins with this. */
#define CCFC_BLOB_NEW "new-"

/* Contexts of zstd that are kept for the next content. */
#define CCFC_BLOB_CONTEXTS 4u

struct ccfc_blobs {
	char *dir;
	pthread_mutex_t lock; /* for `stats` and `serial` */
	struct ccfc_blob_stats stats;
	uint64_t serial;	      /* of files that are being written */
	pthread_mutex_t packing;      /* for `compress` */
	struct ZSTD_CCtx_s *compress; /* NULL: none was needed lately */
	pthread_mutex_t unpacking;    /* for the fields below */
	struct ZSTD_DCtx_s *decompress[CCFC_BLOB_CONTEXTS];
	uint32_t ndecompress;
};

/* blob_header.c */
size_t ccfc_blob_table_size(uint32_t parts);
/* False: these bytes do not begin with the header of a blob. */
bool ccfc_blob_read_header(struct ccfc_blob_header *out,
			   struct ccfc_slice bytes);
/* Behind a header that has parts. False: the ends are in no order. */
bool ccfc_blob_read_table(struct ccfc_blob_table *out,
			  const struct ccfc_blob_header *header,
			  struct ccfc_slice bytes);
/* Writes header and table. */
void ccfc_blob_write_table(unsigned char *to,
			   const struct ccfc_blob_table *table);
/* Sets the sum, and writes the header of a blob with that frame. */
void ccfc_blob_write_header(unsigned char to[CCFC_BLOB_HEADER],
			    struct ccfc_blob_header *header,
			    uint64_t frame_hash);
/* Does the frame with that hash belong to the header, as far as it says? */
bool ccfc_blob_header_fits(const struct ccfc_blob_header *header,
			   uint64_t frame_hash);

/* blob_pack.c: so much of the content is the prefix of a part's frame. */
size_t ccfc_blob_prefix(const struct ccfc_blob_parts *parts, uint32_t i);

/* blob_unpack.c: of an open file; false: it cannot be read. */
bool ccfc_packed_use_file(struct ccfc_packed *out, struct ccfc_blobs *blobs,
			  int fd);
/* As ccfc_blob_unpack. */
int ccfc_packed_get(struct ccfc_buf *out, struct ccfc_packed *packed,
		    size_t max, struct ccfc_err *err);

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
