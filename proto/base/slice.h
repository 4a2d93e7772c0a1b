/*
 * A slice is a borrowed run of bytes: it owns nothing, is not terminated, and
 * lives as long as whatever it points into.
 */
#ifndef CCFC_BASE_SLICE_H
#define CCFC_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ccfc_slice {
	const char *ptr;
	size_t len;
};

#define CCFC_SLICE_NONE	  ((struct ccfc_slice){ NULL, 0 })
#define CCFC_SLICE_LIT(s) ((struct ccfc_slice){ "" s, sizeof(s) - 1 })

static inline struct ccfc_slice ccfc_slice(const char *ptr, size_t len)
{
	return (struct ccfc_slice){ ptr, len };
}

static inline struct ccfc_slice ccfc_slice_str(const char *s)
{
	return (struct ccfc_slice){ s, s ? strlen(s) : 0 };
}

/*
 * An empty slice may have a NULL pointer, to which not even 0 may be added.
 * These functions return its end, and the rest after its first `n` bytes.
 */
static inline const char *ccfc_slice_end(struct ccfc_slice s)
{
	return s.len ? s.ptr + s.len : s.ptr;
}

static inline struct ccfc_slice ccfc_slice_from(struct ccfc_slice s, size_t n)
{
	return (struct ccfc_slice){ n ? s.ptr + n : s.ptr, s.len - n };
}

static inline bool ccfc_slice_eq(struct ccfc_slice a, struct ccfc_slice b)
{
	return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

static inline bool ccfc_slice_is(struct ccfc_slice a, const char *s)
{
	/* In a search of a table, usually the first byte differs. */
	if (a.len && s && *a.ptr != *s)
		return false;
	return ccfc_slice_eq(a, ccfc_slice_str(s));
}

static inline bool ccfc_slice_starts(struct ccfc_slice a, const char *s)
{
	size_t n = strlen(s);

	return !n || (a.len >= n && !memcmp(a.ptr, s, n));
}

static inline bool ccfc_slice_ends(struct ccfc_slice a, const char *s)
{
	size_t n = strlen(s);

	return !n || (a.len >= n && !memcmp(a.ptr + a.len - n, s, n));
}

/* Byte order, shorter first on a common prefix: <0, 0, >0. */
static inline int ccfc_slice_cmp(struct ccfc_slice a, struct ccfc_slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int r = n ? memcmp(a.ptr, b.ptr, n) : 0;

	if (r)
		return r;
	return (a.len > b.len) - (a.len < b.len);
}

/* At most the first `max` bytes of a UTF-8 text, never cutting a character. */
static inline struct ccfc_slice ccfc_slice_cut(struct ccfc_slice s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max && ((unsigned char)s.ptr[max] & 0xc0) == 0x80)
		max--;
	return ccfc_slice(s.ptr, max);
}

/* Does `a` contain `needle`? */
bool ccfc_slice_contains(struct ccfc_slice a, const char *needle);

/*
 * The part of a change's id that distinguishes it: the part after "toolu_01",
 * "toolu_bdrk_01" and the like. Other ids are returned whole.
 */
struct ccfc_slice ccfc_slice_change_tail(struct ccfc_slice id);

#endif
