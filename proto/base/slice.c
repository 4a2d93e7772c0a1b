/* The one slice function that is not inline; see slice.h. */
#include "base/slice.h"

bool ccfc_slice_contains(struct ccfc_slice a, const char *needle)
{
	size_t n = strlen(needle);
	const char *p = a.ptr;
	size_t left = a.len;

	while (left >= n && n) {
		const char *hit = memchr(p, needle[0], left - n + 1);

		if (!hit)
			return false;
		if (!memcmp(hit, needle, n))
			return true;
		left -= (size_t)(hit - p) + 1;
		p = hit + 1;
	}
	return n == 0;
}
