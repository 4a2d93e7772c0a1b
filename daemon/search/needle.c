/*
 * Finds bytes; see needle.h. Two bytes of the needle are compared at 16 places
 * at once: the rarest in typical texts, so that nearly every place with both is
 * a match. "x | 0x20" is the same for both cases of a letter and for nothing
 * else, so case costs one more instruction.
 */
#include "search/needle.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes of prose and code, the most common first; all others are rare. */
static const char common[] =
	" etaoinsrhldcumfpgwybv\n.,-_k()/\"';:=0x12T`S*EACIjzqRNPDMOLF"
	"3456789BWHUG{}[]<>+#VYKXJQZ&|!?$%@~^\\\t";

static bool is_letter(unsigned char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static size_t rarity_of_byte(unsigned char c)
{
	const char *at = c ? strchr(common, c) : NULL;

	return at ? (size_t)(at - common) : sizeof(common);
}

/* The position of the rarest byte, other than `but`. */
static size_t rarest_byte(const struct ccfc_needle *n, size_t but)
{
	size_t best = but ? 0 : n->len > 1;

	for (size_t i = 0; i < n->len; i++)
		if (i != but && rarity_of_byte(n->bytes[i]) >
					rarity_of_byte(n->bytes[best]))
			best = i;
	return best;
}

void ccfc_needle_init(struct ccfc_needle *n, struct ccfc_slice bytes, bool fold)
{
	n->len = bytes.len;
	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = (unsigned char)bytes.ptr[i];

		n->fold[i] = fold && is_letter(c) ? 0x20 : 0;
		n->bytes[i] = c | n->fold[i];
	}
	n->at[0] = rarest_byte(n, CCFC_NOWHERE);
	n->at[1] = rarest_byte(n, n->at[0]);
}

bool ccfc_needle_stands(const struct ccfc_needle *n, const char *p)
{
	for (size_t i = 0; i < n->len; i++)
		if (((unsigned char)p[i] | n->fold[i]) != n->bytes[i])
			return false;
	return true;
}

#ifdef __SSE2__
struct byte16 {
	__m128i byte, fold;
};

static struct byte16 spread_byte(const struct ccfc_needle *n, size_t at)
{
	return (struct byte16){ _mm_set1_epi8((char)n->bytes[at]),
				_mm_set1_epi8((char)n->fold[at]) };
}

static __m128i equal_mask(const struct byte16 *b, const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	return _mm_cmpeq_epi8(_mm_or_si128(x, b->fold), b->byte);
}

size_t ccfc_needle_find(const struct ccfc_needle *n, struct ccfc_slice text,
			size_t from)
{
	const struct byte16 a = spread_byte(n, n->at[0]),
			    b = spread_byte(n, n->at[1]);
	size_t last;

	if (text.len < n->len)
		return CCFC_NOWHERE;
	last = text.len - n->len;
	for (size_t i = from; i <= last; i += 16) {
		const char *p = text.ptr + i;
		unsigned m = (unsigned)_mm_movemask_epi8(
			_mm_and_si128(equal_mask(&a, p + n->at[0]),
				      equal_mask(&b, p + n->at[1])));

		for (; m; m &= m - 1) {
			size_t k = (size_t)__builtin_ctz(m);

			if (i + k > last)
				return CCFC_NOWHERE;
			if (ccfc_needle_stands(n, p + k))
				return i + k;
		}
	}
	return CCFC_NOWHERE;
}
#else
size_t ccfc_needle_find(const struct ccfc_needle *n, struct ccfc_slice text,
			size_t from)
{
	size_t rare = n->at[0];

	if (text.len < n->len)
		return CCFC_NOWHERE;
	for (size_t i = from; i <= text.len - n->len; i++)
		if (((unsigned char)text.ptr[i + rare] | n->fold[rare]) ==
			    n->bytes[rare] &&
		    ccfc_needle_stands(n, text.ptr + i))
			return i;
	return CCFC_NOWHERE;
}
#endif
