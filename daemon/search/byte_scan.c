/*
 * Finds places; see byte_scan.h. One pass searches for two bytes of the needle
 * (needle.h), for "\u", and if the needle has an s or a k also for the first
 * bytes of the characters that fold to them. Only blocks with a candidate are
 * examined further, so other text passes at the speed of memory. Suspects are
 * "\u" escapes of a character of the needle; clients write such escapes for
 * control characters only.
 */
#include "search/byte_scan.h"

#include "transcript/json/unescape.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

void ccfc_byte_scan_init(struct ccfc_byte_scan *scan, struct ccfc_slice run,
			 bool fold)
{
	*scan = (struct ccfc_byte_scan){ 0 };
	ccfc_needle_init(&scan->needle, run, fold);
	for (size_t i = 0; i < run.len; i++) {
		unsigned char c = (unsigned char)run.ptr[i];
		unsigned char low = c | 0x20;

		if (c >= 0x80) {
			scan->wide = true;
			continue;
		}
		scan->has[c] = true;
		if (!fold || low < 'a' || low > 'z')
			continue;
		scan->has[low] = scan->has[low ^ 0x20] = true;
		scan->folds |= low == 's' || low == 'k';
	}
}

/* May "\uXXXX" at p be a character of the needle? */
static bool escapes_sought_byte(const struct ccfc_byte_scan *scan,
				const char *p, const char *end)
{
	int32_t unit;

	/*
	 * Most escapes are of other characters; this check rejects them
	 * quickly.
	 */
	if (end - p < 6)
		return false;
	if (!scan->wide && p[2] == '0' && p[3] == '0' &&
	    (p[4] < '2' || p[4] > '7'))
		return false;
	unit = ccfc_unescape_unit(p, end);
	if (unit < 0)
		return false;
	if (unit < 0x80)
		return scan->has[unit];
	return scan->wide || (scan->folds && (unit == 0x17f || unit == 0x212a));
}

static bool is_suspect(const struct ccfc_byte_scan *scan, const char *p,
		       const char *end)
{
	unsigned char c = (unsigned char)p[0], d = (unsigned char)p[1];

	if (c == '\\')
		return d == 'u' && escapes_sought_byte(scan, p, end);
	return scan->folds && end - p > 1 &&
	       ((c == 0xc5 && d == 0xbf) || (c == 0xe2 && d == 0x84));
}

static bool is_place(const struct ccfc_byte_scan *scan, struct ccfc_slice s,
		     size_t at)
{
	const struct ccfc_needle *n = &scan->needle;
	const char *p = s.ptr + at;

	if (*p == '\\')
		return is_suspect(scan, p, s.ptr + s.len);
	return (s.len - at >= n->len &&
		((unsigned char)*p | n->fold[0]) == n->bytes[0] &&
		ccfc_needle_stands(n, p)) ||
	       is_suspect(scan, p, s.ptr + s.len);
}

#ifdef __SSE2__

/* The first match among the set bits; bit 0 stands for `base`. */
__attribute__((noinline)) static size_t
first_place(const struct ccfc_byte_scan *scan, struct ccfc_slice s, size_t base,
	    uint32_t bits)
{
	for (; bits; bits &= bits - 1) {
		size_t at = base + (size_t)__builtin_ctz(bits);

		if (at >= s.len)
			break;
		if (is_place(scan, s, at))
			return at;
	}
	return CCFC_NOWHERE;
}

/* The search bytes, for 16 places at once. */
struct look16 {
	__m128i byte[2], fold[2]; /* of the needle */
	size_t at[2];
	bool folds;
};

static inline struct look16 begin16(const struct ccfc_byte_scan *scan)
{
	const struct ccfc_needle *n = &scan->needle;
	struct look16 k = { .at = { n->at[0], n->at[1] },
			    .folds = scan->folds };

	for (int i = 0; i < 2; i++) {
		k.byte[i] = _mm_set1_epi8((char)n->bytes[k.at[i]]);
		k.fold[i] = _mm_set1_epi8((char)n->fold[k.at[i]]);
	}
	return k;
}

