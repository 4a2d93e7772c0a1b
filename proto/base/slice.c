/* The slice functions that are not inline; see slice.h. */
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

#define START "toolu_"
#define MARK  "01"

static struct ccfc_slice slice_after(struct ccfc_slice s, size_t n)
{
	return ccfc_slice(s.ptr + n, s.len - n);
}

struct ccfc_slice ccfc_slice_change_tail(struct ccfc_slice id)
{
	struct ccfc_slice tail;
	size_t n = 0;

	if (!ccfc_slice_starts(id, START))
		return id;
	tail = slice_after(id, sizeof(START) - 1);
	/* The name of a cloud: "bdrk_", "vrtx_". */
	while (n < tail.len && tail.ptr[n] >= 'a' && tail.ptr[n] <= 'z')
		n++;
	if (n && n < tail.len && tail.ptr[n] == '_')
		tail = slice_after(tail, n + 1);
	if (!ccfc_slice_starts(tail, MARK) || tail.len == sizeof(MARK) - 1)
		return id;
	return slice_after(tail, sizeof(MARK) - 1);
}
