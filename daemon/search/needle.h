/*
 * Finds a run of bytes in a text: the fast path of text search. ASCII letters
 * can match in either case; nothing else folds here.
 */
#ifndef CCFC_SEARCH_NEEDLE_H
#define CCFC_SEARCH_NEEDLE_H

#include "base/slice.h"

#define CCFC_NEEDLE_MAX 4096u
/* Readable bytes required after every text. */
#define CCFC_NEEDLE_SLACK 16u
#define CCFC_NOWHERE	  ((size_t)-1)

struct ccfc_needle {
	size_t len;
	size_t at[2]; /* positions of its two rarest bytes */
	unsigned char bytes[CCFC_NEEDLE_MAX];
	/* 0x20 for letters in either case */
	unsigned char fold[CCFC_NEEDLE_MAX];
};

/* 1 to CCFC_NEEDLE_MAX bytes. */
void ccfc_needle_init(struct ccfc_needle *needle, struct ccfc_slice bytes,
		      bool fold);

/* Its first place at or after `from`, or CCFC_NOWHERE. */
size_t ccfc_needle_find(const struct ccfc_needle *needle,
			struct ccfc_slice text, size_t from);

/* Are the bytes at p the needle? So many bytes must be readable. */
bool ccfc_needle_stands(const struct ccfc_needle *needle, const char *p);

#endif