static inline __m128i load16(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline __m128i both16(const char *p, int c, int d)
{
	return _mm_and_si128(
		_mm_cmpeq_epi8(load16(p), _mm_set1_epi8((char)c)),
		_mm_cmpeq_epi8(load16(p + 1), _mm_set1_epi8((char)d)));
}

static inline __m128i suspects16(const char *p, bool folds)
{
	__m128i m = both16(p, '\\', 'u');

	if (!folds)
		return m;
	return _mm_or_si128(
		m, _mm_or_si128(both16(p, 0xc5, 0xbf), both16(p, 0xe2, 0x84)));
}

static inline uint32_t look16(const struct look16 *k, const char *p)
{
	__m128i a = _mm_or_si128(load16(p + k->at[0]), k->fold[0]);
	__m128i b = _mm_or_si128(load16(p + k->at[1]), k->fold[1]);

	a = _mm_and_si128(_mm_cmpeq_epi8(a, k->byte[0]),
			  _mm_cmpeq_epi8(b, k->byte[1]));
	a = _mm_or_si128(a, suspects16(p, k->folds));
	return (uint32_t)_mm_movemask_epi8(a);
}

static size_t find16(const struct ccfc_byte_scan *scan, struct ccfc_slice s,
		     size_t from, size_t to)
{
	const struct look16 k = begin16(scan);

	for (size_t i = from; i < to; i += 16) {
		uint32_t bits = look16(&k, s.ptr + i);
		size_t at = bits ? first_place(scan, s, i, bits) : CCFC_NOWHERE;

		if (at != CCFC_NOWHERE)
			return at;
	}
	return CCFC_NOWHERE;
}

#define WITH_AVX2 __attribute__((target("avx2")))

/* The search bytes, for 32 places at once. */
struct look32 {
	__m256i byte[2], fold[2]; /* of the needle */
	size_t at[2];
	bool folds;
};

WITH_AVX2 static inline struct look32 begin32(const struct ccfc_byte_scan *scan)
{
	const struct ccfc_needle *n = &scan->needle;
	struct look32 k = { .at = { n->at[0], n->at[1] },
			    .folds = scan->folds };

	for (int i = 0; i < 2; i++) {
		k.byte[i] = _mm256_set1_epi8((char)n->bytes[k.at[i]]);
		k.fold[i] = _mm256_set1_epi8((char)n->fold[k.at[i]]);
	}
	return k;
}

WITH_AVX2 static inline __m256i load32(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

WITH_AVX2 static inline __m256i both32(const char *p, int c, int d)
{
	return _mm256_and_si256(
		_mm256_cmpeq_epi8(load32(p), _mm256_set1_epi8((char)c)),
		_mm256_cmpeq_epi8(load32(p + 1), _mm256_set1_epi8((char)d)));
}

WITH_AVX2 static inline __m256i suspects32(const char *p, bool folds)
{
	__m256i m = both32(p, '\\', 'u');

	if (!folds)
		return m;
	return _mm256_or_si256(m, _mm256_or_si256(both32(p, 0xc5, 0xbf),
						  both32(p, 0xe2, 0x84)));
}

WITH_AVX2 static inline uint32_t look32(const struct look32 *k, const char *p)
{
	__m256i a = _mm256_or_si256(load32(p + k->at[0]), k->fold[0]);
	__m256i b = _mm256_or_si256(load32(p + k->at[1]), k->fold[1]);

	a = _mm256_and_si256(_mm256_cmpeq_epi8(a, k->byte[0]),
			     _mm256_cmpeq_epi8(b, k->byte[1]));
	a = _mm256_or_si256(a, suspects32(p, k->folds));
	return (uint32_t)_mm256_movemask_epi8(a);
}

WITH_AVX2 static size_t find32(const struct ccfc_byte_scan *scan,
			       struct ccfc_slice s, size_t from, size_t to)
{
	const struct look32 k = begin32(scan);

	for (size_t i = from; i < to; i += 32) {
		uint32_t bits = look32(&k, s.ptr + i);
		size_t at = bits ? first_place(scan, s, i, bits) : CCFC_NOWHERE;

		if (at != CCFC_NOWHERE)
			return at;
	}
	return CCFC_NOWHERE;
}

size_t ccfc_byte_scan_suspect(const struct ccfc_byte_scan *scan,
			      struct ccfc_slice s, size_t from)
{
	for (size_t i = from; i < s.len; i += 16) {
		unsigned m = (unsigned)_mm_movemask_epi8(
			suspects16(s.ptr + i, scan->folds));

		for (; m; m &= m - 1) {
			size_t at = i + (size_t)__builtin_ctz(m);

			if (at < s.len &&
			    is_suspect(scan, s.ptr + at, s.ptr + s.len))
				return at;
		}
	}
	return CCFC_NOWHERE;
}

size_t ccfc_byte_scan_find(const struct ccfc_byte_scan *scan,
			   struct ccfc_slice s, size_t from)
{
	size_t to = s.len < scan->needle.len ? 0 : s.len - scan->needle.len + 1;
	size_t at = CCFC_NOWHERE;

	if (from < to)
		at = __builtin_cpu_supports("avx2") ? find32(scan, s, from, to)
						    : find16(scan, s, from, to);
	if (at == CCFC_NOWHERE)
		at = ccfc_byte_scan_suspect(scan, s, from < to ? to : from);
	return at;
}

#else

size_t ccfc_byte_scan_suspect(const struct ccfc_byte_scan *scan,
			      struct ccfc_slice s, size_t from)
{
	for (size_t i = from; i < s.len; i++)
		if (is_suspect(scan, s.ptr + i, s.ptr + s.len))
			return i;
	return CCFC_NOWHERE;
}

size_t ccfc_byte_scan_find(const struct ccfc_byte_scan *scan,
			   struct ccfc_slice s, size_t from)
{
	for (size_t i = from; i < s.len; i++)
		if (is_place(scan, s, i))
			return i;
	return CCFC_NOWHERE;
}

#endif
