/*
 * Hashes: one 64-bit hash for tables and markers (XXH3). Not for secrets.
 */
#ifndef CCFC_BASE_HASH_H
#define CCFC_BASE_HASH_H

#include "base/slice.h"

#include <stdint.h>

uint64_t ccfc_hash(const void *ptr, size_t len);

static inline uint64_t ccfc_hash_slice(struct ccfc_slice s)
{
	return ccfc_hash(s.ptr, s.len);
}

/* The same hash of bytes that come in pieces. */
struct ccfc_hasher;

struct ccfc_hasher *ccfc_hasher_new(void);
void ccfc_hasher_add(struct ccfc_hasher *hasher, const void *ptr, size_t len);
uint64_t ccfc_hasher_sum(const struct ccfc_hasher *hasher);
/* May be NULL. */
void ccfc_hasher_free(struct ccfc_hasher *hasher);

#endif
