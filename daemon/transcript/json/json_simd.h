/*
 * The interface to simdjson, which is C++. It only finds the tokens of a text;
 * everything else about JSON is in json.h.
 */
#ifndef CCFC_TRANSCRIPT_JSON_JSON_SIMD_H
#define CCFC_TRANSCRIPT_JSON_JSON_SIMD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ccfc_simd;

/* Aborts when out of memory, as ccfc_malloc does. One thread at a time. */
struct ccfc_simd *ccfc_simd_new(void);
void ccfc_simd_free(struct ccfc_simd *simd);

/*
 * Finds the tokens of `text`: `*at` (borrowed until the next call) gets the
 * offset of every bracket, colon, comma, and of the first byte of every
 * string and scalar, and behind them twice `len`. Returns how many; 0 when the
 * text is empty, is not UTF-8, has a string that is not closed or a control
 * character within one, or is longer than CCFC_SIMD_MAX.
 */
uint32_t ccfc_simd_scan(struct ccfc_simd *simd, const uint32_t **at,
			const char *text, size_t len);

/* Frees the memory that a huge text needed. */
void ccfc_simd_trim(struct ccfc_simd *simd);

#define CCFC_SIMD_MAX (256u << 20)

#ifdef __cplusplus
}
#endif

#endif
