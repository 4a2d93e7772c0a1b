/* The differing part of two texts; see owner_gaps.h. */
#include "history/blame/owner_gaps.h"

/* The number of equal bytes at the start. */
static size_t common_start(struct ccfc_slice a, struct ccfc_slice b)
{
	const size_t chunk = 4096;
	size_t n = a.len < b.len ? a.len : b.len, i = 0;

	while (n - i >= chunk && memcmp(a.ptr + i, b.ptr + i, chunk) == 0)
		i += chunk;
	while (i < n && a.ptr[i] == b.ptr[i])
		i++;
	return i;
}

/* The number of equal bytes at the end. */
static size_t common_end(struct ccfc_slice a, struct ccfc_slice b)
{
	const size_t chunk = 4096;
	size_t n = a.len < b.len ? a.len : b.len, i = 0;
	const char *ea = ccfc_slice_end(a), *eb = ccfc_slice_end(b);

	while (n - i >= chunk &&
	       memcmp(ea - i - chunk, eb - i - chunk, chunk) == 0)
		i += chunk;
	while (i < n && ea[-1 - (ptrdiff_t)i] == eb[-1 - (ptrdiff_t)i])
		i++;
	return i;
}

/* The first line that begins at or after `offset`. */
static uint32_t first_line_from(const struct ccfc_line_owners *carry,
				size_t offset)
{
	uint32_t lo = 0, hi = carry->lines.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (carry->lines.items[mid].at < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void ccfc_owner_gaps_find(struct ccfc_owner_gaps *m,
			  const struct ccfc_line_owners *carry,
			  struct ccfc_slice b)
{
	struct ccfc_slice a = ccfc_buf_view(&carry->text);
	size_t n = common_start(a, b), at;

	/* Up to the last line that begins within the equal start. */
	m->first = first_line_from(carry, n + 1);
	if (n < a.len || (n && a.ptr[n - 1] != '\n'))
		m->first -= m->first != 0;
	m->from = ccfc_line_owners_start(carry, m->first);
	n = common_end(ccfc_slice_from(a, m->from),
		       ccfc_slice_from(b, m->from));
	/*
	 * From the first line that begins within the equal end, in both texts.
	 */
	at = b.len - n;
	m->last = first_line_from(carry, a.len - n);
	if (m->last < carry->lines.n &&
	    ccfc_line_owners_start(carry, m->last) == a.len - n &&
	    at > m->from && b.ptr[at - 1] != '\n')
		m->last++;
	if (m->last < m->first)
		m->last = m->first;
	m->to = b.len - (a.len - ccfc_line_owners_start(carry, m->last));
}
