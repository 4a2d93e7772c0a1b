/* The only user of xxhash; see hash.h. */
#include "base/hash.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <xxhash.h>

uint64_t ccfc_hash(const void *ptr, size_t len)
{
	return XXH3_64bits(ptr, len);
}

struct ccfc_hasher {
	XXH3_state_t state;
};

struct ccfc_hasher *ccfc_hasher_new(void)
{
	struct ccfc_hasher *hasher = ccfc_aligned_alloc(
		_Alignof(struct ccfc_hasher), sizeof(*hasher));

	XXH3_64bits_reset(&hasher->state);
	return hasher;
}

void ccfc_hasher_add(struct ccfc_hasher *hasher, const void *ptr, size_t len)
{
	XXH3_64bits_update(&hasher->state, ptr, len);
}

uint64_t ccfc_hasher_sum(const struct ccfc_hasher *hasher)
{
	return XXH3_64bits_digest(&hasher->state);
}

void ccfc_hasher_free(struct ccfc_hasher *hasher)
{
	free(hasher);
}
