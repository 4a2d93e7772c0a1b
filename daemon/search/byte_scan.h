/*
 * Places in raw JSON where a run of characters may be: literally, or in another
 * spelling. The latter are suspects.
 */
#ifndef CCFC_SEARCH_BYTE_SCAN_H
#define CCFC_SEARCH_BYTE_SCAN_H

#include "search/needle.h"

/* Readable bytes required after every text. */
#define CCFC_SCAN_SLACK 64u

struct ccfc_byte_scan {
	struct ccfc_needle needle;
	bool has[128]; /* ASCII characters of the run, in every accepted case */
	bool folds;    /* case is ignored, and the run has an s or a k */
	bool wide;     /* the run has non-ASCII characters */
};

/* `run` has 1 to CCFC_NEEDLE_MAX bytes that JSON may write unescaped. */
void ccfc_byte_scan_init(struct ccfc_byte_scan *scan, struct ccfc_slice run,
			 bool fold);

/* The next place from `from` on, or CCFC_NOWHERE. */
size_t ccfc_byte_scan_find(const struct ccfc_byte_scan *scan,
			   struct ccfc_slice text, size_t from);
/* The next suspect. */
size_t ccfc_byte_scan_suspect(const struct ccfc_byte_scan *scan,
			      struct ccfc_slice text, size_t from);

#endif
