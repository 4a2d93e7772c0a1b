/* Shared by the files of the blob store. */
#ifndef CCFC_BLOBS_INTERNAL_H
#define CCFC_BLOBS_INTERNAL_H

#include "blobs/blobs.h"

#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>

/* Before the compressed bytes: the mark, and the length of the content. */
#define CCFC_BLOB_MARK	 "ccfcblb1"
#define CCFC_BLOB_HEADER 16
/* The name of an unfinished blob begins with this. */
#define CCFC_BLOB_NEW "new-"

struct ccfc_blobs {
	char *dir;
	pthread_mutex_t lock; /* of what follows */
	struct ccfc_blob_stats stats;
	uint64_t serial;	      /* of files that are being written */
	pthread_mutex_t packing;      /* of what follows */
	struct ZSTD_CCtx_s *compress; /* NULL: none was needed lately */
};

/* A length in a header: least byte first. */
static inline void ccfc_blob_put_u64(unsigned char out[8], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(v >> (8 * i));
}

static inline uint64_t ccfc_blob_get_u64(const unsigned char in[8])
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)in[i] << (8 * i);
	return v;
}

/* False when the path would be too long. */
bool ccfc_blob_path(char out[PATH_MAX], const struct ccfc_blobs *blobs,
		    const struct ccfc_blob_key *key);

/* A descriptor of the blob's file; negative: why it cannot be read. */
int ccfc_blob_open(const struct ccfc_blobs *blobs,
		   const struct ccfc_blob_key *key, struct ccfc_err *err);

/* blob_stream.c: writes a blob's file with bytes from ccfc_blob_pack. */
int ccfc_blob_write(struct ccfc_blobs *blobs, const struct ccfc_blob_key *key,
		    struct ccfc_slice packed, struct ccfc_err *err);

/* The disk space that a blob's file counts for: at least a block. */
uint64_t ccfc_blob_room(const struct stat *st);
/* Subtracts a deleted file. */
void ccfc_blob_uncount(struct ccfc_blobs *blobs, const struct stat *st);

#endif
