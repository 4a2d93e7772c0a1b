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

#endif
