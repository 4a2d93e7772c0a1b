/* SHA-256, of contents and for the names of the client's backups. */
#ifndef CCFC_BASE_SHA256_H
#define CCFC_BASE_SHA256_H

#include "base/slice.h"

#include <stdint.h>

#define CCFC_SHA256_BYTES 32
#define CCFC_SHA256_HEX	  64

struct ccfc_sha256 {
	uint32_t h[8];
	uint64_t len;
	unsigned char block[64];
};

void ccfc_sha256_init(struct ccfc_sha256 *s);
void ccfc_sha256_add(struct ccfc_sha256 *s, const void *ptr, size_t len);
void ccfc_sha256_end(struct ccfc_sha256 *s,
		     unsigned char out[CCFC_SHA256_BYTES]);

/* The hash of all `bytes`, as lower-case hex with a NUL. */
void ccfc_sha256_hex(char out[CCFC_SHA256_HEX + 1], struct ccfc_slice bytes);

#endif
