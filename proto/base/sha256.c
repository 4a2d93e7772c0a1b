/*
 * SHA-256 (FIPS 180-4). Our own, because a hash of a few lines is no reason
 * for a library. Long texts use the processor's SHA instructions where it has
 * them: they take a quarter of the time.
 */
#include "base/sha256.h"

#include "base/hex.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_SHA_BLOCKS 1
#endif

#define BLOCK 64u
/* Asking the processor takes some microseconds on a virtual machine. */
#define LONG_BYTES ((size_t)64 << 10)

static const uint32_t K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t ror(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t load_be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline void store(unsigned char *p, uint32_t x)
{
	p[0] = (unsigned char)(x >> 24);
	p[1] = (unsigned char)(x >> 16);
	p[2] = (unsigned char)(x >> 8);
	p[3] = (unsigned char)x;
}

static void expand_block(uint32_t w[64], const unsigned char *block)
{
	for (int i = 0; i < 16; i++)
		w[i] = load_be32(block + 4 * i);
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
}

/*
 * One round. The names move on by one from round to round, so eight in a row
 * leave every variable where it was: nothing is copied.
 */
#define ROUND(a, b, c, d, e, f, g, h, i)                                       \
	do {                                                                   \
		uint32_t t = (h) + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +     \
			     ((g) ^ ((e) & ((f) ^ (g)))) + K[i] + w[i];        \
                                                                               \
		(d) += t;                                                      \
		(h) = t + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +              \
		      (((a) & (b)) | ((c) & ((a) | (b))));                     \
	} while (0)

static void add_block(uint32_t s[8], const unsigned char *block)
{
	uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
	uint32_t e = s[4], f = s[5], g = s[6], h = s[7];
	uint32_t w[64];

	expand_block(w, block);
	for (int i = 0; i < 64; i += 8) {
		ROUND(a, b, c, d, e, f, g, h, i);
		ROUND(h, a, b, c, d, e, f, g, i + 1);
		ROUND(g, h, a, b, c, d, e, f, i + 2);
		ROUND(f, g, h, a, b, c, d, e, i + 3);
		ROUND(e, f, g, h, a, b, c, d, i + 4);
		ROUND(d, e, f, g, h, a, b, c, i + 5);
		ROUND(c, d, e, f, g, h, a, b, i + 6);
		ROUND(b, c, d, e, f, g, h, a, i + 7);
	}
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
	s[4] += e;
	s[5] += f;
	s[6] += g;
	s[7] += h;
}

#ifdef HAS_SHA_BLOCKS
static bool has_instructions(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1) &&
	       __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* Four rounds with the words `w`, of which the first is number `i`. */
#define FOUR_ROUNDS(w, i)                                                      \
	do {                                                                   \
		__m128i sum = _mm_add_epi32(                                   \
			w, _mm_loadu_si128((const __m128i *)(K + (i))));       \
                                                                               \
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);                 \
		sum = _mm_shuffle_epi32(sum, 0x0e);                            \
		abef = _mm_sha256rnds2_epu32(abef, cdgh, sum);                 \
	} while (0)

/* The state is kept as the instructions want it: a, b, e, f and c, d, g, h. */
__attribute__((target("sha,sse4.1"))) static void
add_blocks(uint32_t s[8], const unsigned char *p, size_t n)
{
	const __m128i swap =
		_mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((__m128i *)s), 0xb1);
	__m128i efgh =
		_mm_shuffle_epi32(_mm_loadu_si128((__m128i *)(s + 4)), 0x1b);
	__m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);

	for (; n; n--, p += BLOCK) {
		const __m128i abef0 = abef, cdgh0 = cdgh;
		__m128i w[4];

		for (int i = 0; i < 4; i++) {
			w[i] = _mm_loadu_si128((const __m128i *)p + i);
			w[i] = _mm_shuffle_epi8(w[i], swap);
			FOUR_ROUNDS(w[i], 4 * i);
		}
		for (int i = 4; i < 16; i++) {
			__m128i last = w[(i + 3) % 4], *to = &w[i % 4];

			*to = _mm_sha256msg1_epu32(*to, w[(i + 1) % 4]);
			*to = _mm_add_epi32(
				*to, _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
			*to = _mm_sha256msg2_epu32(*to, last);
			FOUR_ROUNDS(*to, 4 * i);
		}
		abef = _mm_add_epi32(abef, abef0);
		cdgh = _mm_add_epi32(cdgh, cdgh0);
	}
	abcd = _mm_shuffle_epi32(abef, 0x1b);
	efgh = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)s, _mm_blend_epi16(abcd, efgh, 0xf0));
	_mm_storeu_si128((__m128i *)(s + 4), _mm_alignr_epi8(efgh, abcd, 8));
}
#endif

/* Adds all whole blocks; returns the rest of the bytes. */
static const unsigned char *add_whole(uint32_t s[8], const unsigned char *p,
				      size_t *len)
{
	size_t n = *len / BLOCK;

	*len %= BLOCK;
#ifdef HAS_SHA_BLOCKS
	if (n >= LONG_BYTES / BLOCK && has_instructions()) {
		add_blocks(s, p, n);
		return p + n * BLOCK;
	}
#endif
	for (; n; n--, p += BLOCK)
		add_block(s, p);
	return p;
}

void ccfc_sha256_init(struct ccfc_sha256 *s)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
					   0xa54ff53a, 0x510e527f, 0x9b05688c,
					   0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->h, start, sizeof(start));
	s->len = 0;
}

void ccfc_sha256_add(struct ccfc_sha256 *s, const void *ptr, size_t len)
{
	const unsigned char *p = ptr;
	size_t have = s->len % BLOCK;

	s->len += len;
	if (have) {
		size_t n = BLOCK - have < len ? BLOCK - have : len;

		memcpy(s->block + have, p, n);
		p += n;
		len -= n;
		if (have + n < BLOCK)
			return;
		add_block(s->h, s->block);
	}
	p = add_whole(s->h, p, &len);
	if (len)
		memcpy(s->block, p, len);
}

void ccfc_sha256_end(struct ccfc_sha256 *s,
		     unsigned char out[CCFC_SHA256_BYTES])
{
	static const unsigned char pad[BLOCK] = { 0x80 };
	uint64_t bits = s->len * 8;
	size_t have = s->len % BLOCK;
	unsigned char tail[8];

	/* Up to eight bytes before the end of this block, or of the next. */
	ccfc_sha256_add(s, pad, (have < 56 ? 56 : 56 + BLOCK) - have);
	store(tail, (uint32_t)(bits >> 32));
	store(tail + 4, (uint32_t)bits);
	ccfc_sha256_add(s, tail, sizeof(tail));
	for (int i = 0; i < 8; i++)
		store(out + 4 * i, s->h[i]);
}

void ccfc_sha256_hex(char out[CCFC_SHA256_HEX + 1], struct ccfc_slice bytes)
{
	unsigned char raw[CCFC_SHA256_BYTES];
	struct ccfc_sha256 s;

	ccfc_sha256_init(&s);
	if (bytes.len)
		ccfc_sha256_add(&s, bytes.ptr, bytes.len);
	ccfc_sha256_end(&s, raw);
	ccfc_hex_write(out, raw, sizeof(raw));
}
